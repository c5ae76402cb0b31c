//! How a cell of the grid is related to an area: what decides whether its places are taken, left, or looked
//! at one by one.

/// How a cell is related to a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellRelation {
    Outside,
    /// In part, or not known.
    Across,
    Inside,
}
