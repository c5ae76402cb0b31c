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
            Checker::Near(near) => near::suggestions(&words, near, plan)?,
            Checker::Broken(broken) => broken::suggestions(&words, broken, plan)?,
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
    let mut woven: Vec<(SpellWord, u64, Vec<Vec<(String, u64)>>)> = Vec::new();
    for finding in results.flatten() {
        let SpellFinding { word, documents, suggestions } = finding;
        match woven.iter_mut().find(|(known, ..)| *known == word) {
            Some((_, latest, lists)) => {
                *latest = documents;
                lists.push(suggestions);
            }
            None => woven.push((word, documents, vec![suggestions])),
        }
    }
    let finding = |(word, documents, lists): (SpellWord, u64, Vec<Vec<(String, u64)>>)| {
        let mut finding = SpellFinding { word, documents, suggestions: Vec::new() };
        let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
        let in_turn = (0..longest).flat_map(|at| lists.iter().filter_map(move |list| list.get(at)));
        // A suggestion of two dictionaries counts twice, as in Solr.
        in_turn.take(count).for_each(|(text, documents)| add(&mut finding, text, *documents));
        finding
    };
    woven.into_iter().map(finding).collect()
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
