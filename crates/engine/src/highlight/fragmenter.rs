//! Where the original method begins a new fragment: by length, or where a pattern's matches end. The rules
//! are those of Solr's `GapFragmenter` and `LuceneRegexFragmenter`.
//!
//! In: a text and then the ends of its tokens, one after another; out: for each token whether it begins a
//! fragment. What a fragment scores and which are shown is `original`'s.

use analysis::JavaRegex;
use plan::{Error, Fragmenter, RegexFragmenter, Result};

use super::text::Text;

/// A larger step of positions begins a fragment.
const GAP_MAX: u32 = 50;

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

/// What cuts the texts of one request's field. A pattern is compiled when it is first needed, and looked for
/// as long as its budget lasts; what is left is cut by length. Solr differs: a pattern may take as long as it
/// likes.
pub(super) struct Cutter {
    pattern: Option<JavaRegex>,
    finds_left: usize,
}

impl Cutter {
    /// Searches for a pattern in all texts, and the steps back that each may take.
    const FINDS_MAX: usize = 20_000;
    const STEPS_MAX: usize = 20_000;

    pub(super) fn new() -> Self {
        Self { pattern: None, finds_left: Self::FINDS_MAX }
    }

    /// Begins to cut a text.
    pub(super) fn cut(&mut self, fragmenter: &Fragmenter, units: usize, text: &Text) -> Result<Cutting> {
        match fragmenter {
            _ if units == 0 => Ok(Cutting::Whole),
            Fragmenter::Gap => Ok(Cutting::Length { units, begun: 0 }),
            Fragmenter::Regex(regex) => {
                let spots = self.spots(regex, text)?;
                let cutting = PatternCutting::new(regex, units, spots);
                Ok(Cutting::Pattern(cutting))
            }
        }
    }

    /// Where matches begin and end, ascending.
    fn spots(&mut self, regex: &RegexFragmenter, text: &Text) -> Result<Vec<usize>> {
        if self.pattern.is_none() {
            let compiled = JavaRegex::within_steps(&regex.pattern, Self::STEPS_MAX);
            self.pattern = Some(compiled.map_err(|error| {
                Error::bad_request(format!("cannot read `hl.regex.pattern` `{}`: {error}", regex.pattern))
            })?);
        }
        let (mut spots, mut from) = (Vec::new(), 0);
        while let Some(pattern) = self.pattern.as_ref().filter(|_| self.finds_left > 0)
            && text.unit(from) < regex.text_units_max.max(1)
        {
            self.finds_left -= 1;
            let Some(found) = pattern.find_at(text.as_str(), from) else { break };
            spots.extend([text.unit(found.start), text.unit(found.end)]);
            // Behind a match of nothing the next is looked for one character on.
            let next = text.as_str().get(found.end..).and_then(|rest| rest.chars().next());
            from = found.end + if found.is_empty() { next.map_or(1, char::len_utf8) } else { 0 };
        }
        spots.sort_unstable();
        Ok(spots)
    }
}

impl Cutting {
    /// Whether the token that ends at `end`, this many positions behind the one before, begins a fragment.
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
    fn new(regex: &RegexFragmenter, units: usize, spots: Vec<usize>) -> Self {
        Self { units: units as f32, slop: regex.slop, gap: regex.gap, spots, begun: 0, target: None }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_begin_by_length_and_by_pattern() {
        let check = |fragmenter: Fragmenter, units: usize, ends: &[usize], expected: &[bool]| {
            let text = Text::new("one two. three four. five six".to_owned());
            let mut cutting = Cutter::new().cut(&fragmenter, units, &text).unwrap();
            let begun: Vec<bool> = ends.iter().map(|end| cutting.begins(*end, 1)).collect();
            assert_eq!(begun, expected, "{fragmenter:?} {units}");
        };
        let regex = |pattern: &str| {
            let pattern = pattern.to_owned();
            Fragmenter::Regex(RegexFragmenter { pattern, slop: 0.5, text_units_max: 100, gap: 50 })
        };
        check(Fragmenter::Gap, 0, &[3, 7, 14], &[false, false, false]);
        check(Fragmenter::Gap, 10, &[3, 7, 14, 19, 25], &[false, false, true, false, true]);
        check(regex("[^.]+[.]"), 10, &[3, 7, 14, 19], &[false, false, true, false]);
        assert!(Cutter::new().cut(&regex("("), 10, &Text::new(String::new())).is_err());
    }

    #[test]
    fn a_dear_pattern_is_given_up() {
        let text = Text::new("x".repeat(9000));
        let regex = RegexFragmenter { pattern: String::new(), slop: 0.5, text_units_max: 9000, gap: 50 };
        let mut cutter = Cutter::new();
        let spots: Vec<usize> = (0..4).map(|_| cutter.spots(&regex, &text).unwrap().len()).collect();
        assert_eq!((spots, cutter.finds_left), (vec![18_000, 18_000, 4_000, 0], 0));
        let endless = RegexFragmenter { pattern: "(?:(?=x)x*)*y".into(), ..regex };
        assert!(Cutter::new().spots(&endless, &text).unwrap().is_empty());
    }
}
