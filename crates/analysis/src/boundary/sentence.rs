//! Sentences, as Java's rules cut them once they have become machines: one that runs on to the end of a
//! sentence, one that runs back to where it is safe to begin. Behaviour of JDK 17 to 25, its oddities
//! included: behind a full stop one blank wants a letter that is not small, two blanks any letter; and some
//! safe places are no ends of sentences.

use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

use super::numbered_chars::{NumberedChars, is_enclosing, is_format};
use crate::chars::category;

/// What a character is to a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// On the way to the end of a sentence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ahead {
    Within,
    /// Behind a full stop and what closes with it.
    Stopped,
    StoppedQuoted,
    /// Behind one blank after that, and behind more.
    OneBlank,
    Blanks,
    /// In what opens the next sentence, if a letter follows.
    Opening,
    /// The same, where nothing but a letter or more of it will do.
    OpeningOnly,
    Ended,
    EndedBlank,
    Danda,
    Paragraph,
    /// A letter showed that the sentence ended before what opened.
    Told,
    Over,
}

impl Ahead {
    fn next(self, class: Class) -> Self {
        use Ahead as A;
        use Class as C;
        match (self, class) {
            (A::Paragraph | A::Told | A::Over, _) => A::Over,
            (A::Danda, C::Blank) => A::Danda,
            (A::Danda, _) => A::Over,
            (A::Ended, C::Ender | C::Stop | C::Quote | C::Closing) => A::Ended,
            (A::Ended | A::EndedBlank, C::Blank) => A::EndedBlank,
            (A::Ended | A::EndedBlank, C::Paragraph) => A::Paragraph,
            (A::Ended | A::EndedBlank, _) => A::Over,
            (A::OpeningOnly, C::Small | C::OtherLetter) => A::Told,
            (A::OpeningOnly, C::Quote | C::Danda | C::Other | C::Opening) => A::Opening,
            (A::OpeningOnly, _) => A::Over,
            (_, C::Paragraph) => A::Paragraph,
            (_, C::Stop) => A::Stopped,
            (_, C::Ender) => A::Ended,
            (A::Within, C::Danda) => A::Danda,
            (A::Within, _) | (_, C::Comma | C::Digit) => A::Within,
            (A::Stopped | A::StoppedQuoted, C::Closing) => A::Stopped,
            (A::Stopped | A::StoppedQuoted, C::Quote) => A::StoppedQuoted,
            (A::Stopped | A::StoppedQuoted, C::Blank) => A::OneBlank,
            (A::OneBlank | A::Blanks, C::Blank) => A::Blanks,
            (A::Opening, C::Blank) | (_, C::Closing) => A::Within,
            (A::StoppedQuoted | A::Blanks | A::Opening, C::Small | C::OtherLetter) => A::Told,
            // Behind one blank a small letter does not begin a sentence, so that `e.g. this` goes on.
            (A::OneBlank, C::OtherLetter) => A::Told,
            (_, C::Small | C::OtherLetter) => A::Within,
            (A::StoppedQuoted | A::Blanks, _) => A::OpeningOnly,
            _ => A::Opening,
        }
    }

    /// Whether the sentence may end before what opens the next.
    fn marks(self) -> bool {
        matches!(self, Ahead::Stopped | Ahead::StoppedQuoted | Ahead::OneBlank | Ahead::Blanks)
    }

    fn may_end(self) -> bool {
        use Ahead as A;
        matches!(self, A::Within | A::Ended | A::EndedBlank | A::Danda | A::Paragraph)
    }
}

/// Where the sentence ends that begins at `from`.
pub(super) fn end(chars: &NumberedChars, from: usize) -> usize {
    let (mut end, mut marked) = (from + 1, 0);
    let mut state = Ahead::Within;
    let mut at = from;
    while let Some(c) = chars.get(at).filter(|_| state != Ahead::Over) {
        let class = class(c);
        // Marks and format characters change no state but belong to the sentence, so the end moves past them
        // below.
        if class != Class::Ignored {
            state = state.next(class);
        }
        at += 1;
        if state == Ahead::Told {
            end = marked;
        } else if state.marks() {
            marked = at;
        } else if state.may_end() {
            end = at;
        }
    }
    // A full stop as the very last character never gets to see the letter that would tell: the text ends
    // there.
    if marked == chars.0.len() && chars.get(at).is_none() { marked } else { end }
}

/// On the way back: what stands behind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    Nothing,
    /// Something that hides nothing.
    Anything,
    /// A capital, a comma or an opening.
    Edge,
    /// A small letter or a digit, with what may stand before it.
    Small(Before),
    /// What may begin a sentence, with what may stand before it.
    Other(Before),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Directly,
    Blank,
    Closing,
}

impl Behind {
    fn next(self, class: Class) -> Self {
        use Before::{Blank, Closing, Directly};
        use Behind as B;
        use Class as C;
        let with = |before| match self {
            B::Small(_) => B::Small(before),
            B::Other(_) => B::Other(before),
            _ => B::Anything,
        };
        match (class, self) {
            (C::Small | C::Digit, _) => B::Small(Directly),
            (C::Danda | C::Other, _) => B::Other(Directly),
            (C::OtherLetter | C::Comma, _) => B::Edge,
            (C::Opening | C::Quote, B::Small(Directly) | B::Other(Directly)) => self,
            (C::Opening, _) => B::Edge,
            (C::Quote | C::Closing, _) => with(Closing),
            (C::Blank, B::Small(Directly | Blank) | B::Other(Directly | Blank)) => with(Blank),
            _ => B::Anything,
        }
    }
}

/// A place at or before `from` from which sentences can be read on.
pub(super) fn safe(chars: &NumberedChars, from: usize) -> usize {
    let mut behind = Behind::Nothing;
    // Backwards only as far as the first place that cannot be within an ending: reading on from there finds
    // the same ends as reading from the beginning, and long texts are not read again for each snippet.
    for at in (0..=from.min(chars.0.len().saturating_sub(1))).rev() {
        let class = chars.get(at).map_or(Class::Ignored, class);
        match (class, behind) {
            (Class::Ignored, _) => continue,
            (Class::Stop, Behind::Other(_)) | (Class::Ender, Behind::Small(_) | Behind::Other(_)) => {
                return at;
            }
            (Class::Ender, Behind::Edge) | (Class::Paragraph, Behind::Edge | Behind::Anything) if at > 0 => {
                return at + 1;
            }
            _ => behind = behind.next(class),
        }
    }
    0
}
