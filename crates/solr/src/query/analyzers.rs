//! The query analyzers of a schema, built once each when first asked for and shared by all requests. A new schema
//! generation gets a new set. Index analyzers are the engine's.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use analysis::{Analyzer, Token};
use plan::{AnalyzerSpec, Error, FieldType, Resources, Result, Schema};

/// Query analyzers by field type.
#[derive(Debug)]
pub struct SchemaAnalyzers {
    types: HashMap<String, Slot>,
    resources: Resources,
}

#[derive(Debug, Default)]
struct Slot {
    query: OnceLock<Result<Analyzer, String>>,
    multi_term: OnceLock<Result<Analyzer, String>>,
}

impl SchemaAnalyzers {
    /// Builds nothing yet: a chain that cannot be built fails the query that needs it.
    pub fn new(schema: &Schema) -> Arc<Self> {
        let types = schema.source.types.iter().map(|kind| (kind.name.clone(), Slot::default())).collect();
        Arc::new(Self { types, resources: schema.source.resources.clone() })
    }

    /// The tokens of query text.
    pub(crate) fn tokens(&self, kind: &FieldType, text: &str) -> Result<Vec<Token>> {
        Ok(self.query(kind)?.map_or_else(Vec::new, |analyzer| analyzer.analyze(text)))
    }

    /// A wildcard, prefix, fuzzy or range term as the index spells it.
    pub(crate) fn normalize(&self, kind: &FieldType, field: &str, text: &str) -> Result<String> {
        let Some(spec) = &kind.multi_term_analyzer else {
            let analyzer = self.query(kind)?;
            return Ok(analyzer.map_or_else(|| text.to_owned(), |found| found.normalizer().normalize(text)));
        };
        let slot = self.slot(kind)?;
        let analyzer = self.build(&slot.multi_term, spec, kind)?;
        let mut tokens = analyzer.analyze(text).into_iter();
        match (tokens.next(), tokens.next()) {
            (Some(only), None) => Ok(only.text),
            (found, _) => {
                let amount = if found.is_some() { "too many terms" } else { "no terms" };
                Err(Error::bad_request(format!(
                    "analyzer returned {amount} for multiTerm term: {text} of field {field}"
                )))
            }
        }
    }

    fn query(&self, kind: &FieldType) -> Result<Option<&Analyzer>> {
        let Some(spec) = &kind.query_analyzer else { return Ok(None) };
        let slot = self.slot(kind)?;
        self.build(&slot.query, spec, kind).map(Some)
    }

    fn slot(&self, kind: &FieldType) -> Result<&Slot> {
        let found = self.types.get(&kind.name);
        found.ok_or_else(|| Error::internal(format!("field type `{}` is of another schema", kind.name)))
    }

    fn build<'a>(
        &'a self,
        cell: &'a OnceLock<Result<Analyzer, String>>,
        spec: &AnalyzerSpec,
        kind: &FieldType,
    ) -> Result<&'a Analyzer> {
        let built =
            cell.get_or_init(|| Analyzer::build(spec, &self.resources).map_err(|error| error.to_string()));
        built.as_ref().map_err(|error| {
            Error::bad_request(format!("cannot build the analyzer of field type `{}`: {error}", kind.name))
        })
    }
}
