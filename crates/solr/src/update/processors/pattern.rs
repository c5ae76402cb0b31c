//! Java's patterns as steps use them: bounded, since documents choose the texts. The dialect is `analysis`'s;
//! here are only the errors, in the words of updates.

use analysis::{JavaRegex, Replacement};
use plan::{Error, Result};

/// Steps back that a pattern may take in one text.
const PATTERN_STEPS_MAX: usize = 100_000;

/// A pattern of Java's.
pub fn compile_pattern(source: &str) -> Result<JavaRegex> {
    JavaRegex::within_steps(source, PATTERN_STEPS_MAX)
        .map_err(|reason| Error::bad_request(format!("the pattern `{source}` {reason}")))
}

/// What a pattern's matches are replaced with.
pub fn compile_replacement(pattern: &str, replacement: &str, literal: bool) -> Result<Replacement> {
    if literal {
        return Ok(Replacement::literal(replacement));
    }
    Replacement::parse(replacement, &compile_pattern(pattern)?)
        .map_err(|reason| Error::bad_request(format!("the replacement `{replacement}` {reason}")))
}
