//! `bengaliNormalization` and `teluguNormalization`: spellings of one word become one. For Bengali these are
//! a part of the phonetic rules of UzZaman and Khan, oddities of Lucene's included, because an index may have
//! been built by them.

use std::iter::Peekable;
use std::str::Chars;

use crate::definition::FilterDefinition;
use crate::filter::shape::{Plain, Rewriting};
use crate::token::Token;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&BENGALI, &TELUGU];

static BENGALI: FilterDefinition = FilterDefinition::new(
    "bengaliNormalization",
    "bn.BengaliNormalizationFilterFactory",
    &[],
    "Removes spelling differences of Bengali.",
    |_| Ok(Box::new(Rewriting(Plain(|token| rewrite(token, bengali))))),
)
.normalizing();

static TELUGU: FilterDefinition = FilterDefinition::new(
    "teluguNormalization",
    "te.TeluguNormalizationFilterFactory",
    &[],
    "Removes spelling differences of Telugu.",
    |_| Ok(Box::new(Rewriting(Plain(|token| rewrite(token, telugu))))),
)
.normalizing();

/// What one character becomes: it is added to the letters before it, or changes them; `rest` is what follows.
type Step = fn(&mut Vec<char>, char, &mut Peekable<Chars<'_>>);

fn rewrite(token: &mut Token, step: Step) {
    if token.text.is_ascii() || token.keyword {
        return;
    }
    let mut done = Vec::with_capacity(token.text.len());
    let mut rest = token.text.chars().peekable();
    while let Some(c) = rest.next() {
        step(&mut done, c, &mut rest);
    }
    token.text = done.into_iter().collect();
}

const BENGALI_VIRAMA: char = '\u{9cd}';

fn bengali(done: &mut Vec<char>, c: char, rest: &mut Peekable<Chars<'_>>) {
    let after_virama = done.last() == Some(&BENGALI_VIRAMA);
    match c {
        '\u{981}' => {}
        '\u{9c0}' => done.push('\u{9bf}'),
        '\u{9c2}' => done.push('\u{9c1}'),
        '\u{995}' => bengali_ka(done, rest),
        '\u{999}' => done.push('\u{982}'),
        '\u{9af}' if after_virama => bengali_joined_ya(done, rest),
        '\u{9ac}' if after_virama => bengali_joined_ba(done, c),
        '\u{983}' => bengali_visarga(done, rest),
        '\u{9b6}' | '\u{9b7}' => done.push('\u{9b8}'),
        '\u{9a3}' => done.push('\u{9a8}'),
        '\u{9dc}' | '\u{9dd}' => done.push('\u{9b0}'),
        '\u{9ce}' => done.push('\u{9a4}'),
        other => done.push(other),
    }
}

/// The letter ka; with virama and vowel sign i after it, it is written kha.
fn bengali_ka(done: &mut Vec<char>, rest: &mut Peekable<Chars<'_>>) {
    let mut next = rest.clone();
    if next.next() == Some(BENGALI_VIRAMA) && next.next() == Some('\u{9bf}') {
        *rest = next;
        if !done.is_empty() {
            done.push('\u{995}');
        }
        done.push('\u{996}');
    } else {
        done.push('\u{995}');
    }
}

/// A ya joined to the first letter of a word sounds as the vowel e, elsewhere it only doubles.
fn bengali_joined_ya(done: &mut Vec<char>, rest: &mut Peekable<Chars<'_>>) {
    let joins_first = done.len() == 2;
    done.pop();
    if joins_first {
        done.push('\u{9c7}');
        rest.next_if_eq(&'\u{9be}');
    }
}

/// A joined ba is silent at the start of a word and in clusters of three, elsewhere it doubles the letter
/// before it.
fn bengali_joined_ba(done: &mut Vec<char>, ba: char) {
    let length = done.len();
    let at = |back: usize| length.checked_sub(back).and_then(|at| done.get(at)).copied();
    if length == 1 {
        done.push(ba);
        return;
    }
    let in_cluster = length >= 5 && at(3) == Some(BENGALI_VIRAMA);
    let doubled = at(2).filter(|_| length > 2 && !in_cluster);
    done.pop();
    done.extend(doubled);
}

/// A visarga doubles what follows; at the end it is h in short words and silent in others.
fn bengali_visarga(done: &mut Vec<char>, rest: &mut Peekable<Chars<'_>>) {
    match rest.peek() {
        Some(next) => done.push(*next),
        None if done.len() < 3 => done.push('\u{9b9}'),
        None => {}
    }
}

fn telugu(done: &mut Vec<char>, c: char, rest: &mut Peekable<Chars<'_>>) {
    let pair = match (c, rest.peek()) {
        ('\u{c46}', Some('\u{c56}')) => Some('\u{c48}'),
        ('\u{c12}', Some('\u{c55}')) => Some('\u{c13}'),
        ('\u{c12}', Some('\u{c4c}')) => Some('\u{c14}'),
        _ => None,
    };
    if let Some(joined) = pair {
        rest.next();
        done.push(joined);
        return;
    }
    match c {
        '\u{c03}' | '\u{200c}' | '\u{200d}' => {}
        '\u{c00}' | '\u{c01}' => done.push('\u{c02}'),
        '\u{c14}' => done.push('\u{c13}'),
        '\u{c10}' => done.push('\u{c0f}'),
        '\u{c06}' => done.push('\u{c05}'),
        '\u{c08}' => done.push('\u{c07}'),
        '\u{c0a}' => done.push('\u{c09}'),
        '\u{c40}' => done.push('\u{c3f}'),
        '\u{c42}' => done.push('\u{c41}'),
        '\u{c47}' => done.push('\u{c46}'),
        '\u{c4b}' => done.push('\u{c4a}'),
        other => done.push(other),
    }
}
