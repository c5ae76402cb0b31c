//! Queries, as every syntax resolves them and the engine lowers them. The recursive type is `tree`; around it
//! stand its parts without queries (`shape`, `payload`, `rank`, `date_range`, `dense_vector`,
//! `more_like`), and what a tree
//! is asked: `match_scope` (how long its matches are good), `span` and `like_query`. `relation` moves the
//! documents of a facet.

pub(crate) mod date_range;
pub(crate) mod dense_vector;
pub(crate) mod match_scope;
pub(crate) mod more_like;
pub(crate) mod payload;
pub(crate) mod rank;
pub(crate) mod relation;
pub(crate) mod shape;
pub(crate) mod tree;

mod like_query;
mod span;
