//! What a search request is resolved against, and what its queries read from it. Made by the handler, changed
//! by nobody. It borrows from the collection and from the request and owns nothing, so it lives as long as
//! one request is resolved. A search within a search gets its own.

use plan::{Component, HighlightParts, Result, Schema};

use super::elevation::HandlerElevation;
use crate::date_math::DateMath;
use crate::params::{Params, query};
use crate::query::{Budget, Names, Others, PrefixLengths, QueryContext, SchemaAnalyzers, SolrParsers};

/// What a request is resolved against.
#[derive(Clone, Copy, Debug)]
pub struct ResolveContext<'a> {
    pub schema: &'a Schema,
    pub analyzers: &'a SchemaAnalyzers,
    /// The clock's milliseconds, unless the request sends `NOW`.
    pub now_ms: i64,
    /// [`plan::CollectionConfig::boolean_clauses_max`].
    pub boolean_clauses_max: usize,
    /// [`plan::CollectionConfig::prefix_length_min`].
    pub prefix_length_min: Option<usize>,
    /// Other collections, where queries may ask for them.
    pub others: Option<&'a Others<'a>>,
    /// The name of the core, for `[core]`.
    pub core: &'a str,
    /// What is put first by hand.
    pub elevation: HandlerElevation<'a>,
    /// What the handler runs.
    pub components: &'a [Component],
    pub names: Names<'a>,
    /// What snippets may be made by.
    pub highlight: &'a HighlightParts,
}

impl<'a> ResolveContext<'a> {
    /// What the queries of a request with these parameters read from.
    pub(crate) fn queries<'q>(
        &self,
        params: &'q Params,
        dates: &'q DateMath,
        budget: &'q Budget,
    ) -> QueryContext<'q>
    where
        'a: 'q,
    {
        QueryContext {
            schema: self.schema,
            analyzers: self.analyzers,
            params,
            dates,
            budget,
            boolean_clauses_max: self.boolean_clauses_max,
            prefixes: PrefixLengths::new(self.prefix_length_min),
            others: self.others,
            names: self.names,
            parsers: &SolrParsers,
            filtering: false,
        }
    }

    /// What `NOW` and date math mean in a request with these parameters.
    ///
    /// Solr differs: it reads `NOW` when something asks for it (`compat/select/together.yaml`).
    pub(crate) fn dates(&self, params: &Params) -> Result<DateMath> {
        DateMath::of_request(query::NOW.sent(params), query::TZ.sent(params), self.now_ms)
    }
}
