//! Scripts of India: `indicNormalization` composes letters that were typed as sequences (the table
//! `data/indic_pairs.txt`, code points in hexadecimal, was recorded from Lucene 9.12.3), `hindiNormalization`
//! removes spelling differences of Hindi (Pingali and Varma).

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::definition::FilterDefinition;
use crate::filter::shape::{Plain, Rewriting};
use crate::token::Token;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&INDIC, &HINDI];

static INDIC: FilterDefinition = FilterDefinition::new(
    "indicNormalization",
    "in.IndicNormalizationFilterFactory",
    &[],
    "Composes letters of Indian scripts that were typed as sequences.",
    |_| Ok(Box::new(Rewriting(Plain(compose)))),
)
.normalizing();

static HINDI: FilterDefinition = FilterDefinition::new(
    "hindiNormalization",
    "hi.HindiNormalizationFilterFactory",
    &[],
    "Removes spelling differences of Hindi.",
    |_| Ok(Box::new(Rewriting(Plain(hindi)))),
)
.normalizing();

static COMPOSED: LazyLock<FxHashMap<String, String>> = LazyLock::new(|| {
    let lines = include_str!("../../data/indic_pairs.txt").lines().filter_map(|line| line.split_once(" > "));
    lines.map(|(from, to)| (decode(from), decode(to))).collect()
});

fn decode(codes: &str) -> String {
    codes.split(' ').filter_map(|code| char::from_u32(u32::from_str_radix(code, 16).ok()?)).collect()
}

/// Replaces sequences of three letters, then of two, from left to right.
fn compose(token: &mut Token) {
    if token.text.is_ascii() {
        return;
    }
    let text = token.text.as_str();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let prefix = |count: usize| {
            let end = rest.char_indices().nth(count).map_or(rest.len(), |(at, _)| at);
            let sequence = rest.get(..end)?;
            Some((end, COMPOSED.get(sequence)?))
        };
        // Three before two: some sequences of three begin with one of two that composes to another letter.
        let (end, composed) = match prefix(3).or_else(|| prefix(2)) {
            Some((end, composed)) => (end, composed.as_str()),
            None => (first.len_utf8(), rest.get(..first.len_utf8()).unwrap_or_default()),
        };
        out.push_str(composed);
        rest = rest.get(end..).unwrap_or_default();
    }
    token.text = out;
}

const VIRAMA: char = '\u{94d}';

fn hindi(token: &mut Token) {
    if token.text.is_ascii() {
        return;
    }
    let mut out = String::with_capacity(token.text.len());
    let mut chars = token.text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // A dead na before a consonant is the same nasal that others write as a dot, the anusvara.
            'न' if chars.next_if_eq(&VIRAMA).is_some() => out.push('\u{902}'),
            '\u{93c}' | '\u{200c}' | '\u{200d}' | VIRAMA => {}
            other => out.push(hindi_letter(other)),
        }
    }
    token.text = out;
}

fn hindi_letter(c: char) -> char {
    match c {
        '\u{901}' => '\u{902}',
        '\u{929}' => 'न',
        '\u{931}' => 'र',
        '\u{934}' => 'ळ',
        '\u{958}' => 'क',
        '\u{959}' => 'ख',
        '\u{95a}' => 'ग',
        '\u{95b}' => 'ज',
        '\u{95c}' => 'ड',
        '\u{95d}' => 'ढ',
        '\u{95e}' => 'फ',
        '\u{95f}' => 'य',
        '\u{945}' | '\u{946}' | '\u{948}' => '\u{947}',
        '\u{949}' | '\u{94a}' | '\u{94c}' => '\u{94b}',
        'ऍ' | 'ऎ' | 'ऐ' => 'ए',
        'ऑ' | 'ऒ' | 'औ' => 'ओ',
        '\u{972}' | 'आ' => 'अ',
        'ई' => 'इ',
        'ऊ' => 'उ',
        '\u{960}' => 'ऋ',
        '\u{961}' => 'ऌ',
        '\u{940}' => '\u{93f}',
        '\u{942}' => '\u{941}',
        '\u{944}' => '\u{943}',
        '\u{963}' => '\u{962}',
        other => other,
    }
}
