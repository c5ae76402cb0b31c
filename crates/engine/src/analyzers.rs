//! The running analyzers of a schema's text types, built when a document first needs them, and each thread's working
//! copies of them. Query-time analysis is not here: queries arrive analysed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use analysis::{Analyzer, TokenStream};
use plan::{Error, ErrorKind, FieldType, Result, Schema};

use crate::replay::ReplayWriter;

/// Index-time analyzers by type name.
pub(crate) struct Analyzers {
    schema: Arc<Schema>,
    built: Mutex<HashMap<String, Analyzer>>,
}

impl Analyzers {
    pub(crate) fn new(schema: Arc<Schema>) -> Self {
        Self { schema, built: Mutex::default() }
    }

    fn analyzer(&self, field_type: &FieldType) -> Result<Analyzer> {
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(analyzer) = built.get(&field_type.name) {
            return Ok(analyzer.clone());
        }
        let spec = field_type.index_analyzer.as_ref().ok_or_else(|| {
            Error::internal(format!("fieldType `{}` has no analyzer; declare one", field_type.name))
        })?;
        let analyzer = Analyzer::build(spec, &self.schema.source.resources).map_err(|error| {
            let message = format!("fieldType `{}`: {error}", field_type.name);
            Error::new(ErrorKind::BadRequest, message).with_source(error)
        })?;
        built.insert(field_type.name.clone(), analyzer.clone());
        Ok(analyzer)
    }
}

/// One thread's working copies.
pub(crate) struct Streams {
    analyzers: Arc<Analyzers>,
    streams: HashMap<String, TokenStream>,
}

impl Streams {
    pub(crate) fn new(analyzers: Arc<Analyzers>) -> Self {
        Self { analyzers, streams: HashMap::new() }
    }

    /// Analyses the values of one field into `writer`, with the type's gap between them. The second result is the first
    /// term over `term_bytes_max`, if any.
    pub(crate) fn write<'v>(
        &mut self,
        field_type: &FieldType,
        values: impl Iterator<Item = &'v str>,
        term_bytes_max: usize,
        writer: &mut ReplayWriter<'_>,
    ) -> Result<Option<String>> {
        let stream = match self.streams.get_mut(&field_type.name) {
            Some(stream) => stream,
            None => {
                let stream = self.analyzers.analyzer(field_type)?.stream();
                self.streams.entry(field_type.name.clone()).or_insert(stream)
            }
        };
        for (number, value) in values.enumerate() {
            if number > 0 {
                writer.skip(field_type.position_gap);
            }
            let mut tokens = stream.start(value);
            while tokens.advance() {
                let token = tokens.token();
                if token.text.len() > term_bytes_max {
                    return Ok(Some(token.text.clone()));
                }
                writer.token(token.position_increment, &token.text);
            }
            writer.skip(tokens.finish().position_increment);
        }
        Ok(None)
    }
}
