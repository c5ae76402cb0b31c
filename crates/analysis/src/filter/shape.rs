//! The two commonest shapes of filters. `Rewrite` changes each token and keeps its place; `Keep` drops some
//! tokens and adds the positions they held to the next one, so that phrases do not close up over the hole. A
//! filter that looks at more than one token at a time implements `Filter` itself (`stage.rs`).

use crate::stage::{Ending, Filter, Input};
use crate::token::Token;

/// Changes a token in place.
pub(crate) trait Rewrite: Clone + Send + Sync + 'static {
    fn rewrite(&mut self, token: &mut Token);
}

/// A filter that changes each token.
pub(crate) struct Rewriting<R>(pub(crate) R);

impl<R: Rewrite> Filter for Rewriting<R> {
    #[inline]
    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        let found = input.next(token);
        if found {
            self.0.rewrite(token);
        }
        found
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(Rewriting(self.0.clone()))
    }
}

/// A filter that changes each token without configuration or state.
#[derive(Clone, Copy)]
pub(crate) struct Plain(pub(crate) fn(&mut Token));

impl Rewrite for Plain {
    #[inline]
    fn rewrite(&mut self, token: &mut Token) {
        (self.0)(token);
    }
}

/// Decides which tokens stay.
pub(crate) trait Keep: Clone + Send + Sync + 'static {
    fn keeps(&mut self, token: &Token) -> bool;
    /// Prepares for a new text.
    fn reset(&mut self) {}
}

/// A filter that drops tokens.
pub(crate) struct Keeping<K> {
    keep: K,
    skipped: u32,
}

impl<K: Keep> Keeping<K> {
    pub(crate) fn boxed(keep: K) -> Box<dyn Filter> {
        Box::new(Keeping { keep, skipped: 0 })
    }
}

impl<K: Keep> Filter for Keeping<K> {
    fn reset(&mut self) {
        self.skipped = 0;
        self.keep.reset();
    }

    #[inline]
    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        let mut skipped = 0;
        while input.next(token) {
            if self.keep.keeps(token) {
                token.position_increment += skipped;
                return true;
            }
            skipped += token.position_increment;
        }
        // Tokens dropped at the end have no next token to carry their positions; the field's next value
        // starts behind them.
        self.skipped += skipped;
        false
    }

    fn finish(&mut self, input: &mut Input<'_>) -> Ending {
        let mut ending = input.finish();
        ending.position_increment += self.skipped;
        ending
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(Keeping { keep: self.keep.clone(), skipped: 0 })
    }
}
