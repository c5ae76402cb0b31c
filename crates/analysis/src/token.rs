//! The token: what a tokenizer cuts out of a text, what every filter changes, what the index and the query
//! builder read. One token is reused for a whole text, so that no stage allocates per token. The meaning of
//! the fields is Lucene's (its token attributes); the names and the offsets are ours.

use std::borrow::Cow;

use crate::morphology::Morpheme;

/// The type that a tokenizer gives when it knows no better, as Lucene spells it.
pub const KIND_WORD: &str = "word";
/// The type of a token that a synonym filter added.
pub const KIND_SYNONYM: &str = "SYNONYM";

/// One term with its place in the text and in the token graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The term, as changed so far.
    pub text: String,
    /// Where the token starts: a byte offset into the original text, corrected through the char filters.
    pub start: u32,
    /// Where the token ends, as `start`; never smaller.
    pub end: u32,
    /// Positions since the token before: 1 as a rule, 0 on top of it, more where tokens were removed.
    pub position_increment: u32,
    /// Positions that the token spans in the graph: 1 as a rule.
    pub position_length: u32,
    /// The lexical type: `word`, `<ALPHANUM>`, `SYNONYM`.
    pub kind: Cow<'static, str>,
    /// Set by `keywordMarker` and `keywordRepeat`: stemmers leave the token alone.
    pub keyword: bool,
    /// Bits that one filter sets for another (`patternTyping`, `dropIfFlagged`).
    pub flags: u32,
    /// How often the term counts in its document: 1, unless `delimitedTermFrequency` says otherwise.
    pub frequency: u32,
    /// The boost that `delimitedBoost` read, which a query gives to the term.
    pub boost: Boost,
    /// Bytes stored with the position.
    pub payload: Option<Vec<u8>>,
    /// In a view of a chain by stages: which token of the stage before was read last when this one was made.
    /// Else 0.
    pub origin: u32,
    /// The word of a dictionary that the token is, for the filters of its language.
    pub(crate) morpheme: Morpheme,
}

/// A factor of a term's score, kept as the bits of an `f32` so that tokens can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boost(u32);

impl Boost {
    /// The boost that changes nothing.
    pub const ONE: Boost = Boost(0x3f80_0000);

    /// Wraps a factor.
    pub fn new(factor: f32) -> Self {
        Boost(factor.to_bits())
    }

    /// The factor.
    pub fn factor(self) -> f32 {
        f32::from_bits(self.0)
    }
}

impl Default for Token {
    fn default() -> Self {
        Token {
            text: String::new(),
            start: 0,
            end: 0,
            position_increment: 1,
            position_length: 1,
            kind: Cow::Borrowed(KIND_WORD),
            keyword: false,
            flags: 0,
            frequency: 1,
            boost: Boost::ONE,
            payload: None,
            origin: 0,
            morpheme: Morpheme::None,
        }
    }
}

impl Token {
    /// Makes this the token `text[start..end]` of the given type, with everything else but its origin as new;
    /// keeps the buffer.
    #[inline]
    pub(crate) fn set(&mut self, text: &str, start: usize, end: usize, kind: &'static str) {
        self.text.clear();
        self.text.push_str(text.get(start..end).unwrap_or_default());
        self.place(start, end, kind);
    }

    /// As `set` for a text that the caller has already put into `self.text`.
    #[inline]
    pub(crate) fn place(&mut self, start: usize, end: usize, kind: &'static str) {
        self.start = offset(start);
        self.end = offset(end);
        self.position_increment = 1;
        self.position_length = 1;
        self.kind = Cow::Borrowed(kind);
        self.keyword = false;
        self.flags = 0;
        self.frequency = 1;
        self.boost = Boost::ONE;
        self.payload = None;
        self.morpheme = Morpheme::None;
    }

    /// Copies another token into this one and keeps the text buffer.
    pub(crate) fn copy_from(&mut self, other: &Token) {
        self.text.clear();
        self.text.push_str(&other.text);
        self.start = other.start;
        self.end = other.end;
        self.position_increment = other.position_increment;
        self.position_length = other.position_length;
        self.kind = other.kind.clone();
        self.keyword = other.keyword;
        self.flags = other.flags;
        self.frequency = other.frequency;
        self.boost = other.boost;
        self.payload.clone_from(&other.payload);
        self.origin = other.origin;
        self.morpheme.clone_from(&other.morpheme);
    }

    /// Replaces the term.
    #[inline]
    pub(crate) fn set_text(&mut self, text: &str) {
        self.text.clear();
        self.text.push_str(text);
    }
}

/// A byte offset as tokens keep it. Texts are cut at 4 GiB before they are analysed, so nothing is lost.
pub(crate) fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Length as Java counts it, in UTF-16 units: every length in a schema's arguments is meant so.
pub(crate) fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}
