//! A chain stage by stage, for people: what each component made of a text. Nothing on the indexing or the
//! query path passes here. Each filter runs over the tokens that the stage before has left, so that its own
//! know which of those they come from.

use std::sync::Arc;

use crate::definition::ComponentKind;
use crate::offsets::OffsetMap;
use crate::stage::{CharFilter, Filter, Input, Tokenizer};
use crate::token::{Token, offset};

/// One component of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Its kind.
    pub kind: ComponentKind,
    /// Its name, `lowercase`.
    pub name: &'static str,
    /// The Lucene class that Solr would show, `org.apache.lucene.analysis.core.LowerCaseFilter`.
    pub class: String,
}

/// What one stage made of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageOutput {
    /// The stage.
    pub stage: Stage,
    /// Whether it is a filter without rules, which passes all on.
    pub absent: bool,
    /// The text or the tokens after it.
    pub output: Output,
}

/// The output of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// After a char filter.
    Text(String),
    /// After the tokenizer or a filter. Positions are increments, to be summed by the reader.
    Tokens(Vec<Token>),
}

type Components<'a> = (&'a [Box<dyn CharFilter>], &'a dyn Tokenizer, &'a [Box<dyn Filter>]);

/// `None` where a stage makes more than this many tokens.
pub(crate) fn explain(
    stages: &[Stage],
    (char_filters, tokenizer, filters): Components<'_>,
    text: &str,
    tokens_max: usize,
) -> Option<Vec<StageOutput>> {
    let mut names = stages.iter().cloned();
    let mut outputs = Vec::new();
    let mut record = |output, absent| {
        outputs.extend(names.next().map(|stage| StageOutput { stage, absent, output }));
    };
    let mut changed = text.to_owned();
    let mut offsets: Vec<OffsetMap> = Vec::new();
    for filter in char_filters {
        let filtered = filter.filter(&changed);
        changed = filtered.text;
        offsets.push(filtered.offsets);
        record(Output::Text(changed.clone()), false);
    }
    let mut cut = tokenizer.fresh();
    let input = Input {
        tokenizer: &mut *cut,
        filters: &mut [],
        text: &changed,
        offsets: &offsets,
        original_len: text.len(),
    };
    let mut tokens = drain(input, tokens_max)?;
    record(Output::Tokens(tokens.clone()), false);
    for filter in filters {
        let mut again = Replay { tokens: tokens.into(), next: 0 };
        let mut only = [filter.fresh()];
        let input = Input {
            tokenizer: &mut again,
            filters: &mut only,
            text: &changed,
            // The replayed tokens lead back to the original text already.
            offsets: &[],
            original_len: text.len(),
        };
        tokens = drain(input, tokens_max)?;
        record(Output::Tokens(tokens.clone()), filter.is_absent());
    }
    Some(outputs)
}

fn drain(mut input: Input<'_>, tokens_max: usize) -> Option<Vec<Token>> {
    let mut token = Token::default();
    let mut all = Vec::new();
    while input.next(&mut token) {
        if all.len() == tokens_max {
            return None;
        }
        all.push(token.clone());
    }
    Some(all)
}

/// The tokens of a stage, once more, each with its place as its origin.
#[derive(Clone)]
struct Replay {
    tokens: Arc<[Token]>,
    next: usize,
}

impl Tokenizer for Replay {
    fn reset(&mut self) {
        self.next = 0;
    }

    fn next(&mut self, _text: &str, token: &mut Token) -> bool {
        let Some(stored) = self.tokens.get(self.next) else { return false };
        token.copy_from(stored);
        token.origin = offset(self.next);
        self.next += 1;
        true
    }

    fn fresh(&self) -> Box<dyn Tokenizer> {
        Box::new(self.clone())
    }
}
