//! What comes back of the shapes of a search: a cursor's mark, groups, the other members of groups. The
//! shapes as asked are `shape.rs`; hits in here are references first and documents once they are fetched.
//! Generic over the hit, since groups are merged and cut while hits are still references, and only those on
//! the page are ever fetched.

use crate::error::Result;
use crate::search::hit::Hit;
use crate::search::shape::CursorMark;
use crate::value::Value;

/// What came of a [`crate::Shape`]. Its hits are [`crate::partial::HitRef`] until they are fetched.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeResult<H = Hit> {
    /// The mark of the page's last hit; `None` when the page is empty or there is no cursor.
    pub next: Option<CursorMark>,
    /// As [`crate::GroupPlan::by`].
    pub groups: Vec<GroupedResult<H>>,
    /// In the order of the page.
    pub expanded: Vec<Group<H>>,
}

impl<H> Default for ShapeResult<H> {
    fn default() -> Self {
        Self { next: None, groups: Vec::new(), expanded: Vec::new() }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct GroupedResult<H = Hit> {
    /// Hits in all groups.
    pub matches: u64,
    pub groups_total: Option<u64>,
    pub groups: Vec<Group<H>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Group<H = Hit> {
    /// `None` stands for the hits without a value.
    pub value: Option<Value>,
    pub total: u64,
    /// Present when scores were computed.
    pub score_max: Option<f32>,
    pub hits: Vec<H>,
}

impl<H> ShapeResult<H> {
    /// With each hit turned into what `turn` makes of it, in order.
    pub(crate) fn try_map<T>(self, turn: &mut impl FnMut(H) -> Result<T>) -> Result<ShapeResult<T>> {
        let Self { next, groups, expanded } = self;
        let mut groups_of = |groups: Vec<Group<H>>| -> Result<Vec<Group<T>>> {
            groups.into_iter().map(|group| group.try_map(turn)).collect()
        };
        let mut grouped = Vec::with_capacity(groups.len());
        for GroupedResult { matches, groups_total, groups } in groups {
            grouped.push(GroupedResult { matches, groups_total, groups: groups_of(groups)? });
        }
        Ok(ShapeResult { next, groups: grouped, expanded: groups_of(expanded)? })
    }
}

impl<H> Group<H> {
    fn try_map<T>(self, turn: &mut impl FnMut(H) -> Result<T>) -> Result<Group<T>> {
        let Self { value, total, score_max, hits } = self;
        Ok(Group { value, total, score_max, hits: hits.into_iter().map(turn).collect::<Result<_>>()? })
    }
}
