//! `hyphenationCompoundWord`: adds the parts of a compound word, which are sought only between the points
//! where it may be hyphenated, all of them or those of a dictionary. The patterns are read in
//! `hyphenation.rs`, from XML files of the configset; the dictionary, where there is one, is a word list of
//! it. Parts stand on top of the word with its offsets.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::args::Args;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::filter::hyphenation::Hyphenation;
use crate::stage::{Filter, Input};
use crate::token::Token;
use crate::word_set::WordSet;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&HYPHENATION_COMPOUND_WORD];

static HYPHENATION_COMPOUND_WORD: FilterDefinition = FilterDefinition::new(
    "hyphenationCompoundWord",
    "compound.HyphenationCompoundWordTokenFilterFactory",
    &[
        "hyphenator",
        "encoding",
        "dictionary",
        "minWordSize",
        "minSubwordSize",
        "maxSubwordSize",
        "onlyLongestMatch",
        "noSubMatches",
        "noOverlappingMatches",
    ],
    "Adds the parts of compound words, cut where they may be hyphenated (`hyphenator`, an XML file of FOP).",
    build,
)
.reading(&["hyphenator", "dictionary"]);

fn build(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let file = args.required("hyphenator")?;
    let hyphenation = Hyphenation::read(args.file("hyphenator", file)?).map_err(|reason| {
        Error::resource(format!("cannot read the hyphenation patterns `{file}`: {reason}"))
    })?;
    let rules = Rules {
        hyphenation,
        words: args.words("dictionary", false)?,
        word_min: args.count("minWordSize", 5, 0)?,
        part_min: args.count("minSubwordSize", 2, 0)?,
        part_max: args.count("maxSubwordSize", 15, 0)?,
        longest_only: args.flag("onlyLongestMatch", false),
        no_parts_of_parts: args.flag("noSubMatches", false),
        no_overlaps: args.flag("noOverlappingMatches", false),
    };
    Ok(Box::new(Compound { rules: Arc::new(rules), ready: VecDeque::new() }))
}

struct Rules {
    hyphenation: Hyphenation,
    words: Option<WordSet>,
    word_min: usize,
    part_min: usize,
    part_max: usize,
    longest_only: bool,
    no_parts_of_parts: bool,
    no_overlaps: bool,
}

impl Rules {
    /// Whether all parts are wanted, those within others included.
    fn wants_all(&self) -> bool {
        !self.longest_only && !self.no_parts_of_parts && !self.no_overlaps
    }

    fn knows(&self, part: &[char]) -> bool {
        self.words.as_ref().is_none_or(|words| words.contains(&part.iter().collect::<String>()))
    }

    /// The parts of a word. A part may have one letter more than a word of the dictionary, the letter that
    /// joins it to the next.
    fn parts(&self, word: &[char]) -> Vec<String> {
        let without_last = word.split_last().map_or(word, |(_, rest)| rest);
        // A word of the dictionary is no compound, unless its parts are wanted as well.
        let is_word =
            self.words.is_some() && (self.knows(word) || word.len() > 1 && self.knows(without_last));
        if is_word && !self.wants_all() {
            return Vec::new();
        }
        let points = self.hyphenation.points(word).unwrap_or_default();
        let mut parts = Vec::new();
        let mut used = None;
        let mut at = 0;
        while at < points.len() {
            if self.no_overlaps {
                at = at.max(used.unwrap_or(0));
            }
            self.parts_from(word, &points, at, &mut used, &mut parts);
            at += 1;
        }
        parts
    }

    /// The parts that start at one point, longest first; `used` is the last point that a part ended at.
    fn parts_from(
        &self,
        word: &[char],
        points: &[usize],
        from: usize,
        used: &mut Option<usize>,
        parts: &mut Vec<String>,
    ) {
        let until = if self.no_parts_of_parts { from.max(used.unwrap_or(0)) } else { from };
        // Never the whole word, which is there already as the token itself.
        let part_max = self.part_max.min(word.len().saturating_sub(1));
        let start = points.get(from).copied().unwrap_or(word.len());
        for (index, end) in points.iter().copied().enumerate().skip(until + 1).rev() {
            let part = word.get(start..end).unwrap_or_default();
            if part.len() > part_max {
                continue;
            }
            // Ends come in descending order, so all that follow are shorter still.
            if part.len() < self.part_min {
                return;
            }
            // German joins parts by a letter (`Arbeit-s-amt`), which the dictionary does not have; the letter
            // is dropped.
            let shorter = part.split_last().map_or(part, |(_, rest)| rest);
            let Some(found) = [part, shorter].into_iter().find(|part| self.knows(part)) else { continue };
            parts.push(found.iter().collect());
            *used = Some(index);
            if !self.wants_all() {
                return;
            }
        }
    }
}

struct Compound {
    rules: Arc<Rules>,
    ready: VecDeque<Token>,
}

impl Filter for Compound {
    fn reset(&mut self) {
        self.ready.clear();
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        if let Some(ready) = self.ready.pop_front() {
            *token = ready;
            return true;
        }
        if !input.next(token) {
            return false;
        }
        let word: Vec<char> = token.text.chars().collect();
        if word.len() >= self.rules.word_min {
            let parts = self.rules.parts(&word).into_iter();
            self.ready.extend(parts.map(|text| Token { text, position_increment: 0, ..token.clone() }));
        }
        true
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(Compound { rules: self.rules.clone(), ready: VecDeque::new() })
    }
}
