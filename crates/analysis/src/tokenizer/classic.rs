//! `classic`: the tokenizer that Lucene's StandardTokenizer was before Unicode's word breaks, with types for
//! acronyms, companies, mail addresses, host names and numbers. Meant for the languages of Europe; the filter
//! `classic` follows it. The grammar is that of Lucene's documentation: letters are those of Unicode 3.0 but
//! for those of Chinese and Japanese, which come one a token.

use std::sync::LazyLock;

use crate::definition::TokenizerDefinition;
use crate::stage::Tokenizer;
use crate::token::{Token, utf16_len};
use crate::tokenizer::grammar::Grammar;

pub(crate) static CLASSIC: TokenizerDefinition = TokenizerDefinition::new(
    "classic",
    "classic.ClassicTokenizerFactory",
    &["maxTokenLength"],
    "Cuts words of European languages; knows acronyms, companies, mail addresses, hosts and numbers.",
    |args| {
        let units_max = args.count("maxTokenLength", 255, 1)?;
        Ok(Box::new(Classic { grammar: RULES.as_ref().map(Grammar::fresh), units_max, at: 0, skipped: 0 }))
    },
);

/// The types of the rules, in their order.
const KINDS: [&str; 9] = [
    "<ALPHANUM>",
    "<APOSTROPHE>",
    "<ACRONYM>",
    "<COMPANY>",
    "<EMAIL>",
    "<HOST>",
    "<NUM>",
    "<CJ>",
    ACRONYM_WITH_DOT,
];

/// Words with a dot after each, the last included; the last dot goes, and the type is that of a host.
const ACRONYM_WITH_DOT: &str = "<ACRONYM_DEP>";

/// How far a rule looks ahead; a longer word falls into several.
const REACH_BYTES: usize = 1024;

static RULES: LazyLock<Option<Grammar>> = LazyLock::new(|| Grammar::compile(&rules()).ok());

/// The rules, those of `KINDS`. Names stand for what the grammar calls them.
fn rules() -> Vec<String> {
    let cj = r"\u{3040}-\u{309f}\u{30a0}-\u{30ff}\u{3100}-\u{312f}\u{31f0}-\u{31ff}\u{3300}-\u{337f}\u{3400}-\u{4dbf}\u{4e00}-\u{9fff}\u{f900}-\u{faff}\u{ff65}-\u{ff9f}";
    // Letters today, but among the symbols in Unicode 3.0, whose letters Lucene's grammar has.
    let symbols_then = r"\u{2b9}\u{2ba}\u{2c6}-\u{2cf}";
    let letter = format!(r"[\p{{L}}&&\p{{age=3.0}}--[{cj}{symbols_then}]]");
    let digit = r"[\p{Nd}&&\p{age=3.0}]";
    let word = format!(r"(?:[{letter}\u{{e00}}-\u{{e59}}{digit}]+)");
    let letters = format!("(?:{letter}+)");
    let joint = r"[_\-/.,]";
    let with_digit = format!("(?:(?:{letter}|{digit})*{digit}(?:{letter}|{digit})*)");
    let number = [
        format!("{word}{joint}{with_digit}"),
        format!("{with_digit}{joint}{word}"),
        format!("{word}(?:{joint}{with_digit}{joint}{word})+"),
        format!("{with_digit}(?:{joint}{word}{joint}{with_digit})+"),
        format!("{word}{joint}{with_digit}(?:{joint}{word}{joint}{with_digit})+"),
        format!("{with_digit}{joint}{word}(?:{joint}{with_digit}{joint}{word})+"),
    ];
    vec![
        word.clone(),
        format!("{letters}(?:'{letters})+"),
        format!(r"{letter}\.(?:{letter}\.)+"),
        format!("{letters}[&@]{letters}"),
        format!(r"{word}(?:[.\-_]{word})*@{word}(?:[.\-]{word})+"),
        format!(r"{word}(?:\.{word})+"),
        number.join("|"),
        format!("[{cj}]"),
        format!(r"{word}\.(?:{word}\.)+"),
    ]
}

struct Classic {
    /// Always there: a test compiles the rules.
    grammar: Option<Grammar>,
    units_max: usize,
    at: usize,
    /// Tokens that were too long since the last one that was not.
    skipped: u32,
}

impl Tokenizer for Classic {
    fn reset(&mut self) {
        self.at = 0;
        self.skipped = 0;
    }

    fn next(&mut self, text: &str, token: &mut Token) -> bool {
        while let Some(first) = text.get(self.at..).and_then(|rest| rest.chars().next()) {
            let start = self.at;
            // Mail addresses look ahead over whole words in search of an `@`: unbounded, a text without
            // blanks would be read again from each of its words.
            let found = self.grammar.as_mut().and_then(|grammar| grammar.longest(text, start, REACH_BYTES));
            let Some(found) = found else {
                self.at += first.len_utf8();
                continue;
            };
            self.at = found.end;
            let word = text.get(start..found.end).unwrap_or_default();
            if utf16_len(word) > self.units_max {
                self.skipped += 1;
                continue;
            }
            let kind = KINDS.get(found.rule).copied().unwrap_or_default();
            token.set(text, start, found.end, kind);
            if kind == ACRONYM_WITH_DOT {
                token.text.pop();
                token.kind = "<HOST>".into();
            }
            token.position_increment += std::mem::take(&mut self.skipped);
            return true;
        }
        false
    }

    fn skipped(&self) -> u32 {
        self.skipped
    }

    fn fresh(&self) -> Box<dyn Tokenizer> {
        let grammar = self.grammar.as_ref().map(Grammar::fresh);
        Box::new(Classic { grammar, units_max: self.units_max, at: 0, skipped: 0 })
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_rules_compile() {
        assert!(super::RULES.is_some());
    }
}
