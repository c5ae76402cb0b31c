//! `icu`: words as ICU cuts them. The text falls into runs of one script; runs of Chinese and Japanese, and
//! South-East Asian words within others, are cut by dictionary (ICU4X's, which has ICU's words), all else by
//! Unicode's word breaks. Solr differs: rule files of one's own (`rulefiles`) and Myanmar syllables are not
//! supported, and the two libraries' dictionaries are of different years.

use std::ops::RangeInclusive;

use icu_properties::props::{GeneralCategory, GeneralCategoryGroup, Script};
use icu_properties::script::{ScriptWithExtensions, ScriptWithExtensionsBorrowed};
use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

use crate::args::Args;
use crate::chars::category;
use crate::definition::TokenizerDefinition;
use crate::error::Error;
use crate::stage::Tokenizer;
use crate::token::Token;
use crate::tokenizer::standard::{
    ALPHANUM, EMOJI, HANGUL, HIRAGANA, IDEOGRAPHIC, KATAKANA, NUM, SOUTH_EAST_ASIAN, ScannedToken, next_piece,
};
use crate::tokenizer::word_break::{Class, class_of};

pub(crate) static ICU: TokenizerDefinition = TokenizerDefinition::new(
    "icu",
    "icu.segmentation.ICUTokenizerFactory",
    &["cjkAsWords", "myanmarAsWords", "rulefiles"],
    "Words of any script: Chinese, Japanese (`cjkAsWords`) and South-East Asian ones by dictionary.",
    build,
)
.reading(&["rulefiles"]);

fn build(args: &Args<'_>) -> Result<Box<dyn Tokenizer>, Error> {
    if let Some(files) = args.get("rulefiles") {
        return Err(args.bad("rulefiles", files, "is not supported; leave it out"));
    }
    if !args.flag("myanmarAsWords", true) {
        return Err(args.bad("myanmarAsWords", "false", "is not supported; leave it out"));
    }
    let segmenter = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
    Ok(Box::new(Icu {
        segmenter,
        scripts: ScriptWithExtensions::new(),
        joins_cj: args.flag("cjkAsWords", true),
        run: Run::default(),
        at: 0,
        words: Vec::new(),
    }))
}

#[derive(Clone)]
struct Icu {
    segmenter: WordSegmenterBorrowed<'static>,
    scripts: ScriptWithExtensionsBorrowed<'static>,
    /// Whether Chinese and Japanese are cut by dictionary.
    joins_cj: bool,
    run: Run,
    at: usize,
    /// Ends of words that a dictionary found from `at` on, next one last.
    words: Vec<usize>,
}

/// A part of the text in one script.
#[derive(Clone, Copy, Debug)]
struct Run {
    end: usize,
    script: Script,
}

impl Default for Run {
    fn default() -> Self {
        Run { end: 0, script: Script::Common }
    }
}

/// Units that a word segmenter is given at once, at least, where the text has a blank to cut at.
const BLOCK_BYTES: usize = 16 * 1024;

impl Tokenizer for Icu {
    fn reset(&mut self) {
        self.run = Run::default();
        self.at = 0;
        self.words.clear();
    }

    fn next(&mut self, text: &str, token: &mut Token) -> bool {
        while self.at < text.len() {
            if self.at >= self.run.end {
                self.run = self.script_run(text, self.at);
            }
            let start = self.at;
            let piece = self.piece(text.get(..self.run.end).unwrap_or(text), start);
            self.at = piece.end.max(start + 1);
            if let Some(kind) = piece.kind {
                token.set(text, start, piece.end, kind);
                return true;
            }
        }
        false
    }

    fn fresh(&self) -> Box<dyn Tokenizer> {
        Box::new(Icu { run: Run::default(), at: 0, words: Vec::new(), ..self.clone() })
    }
}

impl Icu {
    /// The run that starts at `start`: characters of one script, and those of no certain script between them.
    fn script_run(&self, text: &str, start: usize) -> Run {
        let mut script = Script::Common;
        for (at, c) in text.get(start..).unwrap_or_default().char_indices() {
            let own = self.script_of(c);
            let joins = own == script
                || !is_certain(script)
                || !is_certain(own)
                || self.scripts.has_script(c, script)
                || GeneralCategoryGroup::Mark.contains(category(c));
            if !joins {
                return Run { end: start + at, script };
            }
            if !is_certain(script) {
                script = own;
            }
        }
        Run { end: text.len(), script }
    }

    /// The character's script, with Han standing for all that is cut by the dictionary of Chinese and
    /// Japanese.
    fn script_of(&self, c: char) -> Script {
        match self.scripts.get_script_val(c) {
            Script::Han | Script::Hiragana | Script::Katakana if self.joins_cj => Script::Han,
            // Full-width digits are of no script: as Latin ones they end a run of Chinese instead of joining
            // it.
            _ if self.joins_cj && ('０'..='９').contains(&c) => Script::Latin,
            script => script,
        }
    }

