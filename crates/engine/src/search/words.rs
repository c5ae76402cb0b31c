//! Words looked up in the terms of a field, for spelling: how many documents have each, dead ones included as
//! in Lucene, and which terms are near. What is made of them is decided where those of all shards are known.
//! Once the allowance is used up the rest is not looked up: the lists are shorter then, and what is in them
//! is whole.

use plan::partial::{TermCounts, WordCounts};
use plan::{Fuzzy, Result, TermCount, WordsPlan};
use tantivy::Term;
use tantivy::schema::Field;

use super::near_terms::{TERM_CHARS_MAX, counted_near_terms, text_field};
use super::stats::{doc_freq, term_infos};
use crate::search::context::SearchContext;

/// After this many words the allowance is looked at; a few microseconds each.
const WORDS_A_LOOK: usize = 16;

pub(super) fn look_up(context: &SearchContext<'_>, plan: &WordsPlan) -> Result<WordCounts> {
    // `None` when no document has the field, or it has no texts.
    let field = context.layout.field(&plan.field).and_then(|layout| text_field(layout));
    let allowance = &context.allowance;
    let in_time = |at: usize| !at.is_multiple_of(WORDS_A_LOOK) || !allowance.is_used_up();
    let exact = (0..).zip(&plan.exact).take_while(|(at, _)| in_time(*at));
    let exact = exact.map(|(_, word)| documents(context, field, word)).collect::<Result<_>>()?;
    let mut lists = Vec::with_capacity(plan.near.len());
    for fuzzy in &plan.near {
        let found = near(context, field, fuzzy)?;
        // What was being read when the allowance ended lacks terms, and segments in its counts.
        if allowance.is_used_up() {
            break;
        }
        lists.push(found);
    }
    let documents = context.segments.iter().map(|segment| u64::from(segment.max_doc())).sum();
    Ok(WordCounts { documents, exact, near: lists })
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
