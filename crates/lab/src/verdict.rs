//! What a figure says of a bound, in words: of experiments that have bounds of their own, and no peer to be
//! compared with. In: what was to be; out: what it was, and whether that is enough. Bounds and words are the
//! experiments'.

use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct BoundVerdict {
    /// What was to be.
    pub then: String,
    /// What it was.
    pub now: String,
    pub holds: bool,
}
