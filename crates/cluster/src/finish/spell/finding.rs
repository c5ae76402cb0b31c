//! What was found for one word grows suggestion by suggestion: those of one checker, and those of several as
//! they are woven into one. Which are suggested, and in which order, is decided by who adds them.

use plan::SpellFinding;

/// Adds a suggestion, or gives the one there is another count.
pub(super) fn add(finding: &mut SpellFinding, text: &str, documents: u64) {
    match finding.suggestions.iter_mut().find(|(known, _)| known == text) {
        Some((_, known)) => *known = documents,
        None => finding.suggestions.push((text.to_owned(), documents)),
    }
}
