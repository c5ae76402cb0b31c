//! Queries on `_root_`. In Solr every document has one; here only those of blocks do, and the id of any other
//! stands for it, so that an index of plain documents does not hold each id twice. In: a query that names
//! `_root_`; out: one of `_root_` or the id. Fields and statistics are those of the layout, so an index that
//! has no blocks pays nothing.

use std::sync::Arc;

use plan::{Fuzzy, Query, ROOT_FIELD, Range, Result};

use super::boolean::simplify;
use crate::search::lower::lowering::Lowering;
use crate::search::node::{BooleanNode, Node};

impl Lowering<'_> {
    /// What a query on `_root_` finds: documents of blocks by their roots, any other by its id.
    pub(super) fn rooted(&mut self, query: &Query, boost: f32) -> Result<Option<Node>> {
        let Some(key) = self.context.layout.unique_key().filter(|_| is_of_root(query)) else {
            return Ok(None);
        };
        let alone = self.lower_one(&with_field(query, key), boost)?;
        let in_block = self.lower_one(&Query::Exists { field: ROOT_FIELD.into() }, 1.0)?;
        let alone =
            BooleanNode { required: vec![alone], prohibited: vec![in_block], ..BooleanNode::default() };
        let by_root = self.lower_one(query, boost)?;
        let optional = vec![by_root, simplify(alone)];
        Ok(Some(simplify(BooleanNode { optional, minimum: 1, ..BooleanNode::default() })))
    }
}

fn is_of_root(query: &Query) -> bool {
    let field = match query {
        Query::Term { field, .. }
        | Query::TermSet { field, .. }
        | Query::Prefix { field, .. }
        | Query::Wildcard { field, .. }
        | Query::Regex { field, .. }
        | Query::Range(Range { field, .. })
        | Query::Fuzzy(Fuzzy { field, .. })
        | Query::Exists { field } => field,
        _ => return false,
    };
    &**field == ROOT_FIELD
}

fn with_field(query: &Query, name: &Arc<str>) -> Query {
    let mut query = query.clone();
    match &mut query {
        Query::Term { field, .. }
        | Query::TermSet { field, .. }
        | Query::Prefix { field, .. }
        | Query::Wildcard { field, .. }
        | Query::Regex { field, .. }
        | Query::Range(Range { field, .. })
        | Query::Fuzzy(Fuzzy { field, .. })
        | Query::Exists { field } => *field = name.clone(),
        _ => {}
    }
    query
}
