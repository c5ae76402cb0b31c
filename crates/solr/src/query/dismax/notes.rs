//! What debug output says of these parsers beside the query.

use plan::Query;

use crate::params::dismax as param;
use crate::query::parsers::Request;

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
    /// Whether boost queries are told of where there are none.
    pub extended: bool,
    /// What was asked for without what only adds to scores: snippets mark this.
    pub asked: Option<Query>,
    /// The fields of `qf`.
    pub fields: Vec<String>,
}

impl Notes {
    pub(super) fn new(request: &Request<'_>, extended: bool) -> Self {
        let sent = |texts: Vec<&str>| {
            let texts: Vec<String> = texts.into_iter().map(str::to_owned).collect();
            (!texts.is_empty()).then_some(texts)
        };
        Self {
            alternative: None,
            boost_texts: sent(request.all(&param::BQ)),
            boosts: Vec::new(),
            function_texts: sent(param::BF.sent_all(request.context.params).collect()),
            extended,
            asked: None,
            fields: Vec::new(),
        }
    }
}
