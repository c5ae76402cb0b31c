//! `japanese`: words of Japanese by IPADIC, as Lucene's Kuromoji cuts them. Mode `normal` gives the likeliest
//! words; `search` also cuts long compounds where that is nearly as likely, and gives the whole beside the
//! parts with `discardCompoundToken=false`; `extended` cuts unknown words to characters as well. Each token
//! knows its word of the dictionary for the filters. Solr differs: `nBestCost` and `nBestExamples` are not
//! supported.

mod compound;
mod weights;

use std::sync::Arc;

use compound::rescore;
use weights::weigh;

use crate::args::Args;
use crate::definition::TokenizerDefinition;
use crate::error::Error;
use crate::morphology::{
    Dictionary, Draft, JapaneseUserWords, Language, Link, Morpheme, Search, Segment, Trace, Weight, Word,
    WordClass, char_at, is_punctuation, japanese, run_end,
};
use crate::stage::Tokenizer;
use crate::token::Token;

pub(crate) static JAPANESE: TokenizerDefinition = TokenizerDefinition::new(
    "japanese",
    "ja.JapaneseTokenizerFactory",
    &[
        "mode",
        "discardPunctuation",
        "discardCompoundToken",
        "userDictionary",
        "userDictionaryEncoding",
        "nBestCost",
        "nBestExamples",
    ],
    "Words of Japanese by dictionary.",
    build,
)
.reading(&["userDictionary"]);

fn build(args: &Args<'_>) -> Result<Box<dyn Tokenizer>, Error> {
    if args.int("nBestCost", 0)? > 0 || args.get("nBestExamples").is_some() {
        let message = "`japanese` does not support `nBestCost` and `nBestExamples` of Solr; leave them out";
        return Err(Error::unsupported(message));
    }
    let user = args
        .get("userDictionary")
        .map(|name| JapaneseUserWords::read_japanese(args.file("userDictionary", name)?));
    let mode = args.get("mode").unwrap_or("search");
    let mode = match mode.to_ascii_lowercase().as_str() {
        "normal" => Mode::Normal,
        "search" => Mode::Search,
        "extended" => Mode::Extended,
        _ => return Err(args.bad("mode", mode, "is unknown; use normal, search or extended")),
    };
    let cutter = Cutter {
        mode,
        keeps_punctuation: !args.flag("discardPunctuation", true),
        keeps_compounds: !args.flag("discardCompoundToken", true),
        user: user.transpose()?.map(Arc::new),
    };
    Ok(Box::new(Japanese { search: Search::new(cutter), last_start: None }))
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Normal,
    Search,
    Extended,
}

struct Japanese {
    search: Search<Cutter>,
    /// Where the token before starts: parts of a compound lie on the compound.
    last_start: Option<usize>,
}

impl Tokenizer for Japanese {
    fn reset(&mut self) {
        self.search.reset();
        self.last_start = None;
    }

    fn next(&mut self, text: &str, token: &mut Token) -> bool {
        let Some(mut draft) = self.search.next(text) else { return false };
        // A compound and its first part start together; the part stands on top of the compound.
        if self.last_start.replace(draft.start) == Some(draft.start) {
            draft.position_increment = 0;
        } else {
            draft.position_length = 1;
        }
        draft.write(text, token);
        true
    }

    fn fresh(&self) -> Box<dyn Tokenizer> {
        Box::new(Japanese { search: Search::new(self.search.language.clone()), last_start: None })
    }
}

#[derive(Clone)]
struct Cutter {
    mode: Mode,
    keeps_punctuation: bool,
    keeps_compounds: bool,
    user: Option<Arc<JapaneseUserWords>>,
}

