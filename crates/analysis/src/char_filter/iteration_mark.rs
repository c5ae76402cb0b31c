//! `japaneseIterationMark`: marks that repeat what stands before them, written out: `時々` becomes `時時`, `こゞ`
//! `こご`. A run of marks repeats as many characters as it has. Runs, the characters that marks cannot repeat,
//! and what happens to marks without anything before them are as in Lucene's char filter.

use crate::definition::CharFilterDefinition;
use crate::offsets::{Filtered, Rewriter};
use crate::stage::CharFilter;

pub(crate) static ITERATION_MARK: CharFilterDefinition = CharFilterDefinition::new(
    "japaneseIterationMark",
    "ja.JapaneseIterationMarkCharFilterFactory",
    &["normalizeKanji", "normalizeKana"],
    "Writes out Japanese iteration marks.",
    |args| {
        let (kanji, kana) = (args.flag("normalizeKanji", true), args.flag("normalizeKana", true));
        Ok(Box::new(IterationMark { kanji, kana }))
    },
)
.normalizing();

struct IterationMark {
    kanji: bool,
    kana: bool,
}

impl IterationMark {
    fn is_mark(&self, c: char) -> bool {
        match c {
            '々' => self.kanji,
            'ゝ' | 'ゞ' | 'ヽ' | 'ヾ' => self.kana,
            _ => false,
        }
    }

    /// The marks from a place on, but no more than there are characters to repeat.
    fn run_len(&self, chars: &[char], at: usize, barrier: usize) -> usize {
        let marks = chars.iter().skip(at).take_while(|c| self.is_mark(**c)).count();
        marks.min(at.saturating_sub(barrier))
    }
}

impl CharFilter for IterationMark {
    fn filter(&self, text: &str) -> Filtered {
        let chars: Vec<char> = text.chars().collect();
        let mut out = Rewriter::default();
        // Characters before `barrier` are not repeated; up to there marks belong to the run before.
        let (mut barrier, mut run) = (0, 0);
        for (at, &c) in chars.iter().enumerate() {
            // Lucene works on UTF-16 and never repeats half a pair; behind a full stop a mark has nothing to
            // repeat.
            if c.len_utf16() == 2 || c == '。' {
                barrier = at + 1;
            }
            let original = c.encode_utf8(&mut [0; 4]).to_owned();
            if !self.is_mark(c) {
                out.keep(&original);
                continue;
            }
            // A mark with nothing before it stands for itself, and the marks behind it may not repeat it
            // either.
            if at == barrier {
                barrier += 1;
                out.keep(&original);
                continue;
            }
            if at > barrier {
                run = self.run_len(&chars, at, barrier);
                barrier = at + run;
            }
            let source = at.checked_sub(run).and_then(|source| chars.get(source)).copied().unwrap_or(c);
            out.replace(&original, repeated(source, c).encode_utf8(&mut [0; 4]));
        }
        out.finish()
    }
}

/// What a mark stands for after a character. The mark without voice also steps back from characters that have
/// no voiced form, as in Lucene: `なゝ` becomes `など`.
fn repeated(source: char, mark: char) -> char {
    let (voiced, first) = match mark {
        'ゝ' => (false, 'か'),
        'ゞ' => (true, 'か'),
        'ヽ' => (false, 'カ'),
        'ヾ' => (true, 'カ'),
        _ => return source,
    };
    match (takes_voice(source, first), voiced) {
        (Some(true), true) => shifted(source, 1),
        (Some(false), false) => shifted(source, -1),
        _ => source,
    }
}

/// Whether a kana from the row of K, which begins with `first`, to that of H has a voiced form right after
/// it.
fn takes_voice(c: char, first: char) -> Option<bool> {
    let at = u32::from(c).checked_sub(u32::from(first))?;
    match at {
        0..=23 => Some(at % 2 == 0),
        24..=30 => Some(at % 2 == 1),
        31..=35 => Some(false),
        36..=49 => Some(at % 3 == 0),
        _ => None,
    }
}

fn shifted(c: char, by: i32) -> char {
    u32::from(c).checked_add_signed(by).and_then(char::from_u32).unwrap_or(c)
}
