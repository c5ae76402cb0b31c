//! A suggestion with what was found in bold, as Lucene's `AnalyzingInfixSuggester` shows it. Done here and
//! not where it is found: it needs the text, the analyzer and what was typed, and no index. In: a
//! suggestion's text, and what of the question was found in it; out: the text with marks, nothing in it
//! escaped, as in Lucene.

use analysis::Analyzer;

/// Puts the words found, and as much of a word as was typed, between `<b>` and `</b>`.
pub(super) fn highlight(analyzer: &Analyzer, text: &str, words: &[String], prefix: Option<&str>) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut upto = 0;
    let slice = |start: usize, end: usize| text.get(start..end).unwrap_or_default();
    let ending = analyzer.tokens(text, &mut |token| {
        let (start, end) = (token.start as usize, token.end as usize);
        if upto > start {
            return;
        }
        out.push_str(slice(upto, start));
        upto = start;
        let surface = slice(start, end);
        let typed = prefix.filter(|prefix| token.text.starts_with(prefix));
        let bold = match typed {
            _ if words.contains(&token.text) => surface.len(),
            Some(prefix) => bytes_of(surface, prefix.encode_utf16().count()),
            None => return,
        };
        let (bold, rest) = surface.split_at(bold);
        out.extend(["<b>", bold, "</b>", rest]);
        upto = end;
    });
    if upto < ending.offset as usize {
        out.push_str(text.get(upto..).unwrap_or_default());
    }
    out
}

/// How many bytes the first `units` UTF-16 units take.
fn bytes_of(text: &str, units: usize) -> usize {
    let mut left = units;
    for (at, character) in text.char_indices() {
        if left < character.len_utf16() {
            return at;
        }
        left -= character.len_utf16();
    }
    text.len()
}
