//! Words run together or torn apart, as Lucene's `WordBreakSpellChecker` and Solr's checker over it find
//! them: cuts of one word whose pieces are all words, joints of neighbours that are a word. Which of several
//! equally good ones are shown, when not all are, is as Java's heap has it.

use std::cmp::Ordering;

use plan::{BrokenWords, SpellFinding, SpellMode, SpellPlan, SpellWord, TieHeap};

use super::finding::add;
use super::words::Words;

/// Cuts and joints, the most frequent first. Nothing is reported of words that are missed, nor of what needs
/// them: all is done again when they are known.
pub(super) fn suggestions(words: &Words, broken: &BrokenWords, plan: &SpellPlan) -> Vec<SpellFinding> {
    let breaker = Breaker { words, broken, plan };
    let (mut cuts, mut whole) = (Vec::new(), Vec::new());
    for word in plan.words.iter().filter(|_| broken.tear) {
        let Some(documents) = words.documents(&word.text) else { continue };
        let found = breaker.cuts(&word.text, documents);
        if found.is_empty() {
            whole.push(WordSuggestion { word: word.clone(), suggestion: None, documents: 0 });
        }
        cuts.extend(found.into_iter().map(|cut| WordSuggestion {
            word: word.clone(),
            documents: cut.documents,
            suggestion: Some(cut.pieces.join(" ")),
        }));
    }
    cuts.append(&mut whole);
    let joints = if broken.combine { breaker.joints() } else { Vec::new() };
    let mut findings: Vec<SpellFinding> = Vec::new();
    for entry in interleaved(cuts, joints) {
        let documents = breaker.documents(&entry.word.text);
        let at = findings.iter().position(|it| it.word == entry.word).unwrap_or_else(|| {
            findings.push(SpellFinding { word: entry.word.clone(), documents, suggestions: Vec::new() });
            findings.len() - 1
        });
        if let (Some(finding), Some(text)) = (findings.get_mut(at), &entry.suggestion) {
            add(finding, text, entry.documents);
        }
    }
    findings
}

/// What is suggested for a word, or for several as one.
struct WordSuggestion {
    word: SpellWord,
    suggestion: Option<String>,
    documents: u64,
}

/// Both lists in one: of their first ones the more frequent, of equal ones the joint unless more joints were
/// taken.
fn interleaved(cuts: Vec<WordSuggestion>, joints: Vec<WordSuggestion>) -> Vec<WordSuggestion> {
    let (mut cuts, mut joints) = (cuts.into_iter().peekable(), joints.into_iter().peekable());
    let (mut cuts_taken, mut joints_taken) = (0, 0);
    let mut entries = Vec::new();
    loop {
        let joint_first = match (cuts.peek(), joints.peek()) {
            (None, None) => return entries,
            (cut, joint) => match (cut.map(|it| it.documents), joint.map(|it| it.documents)) {
                (None, _) => true,
                (_, None) => false,
                (Some(cut), Some(joint)) => match cut.cmp(&joint) {
                    Ordering::Less => true,
                    Ordering::Greater => false,
                    Ordering::Equal => cuts_taken >= joints_taken,
                },
            },
        };
        if joint_first {
            entries.extend(joints.next());
            joints_taken += usize::from(joints.peek().is_some());
        } else {
            entries.extend(cuts.next());
            cuts_taken += usize::from(cuts.peek().is_some());
        }
    }
}

/// A word in pieces.
#[derive(Clone)]
struct Cut {
    pieces: Vec<String>,
    /// Of all pieces together, as the dictionary counts them.
    documents: u64,
}

/// Neighbours as one word: from the place `first` to `last` among the words.
struct Joint {
    first: usize,
    last: usize,
    text: String,
    documents: u64,
}

struct Breaker<'a> {
    words: &'a Words,
    broken: &'a BrokenWords,
    plan: &'a SpellPlan,
}

