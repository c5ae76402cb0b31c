//! Words looked up in the terms of a field, for spelling: how many documents have each, dead ones included as in Lucene, and
//! which terms are near. What is made of them is decided where those of all shards are known.

use plan::partial::{TermCounts, WordCounts};
use plan::{Fuzzy, Result, TermCount, WordsPlan};
use tantivy::Term;
use tantivy::schema::Field;

use super::SearchContext;
use super::near_terms::{TERM_CHARS_MAX, counted_near_terms, text_field};
use super::stats::{doc_freq, term_infos};

pub(super) fn look_up(context: &SearchContext<'_>, plan: &WordsPlan) -> Result<WordCounts> {
    // `None` when no document has the field, or it has no texts.
    let field = context.layout.field(&plan.field).and_then(|layout| text_field(layout));
    let exact = plan.exact.iter().map(|word| documents(context, field, word));
    let near = plan.near.iter().map(|fuzzy| near(context, field, fuzzy));
    Ok(WordCounts {
        documents: context.segments.iter().map(|segment| u64::from(segment.max_doc())).sum(),
        exact: exact.collect::<Result<_>>()?,
        near: near.collect::<Result<_>>()?,
    })
}

fn documents(context: &SearchContext<'_>, field: Option<Field>, word: &str) -> Result<u64> {
    let Some(field) = field else { return Ok(0) };
    Ok(doc_freq(&term_infos(context, &Term::from_field_text(field, word))?))
}

fn near(context: &SearchContext<'_>, field: Option<Field>, fuzzy: &Fuzzy) -> Result<TermCounts> {
    let Some(field) = field.filter(|_| fuzzy.term.chars().count() <= TERM_CHARS_MAX) else {
        return Ok(TermCounts::default());
    };
    let count = |(term, documents)| TermCount { term, documents, occurrences: None };
    Ok(TermCounts(counted_near_terms(context, field, fuzzy)?.into_iter().map(count).collect()))
}
