//! The kinds of values that functions have. Ranges read their bounds, comparisons compare and results show
//! values by them; which kind a function has, the function says (`mod.rs`), by Lucene's choice of precision.

/// What a function's values are, by which ranges, comparisons and results read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Int,
    Long,
    Float,
    Double,
    Bool,
    /// Milliseconds since 1970-01-01T00:00:00Z.
    Date,
    Str,
    /// Of the kind of whichever argument is chosen for the document.
    Mixed,
    /// Several values, which only distances read.
    Vector,
}