impl Language for Cutter {
    fn dictionary(&self) -> &'static Dictionary {
        japanese()
    }

    fn user_words(&self, text: &str, start: usize, found: &mut dyn FnMut(usize, u32)) {
        if let Some(user) = &self.user {
            user.words_at(text, start, found);
        }
    }

    fn weigh(&self, word: Word, _: bool) -> Weight {
        weigh(word)
    }

    fn unknown(&self, text: &str, start: usize, known: bool) -> Option<(WordClass, usize)> {
        let first = char_at(text, start)?;
        let class = japanese().class(first);
        // The dictionary says for which classes (numbers, Latin letters) an unknown word is tried even beside
        // known ones.
        if known && !japanese().invokes(class) {
            return None;
        }
        let punctuation = is_punctuation(first);
        let groups = japanese().groups(class);
        let belongs = |c| groups && japanese().class(c) == class && is_punctuation(c) == punctuation;
        Some((class, run_end(text, start, belongs)))
    }

    fn unknown_words_wait(&self) -> bool {
        self.mode == Mode::Normal
    }

    fn is_spaced(&self) -> bool {
        false
    }

    fn trace(&self, mut trace: Trace<'_>, out: &mut Vec<Draft>) {
        let mut steps = Steps::default();
        let (mut place, mut index) = (trace.end, trace.index);
        while place > trace.start {
            let Some(mut link) = trace.link(place, index) else { return };
            if self.mode != Mode::Normal && steps.compound.is_none() {
                link = self.cut_compound(&mut trace, place, link, &mut steps);
            }
            self.end_compound(&mut steps, link.from, out);
            let before = out.len();
            self.push(trace.text, place, link, out);
            steps.tokens += out.len() - before;
            steps.next_left = Some(weigh(link.word).left);
            (place, index) = (link.from, link.before);
        }
    }
}

/// Where a trace is on its way back.
#[derive(Default)]
struct Steps {
    /// The left context of the word after.
    next_left: Option<u16>,
    /// A compound whose parts are being traced.
    compound: Option<Draft>,
    /// Tokens of the compound so far.
    tokens: usize,
}

impl Cutter {
    /// The last part of a long word if cutting it is nearly as likely, or the word itself.
    fn cut_compound(&self, trace: &mut Trace<'_>, place: usize, link: Link, steps: &mut Steps) -> Link {
        if matches!(link.word, Word::User(_)) {
            return link;
        }
        match rescore(trace, place, link, steps.next_left) {
            None => link,
            Some(part) => {
                steps.compound = Some(draft(link.word, link.from, place));
                steps.tokens = 0;
                part
            }
        }
    }

    /// Gives the compound once its first part is reached, unless all its parts are punctuation.
    fn end_compound(&self, steps: &mut Steps, from: usize, out: &mut Vec<Draft>) {
        let Some(mut compound) = steps.compound.take_if(|compound| compound.start >= from) else { return };
        if self.keeps_compounds && steps.tokens > 0 {
            steps.tokens += 1;
            compound.position_length = u32::try_from(steps.tokens).unwrap_or(u32::MAX);
            out.push(compound);
        }
    }

    /// The tokens of one word, last one first.
    fn push(&self, text: &str, end: usize, link: Link, out: &mut Vec<Draft>) {
        let keeps = |start| self.keeps_punctuation || !char_at(text, start).is_some_and(is_punctuation);
        match link.word {
            Word::User(number) => self.push_user(number, link.from, out),
            Word::Listed(word) if self.mode == Mode::Extended && japanese().is_unknown(word) => {
                let chars = text.get(link.from..end).unwrap_or_default().char_indices().rev();
                let single = Word::Listed(japanese().single());
                let drafts =
                    chars.map(|(at, c)| draft(single, link.from + at, link.from + at + c.len_utf8()));
                out.extend(drafts.filter(|draft| keeps(draft.start)));
            }
            Word::Listed(_) if keeps(link.from) => out.push(draft(link.word, link.from, end)),
            Word::Listed(_) => {}
        }
    }

    fn push_user(&self, number: u32, mut start: usize, out: &mut Vec<Draft>) {
        let first = out.len();
        let segments = self.user.as_ref().and_then(|user| user.value(number));
        for Segment { length, word } in segments.into_iter().flatten() {
            out.push(Draft::new(start, start + length, Morpheme::JapaneseUser(word.clone())));
            start += length;
        }
        // Segments come in order, and `out` holds the last token first.
        out[first..].reverse();
    }
}

fn draft(word: Word, start: usize, end: usize) -> Draft {
    let morpheme = match word {
        Word::Listed(word) => Morpheme::Japanese(word),
        Word::User(_) => Morpheme::None,
    };
    Draft::new(start, end, morpheme)
}
