//! English: `englishPossessive`, `englishMinimalStem` (plurals only, after Harman's S-stemmer) and
//! `porterStem` (Porter's algorithm of 1980 with its author's later departures `bli` and `logi`). Porter's
//! rules themselves are `porter.rs`, Krovetz' `kstem.rs`, and Snowball's English one of `snowball.rs`.
//! Keywords pass the stemmers here as they are.

use crate::definition::FilterDefinition;
use crate::filter::porter;
use crate::filter::shape::{Plain, Rewriting};
use crate::token::Token;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&POSSESSIVE, &MINIMAL_STEM, &PORTER_STEM];

static POSSESSIVE: FilterDefinition = FilterDefinition::new(
    "englishPossessive",
    "en.EnglishPossessiveFilterFactory",
    &[],
    "Drops a final 's.",
    |_| Ok(Box::new(Rewriting(Plain(drop_possessive)))),
);

static MINIMAL_STEM: FilterDefinition = FilterDefinition::new(
    "englishMinimalStem",
    "en.EnglishMinimalStemFilterFactory",
    &[],
    "Makes English plurals singular.",
    |_| Ok(Box::new(Rewriting(Plain(singular)))),
);

static PORTER_STEM: FilterDefinition = FilterDefinition::new(
    "porterStem",
    "en.PorterStemFilterFactory",
    &[],
    "Porter's stemmer for English.",
    |_| {
        Ok(Box::new(Rewriting(Plain(|token: &mut Token| {
            if !token.keyword {
                porter::stem(&mut token.text);
            }
        }))))
    },
);

fn drop_possessive(token: &mut Token) {
    let text = token.text.as_str();
    let Some(rest) = text.strip_suffix(['s', 'S']) else { return };
    let Some(stem) = rest.strip_suffix(['\'', '\u{2019}', '\u{ff07}']) else { return };
    let length = stem.len();
    token.text.truncate(length);
}

fn singular(token: &mut Token) {
    let text = token.text.as_str();
    if token.keyword || !text.ends_with('s') || text.chars().count() < 3 {
        return;
    }
    let mut before = text.chars().rev().skip(1);
    let (last, earlier) = (before.next(), before.next());
    match (last, earlier) {
        (Some('u' | 's'), _) => {}
        // Harman's first rule: `ies` becomes `y` but for `aies` and `eies`; his second keeps `aes`, `ees`,
        // `oes` whole below.
        (Some('e'), Some('i')) if text.len() > 3 && !text.ends_with("aies") && !text.ends_with("eies") => {
            token.text.truncate(token.text.len() - 3);
            token.text.push('y');
        }
        (Some('e'), Some('i' | 'a' | 'o' | 'e')) => {}
        _ => {
            token.text.pop();
        }
    }
}
