//! How often a phrase occurs in a document, from the positions of its terms: whole matches, or with slop the
//! sum of 1 / (1 + distance) over the matches that Lucene's sloppy phrase matching finds, in its order and
//! with its rule that two equal terms of a phrase never stand on one word; and where those matches stand. The
//! rules were read in Lucene 9.12 and checked against recorded scores.

/// The positions of one place of the phrase in one document, ascending.
pub(crate) struct PhraseSlot<'a> {
    /// Where the place stands in the phrase.
    pub(crate) offset: u32,
    pub(crate) positions: &'a [u32],
    /// Places that share a term have the same group.
    pub(crate) group: Option<usize>,
}

/// Matches without slop: every place at its offset from the first.
pub(super) fn exact_count(places: &[PhraseSlot<'_>]) -> u32 {
    let Some((first, rest)) = places.split_first() else { return 0 };
    let mut heads = vec![0usize; rest.len()];
    let mut count = 0;
    for start in first.positions {
        let matched = rest.iter().zip(&mut heads).all(|(place, head)| {
            let wanted = start.saturating_sub(first.offset) + place.offset;
            // Starts ascend, and so does what they want of each slot: what a head has passed is never wanted
            // again.
            let behind = place.positions.get(*head..).unwrap_or_default();
            *head += behind.partition_point(|position| *position < wanted);
            place.positions.get(*head) == Some(&wanted)
        });
        // The subtraction above stops at 0: a start before its own offset would pass for one at the
        // beginning.
        count += u32::from(matched && *start >= first.offset);
    }
    count
}

/// The sloppy frequency; 0 when nothing matches within `slop`.
pub(super) fn frequency(places: &[PhraseSlot<'_>], slop: u32) -> f32 {
    let mut matcher = Matcher::new(places);
    let mut sum = 0.0;
    if !matcher.start() {
        return 0.0;
    }
    while let Some(length) = matcher.next_match(i64::from(slop)) {
        sum += 1.0 / (1.0 + length as f32);
    }
    sum
}

/// The first and the last word of each match within `slop`, in the order found.
pub(crate) fn spans(places: &[PhraseSlot<'_>], slop: u32) -> Vec<(u32, u32)> {
    let mut matcher = Matcher::new(places);
    let mut found = Vec::new();
    if !matcher.start() {
        return found;
    }
    while matcher.next_match(i64::from(slop)).is_some() {
        found.extend(matcher.span());
    }
    found
}

/// One place on its walk over the document.
struct Walker<'a> {
    place: &'a PhraseSlot<'a>,
    at: usize,
}

impl Walker<'_> {
    /// The word it stands on.
    fn word(&self) -> i64 {
        self.place.positions.get(self.at).map_or(i64::MAX, |position| i64::from(*position))
    }

    /// Where the phrase would begin by this place alone.
    fn begin(&self) -> i64 {
        self.word() - i64::from(self.place.offset)
    }

    fn step(&mut self) -> bool {
        self.at += 1;
        self.at < self.place.positions.len()
    }
}

struct Matcher<'a> {
    walkers: Vec<Walker<'a>>,
    /// Walkers waiting, that is all but the one being moved.
    waiting: Vec<bool>,
    /// The greatest begin so far.
    end: i64,
    /// The walker moved last, and the word it stood on when the match was as short as it gets.
    lead: (usize, i64),
    exhausted: bool,
}

