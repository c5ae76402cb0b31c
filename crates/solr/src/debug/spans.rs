//! Span queries in debug output. Solr differs: `surround` tells a class of its own with an account of its
//! making; here it is the spans (`compat/query/surround.yaml`).

use plan::{Query, SpanQuery};

use super::{Form, QueryPrinter};

impl QueryPrinter<'_> {
    pub(super) fn span(&self, query: &SpanQuery) -> String {
        let own = |pattern: &Query| self.print(pattern, Form::Plain);
        let described = || query.describe(&query.span.describe(&query.field, &own));
        query.text.clone().unwrap_or_else(described)
    }
}
