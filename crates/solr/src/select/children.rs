//! `[child]`: documents below each hit, in their places. What it asks for becomes a `plan::ChildrenPlan`;
//! what it loads is shown by `response/documents.rs`, as far as the field list of the hits wants the names.
//! Messages are Solr's, recorded from 9.10.1.

use std::sync::Arc;

use plan::{ChildrenPlan, Clause, Error, NEST_PATH_FIELD, Occur, Query, Result, Value};

use super::fields::{FieldItem, FieldList};
use crate::params::{Params, integer, response};
use crate::query::{LocalParams, QueryContext, parse_query};

/// Transformers in one list; Solr differs: it has no bound.
const LISTS_MAX: usize = 32;

impl FieldList {
    /// Each `[child]` of the list. What a later one finds takes the place of what bears the same name.
    pub(crate) fn children(&self, context: &QueryContext<'_>) -> Result<Vec<ChildrenPlan>> {
        let locals = self.items.iter().filter_map(|item| match item {
            FieldItem::Children { local, .. } => Some(local),
            _ => None,
        });
        let plans = locals.map(|local| self.children_of(local, context)).collect::<Result<Vec<_>>>()?;
        if plans.len() > LISTS_MAX {
            return Err(Error::bad_request(format!("`fl` has more than {LISTS_MAX} `[child]`; use fewer")));
        }
        Ok(plans)
    }

    fn children_of(&self, local: &LocalParams, context: &QueryContext<'_>) -> Result<ChildrenPlan> {
        let parents = parents(local, context)?;
        let filter = local.get("childFilter").map(|text| child_filter(text, parents.is_none(), context));
        // All of them: Solr 9's default.
        let limit = local.get("limit").map(integer).transpose()?.unwrap_or(-1);
        let fields = match local.get("fl") {
            Some(fl) => {
                let params = Params::new(vec![(response::FL.name.to_owned(), fl.to_owned())]);
                FieldList::parse(&params, context)?.selection()
            }
            None => self.selection(),
        };
        Ok(ChildrenPlan { parents, filter: filter.transpose()?, limit: usize::try_from(limit).ok(), fields })
    }
}

/// Which documents are parents. Where the schema keeps paths, they tell.
fn parents(local: &LocalParams, context: &QueryContext<'_>) -> Result<Option<Query>> {
    let nested = context.schema.field(NEST_PATH_FIELD).is_some();
    match (local.get("parentFilter"), nested) {
        // A nested schema knows its own parents; a filter that says otherwise would cut blocks apart.
        (Some(_), true) => {
            Err(Error::bad_request("Parent filter should not be sent when the schema is nested"))
        }
        (None, true) => Ok(None),
        (Some(text), false) => Ok(Some(parse_query(context, text, "lucene")?.executable())),
        (None, false) => {
            Err(Error::bad_request("Parent filter should be sent as parentFilter=filterCondition"))
        }
    }
}

/// A query, behind the path of the documents it is asked of where it begins with one: `/books/title_t:rome`.
fn child_filter(text: &str, nested: bool, context: &QueryContext<'_>) -> Result<Query> {
    let parse = |text: &str| Ok(parse_query(context, text, "lucene")?.executable());
    let before_colon = text.split_once(':').map_or("", |(before, _)| before);
    // Only before the first colon: a slash in a value (`url_s:a/b`) is no path.
    let Some((path, _)) = before_colon.rsplit_once('/').filter(|_| nested) else { return parse(text) };
    let rest = text.get(path.len() + 1..).unwrap_or_default();
    let path = format!("/{}", path.trim_start_matches('/'));
    let at_path = Query::Term { field: Arc::from(NEST_PATH_FIELD), value: Value::Str(path) };
    let clauses = [at_path, parse(rest)?].map(|query| Clause { occur: Occur::Must, query });
    Ok(Query::Boolean { clauses: clauses.into(), minimum_should_match: 0 })
}
