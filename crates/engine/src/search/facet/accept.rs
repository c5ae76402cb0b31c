//! Which values a field facet may show: by prefix, substring, expression, or not among those left out. Asked
//! about values and not about documents: of the numbering that counts go by, or of a column's values one by
//! one. Patterns are compiled when it is made.

use plan::{FieldFacet, Result};
use tantivy_fst::{Automaton, Regex};

use crate::search::lower::compile;

pub(super) struct Accept<'a> {
    facet: &'a FieldFacet,
    contains: Option<(String, bool)>,
    matches: Option<std::sync::Arc<Regex>>,
}

impl<'a> Accept<'a> {
    pub(super) fn new(facet: &'a FieldFacet) -> Result<Self> {
        let fold = |(text, ignore_case): &(String, bool)| {
            (if *ignore_case { text.to_lowercase() } else { text.clone() }, *ignore_case)
        };
        let matches = facet.matches.as_ref().map(|pattern| compile(&format!("(?s)(?:{pattern})"), pattern));
        Ok(Self { facet, contains: facet.contains.as_ref().map(fold), matches: matches.transpose()? })
    }

    /// Whether every value is accepted.
    pub(super) fn is_open(&self) -> bool {
        self.facet.prefix.is_none()
            && self.contains.is_none()
            && self.matches.is_none()
            && self.facet.exclude_terms.is_empty()
    }

    pub(super) fn accepts(&self, value: &str) -> bool {
        self.facet.prefix.as_ref().is_none_or(|prefix| value.starts_with(prefix.as_str()))
            && self.contains.as_ref().is_none_or(|(text, ignore_case)| {
                if *ignore_case { value.to_lowercase().contains(text) } else { value.contains(text.as_str()) }
            })
            && self.matches.as_deref().is_none_or(|regex| whole_match(regex, value))
            && !self.facet.exclude_terms.iter().any(|left_out| left_out == value)
    }
}

fn whole_match(regex: &Regex, value: &str) -> bool {
    let state = value.bytes().fold(regex.start(), |state, byte| regex.accept(&state, byte));
    regex.is_match(&state)
}
