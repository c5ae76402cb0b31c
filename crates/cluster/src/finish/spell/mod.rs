//! Spelling: what the dictionaries of a plan suggest for its words. Shards tell how many of their documents
//! have words and which of their terms are near them (`words`); all else is decided here, above them, so that
//! however documents are split the suggestions are those of one shard. `near` chooses words a few edits away,
//! `broken` such as were torn apart or run together; here the results of several dictionaries are woven into
//! one.

mod broken;
mod finding;
mod near;
mod words;

use meter::Allowance;
use plan::partial::WordCounts;
use plan::{Checker, Error, Result, SpellDictionary, SpellFinding, SpellPlan, SpellWord, WordsPlan};

use finding::add;
use words::Words;

/// What all shards together know of some words.
type LookUp<'a> = dyn Fn(&WordsPlan) -> Result<WordCounts> + 'a;

/// By word, in the order in which words were first found. Once the allowance is used up nothing is looked up:
/// the answer is of the words known by then, and says nothing of others.
pub fn spell_words(
    plan: &SpellPlan,
    allowance: &Allowance,
    look_up: &LookUp<'_>,
) -> Result<Vec<SpellFinding>> {
    let mut results = Vec::with_capacity(plan.dictionaries.len());
    for dictionary in &plan.dictionaries {
        results.push(suggestions(dictionary, plan, allowance, look_up)?);
    }
    match (results.pop(), results.is_empty()) {
        (Some(only), true) => Ok(only),
        (Some(last), false) => Ok(weave(results.into_iter().chain([last]), plan.count)),
        (None, _) => Err(Error::internal("a spelling plan names no dictionary")),
    }
}

fn suggestions(
    dictionary: &SpellDictionary,
    plan: &SpellPlan,
    allowance: &Allowance,
    look_up: &LookUp<'_>,
) -> Result<Vec<SpellFinding>> {
    let mut words = Words::new(&dictionary.field, plan.schema_version);
    loop {
        let found = match &dictionary.checker {
            Checker::Near(near) => near::suggestions(&words, near, plan),
            Checker::Broken(broken) => broken::suggestions(&words, broken, plan),
        };
        // Ends: what was asked for is not missed again, answered or not, and a plan's words have this many
        // pieces and neighbours and no more. The allowance is looked at here and by who looks up, not by a
        // pass: the last one has to see all that is known.
        match words.missed().filter(|_| !allowance.is_used_up()) {
            Some(missed) => words.learn(look_up(&missed)?),
            None => return Ok(found),
        }
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
