//! Where a run says how far it is; the lab itself prints nothing. The command line shows notes and a bar,
//! tests nothing.

use super::record::Whose;

pub trait Watch: Send + Sync {
    /// A step begins or something is worth telling.
    fn note(&self, text: &str);

    /// This many documents of the corpus are acknowledged.
    fn indexed(&self, whose: Whose, docs: u64, of: u64);
}

/// Says nothing.
pub struct Silent;

impl Watch for Silent {
    fn note(&self, _: &str) {}

    fn indexed(&self, _: Whose, _: u64, _: u64) {}
}
