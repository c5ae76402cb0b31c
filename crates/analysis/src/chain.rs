//! The chain: an `Analyzer` is built once from a schema's specification and shared; a `TokenStream` is one
//! thread's working copy of it, reused from text to text; `Tokens` is one text on its way through. Tokens are
//! pulled from the last stage, one at a time, into one buffer. Which components exist is `registry.rs`.

use std::borrow::Cow;
use std::sync::Arc;

use plan::{AnalyzerSpec, Resources};

use crate::error::Error;
use crate::normalizer::Normalizer;
use crate::offsets::OffsetMap;
use crate::registry;
use crate::stage::{CharFilter, Ending, Filter, Input, Tokenizer, run_char_filters};
use crate::stages_view::{Stage, StageOutput};
use crate::token::Token;

/// A chain of char filters, one tokenizer and token filters. Immutable; clones share everything.
#[derive(Clone)]
pub struct Analyzer {
    inner: Arc<Inner>,
}

struct Inner {
    char_filters: Vec<Box<dyn CharFilter>>,
    tokenizer: Box<dyn Tokenizer>,
    filters: Vec<Box<dyn Filter>>,
    stages: Vec<Stage>,
    normalizer: Normalizer,
}

impl Analyzer {
    /// Builds the chain. Fails on an unknown component, an unknown, missing or bad argument, a file that is
    /// not among the resources or cannot be read; the message names the component.
    pub fn build(spec: &AnalyzerSpec, resources: &Resources) -> Result<Analyzer, Error> {
        let mut stages = Vec::new();
        let mut char_filters = Vec::new();
        for component in &spec.char_filters {
            let (stage, built) = registry::char_filter(component, resources)?;
            stages.push(stage);
            char_filters.push(built);
        }
        let (stage, tokenizer) = registry::tokenizer(&spec.tokenizer, resources)?;
        stages.push(stage);
        let mut filters = Vec::new();
        for component in &spec.filters {
            let (stage, built) = registry::filter(component, resources)?;
            stages.push(stage);
            filters.push(built);
        }
        let normalizer = Normalizer::build(spec, resources)?;
        Ok(Analyzer { inner: Arc::new(Inner { char_filters, tokenizer, filters, stages, normalizer }) })
    }

    /// What wildcard, prefix, fuzzy and range terms pass instead of the chain: the whole text as one token
    /// through those of its components that only normalise.
    pub fn normalizer(&self) -> &Normalizer {
        &self.inner.normalizer
    }

    /// A working copy for one thread. Keep it: its buffers are reused from text to text.
    pub fn stream(&self) -> TokenStream {
        TokenStream {
            analyzer: self.inner.clone(),
            tokenizer: self.inner.tokenizer.fresh(),
            filters: self.inner.filters.iter().map(|filter| filter.fresh()).collect(),
            token: Token::default(),
        }
    }

    /// Calls `sink` with each token of the text and returns what follows the last one.
    pub fn tokens(&self, text: &str, sink: &mut impl FnMut(&Token)) -> Ending {
        let mut stream = self.stream();
        let mut tokens = stream.start(text);
        while tokens.advance() {
            sink(tokens.token());
        }
        tokens.finish()
    }

    /// All tokens of the text.
    pub fn analyze(&self, text: &str) -> Vec<Token> {
        let mut all = Vec::new();
        self.tokens(text, &mut |token| all.push(token.clone()));
        all
    }

    /// The output of each stage in turn, for `/analysis/field`: the text after each char filter, the tokens
    /// after the tokenizer and after each filter. `None` where a stage makes more than this many tokens.
    pub fn explain_stages(&self, text: &str, tokens_max: usize) -> Option<Vec<StageOutput>> {
        let Inner { stages, char_filters, tokenizer, filters, .. } = &*self.inner;
        crate::stages_view::explain(stages, (char_filters, &**tokenizer, filters), text, tokens_max)
    }

    /// The components in order, char filters first.
    pub fn stages(&self) -> &[Stage] {
        &self.inner.stages
    }
}

impl std::fmt::Debug for Analyzer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.inner.stages.iter().map(|stage| stage.name)).finish()
    }
}

/// One thread's working copy of an analyzer.
pub struct TokenStream {
    analyzer: Arc<Inner>,
    tokenizer: Box<dyn Tokenizer>,
    filters: Vec<Box<dyn Filter>>,
    token: Token,
}

impl TokenStream {
    /// Starts on a text; what was left of the text before is forgotten. Of a text over 4 GiB only the first 4
    /// GiB are read.
    pub fn start<'a>(&'a mut self, text: &'a str) -> Tokens<'a> {
        let text = cut(text);
        let (changed, offsets) = run_char_filters(&self.analyzer.char_filters, text);
        // Reset before a text, not behind it: a reader may leave a text half way, and what was left must not
        // leak.
        self.tokenizer.reset();
        self.filters.iter_mut().for_each(|filter| filter.reset());
        Tokens { stream: self, text: changed, offsets, original_len: text.len() }
    }
}

/// The part of a text whose offsets fit into 32 bits.
fn cut(text: &str) -> &str {
    // Tokens carry 32-bit offsets: half the memory of what every posting with offsets copies.
    let mut end = text.len().min(u32::MAX as usize);
    // At most three steps back: no character has more than four bytes.
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// One text on its way through a chain.
pub struct Tokens<'a> {
    stream: &'a mut TokenStream,
    text: Cow<'a, str>,
    offsets: Vec<OffsetMap>,
    original_len: usize,
}

impl Tokens<'_> {
    /// Moves to the next token; false at the end.
    #[inline]
    pub fn advance(&mut self) -> bool {
        let stream = &mut *self.stream;
        let mut input = Input {
            tokenizer: &mut *stream.tokenizer,
            filters: &mut stream.filters,
            text: &self.text,
            offsets: &self.offsets,
            original_len: self.original_len,
        };
        input.next(&mut stream.token)
    }

    /// The token that `advance` moved to.
    #[inline]
    pub fn token(&self) -> &Token {
        &self.stream.token
    }

    /// The same, to be changed by the caller (tantivy's interface asks for it); the chain reads nothing back.
    #[inline]
    pub fn token_mut(&mut self) -> &mut Token {
        &mut self.stream.token
    }

    /// What follows the last token. Call it after `advance` returned false.
    pub fn finish(&mut self) -> Ending {
        let stream = &mut *self.stream;
        Input {
            tokenizer: &mut *stream.tokenizer,
            filters: &mut stream.filters,
            text: &self.text,
            offsets: &self.offsets,
            original_len: self.original_len,
        }
        .finish()
    }
}
