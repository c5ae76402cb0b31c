//! How a cell of the grid lies to an area: what decides whether its places are taken, left, or looked at one
//! by one.

/// How a cell lies to a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellRelation {
    Outside,
    /// In part, or not known.
    Across,
    Inside,
}