impl Breaker<'_> {
    /// The documents of a word, or of several with spaces between.
    fn documents(&self, words: &str) -> u64 {
        self.together(words.split(' ').filter_map(|word| self.words.documents(word)))
    }

    fn together(&self, each: impl Iterator<Item = u64>) -> u64 {
        if self.broken.by_sum { each.sum() } else { each.max().unwrap_or(0) }
    }

    /// Of a word of this many documents the fewest cuts first, of these the most frequent.
    fn cuts(&self, word: &str, documents: u64) -> Vec<Cut> {
        if word.chars().count() > engine::TERM_CHARS_MAX {
            return Vec::new();
        }
        if self.plan.count == 0 || (documents > 0 && self.plan.mode == SpellMode::Unknown) {
            return Vec::new();
        }
        let documents_min = match self.plan.mode {
            SpellMode::MorePopular => documents.max(1),
            _ => self.broken.frequency_min,
        };
        let order = |one: &Cut, other: &Cut| {
            other.pieces.len().cmp(&one.pieces.len()).then(one.documents.cmp(&other.documents))
        };
        let mut search = CutSearch { breaker: self, documents_min, tried: 0, found: TieHeap::new(order) };
        search.cut(word, &[]);
        search.found.into_descending()
    }

    /// The fewest words first, of these the most frequent.
    fn joints(&self) -> Vec<WordSuggestion> {
        let places = places(&self.plan.words);
        let order = |one: &Joint, other: &Joint| {
            let length = |it: &Joint| it.last - it.first;
            length(other).cmp(&length(one)).then(one.documents.cmp(&other.documents))
        };
        let (mut found, mut tried) = (TieHeap::new(order), 0);
        for first in 0..places.len() {
            self.joints_from(&places, first, &mut tried, &mut |joint| {
                found.push(joint);
                if found.len() > self.plan.count {
                    found.pop();
                }
            });
        }
        let entry = |joint: Joint| {
            let texts: Vec<_> = (joint.first..=joint.last)
                .filter_map(|at| places.get(at).copied().flatten())
                .map(|word| word.text.as_str())
                .collect();
            let (first, last) = (places.get(joint.first)?.as_ref()?, places.get(joint.last)?.as_ref()?);
            let word = SpellWord {
                text: texts.join(" "),
                start: first.start,
                end: last.end,
                increment: 1,
                role: plan::WordRole::default(),
            };
            Some(WordSuggestion { word, suggestion: Some(joint.text), documents: joint.documents })
        };
        found.into_descending().into_iter().filter_map(entry).collect()
    }

    /// The words that begin with the one at `first` and take in some that follow it.
    fn joints_from(
        &self,
        places: &[Option<&SpellWord>],
        first: usize,
        tried: &mut usize,
        take: &mut dyn FnMut(Joint),
    ) {
        let broken = self.broken;
        let Some(Some(word)) = places.get(first) else { return };
        let (mut text, mut length) = (word.text.clone(), word.text.chars().count());
        if length > broken.combined_max || self.plan.count == 0 {
            return;
        }
        let own = self.words.documents(&word.text);
        // Both `None` as soon as one of the words is not known.
        let (mut least, mut most) = (own, own);
        for (last, next) in places.iter().enumerate().skip(first + 1).take(broken.changes_max) {
            let Some(next) = next else { return };
            text.push_str(&next.text);
            length += next.text.chars().count();
            if length > broken.combined_max {
                return;
            }
            let own = self.words.documents(&next.text);
            (least, most) = (least.min(own), most.zip(own).map(|(most, own)| most.max(own)));
            // All are asked for, so that what is missed of them is so at once.
            if let (Some(documents), Some(least), Some(most)) = (self.words.documents(&text), least, most) {
                let wanted = match self.plan.mode {
                    SpellMode::Unknown => least == 0,
                    SpellMode::MorePopular => documents >= most,
                    SpellMode::Always => true,
                };
                if wanted && documents >= broken.frequency_min {
                    take(Joint { first, last, text: text.clone(), documents });
                }
            }
            *tried += 1;
            if *tried == broken.evaluations_max {
                return;
            }
        }
    }
}

/// The words, with a gap where two must not be joined.
fn places(words: &[SpellWord]) -> Vec<Option<&SpellWord>> {
    let mut places = Vec::with_capacity(words.len());
    let mut before: Option<&SpellWord> = None;
    for word in words {
        let parted = before.is_some_and(|before| {
            before.role.prohibited != word.role.prohibited
                || before.role.required != word.role.required
                || before.role.before_operator
        });
        if parted {
            places.push(None);
        }
        places.push(Some(word));
        before = Some(word);
    }
    places
}

struct CutSearch<'a, F> {
    breaker: &'a Breaker<'a>,
    documents_min: u64,
    /// Cuts tried so far.
    tried: usize,
    found: TieHeap<Cut, F>,
}

impl<F: Fn(&Cut, &Cut) -> Ordering> CutSearch<'_, F> {
    /// Cuts `rest`, which follows `before`, in two; then, if that is not enough, its right parts further.
    fn cut(&mut self, rest: &str, before: &[String]) {
        let broken = self.breaker.broken;
        let piece_min = broken.piece_min.max(1);
        let length = rest.chars().count();
        let mut ends = Vec::new();
        for (number, (at, _)) in rest.char_indices().enumerate().skip(piece_min) {
            if number + piece_min > length {
                break;
            }
            if self.tried >= broken.evaluations_max {
                return;
            }
            self.tried += 1;
            let (left, right) = rest.split_at(at);
            let words = self.breaker.words;
            let left_documents = words.documents(left);
            if left_documents.is_some_and(|documents| documents < self.documents_min) {
                continue;
            }
            // Asked for beside a left part that is missed itself, so that both are known at once.
            let right_documents = words.documents(right);
            if left_documents.is_none() {
                continue;
            }
            ends.push(at);
            if right_documents.is_some_and(|documents| documents >= self.documents_min) {
                self.take(before, left, right);
            }
        }
        let cuts = before.len() + 2;
        let enough = self.found.len() >= self.breaker.plan.count;
        if self.tried >= broken.evaluations_max || cuts > broken.changes_max || enough {
            return;
        }
        for at in ends {
            let (left, right) = rest.split_at(at);
            let mut before = before.to_vec();
            before.push(left.to_owned());
            self.cut(right, &before);
            if self.tried >= broken.evaluations_max {
                break;
            }
        }
    }

    fn take(&mut self, before: &[String], left: &str, right: &str) {
        let mut pieces = before.to_vec();
        pieces.extend([left.to_owned(), right.to_owned()]);
        let documents =
            self.breaker.together(pieces.iter().filter_map(|piece| self.breaker.words.documents(piece)));
        self.found.push(Cut { pieces, documents });
        if self.found.len() > self.breaker.plan.count {
            self.found.pop();
        }
    }
}