impl<'a> Matcher<'a> {
    fn new(places: &'a [PhraseSlot<'a>]) -> Self {
        let walkers: Vec<Walker<'a>> = places.iter().map(|place| Walker { place, at: 0 }).collect();
        let waiting = vec![true; walkers.len()];
        Self { walkers, waiting, end: i64::MIN, lead: (0, 0), exhausted: false }
    }

    /// Puts every walker on its first word, equal terms on different ones.
    fn start(&mut self) -> bool {
        if self.walkers.is_empty() || self.walkers.iter().any(|walker| walker.place.positions.is_empty()) {
            return false;
        }
        for index in 0..self.walkers.len() {
            while let Some(other) = self.rival(index) {
                let lesser = self.lesser(index, other);
                if !self.walkers[lesser].step() {
                    return false;
                }
            }
        }
        self.end = self.walkers.iter().map(Walker::begin).max().unwrap_or(i64::MIN);
        true
    }

    /// The distance of the next match within `slop`.
    fn next_match(&mut self, slop: i64) -> Option<i64> {
        if self.exhausted {
            return None;
        }
        let mut lead = self.take_least();
        let mut next = self.least_begin();
        let mut length = self.end - self.walkers[lead].begin();
        self.lead = (lead, self.walkers[lead].word());
        while self.advance(lead) {
            // While the lead still begins first, moving it only shortens the match; once it has passed the
            // next one, the match was as short as it gets.
            if self.walkers[lead].begin() > next {
                self.waiting[lead] = true;
                if length <= slop {
                    return Some(length);
                }
                lead = self.take_least();
                next = self.least_begin();
                length = self.end - self.walkers[lead].begin();
            } else {
                length = length.min(self.end - self.walkers[lead].begin());
            }
            self.lead = (lead, self.walkers[lead].word());
        }
        self.exhausted = true;
        // The last one: its lead ran out of words before anything could end it.
        (length <= slop).then_some(length)
    }

    /// The first and the last word of the match just found.
    fn span(&self) -> Option<(u32, u32)> {
        let (lead, word) = self.lead;
        let others = self.walkers.iter().enumerate().filter(|(index, _)| *index != lead);
        let others = others.map(|(_, walker)| walker.word()).filter(|word| *word != i64::MAX);
        let (first, last) =
            others.fold((word, word), |(first, last), word| (first.min(word), last.max(word)));
        Some((u32::try_from(first).ok()?, u32::try_from(last).ok()?))
    }

    /// Moves one walker on, and those it then collides with.
    fn advance(&mut self, lead: usize) -> bool {
        if !self.step(lead) {
            return false;
        }
        let mut moving = lead;
        while let Some(other) = self.rival(moving) {
            moving = self.lesser(moving, other);
            if !self.step(moving) {
                return false;
            }
        }
        true
    }

    fn step(&mut self, index: usize) -> bool {
        if !self.walkers[index].step() {
            return false;
        }
        self.end = self.end.max(self.walkers[index].begin());
        true
    }

    /// Another walker of the same group on the same word.
    fn rival(&self, index: usize) -> Option<usize> {
        let walker = &self.walkers[index];
        walker.place.group?;
        (0..self.walkers.len()).find(|other| {
            let candidate = &self.walkers[*other];
            *other != index
                && candidate.place.group == walker.place.group
                && candidate.word() == walker.word()
        })
    }

    fn lesser(&self, left: usize, right: usize) -> usize {
        let key = |index: usize| (self.walkers[index].begin(), self.walkers[index].place.offset);
        // Lucene's order: by where the phrase would begin, then by the slot. Which of two equal terms moves
        // decides what is found, and so the score.
        if key(left) < key(right) { left } else { right }
    }

    fn take_least(&mut self) -> usize {
        let least = self.least().unwrap_or(0);
        self.waiting[least] = false;
        least
    }

    fn least_begin(&self) -> i64 {
        self.least().map_or(i64::MAX, |index| self.walkers[index].begin())
    }

    fn least(&self) -> Option<usize> {
        let waiting = (0..self.walkers.len()).filter(|index| self.waiting[*index]);
        waiting.min_by_key(|index| (self.walkers[*index].begin(), self.walkers[*index].place.offset, *index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `phrase` over `text`, words split by spaces.
    fn places(phrase: &str, text: &str, run: impl Fn(&[PhraseSlot<'_>])) {
        let words: Vec<&str> = phrase.split(' ').collect();
        let found: Vec<Vec<u32>> = words
            .iter()
            .map(|word| {
                (0u32..).zip(text.split(' ')).filter(|(_, at)| at == word).map(|(at, _)| at).collect()
            })
            .collect();
        let places: Vec<PhraseSlot<'_>> = words
            .iter()
            .zip(&found)
            .enumerate()
            .map(|(at, (word, positions))| {
                let repeated = words.iter().filter(|other| *other == word).count() > 1;
                let group = repeated.then(|| words.iter().position(|other| other == word).unwrap_or(0));
                PhraseSlot { offset: at as u32, positions, group }
            })
            .collect();
        run(&places);
    }

    #[test]
    fn exact_phrases_count_their_starts() {
        let check = |phrase: &str, text: &str, expected: u32| {
            places(phrase, text, |places| assert_eq!(exact_count(places), expected, "{phrase}: {text}"));
        };
        check("a b", "a b a b", 2);
        check("a b", "b a", 0);
        check("a a", "a a a", 2);
        check("a b c", "a b b c a b c", 1);
    }

    #[test]
    fn sloppy_phrases_weigh_their_distance() {
        let check = |phrase: &str, text: &str, slop: u32, expected: f32| {
            places(phrase, text, |places| assert_eq!(frequency(places, slop), expected, "{phrase}: {text}"));
        };
        check("a b", "a b", 1, 1.0);
        check("a b", "a x b", 1, 0.5);
        check("a b", "a x x b", 1, 0.0);
        check("a b", "b a", 1, 0.0);
        check("a b", "b a", 2, 1.0 / 3.0);
        check("a a", "a", 5, 0.0);
        check("a a", "a x a", 5, 0.5);
    }

    #[test]
    fn sloppy_phrases_have_spans() {
        let check = |phrase: &str, text: &str, slop: u32, expected: &[(u32, u32)]| {
            places(phrase, text, |places| assert_eq!(spans(places, slop), expected, "{phrase}: {text}"));
        };
        check("a b", "a b x a b", 0, &[(0, 1), (3, 4)]);
        check("a b", "a x b", 1, &[(0, 2)]);
        check("a b", "b a", 2, &[(0, 1)]);
        check("a c", "a b c x a", 3, &[(0, 2), (2, 4)]);
    }
}
