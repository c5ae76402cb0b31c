//! Many processes on a terminal, a line each: those of this machine, or of a bundle. Shared by `doctor stuck
//! --all` and `doctor read`, so that a bundle is shown as its machine would have been. The lines themselves
//! are the crate's (`render`).

use ::doctor::verdict::Standing;
use ::doctor::{Diagnosis, render};

use crate::output;

/// Those that are stuck, with `full` all of them, and how many there are.
pub fn show_all(full: bool, found: &[Diagnosis]) {
    let stuck = found.iter().filter(|one| one.verdict.standing == Standing::Stuck).count();
    let shown = found.iter().filter(|one| full || one.verdict.standing == Standing::Stuck);
    shown.for_each(|one| output::line(&render::line(one)));
    output::note(&format!("{stuck} of {} processes are stuck", found.len()));
}
