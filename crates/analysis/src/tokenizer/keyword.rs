//! `keyword`: the whole text is one token, even when it is empty. `maxTokenLen` is checked and changes
//! nothing. Normalisers use it too: a term with a wildcard must stay one token whatever the field's own
//! tokenizer is.

use crate::definition::TokenizerDefinition;
use crate::stage::Tokenizer;
use crate::token::{KIND_WORD, Token};

pub(crate) static KEYWORD: TokenizerDefinition = TokenizerDefinition::new(
    "keyword",
    "core.KeywordTokenizerFactory",
    &["maxTokenLen"],
    "The whole text as one token.",
    |args| {
        // In Lucene the size of a buffer that grows, despite the name; no token is cut by it.
        args.count("maxTokenLen", 256, 1)?;
        Ok(Box::new(Keyword::default()))
    },
);

/// The tokenizer; remembers whether it has given its token.
#[derive(Clone, Default)]
pub(crate) struct Keyword {
    done: bool,
}

impl Tokenizer for Keyword {
    fn reset(&mut self) {
        self.done = false;
    }

    fn next(&mut self, text: &str, token: &mut Token) -> bool {
        if self.done {
            return false;
        }
        self.done = true;
        token.set(text, 0, text.len(), KIND_WORD);
        true
    }

    fn fresh(&self) -> Box<dyn Tokenizer> {
        Box::new(Keyword::default())
    }
}
