//! What every query parser reads from: schema, analyzers, the request's parameters, what `NOW` means, the
//! bounds, and the other parsers. Handed down by reference, changed by nobody.
//!
//! Parsers nest: a clause of one is text for another. They reach each other through [`Parsers`] alone, which
//! the table of all of them (`parsers.rs`) implements; no parser imports another for its queries.

use analysis::SchemaAnalyzers;
use std::fmt::Debug;
use std::sync::Arc;

use plan::{Error, FieldSpec, NamedPart, NamedParts, Query, Result, Schema, ScoreStatistics};

use super::budget::Budget;
use super::local_params::LocalParams;
use super::others::Others;
use super::parsed::ParsedQuery;
use crate::date_math::DateMath;
use crate::params::{Params, integer};

/// The query parsers by their names.
pub trait Parsers: Debug + Sync {
    /// Parses `text`, with local parameters or without, by `default_parser` unless they name another. `depth`
    /// counts the parsers around it.
    ///
    /// Errors: no such parser, or one that is not allowed here; a text that it cannot read; too much nesting.
    fn parse(
        &self,
        context: &QueryContext<'_>,
        text: &str,
        default_parser: &str,
        depth: usize,
    ) -> Result<ParsedQuery>;
}

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
    pub prefixes: PrefixLengths,
    /// Other collections, where a query may ask for them.
    pub others: Option<&'a Others<'a>>,
    pub names: Names<'a>,
    /// What reads the queries inside of queries.
    pub parsers: &'static dyn Parsers,
    /// Whether the query only restricts, so that its shape need not keep scores.
    pub filtering: bool,
}

/// Fewest characters before the star of a prefix query (Solr's `minPrefixQueryTermLength`); `None` is any.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrefixLengths {
    /// What the collection says.
    pub of_collection: Option<usize>,
    /// What holds in the query at hand: its own local parameter, else the collection's. A query inside of it
    /// has its own.
    pub here: Option<usize>,
}

impl PrefixLengths {
    pub fn new(of_collection: Option<usize>) -> Self {
        Self { of_collection, here: of_collection }
    }

    /// In a query with these local parameters.
    pub(super) fn inside(self, local: &LocalParams) -> Result<Self> {
        let own = local.get("minPrefixQueryTermLength").map(integer).transpose()?;
        Ok(Self { here: own.map_or(self.of_collection, |own| usize::try_from(own).ok()), ..self })
    }

    /// Refuses what is too short. Characters are Java's: those beyond the basic plane count twice.
    pub(super) fn check(self, field: &str, prefix: &str) -> Result<()> {
        let length = prefix.encode_utf16().count();
        let Some(least) = self.here.filter(|least| length < *least) else { return Ok(()) };
        Err(Error::bad_request(format!(
            "Query [{field}:{prefix}*] does not meet the minimum prefix length [{least}] (actual=[{length}]).  \
             Please try with a larger prefix, or adjust minPrefixQueryTermLength in your solrconfig.xml"
        )))
    }
}

/// What a request may call by names.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The parsers that may be named; `None` is all.
    pub parsers: Option<&'a [String]>,
    /// What the collection calls its own way.
    pub own: &'a NamedParts,
    /// The collection's name where it has several shards: what leads from documents to others then has to ask
    /// all of them.
    pub sharded: Option<&'a str>,
    /// The names of all collections that are searched together, this one among them; none where it is alone.
    pub together: &'a [Arc<str>],
    /// What scores of several shards are by.
    pub score_statistics: ScoreStatistics,
}

impl Names<'_> {
    /// Whether answers are gathered from several shards, of one collection or of several.
    pub fn is_gathered(&self) -> bool {
        self.sharded.is_some() || !self.together.is_empty()
    }
}

impl Default for Names<'_> {
    fn default() -> Self {
        Self {
            parsers: None,
            own: const { &NamedParts::NONE },
            sharded: None,
            together: &[],
            score_statistics: ScoreStatistics::default(),
        }
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
    /// A query inside `depth` others, as parsed.
    pub(crate) fn parse(&self, text: &str, default_parser: &str, depth: usize) -> Result<ParsedQuery> {
        self.parsers.parse(self, text, default_parser, depth)
    }

    /// A query inside another; `default_parser` is `lucene` unless the outer parser says otherwise.
    pub(crate) fn subquery(
        &self,
        text: &str,
        default_parser: Option<&str>,
        depth: usize,
    ) -> Result<Option<Query>> {
        Ok(self.parse(text, default_parser.unwrap_or("lucene"), depth)?.query)
    }

    /// Bounds the clauses of one boolean query that was written, by what the collection allows.
    pub(crate) fn check_clauses(&self, count: usize) -> Result<()> {
        let most = self.boolean_clauses_max;
        if count <= most {
            return Ok(());
        }
        Err(Error::bad_request(format!(
            "Too many clauses in boolean query: encountered={count} configured in solrconfig.xml via \
             maxBooleanClauses={most}"
        )))
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_have_a_least_length() {
        let check = |length: PrefixLengths, prefix: &str, fits: bool| {
            let told = length.check("f", prefix).err().map(|error| error.message).unwrap_or_default();
            assert_eq!(told.is_empty(), fits, "{prefix}: {told}");
        };
        let two = PrefixLengths::new(Some(2));
        check(two, "ab", true);
        check(two, "a", false);
        check(two, "\u{1d4b3}", true);
        check(PrefixLengths::default(), "", true);
        let (one, _) =
            super::super::split_local_params("{!minPrefixQueryTermLength=1}", &Params::default()).unwrap();
        let inner = two.inside(&one).unwrap();
        check(inner, "a", true);
        // A query inside has its own parameters, or the collection's.
        check(inner.inside(&LocalParams::NONE).unwrap(), "a", false);
    }
}
