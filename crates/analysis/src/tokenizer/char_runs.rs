//! Tokenizers that keep runs of characters of one kind: `whitespace` (all but blanks) and `letter`. Longer
//! runs than `maxTokenLen` UTF-16 units are cut into several tokens, as Lucene's CharTokenizer does. Which
//! characters belong is one function, Java's classes of characters (`chars.rs`) where Solr's documentation
//! says blank or letter. Synonym rules are cut by the first of them unless they name another.

use crate::args::Args;
use crate::chars::{is_java_whitespace, is_letter};
use crate::definition::TokenizerDefinition;
use crate::error::Error;
use crate::stage::Tokenizer;
use crate::token::{KIND_WORD, Token};

pub(crate) static WHITESPACE: TokenizerDefinition = TokenizerDefinition::new(
    "whitespace",
    "core.WhitespaceTokenizerFactory",
    &["rule", "maxTokenLen"],
    "Cuts at blanks, of Java's kind (the default, no-break spaces join) or of Unicode's.",
    |args| match args.choice("rule", "java", &["java", "unicode"])? {
        "unicode" => build(args, |c| !c.is_whitespace()),
        _ => build(args, |c| !is_java_whitespace(c)),
    },
);

pub(crate) static LETTER: TokenizerDefinition = TokenizerDefinition::new(
    "letter",
    "core.LetterTokenizerFactory",
    &["maxTokenLen"],
    "Keeps runs of letters and drops all else.",
    |args| build(args, is_letter),
);

fn build(args: &Args<'_>, belongs: fn(char) -> bool) -> Result<Box<dyn Tokenizer>, Error> {
    let units_max = args.count("maxTokenLen", 255, 1)?;
    Ok(Box::new(CharRuns { belongs, units_max, at: 0 }))
}

/// The tokenizer that cuts at Java's blanks.
pub(crate) fn whitespace() -> Box<dyn Tokenizer> {
    Box::new(CharRuns { belongs: |c| !is_java_whitespace(c), units_max: 255, at: 0 })
}

#[derive(Clone)]
struct CharRuns {
    belongs: fn(char) -> bool,
    units_max: usize,
    at: usize,
}

impl Tokenizer for CharRuns {
    fn reset(&mut self) {
        self.at = 0;
    }

    fn next(&mut self, text: &str, token: &mut Token) -> bool {
        let rest = text.get(self.at..).unwrap_or_default();
        let Some(skip) = rest.find(self.belongs) else {
            self.at = text.len();
            return false;
        };
        let start = self.at + skip;
        let mut units = 0;
        let mut end = start;
        for c in text.get(start..).unwrap_or_default().chars() {
            if !(self.belongs)(c) {
                break;
            }
            units += c.len_utf16();
            end += c.len_utf8();
            // Checked behind the character: one of two units may exceed the limit by one, as in
            // CharTokenizer.
            if units >= self.units_max {
                break;
            }
        }
        self.at = end;
        token.set(text, start, end, KIND_WORD);
        true
    }

    fn fresh(&self) -> Box<dyn Tokenizer> {
        Box::new(self.clone())
    }
}
