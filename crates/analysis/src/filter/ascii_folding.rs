//! `asciiFolding`: letters with marks, ligatures, circled and full-width forms become their nearest ASCII.
//! The table (`data/ascii_folding.txt`: a replacement, a blank, the characters it stands for) was recorded
//! from Lucene 9.12.3, character by character.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::definition::FilterDefinition;
use crate::filter::shape::{Plain, Rewriting};
use crate::stage::{Filter, Input};
use crate::token::Token;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&ASCII_FOLDING];

static ASCII_FOLDING: FilterDefinition = FilterDefinition::new(
    "asciiFolding",
    "miscellaneous.ASCIIFoldingFilterFactory",
    &["preserveOriginal"],
    "Replaces characters by their ASCII look-alikes; with `preserveOriginal` the original follows.",
    |args| match args.flag("preserveOriginal", false) {
        true => Ok(Box::new(FoldAndKeep { original: None })),
        false => Ok(Box::new(Rewriting(Plain(|token: &mut Token| fold_in_place(&mut token.text))))),
    },
)
// Terms with wildcards are one token and cannot carry the original beside it, so `preserveOriginal` is left
// out for them.
.normalizing_as(|_| Ok(Box::new(Rewriting(Plain(|token: &mut Token| fold_in_place(&mut token.text))))));

// Recorded rather than derived from decompositions: Lucene's table also has letters that decompose to
// nothing, as `ø` and `ł`, and lacks others.
static TABLE: LazyLock<FxHashMap<char, &'static str>> = LazyLock::new(|| {
    let lines = include_str!("../../data/ascii_folding.txt").lines().filter_map(|line| line.split_once(' '));
    lines.flat_map(|(replacement, chars)| chars.chars().map(move |c| (c, replacement))).collect()
});

/// Folds a text.
pub(crate) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match TABLE.get(&c) {
            Some(replacement) => out.push_str(replacement),
            None => out.push(c),
        }
    }
    out
}

fn fold_in_place(text: &mut String) {
    if !text.is_ascii() {
        *text = fold(text);
    }
}

struct FoldAndKeep {
    original: Option<Token>,
}

impl Filter for FoldAndKeep {
    fn reset(&mut self) {
        self.original = None;
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        if let Some(original) = self.original.take() {
            *token = original;
            return true;
        }
        if !input.next(token) {
            return false;
        }
        if !token.text.is_ascii() {
            let folded = fold(&token.text);
            // Only then, or every token of a language without marks would be indexed twice.
            if folded != token.text {
                self.original = Some(Token { position_increment: 0, ..token.clone() });
                token.text = folded;
            }
        }
        true
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(FoldAndKeep { original: None })
    }
}
