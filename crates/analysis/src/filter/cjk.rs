//! Chinese, Japanese and Korean without a dictionary: `cjkBigram` pairs neighbouring characters, `cjkWidth`
//! makes full-width ASCII and half-width katakana normal. Pairs need the types that the standard tokenizer
//! gives, one character a token; with another tokenizer before it `cjkBigram` pairs nothing. The width table
//! is also that of the char filter of the same name (`char_filter/mapping.rs`).

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::args::Args;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::filter::shape::{Plain, Rewriting};
use crate::stage::{Filter, Input};
use crate::token::{Token, offset};

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&CJK_BIGRAM, &CJK_WIDTH];

static CJK_BIGRAM: FilterDefinition = FilterDefinition::new(
    "cjkBigram",
    "cjk.CJKBigramFilterFactory",
    &["han", "hiragana", "katakana", "hangul", "outputUnigrams"],
    "Pairs of neighbouring Chinese, Japanese or Korean characters, after the standard tokenizer.",
    build,
);

static CJK_WIDTH: FilterDefinition = FilterDefinition::new(
    "cjkWidth",
    "cjk.CJKWidthFilterFactory",
    &[],
    "Makes full-width ASCII and half-width katakana normal.",
    |_| {
        Ok(Box::new(Rewriting(Plain(|token: &mut Token| {
            if !token.text.is_ascii() {
                token.text = normal_width(&token.text);
            }
        }))))
    },
)
.normalizing();

fn build(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let scripts = [
        ("han", "<IDEOGRAPHIC>"),
        ("hiragana", "<HIRAGANA>"),
        ("katakana", "<KATAKANA>"),
        ("hangul", "<HANGUL>"),
    ];
    let mut kinds = [None; 4];
    for (slot, (name, kind)) in kinds.iter_mut().zip(scripts) {
        *slot = args.flag(name, true).then_some(kind);
    }
    Ok(Box::new(Bigrams {
        kinds,
        unigrams: args.flag("outputUnigrams", false),
        run: VecDeque::new(),
        ..Bigrams::default()
    }))
}

/// One character of a run of neighbouring characters.
#[derive(Clone, Debug)]
struct Unit {
    c: char,
    start: u32,
    end: u32,
}

#[derive(Default)]
struct Bigrams {
    kinds: [Option<&'static str>; 4],
    unigrams: bool,
    run: VecDeque<Unit>,
    /// Whether a pair was given that began with a character of this run.
    paired: bool,
    ready: VecDeque<Token>,
    ended: bool,
}

const SINGLE: &str = "<SINGLE>";
const DOUBLE: &str = "<DOUBLE>";

impl Bigrams {
    fn pairs(&self, token: &Token) -> bool {
        self.kinds.iter().flatten().any(|kind| *kind == token.kind)
    }

    /// Adds the characters of a token to the run.
    fn extend(&mut self, token: &Token) {
        // A char filter before may have changed the length; then no character has a place of its own, and
        // each gets the token's.
        let same_length = token.end - token.start == offset(token.text.len());
        for (at, c) in token.text.char_indices() {
            let (start, end) = match same_length {
                true => (token.start + offset(at), token.start + offset(at + c.len_utf8())),
                false => (token.start, token.end),
            };
            self.run.push_back(Unit { c, start, end });
        }
    }

    /// Gives what the run decides: all but its last character, or everything when it is over.
    fn drain(&mut self, over: bool) {
        while self.run.len() > 1 {
            self.give_pair();
        }
        if !over {
            return;
        }
        if let Some(last) = self.run.pop_front()
            // A lone character must be found somehow; one that ended a pair is found by the pair.
            && (self.unigrams || !self.paired)
        {
            self.ready.push_back(single(&last));
        }
        self.paired = false;
    }

    fn give_pair(&mut self) {
        let Some(first) = self.run.pop_front() else { return };
        let Some(second) = self.run.front() else { return };
        let mut pair = Token {
            text: [first.c, second.c].iter().collect(),
            start: first.start,
            end: second.end,
            kind: Cow::Borrowed(DOUBLE),
            ..Token::default()
        };
        if self.unigrams {
            pair.position_increment = 0;
            // The pair stands on top of its first character and spans both, so that phrases hold with either.
            pair.position_length = 2;
            self.ready.push_back(single(&first));
        }
        self.ready.push_back(pair);
        self.paired = true;
    }

    fn take(&mut self, token: &Token) {
        if !self.pairs(token) {
            self.drain(true);
            self.ready.push_back(token.clone());
            return;
        }
        // Only neighbours in the text pair: a blank or a mark between two characters ends the run.
        if self.run.back().is_some_and(|last| last.end != token.start) {
            self.drain(true);
        }
        self.extend(token);
        self.drain(false);
    }
}

fn single(unit: &Unit) -> Token {
    Token {
        text: unit.c.to_string(),
        start: unit.start,
        end: unit.end,
        kind: Cow::Borrowed(SINGLE),
        ..Token::default()
    }
}

impl Filter for Bigrams {
    fn reset(&mut self) {
        *self = Bigrams { kinds: self.kinds, unigrams: self.unigrams, ..Bigrams::default() };
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                *token = ready;
                return true;
            }
            if self.ended {
                return false;
            }
            if input.next(token) {
                self.take(token);
            } else {
                self.ended = true;
                self.drain(true);
            }
        }
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(Bigrams { kinds: self.kinds, unigrams: self.unigrams, ..Bigrams::default() })
    }
}

/// Full-width forms of half-width katakana, U+FF66 to U+FF9F.
const KATAKANA: &str = "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゙゚";

/// Full-width ASCII and half-width katakana in their normal forms, voiced marks joined.
pub(crate) fn normal_width(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{ff01}'..='\u{ff5e}' => out.extend(char::from_u32(u32::from(c) - 0xfee0)),
            '\u{ff65}' => out.push('\u{30fb}'),
            '\u{ff66}'..='\u{ff9f}' => push_katakana(&mut out, c),
            other => out.push(other),
        }
    }
    out
}

fn push_katakana(out: &mut String, c: char) {
    if matches!(c, '\u{ff9e}' | '\u{ff9f}')
        && let Some(joined) = out.chars().next_back().and_then(|last| voiced(last, c))
    {
        out.pop();
        out.push(joined);
        return;
    }
    let index = u32::from(c) - 0xff66;
    out.extend(KATAKANA.chars().nth(index as usize));
}

/// A katakana letter with a voiced or semi-voiced mark. In Unicode the voiced letter follows the plain one.
fn voiced(letter: char, mark: char) -> Option<char> {
    let next = |by: u32| char::from_u32(u32::from(letter) + by);
    match (letter, mark) {
        ('ウ', '\u{ff9e}') => Some('ヴ'),
        (
            'カ' | 'キ' | 'ク' | 'ケ' | 'コ' | 'サ' | 'シ' | 'ス' | 'セ' | 'ソ' | 'タ' | 'チ' | 'ツ' | 'テ'
            | 'ト',
            '\u{ff9e}',
        ) => next(1),
        ('ハ' | 'ヒ' | 'フ' | 'ヘ' | 'ホ', '\u{ff9e}') => next(1),
        ('ハ' | 'ヒ' | 'フ' | 'ヘ' | 'ホ', '\u{ff9f}') => next(2),
        ('ヽ', '\u{ff9e}') => Some('ヾ'),
        ('ワ', '\u{ff9e}') => Some('ヷ'),
        ('ヲ', '\u{ff9e}') => Some('ヺ'),
        _ => None,
    }
}
