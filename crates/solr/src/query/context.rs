//! What every query parser reads from: schema, analyzers, the request's parameters, what `NOW` means, the
//! bounds. Handed down by reference, changed by nobody.

use analysis::SchemaAnalyzers;
use std::sync::Arc;

use plan::{Error, FieldSpec, NamedPart, NamedParts, Result, Schema};

use super::budget::Budget;
use super::others::Others;
use crate::date_math::DateMath;
use crate::params::Params;

/// Everything that gives a query text its meaning.
#[derive(Clone, Copy, Debug)]
pub struct QueryContext<'a> {
    pub schema: &'a Schema,
    pub analyzers: &'a SchemaAnalyzers,
    pub params: &'a Params,
    pub dates: &'a DateMath,
    /// What queries inside of queries may still cost.
    pub budget: &'a Budget,
    /// Most clauses of one boolean query (Solr's `maxBooleanClauses`).
    pub boolean_clauses_max: usize,
    /// Other collections, where a query may ask for them.
    pub others: Option<&'a Others<'a>>,
    pub names: Names<'a>,
    /// Whether the query only restricts, so that its shape need not keep scores.
    pub filtering: bool,
}

/// What a request may call by names.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The parsers that may be named; `None` is all.
    pub parsers: Option<&'a [String]>,
    /// What the collection calls its own way.
    pub own: &'a NamedParts,
}

impl Default for Names<'_> {
    fn default() -> Self {
        Self { parsers: None, own: const { &NamedParts::NONE } }
    }
}

/// The name that all collections know a part by.
pub(crate) fn known_name<'a>(own: &'a [NamedPart], name: &'a str) -> &'a str {
    NamedPart::find(own, name).map_or(name, |part| &part.stands_for)
}

/// A field as the request names it, with what the schema says of it.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub name: Arc<str>,
    pub spec: Arc<FieldSpec>,
}

impl QueryContext<'_> {
    /// Refuses a parser that the handler does not allow.
    pub(crate) fn check_parser(&self, name: &str) -> Result<()> {
        let Some(allowed) = self.names.parsers.filter(|allowed| !allowed.iter().any(|one| one == name))
        else {
            return Ok(());
        };
        let allowed = allowed.join(", ");
        Err(Error::bad_request(format!("query parser `{name}` is not allowed here; use one of {allowed}")))
    }

    /// The field, or Solr's error of most places.
    pub(crate) fn field(&self, name: &str) -> Result<Field> {
        self.find(name).ok_or_else(|| Error::bad_request(format!("undefined field {name}")))
    }

    /// The field, or Solr's error where it quotes the name: ranges, sorting, facets.
    pub(crate) fn field_quoted(&self, name: &str) -> Result<Field> {
        self.find(name).ok_or_else(|| Error::bad_request(format!("undefined field: \"{name}\"")))
    }

    pub(crate) fn find(&self, name: &str) -> Option<Field> {
        Some(Field { name: Arc::from(name), spec: self.schema.field(name)?.clone() })
    }
}
