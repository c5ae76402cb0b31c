//! The characters of a text as the rules of boundaries look at them: by number, forwards and back, and by
//! their classes. A table of all characters is built once for a text: rules look back and ahead by any
//! distance, which bytes of UTF-8 do not allow.

use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

use crate::chars::category;

/// The characters of a text, by number.
#[derive(Debug)]
pub(super) struct NumberedChars(pub(super) Vec<(usize, char)>);

impl NumberedChars {
    /// The number of the character at a byte.
    pub(super) fn number(&self, offset: usize) -> usize {
        self.0.partition_point(|(start, _)| *start < offset)
    }

    pub(super) fn get(&self, at: usize) -> Option<char> {
        self.0.get(at).map(|(_, c)| *c)
    }

    pub(super) fn is(&self, at: usize, class: impl Fn(char) -> bool) -> bool {
        self.get(at).is_some_and(class)
    }

    /// Past the run of characters of a class that begins at `at`.
    pub(super) fn skip(&self, mut at: usize, class: impl Fn(char) -> bool) -> usize {
        while self.is(at, &class) {
            at += 1;
        }
        at
    }
}

pub(super) fn in_group(c: char, group: GeneralCategoryGroup) -> bool {
    group.contains(category(c))
}

pub(super) fn is_format(c: char) -> bool {
    !c.is_ascii() && category(c) == GeneralCategory::Format
}

/// A mark that takes no room of its own.
pub(super) fn is_enclosing(c: char) -> bool {
    !c.is_ascii() && matches!(category(c), GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark)
}
