//! How large the automaton of an expression would be. tantivy makes it by trying each byte from each state
//! with all steps that may be next, up to 1,000 states and without looking at the clock: an expression of
//! some thousand characters, or a short one that counts (`(a|b)?{1000}`), would keep a processor busy for
//! minutes, so it is measured before it is made.

use plan::{Error, Result};
use regex_syntax::hir::{Class, Hir, HirKind};

/// A second of work at worst: `(.?){90}` (2026-11, one core); what it costs grows with the square. Larger
/// ones of literals would have more than 1,000 states anyway. Solr differs: it bounds the work to
/// determinize, by 10,000 units.
const STEPS_MAX: usize = 1000;

/// Longer ones are not even read.
const BYTES_MAX: usize = 64 << 10;

/// Errors: an expression of more than [`STEPS_MAX`] steps; `shown` is what the user wrote. One that cannot be
/// read at all is left to who makes the automaton.
pub(super) fn check_size(expression: &str, shown: &str) -> Result<()> {
    let fits = || regex_syntax::Parser::new().parse(expression).map_or(true, |hir| steps(&hir) <= STEPS_MAX);
    if expression.len() <= BYTES_MAX && fits() {
        return Ok(());
    }
    let start: String = shown.chars().take(100).collect();
    Err(Error::bad_request(format!(
        "the pattern that begins with `{start}` is too large to run; use fewer characters, or smaller counts of repetitions"
    )))
}

/// The parser has bounded how deep they nest.
fn steps(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Bytes(class)) => class.ranges().len(),
        // Most ranges of characters are several of bytes.
        HirKind::Class(Class::Unicode(class)) => match class.maximum_len() {
            Some(1) | None => class.ranges().len(),
            Some(_) => class.ranges().len().saturating_mul(4),
        },
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1)).max(1);
            let fork = usize::from(repetition.max != Some(repetition.min));
            steps(&repetition.sub).saturating_add(fork).saturating_mul(times as usize)
        }
        HirKind::Capture(capture) => steps(&capture.sub),
        HirKind::Concat(parts) => parts.iter().map(steps).fold(0, usize::saturating_add),
        HirKind::Alternation(parts) => parts.iter().map(steps).fold(parts.len(), usize::saturating_add),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_take_minutes_is_refused() {
        let check = |expression: &str, is_small: bool| {
            assert_eq!(check_size(expression, expression).is_ok(), is_small, "{expression:.80}");
        };
        check("", true);
        check("(", true);
        check("sol.*s", true);
        check(".{1,100}", true);
        check("a{990}", true);
        check("[a-z0-9]{1,64}@[a-z]+", true);
        check(&"a".repeat(1000), true);
        check("\\p{L}{2}", false);
        check("(a|b)?{1000}", false);
        check("((a{10}){10}){100}", false);
        check(&"(a|b)?".repeat(1000), false);
        check("a{4294967295}", false);
    }
}
