//! Where a text may be cut: after sentences, words, lines, characters. The rules are those of Java's `BreakIterator`, which
//! Solr's highlighters ask, not Unicode's: facts of the rule sources of JDK 17 to 25, which know no language. Characters are
//! grapheme clusters, as since JDK 20.

mod line;
mod sentence;
mod word;

use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use icu_segmenter::GraphemeClusterSegmenter;

use crate::chars::category;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundaryKind {
    Sentence,
    Word,
    Line,
    Character,
}

/// All boundaries of a text in ascending order, as byte offsets, its beginning and its end among them.
pub fn boundaries(kind: BoundaryKind, text: &str) -> Vec<usize> {
    match kind {
        BoundaryKind::Sentence => walk(text, sentence::end),
        BoundaryKind::Word => walk(text, word::end),
        BoundaryKind::Line => walk(text, line::end),
        BoundaryKind::Character => GraphemeClusterSegmenter::new().segment_str(text).collect(),
    }
}

/// The characters of a text, by number.
struct Chars(Vec<(usize, char)>);

impl Chars {
    fn get(&self, at: usize) -> Option<char> {
        self.0.get(at).map(|(_, c)| *c)
    }

    fn is(&self, at: usize, class: impl Fn(char) -> bool) -> bool {
        self.get(at).is_some_and(class)
    }

    /// Past the run of characters of a class that begins at `at`.
    fn skip(&self, mut at: usize, class: impl Fn(char) -> bool) -> usize {
        while self.is(at, &class) {
            at += 1;
        }
        at
    }
}

/// Steps from boundary to boundary: `end` gives the number of the first character behind the piece that begins at one.
fn walk(text: &str, end: fn(&Chars, usize) -> usize) -> Vec<usize> {
    let chars = Chars(text.char_indices().collect());
    let mut found = vec![0];
    let mut at = 0;
    while at < chars.0.len() {
        at = end(&chars, at).max(at + 1);
        found.push(chars.0.get(at).map_or(text.len(), |(offset, _)| *offset));
    }
    found
}

fn in_group(c: char, group: GeneralCategoryGroup) -> bool {
    group.contains(category(c))
}

fn is_format(c: char) -> bool {
    !c.is_ascii() && category(c) == GeneralCategory::Format
}

/// A mark that takes no room of its own.
fn is_enclosing(c: char) -> bool {
    !c.is_ascii() && matches!(category(c), GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected pieces are those of JDK 25.
    fn check(kind: BoundaryKind, expected: &[&str]) {
        let text = expected.concat();
        let found = boundaries(kind, &text);
        let pieces: Vec<_> = found.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
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
