//! Bounds of experiments, as people read them. In: what figures say of them; out: lines on standard output,
//! or an error that names the first that does not hold. Used by all experiments that have bounds.

use lab::BoundVerdict;

use crate::output;

pub fn print(verdicts: &[BoundVerdict]) {
    for verdict in verdicts {
        let word = if verdict.holds { "holds" } else { "does not hold" };
        output::line(&format!("then: {}\n now: {}\n      {word}", verdict.then, verdict.now));
    }
}

/// Errors: a bound does not hold.
pub fn check(verdicts: &[BoundVerdict]) -> anyhow::Result<()> {
    match verdicts.iter().find(|verdict| !verdict.holds) {
        Some(missed) => anyhow::bail!("{}: it was {}", missed.then, missed.now),
        None => Ok(()),
    }
}
