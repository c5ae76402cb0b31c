//! Light and minimal stemmers of Swedish (Savoy) and Norwegian. Norwegian has two written standards, and the
//! argument `variant` says which endings go: Bokmål's (`nb`, the default), Nynorsk's (`nn`) or both (`no`).
//! Pure functions over the letters of one word in lower case, named and wrapped as filters in `stemmers.rs`.
//! Danish and Finnish are elsewhere (`snowball.rs`, `stem_germanic.rs`).

use crate::args::Args;
use crate::error::Error;
use crate::filter::letters::{Letters, drop_first, ends, from_end};

pub(crate) fn swedish_light(word: &mut Letters) {
    if word.len() > 4 && ends(word, "s") {
        word.pop();
    }
    let length = word.len();
    let rules: [(usize, &[&str]); 4] = [
        (7, &["elser", "heten"]),
        (6, &["arne", "erna", "ande", "else", "aste", "orna", "aren"]),
        (5, &["are", "ast", "het"]),
        (4, &["ar", "er", "or", "en", "at", "te", "et"]),
    ];
    for (least, suffixes) in rules {
        if length > least && drop_first(word, suffixes, 0) {
            return;
        }
    }
    if length > 3 && matches!(from_end(word, 0), Some('t' | 'a' | 'e' | 'n')) {
        word.pop();
    }
}

pub(crate) fn swedish_minimal(word: &mut Letters) {
    drop_genitive(word);
    let rules: &[(usize, &[&str])] = &[
        (6, &["arne", "erna", "arna", "orna", "aren"]),
        (5, &["are"]),
        (4, &["ar", "at", "er", "et", "or", "en"]),
        (3, &["a", "e", "n"]),
    ];
    drop_ending(word, rules);
}

fn drop_genitive(word: &mut Letters) {
    if word.len() > 4 && ends(word, "s") {
        word.pop();
    }
}

/// Drops the first ending that the word has, of the groups whose length it exceeds.
fn drop_ending(word: &mut Letters, groups: &[(usize, &[&str])]) {
    groups.iter().find(|(length, endings)| word.len() > *length && drop_first(word, endings, 0));
}

/// The written standards of Norwegian whose endings a stemmer knows.
#[derive(Clone, Copy)]
enum Standard {
    Bokmal,
    Nynorsk,
    Both,
}

/// An ending, the length that a word must exceed to lose it, and the standard that has it.
type Ending = (usize, &'static str, Standard);

const NORWEGIAN_LIGHT: &[Ending] = {
    use Standard::{Bokmal, Both, Nynorsk};
    &[
        (7, "heter", Bokmal),
        (7, "heten", Bokmal),
        (7, "heita", Nynorsk),
        (8, "heiter", Nynorsk),
        (8, "leiken", Nynorsk),
        (8, "leikar", Nynorsk),
        (5, "dom", Both),
        (5, "het", Bokmal),
        (6, "heit", Nynorsk),
        (6, "semd", Nynorsk),
        (6, "leik", Nynorsk),
        (7, "elser", Both),
        (7, "elsen", Both),
        (6, "ende", Bokmal),
        (6, "ande", Nynorsk),
        (6, "else", Both),
        (6, "este", Bokmal),
        (6, "aste", Nynorsk),
        (6, "eren", Bokmal),
        (6, "aren", Nynorsk),
        (5, "ere", Bokmal),
        (5, "are", Nynorsk),
        (5, "est", Bokmal),
        (5, "ast", Nynorsk),
        (5, "ene", Both),
        (5, "ane", Nynorsk),
        (4, "er", Both),
        (4, "en", Both),
        (4, "et", Both),
        (4, "ar", Nynorsk),
        (4, "st", Bokmal),
        (4, "te", Both),
        (3, "a", Both),
        (3, "e", Both),
        (3, "n", Both),
    ]
};

const NORWEGIAN_MINIMAL: &[Ending] = {
    use Standard::{Both, Nynorsk};
    &[
        (5, "ene", Both),
        (5, "ane", Nynorsk),
        (4, "er", Both),
        (4, "en", Both),
        (4, "et", Both),
        (4, "ar", Nynorsk),
        (3, "a", Both),
        (3, "e", Both),
    ]
};

/// The light stemmer of the variant that the arguments name.
pub(crate) fn norwegian_light(args: &Args<'_>) -> Result<fn(&mut Letters), Error> {
    Ok(match args.choice("variant", "nb", &["nb", "nn", "no"])? {
        "nn" => |word| norwegian(word, NORWEGIAN_LIGHT, Standard::Nynorsk),
        "no" => |word| norwegian(word, NORWEGIAN_LIGHT, Standard::Both),
        _ => |word| norwegian(word, NORWEGIAN_LIGHT, Standard::Bokmal),
    })
}

/// The minimal stemmer of the variant that the arguments name.
pub(crate) fn norwegian_minimal(args: &Args<'_>) -> Result<fn(&mut Letters), Error> {
    Ok(match args.choice("variant", "nb", &["nb", "nn", "no"])? {
        "nn" => |word| norwegian(word, NORWEGIAN_MINIMAL, Standard::Nynorsk),
        "no" => |word| norwegian(word, NORWEGIAN_MINIMAL, Standard::Both),
        _ => |word| norwegian(word, NORWEGIAN_MINIMAL, Standard::Bokmal),
    })
}

fn norwegian(word: &mut Letters, endings: &[Ending], standard: Standard) {
    drop_genitive(word);
    let known = |of: Standard| {
        matches!(
            (standard, of),
            (Standard::Both, _)
                | (_, Standard::Both)
                | (Standard::Bokmal, Standard::Bokmal)
                | (Standard::Nynorsk, Standard::Nynorsk)
        )
    };
    endings
        .iter()
        .find(|(length, ending, of)| known(*of) && word.len() > *length && drop_first(word, &[*ending], 0));
}
