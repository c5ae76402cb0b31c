//! The multi-term chain. A term with a wildcard, of a range or of a fuzzy query is no text: it must not be
//! cut, stemmed or dropped, but it must be lower case where the index is. So it passes, as one token, those
//! components of the chain that only normalise characters. Which ones do is part of their definitions, taken
//! from Lucene.

use plan::{AnalyzerSpec, Resources};

use crate::error::Error;
use crate::registry;
use crate::stage::{CharFilter, Filter, Input, run_char_filters};
use crate::token::Token;
use crate::tokenizer::keyword::Keyword;

/// The normalising part of a chain.
pub struct Normalizer {
    char_filters: Vec<Box<dyn CharFilter>>,
    filters: Vec<Box<dyn Filter>>,
}

impl Normalizer {
    pub(crate) fn build(spec: &AnalyzerSpec, resources: &Resources) -> Result<Self, Error> {
        let mut char_filters = Vec::new();
        for component in &spec.char_filters {
            char_filters.extend(registry::normalizing_char_filter(component, resources)?);
        }
        let mut filters = Vec::new();
        for component in &spec.filters {
            filters.extend(registry::normalizing_filter(component, resources)?);
        }
        Ok(Normalizer { char_filters, filters })
    }

    /// The text as the index would spell it.
    pub fn normalize(&self, text: &str) -> String {
        let (changed, offsets) = run_char_filters(&self.char_filters, text);
        let mut tokenizer = Keyword::default();
        let mut filters: Vec<Box<dyn Filter>> = self.filters.iter().map(|filter| filter.fresh()).collect();
        let mut token = Token::default();
        let mut input = Input {
            tokenizer: &mut tokenizer,
            filters: &mut filters,
            text: &changed,
            offsets: &offsets,
            original_len: text.len(),
        };
        if input.next(&mut token) { token.text } else { String::new() }
    }
}
