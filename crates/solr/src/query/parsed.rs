//! A query text as parsed: what every parser makes of one, with what its local parameters say beside the
//! query. How it is made is `parsers.rs`; what it becomes in a plan is the caller's: the main query, a
//! filter, a facet's restriction.

use plan::{Query, Result};

use super::dismax::Notes;
use super::local_params::LocalParams;
use super::negation::positive;

/// A query text as parsed, before it is made executable.
#[derive(Clone, Debug)]
pub struct ParsedQuery {
    /// `None` when the text, or what analysis leaves of it, is empty: it matches nothing.
    pub query: Option<Query>,
    pub local: LocalParams,
    /// The name of Solr's class, for debug output.
    pub parser: &'static str,
    /// What `dismax` and `edismax` have to say beside it.
    pub notes: Option<Notes>,
}

impl ParsedQuery {
    /// What a request without a query searches.
    pub(crate) const NOTHING: Self =
        Self { query: None, local: LocalParams::NONE, parser: "LuceneQParser", notes: None };

    /// What to run: nothing for an empty query, and a query that only excludes made positive.
    pub fn executable(&self) -> Query {
        self.query.clone().map_or(Query::Nothing, positive)
    }

    /// What snippets mark; `None` when nothing was asked for.
    pub(crate) fn highlighted(&self) -> Option<&Query> {
        self.notes.as_ref().map_or(self.query.as_ref(), |notes| notes.asked.as_ref())
    }
}

/// `cache` and `cost` of a filter's local parameters.
pub(crate) fn cache_and_cost(local: &LocalParams) -> Result<(bool, i32)> {
    // Any other word leaves the cache on, as in Solr, which compares with `false` alone.
    let cache = local.get("cache").is_none_or(|cache| cache != "false");
    let cost = local.get("cost").map(crate::params::integer).transpose()?;
    Ok((cache, cost.unwrap_or(0)))
}
