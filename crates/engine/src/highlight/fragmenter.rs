//! Where the original method begins a new fragment: by length, or where a pattern's matches end. The rules are those of
//! Solr's `GapFragmenter` and `LuceneRegexFragmenter`.

use fancy_regex::RegexBuilder;
use plan::{Error, Fragmenter, RegexFragmenter, Result};

use super::text::Text;

/// A larger step of positions begins a fragment.
const GAP_MAX: u32 = 50;

/// How often a pattern may go back on a text before it is given up.
const STEPS_MAX: usize = 100_000;

/// Fragments of one text being cut.
pub(super) enum Cutting {
    Whole,
    Length { units: usize, begun: usize },
    Pattern(PatternCutting),
}

pub(super) struct PatternCutting {
    units: f32,
    slop: f32,
    gap: u32,
    /// Where matches of the pattern begin and end.
    spots: Vec<usize>,
    begun: usize,
    target: Option<usize>,
}

impl Cutting {
    pub(super) fn new(fragmenter: &Fragmenter, units: usize, text: &Text) -> Result<Self> {
        match fragmenter {
            _ if units == 0 => Ok(Cutting::Whole),
            Fragmenter::Gap => Ok(Cutting::Length { units, begun: 0 }),
            Fragmenter::Regex(regex) => PatternCutting::new(regex, units, text).map(Cutting::Pattern),
        }
    }

    /// Whether the token that ends at `end`, so many positions behind the one before, begins a fragment.
    pub(super) fn begins(&mut self, end: usize, gap: u32) -> bool {
        match self {
            Cutting::Whole => false,
            Cutting::Length { units, begun } => {
                let begins = end >= begun.saturating_add(*units) || gap > GAP_MAX;
                *begun = if begins { end } else { *begun };
                begins
            }
            Cutting::Pattern(pattern) => pattern.begins(end, gap),
        }
    }
}

impl PatternCutting {
    fn new(regex: &RegexFragmenter, units: usize, text: &Text) -> Result<Self> {
        let refused = |error: &dyn std::fmt::Display| {
            Error::bad_request(format!(
                "cannot run `hl.regex.pattern` `{}`: {error}; simplify it",
                regex.pattern
            ))
        };
        let pattern = RegexBuilder::new(&regex.pattern).backtrack_limit(STEPS_MAX).build();
        let pattern = pattern.map_err(|error| refused(&error))?;
        let mut spots = Vec::new();
        let mut from = 0;
        for found in pattern.find_iter(text.as_str()) {
            if from >= regex.text_units_max {
                break;
            }
            let found = found.map_err(|error| refused(&error))?;
            let (start, end) = (text.unit(found.start()), text.unit(found.end()));
            spots.extend([start, end]);
            from = end;
        }
        spots.sort_unstable();
        Ok(Self { units: units as f32, slop: regex.slop, gap: regex.gap, spots, begun: 0, target: None })
    }

    fn begins(&mut self, end: usize, gap: u32) -> bool {
        let least = ((1.0 - self.slop) * self.units) as usize;
        let begins = if gap > self.gap {
            true
        } else if end.saturating_sub(self.begun) < least {
            false
        } else {
            end > self.target.unwrap_or_else(|| self.aim(end, least))
        };
        if begins {
            (self.begun, self.target) = (end, None);
        }
        begins
    }

    /// Chooses where the fragment should end: at a spot not too near and not too far, or after its length.
    fn aim(&mut self, end: usize, least: usize) -> usize {
        let furthest = (self.begun as f32 + (1.0 + self.slop) * self.units) as usize;
        let by_length = self.begun + self.units as usize;
        // Java's search says one more than where a missing number would stand.
        let at = match self.spots.binary_search(&end) {
            Ok(at) => at,
            Err(at) => at + 1,
        };
        let spots = self.spots.get(at..).unwrap_or_default();
        let target = match spots.first() {
            Some(first) if *first <= furthest => {
                let near = spots.iter().find(|spot| **spot >= self.begun + least);
                near.copied().filter(|spot| *spot <= furthest).unwrap_or(by_length)
            }
            _ => by_length,
        };
        self.target = Some(target);
        target
    }
}
