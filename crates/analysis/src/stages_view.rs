//! A chain stage by stage, for people: what each component made of a text. Nothing on the indexing or the query
//! path passes here; the chain runs once for each of its prefixes.

use crate::offsets::OffsetMap;
use crate::registry::ComponentKind;
use crate::stage::{CharFilter, Filter, Input, Tokenizer};
use crate::token::Token;

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

pub(crate) fn explain(
    stages: &[Stage],
    char_filters: &[Box<dyn CharFilter>],
    tokenizer: &dyn Tokenizer,
    filters: &[Box<dyn Filter>],
    text: &str,
) -> Vec<StageOutput> {
    let mut names = stages.iter().cloned();
    let mut outputs = Vec::new();
    let mut record = |output| outputs.extend(names.next().map(|stage| StageOutput { stage, output }));
    let mut changed = text.to_owned();
    let mut offsets: Vec<OffsetMap> = Vec::new();
    for filter in char_filters {
        let filtered = filter.filter(&changed);
        changed = filtered.text;
        offsets.push(filtered.offsets);
        record(Output::Text(changed.clone()));
    }
    for count in 0..=filters.len() {
        let part = filters.get(..count).unwrap_or_default();
        record(Output::Tokens(run(tokenizer, part, &changed, &offsets, text.len())));
    }
    outputs
}

/// The tokens after the tokenizer and the given filters.
fn run(
    tokenizer: &dyn Tokenizer,
    filters: &[Box<dyn Filter>],
    text: &str,
    offsets: &[OffsetMap],
    original_len: usize,
) -> Vec<Token> {
    let mut filters: Vec<Box<dyn Filter>> = filters.iter().map(|filter| filter.fresh()).collect();
    let mut input =
        Input { tokenizer: &mut *tokenizer.fresh(), filters: &mut filters, text, offsets, original_len };
    let mut token = Token::default();
    let mut all = Vec::new();
    while input.next(&mut token) {
        all.push(token.clone());
    }
    all
}
