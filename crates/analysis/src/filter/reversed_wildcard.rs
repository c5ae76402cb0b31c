//! `reversedWildcard`: each token reversed behind a marker, beside the token or instead of it, so that in
//! Solr a leading wildcard becomes a trailing one. Here a pattern with a leading wildcard reads the terms as
//! they are; the reversed ones keep a schema and its analysis page as in Solr, and debug output shows the
//! query as Solr would have turned it round.

use crate::args::Args;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::stage::{Filter, Input};
use crate::token::Token;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&REVERSED_WILDCARD];

static REVERSED_WILDCARD: FilterDefinition = FilterDefinition::new(
    "reversedWildcard",
    "org.apache.solr.analysis.ReversedWildcardFilterFactory",
    &["withOriginal", "maxPosAsterisk", "maxPosQuestion", "minTrailing", "maxFractionAsterisk"],
    "Gives each token reversed too, for queries that begin with a wildcard.",
    build,
)
.reversing_words();

/// What stands before a reversed token, as in Solr.
pub(crate) const MARKER: char = '\u{1}';

fn build(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    // Checked, so that a bad one fails with the schema as in Solr, and not kept: they bound when Solr's
    // parser makes use of reversed terms, which ours never does.
    args.int("maxPosAsterisk", 2)?;
    args.int("maxPosQuestion", 1)?;
    args.int("minTrailing", 2)?;
    args.float("maxFractionAsterisk", 0.0)?;
    Ok(Box::new(Reversed { with_original: args.flag("withOriginal", true), original: None }))
}

struct Reversed {
    with_original: bool,
    original: Option<Token>,
}

impl Filter for Reversed {
    fn reset(&mut self) {
        self.original = None;
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        if let Some(original) = self.original.take() {
            *token = original;
            return true;
        }
        if !input.next(token) {
            return false;
        }
        if self.with_original {
            self.original = Some(Token { position_increment: 0, ..token.clone() });
        }
        token.text = std::iter::once(MARKER).chain(token.text.chars().rev()).collect();
        true
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(Reversed { with_original: self.with_original, original: None })
    }
}