    /// The piece at `start` of a text that ends with the run.
    fn piece(&mut self, text: &str, start: usize) -> ScannedToken {
        if let Some(end) = self.words.pop() {
            return ScannedToken { end, kind: self.kind(text.get(start..end).unwrap_or_default()) };
        }
        if self.joins_cj && self.run.script == Script::Han {
            let block = block_end(text, start);
            return self.cut_by_dictionary(text, start, block);
        }
        let mut piece = next_piece(text, start, usize::MAX);
        // ICU's rules have no `:` inside words, Unicode's annex, which `standard` follows, has.
        if let Some(colon) = text.get(start..piece.end).and_then(|word| word.find(':')).filter(|at| *at > 0) {
            piece = ScannedToken { end: start + colon, ..piece };
        }
        match piece.kind {
            Some(SOUTH_EAST_ASIAN) => self.cut_by_dictionary(text, start, piece.end),
            _ => ScannedToken { kind: self.kind(text.get(start..piece.end).unwrap_or_default()), ..piece },
        }
    }

    /// Cuts a part of the text into words and gives the first.
    fn cut_by_dictionary(&mut self, text: &str, start: usize, end: usize) -> ScannedToken {
        let part = text.get(start..end).unwrap_or_default();
        self.words.extend(self.segmenter.segment_str(part).skip(1).map(|bound| start + bound));
        self.words.reverse();
        let first = self.words.pop().unwrap_or(end);
        ScannedToken { end: first, kind: self.kind(text.get(start..first).unwrap_or_default()) }
    }

    /// The type of a word, by the character that it ends in; none for blanks and punctuation.
    fn kind(&self, word: &str) -> Option<&'static str> {
        if is_emoji(word) {
            return Some(EMOJI);
        }
        let mut bases = word.chars().map(|c| (c, class_of(c))).rev().filter(|(_, class)| !is_extend(*class));
        let (last, class) = bases.next()?;
        let is_alone = bases.next().is_none();
        Some(match class {
            Class::Han if RADICALS.contains(&last) => return None,
            Class::Letter if ITERATION_MARKS.contains(&last) && is_alone => return None,
            Class::ExtendNumLet if is_alone => return None,
            Class::Han | Class::Hiragana | Class::Katakana
                if self.run.script == Script::Han && self.joins_cj =>
            {
                IDEOGRAPHIC
            }
            Class::Han => IDEOGRAPHIC,
            Class::Hiragana => HIRAGANA,
            Class::Katakana => KATAKANA,
            Class::Numeric => NUM,
            Class::Letter | Class::Hangul | Class::Hebrew | Class::ExtendNumLet
                if self.run.script == Script::Hangul =>
            {
                HANGUL
            }
            Class::Letter | Class::Hangul | Class::Hebrew | Class::ExtendNumLet | Class::SouthEastAsian => {
                ALPHANUM
            }
            _ => return None,
        })
    }
}

/// Parts of Han characters, which ICU counts among the symbols.
const RADICALS: RangeInclusive<char> = '\u{2e80}'..='\u{2fd5}';

/// Marks that repeat the Han character before them; alone they are no word.
const ITERATION_MARKS: [char; 2] = ['々', '〻'];

/// Symbols that are an emoji only with a selector or the keycap mark after them.
const TEXT_SYMBOLS: &str = "*#0123456789©®™〰〽";

fn is_emoji(word: &str) -> bool {
    let mut chars = word.chars();
    match chars.next() {
        Some(c) if TEXT_SYMBOLS.contains(c) => matches!(chars.next(), Some('\u{fe0f}' | '\u{20e3}')),
        Some(c) => matches!(class_of(c), Class::Emoji | Class::RegionalIndicator),
        None => false,
    }
}

fn is_extend(class: Class) -> bool {
    matches!(class, Class::Extend | Class::SouthEastAsianMark)
}

fn is_certain(script: Script) -> bool {
    !matches!(script, Script::Common | Script::Inherited)
}

/// Where a block of the text from `start` on ends: at the last blank in reach, or at the end.
fn block_end(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    if rest.len() <= BLOCK_BYTES {
        return text.len();
    }
    let mut limit = BLOCK_BYTES;
    while !rest.is_char_boundary(limit) {
        limit += 1;
    }
    let block = rest.get(..limit).unwrap_or(rest);
    let blank = block.char_indices().rev().find(|(_, c)| category(*c) == GeneralCategory::SpaceSeparator);
    start + blank.map_or(limit, |(at, c)| at + c.len_utf8())
}
