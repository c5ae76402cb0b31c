//! `[subquery]` in `fl`: for each hit a search of its own, by the parameters that begin with the column's
//! name, in which `$row.<field>` is the hit's value. Messages are Solr's, recorded from 9.10.1. Here a column
//! is read and its parameters are worked out for a row; the searches are run by the handler, after the hits
//! are known and before anything is written.

use plan::{Document, Error, Result};

use crate::params::Params;
use crate::query::LocalParams;

/// A column of searches.
#[derive(Clone, Debug, PartialEq)]
pub struct Subquery {
    pub label: String,
    /// Between the values of a field, where `$row` has one parameter for all.
    separator: String,
    /// Another collection to search.
    pub from: Option<String>,
}

/// Searches that the hits of one request may ask for, those within searches too. Solr differs: it has no such
/// bound.
pub const SUBQUERIES_MAX: usize = 1000;

impl Subquery {
    pub(super) fn parse(label: Option<&str>, local: &LocalParams) -> Result<Self> {
        let label = label.ok_or_else(|| {
            Error::bad_request(
                "please give an explicit name for [subquery] column ie fl=relation:[subquery ..]",
            )
        })?;
        Ok(Self {
            label: label.to_owned(),
            separator: local.get("separator").unwrap_or(",").to_owned(),
            from: local.get("fromIndex").map(str::to_owned),
        })
    }

    /// What is asked for one hit.
    pub fn params(&self, params: &Params, row: &Document) -> Params {
        // Only what begins with the column's name: the outer `q` and `fl` must not leak into the inner
        // search.
        let own = params.pairs().iter().filter_map(|(name, value)| {
            let name = name.strip_prefix(self.label.as_str())?.strip_prefix('.')?;
            Some((name.to_owned(), value.clone()))
        });
        let row = row.fields.iter().map(|(name, values)| {
            let values: Vec<_> = values.iter().map(plan::Value::to_text).collect();
            (format!("row.{name}"), values.join(&self.separator))
        });
        Params::new(own.chain(row).collect())
    }

    /// An error of such a search, as the whole request's. Solr differs: it fails while it writes, and its
    /// answer has no header (`compat/select/transformers.yaml`).
    pub fn failed(&self, id: &str, error: &Error) -> Error {
        let message = format!("while invoking {}:[subquery] on doc {id}: {}", self.label, error.message);
        Error::new(error.kind, message)
    }
}
