//! How deep a shard cuts what it gives back.

/// How much of what it counted a shard gives back: of facets, and of groups of hits too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CutDepth {
    /// What the page shows of it: enough where there is one shard.
    #[default]
    Page,
    /// All of it, so that it can be merged with what others counted.
    Whole,
}
