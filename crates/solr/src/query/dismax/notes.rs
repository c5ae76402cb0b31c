//! What debug output says of these parsers beside the query: which of several texts was the query, and what
//! was boosted. Noted while they read; printed by `debug/dismax.rs`. They travel beside the query and change
//! nothing of it; most requests throw them away unread.

use plan::Query;

/// A query, if anything is asked for, and what there is to say of it.
pub(crate) type NotedQuery = (Option<Query>, Notes);

/// Of one query.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// What `q.alt` became, where it was used.
    pub alternative: Option<Query>,
    /// `bq` as sent.
    pub boost_texts: Option<Vec<String>>,
    /// What `bq` became.
    pub boosts: Vec<Query>,
    /// `bf` as sent.
    pub function_texts: Option<Vec<String>>,
    /// Whether boost queries are shown where there are none.
    pub extended: bool,
    /// What was asked for without what only adds to scores: snippets mark this.
    pub asked: Option<Query>,
    /// The fields of `qf`.
    pub fields: Vec<String>,
}
