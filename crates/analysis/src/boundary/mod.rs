//! Where a text may be cut: after sentences, words, lines, characters. The rules are those of Java's
//! `BreakIterator`, which Solr's highlighters ask, not Unicode's: facts of the rule sources of JDK 17 to 25,
//! which know no language. Characters are grapheme clusters, as since JDK 20.

mod line;
mod numbered_chars;
mod sentence;
mod word;

use icu_segmenter::GraphemeClusterSegmenter;

use numbered_chars::NumberedChars;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundaryKind {
    Sentence,
    Word,
    Line,
    Character,
}

/// Finds the boundaries of a text, about where it is asked to. Offsets are bytes. It remembers where it was,
/// as Java's does, and answers for sentences may depend on that.
#[derive(Debug)]
pub struct Boundaries {
    kind: BoundaryKind,
    chars: NumberedChars,
    len: usize,
    /// Of kinds whose boundaries do not depend on where one begins: those found so far, by characters.
    found: Vec<usize>,
    /// Of sentences: the boundary found last.
    last: Option<usize>,
}

impl Boundaries {
    pub fn new(kind: BoundaryKind, text: &str) -> Self {
        let found = match kind {
            BoundaryKind::Character => characters(text),
            _ => vec![0],
        };
        Self { kind, chars: NumberedChars(text.char_indices().collect()), len: text.len(), found, last: None }
    }

    /// The first boundary behind `offset`; none behind the end.
    pub fn following(&mut self, offset: usize) -> Option<usize> {
        let at = self.chars.number(offset);
        let end = match self.kind {
            _ if at >= self.chars.0.len() => None,
            BoundaryKind::Sentence => Some(self.sentence_following(at)),
            _ => {
                self.find_past(at);
                let next = self.found.partition_point(|boundary| *boundary <= at);
                self.found.get(next).copied()
            }
        };
        end.map(|end| self.offset(end))
    }

    /// The last boundary before `offset`; none before the beginning.
    pub fn preceding(&mut self, offset: usize) -> Option<usize> {
        let at = self.chars.number(offset);
        let before = match self.kind {
            _ if at == 0 => None,
            BoundaryKind::Sentence => Some(self.sentence_preceding(at)),
            _ => {
                self.find_past(at);
                let next = self.found.partition_point(|boundary| *boundary < at);
                next.checked_sub(1).and_then(|last| self.found.get(last)).copied()
            }
        };
        before.map(|before| self.offset(before))
    }

    fn offset(&self, number: usize) -> usize {
        self.chars.0.get(number).map_or(self.len, |(offset, _)| *offset)
    }

    /// Finds all boundaries up to the first behind `at`.
    fn find_past(&mut self, at: usize) {
        let end = if self.kind == BoundaryKind::Line { line::end } else { word::end };
        while let Some(last) = self.found.last().copied().filter(|last| *last <= at) {
            if last >= self.chars.0.len() {
                return;
            }
            // At least one character on, or a rule that matches nothing would be asked for ever.
            self.found.push(end(&self.chars, last).max(last + 1));
        }
    }

    fn sentence_following(&mut self, at: usize) -> usize {
        let mut boundary = match self.last {
            _ if at == 0 => 0,
            // Where an earlier call ended is trusted as a start, although `safe` might say otherwise from
            // here: Java's iterator answers by its history too, and highlighters walk forwards.
            Some(last) if last < at => last,
            _ => sentence::safe(&self.chars, at),
        };
        while boundary <= at {
            boundary = sentence::end(&self.chars, boundary).max(boundary + 1);
        }
        self.last = Some(boundary);
        boundary
    }

    fn sentence_preceding(&mut self, at: usize) -> usize {
        let mut boundary = self.last.filter(|last| *last < at);
        let mut next = boundary.unwrap_or_else(|| sentence::safe(&self.chars, at - 1));
        while next < at {
            boundary = Some(next);
            next = sentence::end(&self.chars, next).max(next + 1);
        }
        self.last = boundary.or(Some(next));
        boundary.unwrap_or(next)
    }
}

/// Grapheme clusters, by numbers of characters.
fn characters(text: &str) -> Vec<usize> {
    let mut chars = text.char_indices().map(|(offset, _)| offset).chain([text.len()]).enumerate();
    let ends = GraphemeClusterSegmenter::new().segment_str(text);
    ends.filter_map(|end| chars.find(|(_, offset)| *offset == end)).map(|(number, _)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected pieces are those of JDK 25.
    fn check(kind: BoundaryKind, expected: &[&str]) {
        let text = expected.concat();
        let (mut finder, mut pieces, mut at) = (Boundaries::new(kind, &text), Vec::new(), 0);
        while let Some(end) = finder.following(at) {
            pieces.push(&text[at..end]);
            at = end;
        }
        assert_eq!(pieces, expected);
    }

    #[test]
    fn sentences_are_those_of_java() {
        check(BoundaryKind::Sentence, &["One stop. ", "Two! ", "Three?! ", "(four) five"]);
        check(BoundaryKind::Sentence, &["Dr. ", "Who is 3.5 m, e.g. tall. 12 of them"]);
        check(BoundaryKind::Sentence, &["stop.\"", "Next\" one. ", "-b c. $5 d"]);
        check(BoundaryKind::Sentence, &["He said \"no.\" ", "\"Yes\" was said. ", "(So.) ", "End"]);
        check(BoundaryKind::Sentence, &["no stop\nnor here"]);
        check(BoundaryKind::Sentence, &["港は大きい。", "壁は古い。"]);
        check(BoundaryKind::Sentence, &["a\u{2029}", "b"]);
    }

    #[test]
    fn words_hold_their_punctuation() {
        check(
            BoundaryKind::Word,
            &["O'Neil's", " ", "e.g", ".", " ", "$3.50", ",", " ", "wi-fi", "  ", "3rd", "!", "?"],
        );
        check(BoundaryKind::Word, &["東京", "の", "ビル", "\n", "étude"]);
    }

    #[test]
    fn lines_break_behind_blanks_and_dashes() {
        check(
            BoundaryKind::Line,
            &["One ", "(two) ", "three-", "four, ", "$3.50! ", "five\n", "six  ", "don't \u{a0}x"],
        );
        check(BoundaryKind::Line, &["-4 ", "a/b ", "c@d.", "e ", "foo()", " ", "bar"]);
    }

    #[test]
    fn characters_keep_their_marks() {
        check(BoundaryKind::Character, &["e\u{301}", "a", "👩‍👩‍👧"]);
    }
}
