//! The running analyzers of a schema's text types, and each thread's working copies of them. Building and
//! keeping them is the work of the crate `analysis`. Query-time analysis is not here: queries arrive
//! analysed.

use std::collections::HashMap;
use std::sync::Arc;

use analysis::{SchemaAnalyzers, TokenStream};
use plan::{Error, FieldType, Result};

use crate::indexing::tokens::FieldTokens;
use crate::layout::Layout;
use crate::segment::payloads;

/// The schema's analyzers, of which the engine uses those of indexing.
pub(crate) struct Analyzers(Arc<SchemaAnalyzers>);

impl Analyzers {
    pub(crate) fn of(layout: &Layout) -> Self {
        Self(layout.analyzers().clone())
    }

    /// By field type and use.
    pub(crate) fn of_schema(&self) -> &Arc<SchemaAnalyzers> {
        &self.0
    }

    /// A working copy of the type's analyzer.
    pub(crate) fn stream(&self, field_type: &FieldType) -> Result<TokenStream> {
        let analyzer = self.0.index(field_type)?.ok_or_else(|| {
            Error::internal(format!("fieldType `{}` has no analyzer; declare one", field_type.name))
        })?;
        Ok(analyzer.stream())
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

    /// Analyses the values of one field into `out`, with the type's gap between them, and payloads into
    /// `stored` where the field keeps some. The second result is the first term over `term_bytes_max`, if
    /// any.
    pub(crate) fn write<'v>(
        &mut self,
        field_type: &FieldType,
        values: impl Iterator<Item = &'v str>,
        term_bytes_max: usize,
        out: &mut FieldTokens<'_>,
        mut stored: Option<&mut Vec<i64>>,
    ) -> Result<Option<String>> {
        let stream = match self.streams.get_mut(&field_type.name) {
            Some(stream) => stream,
            None => {
                let stream = self.analyzers.stream(field_type)?;
                self.streams.entry(field_type.name.clone()).or_insert(stream)
            }
        };
        for (number, value) in values.enumerate() {
            if number > 0 {
                out.skip(field_type.position_gap);
            }
            let mut tokens = stream.start(value);
            while tokens.advance() {
                let token = tokens.token();
                if token.text.len() > term_bytes_max {
                    return Ok(Some(token.text.clone()));
                }
                let position = out.token(token.position_increment, token.text.as_bytes());
                if let (Some(payload), Some(stored)) = (&token.payload, &mut stored) {
                    payloads::put(position, token.text.as_bytes(), payload, stored);
                }
            }
            out.skip(tokens.finish().position_increment);
        }
        Ok(None)
    }
}
