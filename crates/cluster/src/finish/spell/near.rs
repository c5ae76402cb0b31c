//! Words a few edits away, as Lucene's `DirectSpellChecker` chooses them: first those one edit away, and if
//! they are too few those two away; of them the most alike, of these the most frequent.
//!
//! In: the words of a request and what the terms of all shards have of them; out: suggestions by word. Terms
//! that are missed are noted by `Words`, looked up in the shards, and the choice is made again.

use std::collections::BTreeMap;

use plan::{NearWords, SpellFinding, SpellMode, SpellPlan};

use super::finding::add;
use super::words::{NearTerm, Words};

/// Suggestions for all words of a plan, in order; words that were all right have none. Words of which nothing
/// near is known are left out.
pub(super) fn suggestions(words: &Words, near: &NearWords, plan: &SpellPlan) -> Vec<SpellFinding> {
    let mut findings: Vec<SpellFinding> = Vec::new();
    for word in &plan.words {
        let Some(documents) = words.documents(&word.text) else { continue };
        let known = plan.alternatives > 0 && documents > 0;
        let count = if known { plan.alternatives } else { plan.count };
        let lookup = Lookup { words, near, plan, word: &word.text, count };
        let Some(found) = lookup.suggestions(documents) else { continue };
        let mut finding = SpellFinding { word: word.clone(), documents, suggestions: Vec::new() };
        // The word itself stands among what may replace it.
        if known && !found.iter().any(|it| it.text == word.text) {
            add(&mut finding, &word.text, documents);
        }
        found.iter().for_each(|it| add(&mut finding, &it.text, it.documents));
        if !finding.suggestions.is_empty() || documents == 0 {
            findings.push(finding);
        }
    }
    findings
}

/// A word that may be suggested.
struct Candidate {
    text: String,
    documents: u64,
    /// By which it came among the candidates.
    similarity: f32,
    /// By which suggestions are ordered.
    likeness: f32,
}

struct Lookup<'a> {
    words: &'a Words,
    near: &'a NearWords,
    plan: &'a SpellPlan,
    word: &'a str,
    count: usize,
}

impl Lookup<'_> {
    /// `None` while the terms one edit away are missed.
    fn suggestions(&self, documents: u64) -> Option<Vec<Candidate>> {
        let near = self.near;
        let length = self.word.chars().count();
        if length < near.length_min || length > near.length_max || !self.is_wanted(documents) {
            return Some(Vec::new());
        }
        let above = self.documents_above(documents);
        let inspected = self.count.saturating_mul(near.inspections_max);
        let mut candidates = self.candidates(1, above, inspected)?;
        // Where the further ones are missed the result is done again, or, when the allowance is used up,
        // better than none.
        if near.edits_max > 1
            && candidates.len() < inspected
            && let Some(further) = self.candidates(near.edits_max, above, inspected)
        {
            candidates.extend(further);
        }
        let mut sorted: Vec<Candidate> = candidates.into_values().collect();
        // The sort keeps equal ones in term order.
        match near.by_frequency {
            true => sorted.sort_by(|a, b| {
                b.documents.cmp(&a.documents).then_with(|| b.likeness.total_cmp(&a.likeness))
            }),
            false => sorted.sort_by(|a, b| {
                b.likeness.total_cmp(&a.likeness).then_with(|| b.documents.cmp(&a.documents))
            }),
        }
        sorted.truncate(self.count);
        Some(sorted)
    }

    fn is_wanted(&self, documents: u64) -> bool {
        if self.plan.mode == SpellMode::Unknown && documents > 0 {
            return false;
        }
        let frequent = self.near.query_frequency_max;
        let share = (frequent * self.words.documents_max() as f32).ceil() as u64;
        !(frequent >= 1.0 && documents as f32 > frequent) && documents <= share
    }

    /// Only words of more documents are suggested.
    fn documents_above(&self, documents: u64) -> u64 {
        let own = if self.plan.mode == SpellMode::MorePopular { documents } else { 0 };
        let frequency = self.near.frequency_min;
        if frequency >= 1.0 {
            own.max(frequency as u64)
        } else if frequency > 0.0 {
            own.max(((frequency * self.words.documents_max() as f32) as u64).saturating_sub(1))
        } else {
            own
        }
    }

    /// The most similar words within this many edits, by text.
    fn candidates(&self, edits: u8, above: u64, count: usize) -> Option<BTreeMap<String, Candidate>> {
        let prefix = self.near.prefix_min.max(usize::from(edits) - 1);
        let accuracy = self.plan.accuracy.unwrap_or(self.near.accuracy);
        let candidate = |term: NearTerm| {
            let NearTerm { text, documents, similarity } = term;
            let likeness = match self.near.measure {
                None => similarity,
                Some(measure) => engine::alike(measure, self.word, &text),
            };
            let taken = text != self.word && documents > above && likeness >= accuracy;
            taken.then_some(Candidate { text, documents, similarity, likeness })
        };
        let near = self.words.near(self.word, edits, prefix)?;
        let mut candidates: Vec<Candidate> = near.into_iter().filter_map(candidate).collect();
        candidates.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
        candidates.truncate(count);
        Some(candidates.into_iter().map(|it| (it.text.clone(), it)).collect())
    }
}
