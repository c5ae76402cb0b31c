//! Which hits stay where only the best hit of each group does, and the documents of a group lie in several
//! shards. Each such step is asked of all shards before the search, in order: the best of what they name is
//! handed back with the plan, to each shard its own. A shard that is alone finds them on its way.
//!
//! Named by `engine` as parts of groups, merged and handed back in `cluster`; which steps a plan has it says
//! itself ([`crate::SearchPlan::heads_steps`]).

use serde::{Deserialize, Serialize};

use super::groups::GroupsPartial;
use super::hits::HitRef;

/// One choice of heads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadsStep {
    /// Of the hits that are left without the filters and collapses that have one of these tags.
    pub without_tags: Vec<String>,
    /// The number of the collapse ([`crate::Shape::collapses`]); behind the last is what facets count of
    /// groups ([`crate::GroupPlan::truncate`]).
    pub number: usize,
}

/// The heads of a step that lie in the shard to which the plan goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChosenHeads {
    pub step: HeadsStep,
    /// (segment, document) in the snapshot that was asked.
    pub documents: Vec<(u32, u32)>,
}

impl GroupsPartial {
    /// The first hit of each group.
    pub fn heads(&self) -> impl Iterator<Item = &HitRef> {
        let valued = self.values.list.iter().map(|(_, group)| group);
        valued.chain(&self.without).filter_map(|group| group.head.as_ref())
    }

    /// The same with its hits named as those of a shard among others.
    #[must_use]
    pub fn of_shard(mut self, number: u32) -> Self {
        for group in self.values.list.iter_mut().map(|(_, group)| group).chain(&mut self.without) {
            group.head.iter_mut().for_each(|head| head.shard = number);
            group.hits.name_shard(number);
        }
        self
    }
}
