//! A text's tokens as the strings that completion looks up: one for each way through its token graph, words
//! in a row. Entries and requests are spelt alike. The shapes are those of Lucene's `TokenStreamToAutomaton`
//! as its `AnalyzingSuggester` uses it.

use crate::stage::Ending;
use crate::token::Token;

/// Stands between words: U+001F, as in Lucene.
pub const WORD_SEPARATOR: char = '\u{1f}';

/// How ways are spelt.
#[derive(Clone, Copy, Debug)]
pub struct PathOptions {
    /// Words left out leave a place.
    pub holes: bool,
    /// A [`WORD_SEPARATOR`] stands between words.
    pub separated: bool,
    /// Most ways; more are left out.
    pub paths_max: usize,
}

/// The ways through the graph of `tokens`, which were followed by `ending`; no words have none.
pub fn graph_paths(tokens: &[Token], ending: Ending, options: PathOptions) -> Vec<String> {
    if tokens.is_empty() {
        return Vec::new();
    }
    let mut next = 0;
    let placed: Vec<(usize, usize, &str)> = tokens
        .iter()
        .map(|token| {
            let increment = token.position_increment as usize;
            next += if options.holes { increment } else { increment.min(1) };
            let start = next.saturating_sub(1);
            (start, start + token.position_length.max(1) as usize, token.text.as_str())
        })
        .collect();
    let end = placed.iter().map(|(_, end, _)| *end).max().unwrap_or(0);
    let left_out = vec![""; left_out(tokens, ending, options)];
    let separator = if options.separated { String::from(WORD_SEPARATOR) } else { String::new() };
    let (mut paths, mut open) = (Vec::new(), vec![(0, Vec::new())]);
    while let Some((mut at, mut words)) = open.pop() {
        while at < end {
            let first = placed.partition_point(|(start, ..)| *start < at);
            let mut here = placed.iter().skip(first).take_while(|(start, ..)| *start == at);
            let Some((_, next, word)) = here.next() else {
                words.push("");
                at += 1;
                continue;
            };
            let others: Vec<_> = here.collect();
            for (_, end, word) in others.into_iter().rev() {
                // Ways not yet gone count, lest there be more of them than memory holds.
                if paths.len() + open.len() < options.paths_max {
                    open.push((*end, [words.as_slice(), &[*word]].concat()));
                }
            }
            words.push(word);
            at = *next;
        }
        words.extend_from_slice(&left_out);
        paths.push(words.join(&separator));
        if paths.len() >= options.paths_max {
            break;
        }
    }
    paths
}

/// Places behind the last word: of words left out, or one for any other text that stands there.
fn left_out(tokens: &[Token], ending: Ending, options: PathOptions) -> usize {
    let last = tokens.iter().map(|token| token.end).max();
    match ending.position_increment {
        0 => usize::from(ending.offset > last.unwrap_or(0)),
        increment if options.holes => increment as usize,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str, increment: u32, length: u32, end: u32) -> Token {
        Token {
            text: text.to_owned(),
            end,
            position_increment: increment,
            position_length: length,
            ..Token::default()
        }
    }

    #[test]
    fn ways_are_spelt() {
        let check = |tokens: &[Token], ending: (u32, u32), holes: bool, expected: &[&str]| {
            let ending = Ending { position_increment: ending.0, offset: ending.1 };
            let options = PathOptions { holes, separated: true, paths_max: 8 };
            let found = graph_paths(tokens, ending, options);
            let shown: Vec<_> = found.iter().map(|path| path.replace(WORD_SEPARATOR, "_")).collect();
            assert_eq!(shown, expected);
        };
        let words = [token("a", 1, 1, 1), token("b", 1, 1, 3)];
        check(&words, (0, 3), true, &["a_b"]);
        check(&words, (0, 4), true, &["a_b_"]);
        check(&words, (1, 6), true, &["a_b_"]);
        check(&words, (1, 6), false, &["a_b"]);
        let gap = [token("a", 2, 1, 5), token("b", 2, 1, 9)];
        check(&gap, (0, 9), true, &["_a__b"]);
        check(&gap, (0, 9), false, &["a_b"]);
        let graph = [token("ab", 1, 2, 3), token("a", 0, 1, 1), token("b", 1, 1, 3), token("c", 1, 1, 5)];
        check(&graph, (0, 5), true, &["ab_c", "a_b_c"]);
        check(&[], (0, 1), true, &[]);
    }

    #[test]
    fn ways_are_bounded() {
        let tokens: Vec<Token> =
            (0..60).map(|at| token(if at % 2 == 0 { "a" } else { "b" }, (at + 1) % 2, 1, at)).collect();
        let options = PathOptions { holes: true, separated: false, paths_max: 7 };
        assert!(graph_paths(&tokens, Ending::default(), options).len() <= 7);
    }
}
