//! How deep a shard cuts what it gives back. `cluster` says it with the plan: a shard alone may cut to the
//! page, one of several may not, since what it leaves out could be first of all together.

use serde::{Deserialize, Serialize};

/// How much of what it counted a shard gives back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CutDepth {
    /// What the page shows of it: enough where there is one shard.
    #[default]
    Page,
    /// All of it, so that it can be merged with what others counted.
    Whole,
}
