//! The terms of the index that a pattern stands for, where they are needed by name: in spans, as Lucene
//! rewrites patterns for `ComplexPhraseQuery` and `surround`.
//!
//! In: a word, pattern or range and the dictionaries of all segments; out: texts, at most as many as Lucene
//! allows clauses. Patterns that are queries of their own become bits and name no terms (`multi_term`).

use std::collections::BTreeSet;
use std::ops::Bound;

use plan::{Error, Fuzzy, Query, Range, Result, Value};
use tantivy::schema::Field;
use tantivy_fst::Regex;

use super::multi_term::{prefix_end, regex_automaton, wildcard_automaton};
use crate::errors::from_tantivy;
use crate::search::lower::lowering::Lowering;
use crate::search::near_terms::{TERM_CHARS_MAX, near_terms};

/// Terms that one place may stand for, as Lucene's bound of clauses.
const TERMS_MAX: usize = 1024;

impl Lowering<'_> {
    /// The terms of this index that a word, pattern or range of a span stands for.
    pub(super) fn terms_of(&self, field: Field, query: &Query, out: &mut BTreeSet<String>) -> Result<()> {
        match query {
            Query::Term { value, .. } => drop(out.insert(value.to_text())),
            Query::Synonym { terms, .. } => out.extend(terms.iter().map(|(term, _)| term.clone())),
            Query::Boolean { clauses, .. } => {
                clauses.iter().try_for_each(|clause| self.terms_of(field, &clause.query, out))?;
            }
            Query::Prefix { prefix, .. } => {
                let high = prefix_end(prefix.as_bytes());
                let high = high.map_or(Bound::Unbounded, Bound::Excluded);
                self.terms_between(field, &Bound::Included(prefix.clone().into_bytes()), &high, out)?;
            }
            Query::Range(Range { lower, upper, .. }) => {
                self.terms_between(field, &bytes(lower), &bytes(upper), out)?;
            }
            Query::Wildcard { pattern, .. } => self.terms_like(field, &*wildcard_automaton(pattern)?, out)?,
            Query::Regex { pattern, .. } => self.terms_like(field, &*regex_automaton(pattern)?, out)?,
            Query::Fuzzy(fuzzy) => self.terms_near(field, fuzzy, out)?,
            _ => {
                return Err(Error::bad_request(
                    "a phrase of patterns holds what is no word, pattern or range",
                ));
            }
        }
        if out.len() > TERMS_MAX {
            return Err(Error::bad_request(format!(
                "a pattern in a phrase stands for more than {TERMS_MAX} terms; write more of it"
            )));
        }
        Ok(())
    }

    fn terms_between(
        &self,
        field: Field,
        low: &Bound<Vec<u8>>,
        high: &Bound<Vec<u8>>,
        out: &mut BTreeSet<String>,
    ) -> Result<()> {
        for segment in &self.context.segments {
            let inverted = segment.reader.inverted_index(field).map_err(from_tantivy)?;
            let terms = inverted.terms().range();
            let terms = match low {
                Bound::Included(low) => terms.ge(low),
                Bound::Excluded(low) => terms.gt(low),
                Bound::Unbounded => terms,
            };
            let terms = match high {
                Bound::Included(high) => terms.le(high),
                Bound::Excluded(high) => terms.lt(high),
                Bound::Unbounded => terms,
            };
            let mut terms = terms.into_stream().map_err(from_tantivy)?;
            while out.len() <= TERMS_MAX && terms.advance() {
                out.extend(std::str::from_utf8(terms.key()).map(str::to_owned));
            }
        }
        Ok(())
    }

    fn terms_like(&self, field: Field, automaton: &Regex, out: &mut BTreeSet<String>) -> Result<()> {
        for segment in &self.context.segments {
            let inverted = segment.reader.inverted_index(field).map_err(from_tantivy)?;
            let mut terms = inverted.terms().search(automaton).into_stream().map_err(from_tantivy)?;
            while out.len() <= TERMS_MAX && terms.advance() {
                out.extend(std::str::from_utf8(terms.key()).map(str::to_owned));
            }
        }
        Ok(())
    }

    fn terms_near(&self, field: Field, fuzzy: &Fuzzy, out: &mut BTreeSet<String>) -> Result<()> {
        if fuzzy.term.chars().count() > TERM_CHARS_MAX {
            out.insert(fuzzy.term.clone());
            return Ok(());
        }
        out.extend(near_terms(self.context, field, fuzzy)?.into_iter().map(|near| near.text));
        Ok(())
    }
}

fn bytes(bound: &Bound<Value>) -> Bound<Vec<u8>> {
    bound.as_ref().map(|value| value.to_text().into_bytes())
}
