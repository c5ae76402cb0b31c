//! How deep queries may nest, and how much query text one request may unfold into. Queries that name each
//! other through `$param` grow with the power of their nesting, which bounds of depth do not stop: a few
//! hundred bytes could ask for more clauses than there is memory.

use std::cell::Cell;

use plan::{Error, Result};

use super::syntax::SyntaxError;
use crate::params::Params;

/// How deep parsers may nest in one another, as in Solr.
const PARSERS_DEPTH_MAX: usize = 100;

/// How the message of such nesting begins.
const ENDLESS: &str = "Infinite Recursion detected parsing query";

/// Bytes that nested queries may have together, beyond this many times the request's own.
const BYTES_MIN: usize = 1 << 20;
const TIMES_REQUEST: usize = 4;

/// What a nested query costs besides its text.
const QUERY_BYTES: usize = 64;

const SPENT: &str = "queries that refer to each other unfold into too much text";

/// Whether parsers nest without end, or too much, which no second try mends: trying again at each level would
/// take forever.
pub(super) fn is_endless(error: &Error) -> bool {
    // By message, since a nested query's error may have passed through Solr's frame around syntax errors,
    // which keeps the text and not where it came from.
    error.message.contains(ENDLESS) || error.message.starts_with(SPENT)
}

/// What is left to one request.
#[derive(Debug)]
pub struct Budget {
    left: Cell<usize>,
}

impl Budget {
    pub fn of(params: &Params) -> Self {
        let sent: usize = params.pairs().iter().map(|(_, value)| value.len()).sum();
        // In proportion to the request: a long list sent once is no attack, a short text that unfolds without
        // end is.
        Self { left: Cell::new(BYTES_MIN.saturating_add(sent.saturating_mul(TIMES_REQUEST))) }
    }

    /// For parts of requests, in tests.
    #[cfg(test)]
    pub fn endless() -> Self {
        Self { left: Cell::new(usize::MAX) }
    }

    /// Takes what a query costs that is nested so deep. Solr differs: it has no such bound of the text, and
    /// runs out of memory.
    pub(super) fn take(&self, text: &str, depth: usize) -> Result<()> {
        if depth == 0 {
            return Ok(());
        }
        let left = self
            .left
            .get()
            .checked_sub(text.len() + QUERY_BYTES)
            .ok_or_else(|| Error::bad_request(format!("{SPENT}; name each parameter fewer times")))?;
        self.left.set(left);
        if depth > PARSERS_DEPTH_MAX {
            return Err(SyntaxError::plain(format!("{ENDLESS} '{text}'")).into());
        }
        Ok(())
    }
}
