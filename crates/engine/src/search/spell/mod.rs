//! Spelling: what the dictionaries of a plan suggest for its words, straight from the terms of a field. `near` finds words
//! a few edits away, `broken` such as were torn apart or run together; here the results of several are woven into one.

mod broken;
mod near;
mod words;

use plan::{Checker, Error, Result, SpellFinding, SpellPlan, SpellWord};

use super::SearchContext;
use words::Words;

/// By word, in the order in which words were first found.
pub(super) fn suggestions(context: &SearchContext<'_>, plan: &SpellPlan) -> Result<Vec<SpellFinding>> {
    let mut results = Vec::with_capacity(plan.dictionaries.len());
    for dictionary in &plan.dictionaries {
        let words = Words::new(context, &dictionary.field);
        results.push(match &dictionary.checker {
            Checker::Near(near) => near::suggestions(&words, near, plan, &context.allowance)?,
            Checker::Broken(broken) => broken::suggestions(&words, broken, plan, &context.allowance)?,
        });
    }
    match (results.pop(), results.is_empty()) {
        (Some(only), true) => Ok(only),
        (Some(last), false) => Ok(weave(results.into_iter().chain([last]), plan.count)),
        (None, _) => Err(Error::internal("a spelling plan names no dictionary")),
    }
}

/// Takes suggestions for a word from each result in turn, at most `count`.
fn weave(results: impl Iterator<Item = Vec<SpellFinding>>, count: usize) -> Vec<SpellFinding> {
    let mut by_word: Vec<(SpellWord, Vec<SpellFinding>)> = Vec::new();
    for finding in results.flatten() {
        match by_word.iter_mut().find(|(known, _)| *known == finding.word) {
            Some((_, findings)) => findings.push(finding),
            None => by_word.push((finding.word.clone(), vec![finding])),
        }
    }
    let woven = by_word.into_iter().map(|(word, findings)| {
        let documents = findings.last().map_or(0, |it| it.documents);
        let mut woven = SpellFinding { word, documents, suggestions: Vec::new() };
        let longest = findings.iter().map(|it| it.suggestions.len()).max().unwrap_or(0);
        let in_turn =
            (0..longest).flat_map(|at| findings.iter().filter_map(move |it| it.suggestions.get(at)));
        // A suggestion of two dictionaries counts twice, as in Solr.
        in_turn.take(count).for_each(|(text, documents)| add(&mut woven, text, *documents));
        woven
    });
    woven.collect()
}

/// Adds a suggestion, or gives the one there is another count.
fn add(finding: &mut SpellFinding, text: &str, documents: u64) {
    match finding.suggestions.iter_mut().find(|(known, _)| known == text) {
        Some((_, known)) => *known = documents,
        None => finding.suggestions.push((text.to_owned(), documents)),
    }
}

#[cfg(test)]
mod tests;
