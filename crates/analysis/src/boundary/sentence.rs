//! Sentences. `!`, `?` and their like always end one; a full stop only before what can begin the next: behind blanks a
//! letter that is not small, or punctuation and then a letter.

use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

use super::{Chars, is_enclosing, is_format};
use crate::chars::category;

/// What a character is to a sentence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Never seen.
    Ignored,
    Small,
    OtherLetter,
    Blank,
    Opening,
    Closing,
    /// Opens or closes.
    Quote,
    Digit,
    /// `!` and its like.
    Ender,
    Stop,
    Comma,
    Paragraph,
    Danda,
    /// May begin a sentence.
    Other,
}

fn class(c: char) -> Class {
    use GeneralCategory as G;
    match c {
        '!' | '?' | '\u{3002}' | '\u{ff01}' | '\u{ff1f}' => Class::Ender,
        '.' | '\u{ff0e}' => Class::Stop,
        ',' => Class::Comma,
        '"' | '\'' => Class::Quote,
        '\t' | '\r' | '\u{c}' | '\n' | '\u{2028}' => Class::Blank,
        '\u{2029}' => Class::Paragraph,
        '\u{964}' | '\u{965}' => Class::Danda,
        'a'..='z' => Class::Small,
        'A'..='Z' => Class::OtherLetter,
        _ if is_enclosing(c) || is_format(c) => Class::Ignored,
        _ => match category(c) {
            G::LowercaseLetter => Class::Small,
            G::SpaceSeparator => Class::Blank,
            G::OpenPunctuation | G::InitialPunctuation => Class::Opening,
            G::ClosePunctuation | G::FinalPunctuation => Class::Closing,
            other if GeneralCategoryGroup::Letter.contains(other) => Class::OtherLetter,
            other if GeneralCategoryGroup::Number.contains(other) => Class::Digit,
            _ => Class::Other,
        },
    }
}

impl Chars {
    fn class(&self, at: usize) -> Option<Class> {
        self.get(at).map(class)
    }

    /// Past a run of some classes and of what is ignored.
    fn past(&self, at: usize, wanted: &[Class]) -> usize {
        self.skip(at, |c| {
            let class = class(c);
            class == Class::Ignored || wanted.contains(&class)
        })
    }
}

pub(super) fn end(chars: &Chars, from: usize) -> usize {
    let mut at = from;
    while let Some(class) = chars.class(at) {
        match class {
            Class::Paragraph => return at + 1,
            Class::Danda => return chars.past(at + 1, &[Class::Blank]),
            Class::Ender => {
                let at = chars.past(at, &[Class::Ender, Class::Stop, Class::Closing, Class::Quote]);
                let at = chars.past(at, &[Class::Blank]);
                return at + usize::from(chars.class(at) == Some(Class::Paragraph));
            }
            Class::Stop => {
                at = chars.past(at, &[Class::Stop, Class::Closing, Class::Quote]);
                if let Some(end) = end_behind_stop(chars, at) {
                    return end;
                }
            }
            _ => at += 1,
        }
    }
    at
}

/// Where the sentence ends whose full stop, with what closes behind it, ends at `at`; `None` if it goes on.
fn end_behind_stop(chars: &Chars, at: usize) -> Option<usize> {
    let next = chars.past(at, &[Class::Blank]);
    match chars.class(next)? {
        Class::Paragraph => Some(next + 1),
        Class::OtherLetter if next > at => Some(next),
        // What closed may as well have opened.
        Class::OtherLetter | Class::Small if next == at => {
            (chars.class(at.checked_sub(1)?) == Some(Class::Quote)).then_some(at)
        }
        _ => {
            let letter = chars.past(next, &[Class::Opening, Class::Quote, Class::Other]);
            let begins = matches!(chars.class(letter), Some(Class::Small | Class::OtherLetter));
            (begins && letter > next).then_some(next)
        }
    }
}
