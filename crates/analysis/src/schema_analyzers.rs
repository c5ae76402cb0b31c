//! The analyzers of a schema's field types, each built when it is first asked for and shared by all that work
//! under the schema: the engine asks for index analyzers, the query parsers for the others. A new schema
//! generation gets a new set. A chain that cannot be built is a fault of the request that needs it, and is
//! found only once.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use plan::{AnalyzerSpec, Error, FieldType, Resources, Result, Schema};

use crate::chain::Analyzer;
use crate::registry::drops_stop_words;
use crate::token::Token;

/// Analyzers by field type and use.
#[derive(Debug)]
pub struct SchemaAnalyzers {
    types: HashMap<String, Slots>,
    resources: Resources,
}

type Slot = OnceLock<Result<Analyzer, String>>;

#[derive(Debug, Default)]
struct Slots {
    index: Slot,
    query: Slot,
    multi_term: Slot,
    /// As `query`, without stop filters.
    unstopped: Slot,
}

impl SchemaAnalyzers {
    /// Builds nothing yet.
    pub fn new(schema: &Schema) -> Arc<Self> {
        let types = schema.source.types.iter().map(|kind| (kind.name.clone(), Slots::default())).collect();
        Arc::new(Self { types, resources: schema.source.resources.clone() })
    }

    /// The analyzer of texts that are indexed; none if the type has none.
    pub fn index(&self, kind: &FieldType) -> Result<Option<&Analyzer>> {
        self.get(kind, kind.index_analyzer.as_ref(), |slots| &slots.index)
    }

    /// The tokens of query text; none if the type has no analyzer.
    pub fn tokens(&self, kind: &FieldType, text: &str) -> Result<Vec<Token>> {
        Ok(self.query(kind)?.map_or_else(Vec::new, |analyzer| analyzer.analyze(text)))
    }

    /// The analyzer of query text; none if the type has none.
    pub fn query(&self, kind: &FieldType) -> Result<Option<&Analyzer>> {
        self.get(kind, kind.query_analyzer.as_ref(), |slots| &slots.query)
    }

    /// As [`SchemaAnalyzers::tokens`], stop words among them where the index has them: where a type takes
    /// them out of queries only.
    pub fn tokens_with_stop_words(&self, kind: &FieldType, text: &str) -> Result<Vec<Token>> {
        let stops = |spec: &Option<AnalyzerSpec>| {
            spec.as_ref().is_some_and(|spec| spec.filters.iter().any(drops_stop_words))
        };
        if stops(&kind.index_analyzer) || !stops(&kind.query_analyzer) {
            return self.tokens(kind, text);
        }
        let spec = kind.query_analyzer.clone().map(|mut spec| {
            spec.filters.retain(|filter| !drops_stop_words(filter));
            spec
        });
        let analyzer = self.get(kind, spec.as_ref(), |slots| &slots.unstopped)?;
        Ok(analyzer.map_or_else(Vec::new, |analyzer| analyzer.analyze(text)))
    }

    /// A wildcard, prefix, fuzzy or range term as the index spells it.
    pub fn normalize(&self, kind: &FieldType, field: &str, text: &str) -> Result<String> {
        let Some(analyzer) = self.get(kind, kind.multi_term_analyzer.as_ref(), |slots| &slots.multi_term)?
        else {
            let analyzer = self.query(kind)?;
            return Ok(analyzer.map_or_else(|| text.to_owned(), |found| found.normalizer().normalize(text)));
        };
        let mut tokens = analyzer.analyze(text).into_iter();
        match (tokens.next(), tokens.next()) {
            // A term that stands for one place in the index must be one term; Solr refuses other numbers with
            // these words.
            (Some(only), None) => Ok(only.text),
            (found, _) => {
                let amount = if found.is_some() { "too many terms" } else { "no terms" };
                Err(Error::bad_request(format!(
                    "analyzer returned {amount} for multiTerm term: {text} of field {field}"
                )))
            }
        }
    }

    fn get(
        &self,
        kind: &FieldType,
        spec: Option<&AnalyzerSpec>,
        slot: fn(&Slots) -> &Slot,
    ) -> Result<Option<&Analyzer>> {
        let Some(spec) = spec else { return Ok(None) };
        let slots = self.types.get(&kind.name);
        let slots = slots
            .ok_or_else(|| Error::internal(format!("field type `{}` is of another schema", kind.name)))?;
        // A failure is kept as well, as a text: each request that meets it makes an error of its own of it.
        let build = || Analyzer::build(spec, &self.resources).map_err(|error| error.to_string());
        slot(slots).get_or_init(build).as_ref().map(Some).map_err(|error| {
            Error::bad_request(format!("cannot build the analyzer of field type `{}`: {error}", kind.name))
        })
    }
}
