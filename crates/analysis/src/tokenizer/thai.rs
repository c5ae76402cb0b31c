//! `thai`: words of Thai and other South-East Asian scripts by dictionary, all else by Unicode's word breaks.
//! Solr differs: it uses the dictionary of the Java runtime; this one uses ICU4X's, so rare words may be cut
//! otherwise (`compat/analysis/languages.yaml`).

use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

use crate::chars::{is_digit, is_letter};
use crate::definition::TokenizerDefinition;
use crate::stage::Tokenizer;
use crate::token::{KIND_WORD, Token};

pub(crate) static THAI: TokenizerDefinition =
    TokenizerDefinition::new("thai", "th.ThaiTokenizerFactory", &[], "Words of Thai by dictionary.", |_| {
        let segmenter = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default());
        Ok(Box::new(Thai { segmenter, bounds: Vec::new(), at: 0, end: 0 }))
    });

/// Texts are cut in blocks, so that a long one needs no list of all its bounds.
const BLOCK_BYTES: usize = 64 * 1024;

#[derive(Clone)]
struct Thai {
    segmenter: WordSegmenterBorrowed<'static>,
    /// Word bounds of the present block, next one last.
    bounds: Vec<usize>,
    at: usize,
    /// Where the present block ends.
    end: usize,
}

impl Thai {
    /// Moves to the next block, which ends at a blank or, without one in reach, at any character.
    fn load(&mut self, text: &str) -> bool {
        let start = self.end;
        let rest = text.get(start..).unwrap_or_default();
        if rest.is_empty() {
            return false;
        }
        let mut limit = rest.len().min(BLOCK_BYTES);
        while !rest.is_char_boundary(limit) {
            limit += 1;
        }
        let block = rest.get(..limit).unwrap_or(rest);
        // Thai has no blanks within sentences; the dictionary must not see half a word at the end of a block,
        // if it can be helped.
        let blank = if block.len() < rest.len() { block.rfind(' ').filter(|at| *at > 0) } else { None };
        let block = blank.and_then(|at| block.get(..at)).unwrap_or(block);
        self.bounds.extend(self.segmenter.segment_str(block).map(|bound| start + bound));
        self.bounds.reverse();
        self.at = self.bounds.pop().unwrap_or(start);
        self.end = start + block.len();
        true
    }
}

impl Tokenizer for Thai {
    fn reset(&mut self) {
        self.bounds.clear();
        self.at = 0;
        self.end = 0;
    }

    fn next(&mut self, text: &str, token: &mut Token) -> bool {
        loop {
            let Some(bound) = self.bounds.pop() else {
                if self.load(text) {
                    continue;
                }
                return false;
            };
            let start = std::mem::replace(&mut self.at, bound);
            let first = text.get(start..bound).and_then(|word| word.chars().next());
            if first.is_some_and(|c| is_letter(c) || is_digit(c)) {
                token.set(text, start, bound, KIND_WORD);
                return true;
            }
        }
    }

    fn fresh(&self) -> Box<dyn Tokenizer> {
        Box::new(Thai { bounds: Vec::new(), at: 0, end: 0, ..self.clone() })
    }
}
