//! The orders in which hits come. Resolved from `sort` by `solr`: names are looked up and missing values have
//! their place; the engine compares within segments, `cluster` the values of hits of several shards. A hit's
//! values for these keys travel in its reference, so that shards merge and cursors go on without asking an
//! index.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::function::operand::Pick;
use crate::query::tree::{Function, Query};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SortKey {
    pub by: SortBy,
    pub descending: bool,
}

impl SortKey {
    /// Whether the score alone decides in this order, the greatest first; so it does where no order is said.
    pub fn are_by_score(order: &[Self]) -> bool {
        matches!(order, [] | [Self { by: SortBy::Score, descending: true }])
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SortBy {
    Score,
    Field(Arc<str>),
    /// Of several texts of a field the one that is said, whichever the direction; hits without any stand
    /// where one before all others would.
    Picked {
        field: Arc<str>,
        pick: Pick,
    },
    /// Index order (Solr's `_docid_`).
    IndexOrder,
    /// A shuffle by id that stays the same for one seed (Solr's `random_*`).
    Random {
        seed: u64,
    },
    Function(Function),
    /// The least value, or the greatest where they come in descending order, of the documents below in the
    /// block (Solr's `childfield`).
    Below(Box<BelowKey>),
}

/// A field of documents below others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BelowKey {
    pub field: Arc<str>,
    /// Which documents are parents.
    pub parents: Query,
    /// Which of those below count.
    pub children: Query,
}
