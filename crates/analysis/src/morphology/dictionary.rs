//! A built-in dictionary in memory: which words start at a place of a text, what is known of a word, and by
//! which classes of characters unknown words are cut. Loaded on first use and kept; the numbers of words go
//! from the known words to the unknown ones. Sources and licences of the data are in `dictionaries/`.

use std::ops::Range;
use std::sync::LazyLock;

use super::costs::Costs;
use super::sections::Sections;

static JAPANESE: LazyLock<Dictionary> =
    LazyLock::new(|| Dictionary::load(include_bytes!("../../dictionaries/japanese.dict.zst")));
static KOREAN: LazyLock<Dictionary> =
    LazyLock::new(|| Dictionary::load(include_bytes!("../../dictionaries/korean.dict.zst")));

/// IPADIC; the first call decompresses it.
pub(crate) fn japanese() -> &'static Dictionary {
    &JAPANESE
}

/// mecab-ko-dic; the first call decompresses it.
pub(crate) fn korean() -> &'static Dictionary {
    &KOREAN
}

pub(crate) struct Dictionary {
    trie: Trie,
    words: Words,
    classes: Classes,
    /// Contexts of words that a configset adds: left, right, right without and right with a final consonant.
    pub(crate) user_contexts: [u16; 4],
    pub(crate) costs: Costs,
}

/// The class of the character that an unknown word starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WordClass(u8);

impl Dictionary {
    fn load(compressed: &[u8]) -> Self {
        let mut sections = Sections::open(compressed);
        let trie = Trie::read(&mut sections);
        let words = Words::read(&mut sections);
        let classes = Classes::read(&mut sections, words.left.len());
        let mut user_contexts = [0; 4];
        for (to, from) in user_contexts.iter_mut().zip(sections.numbers()) {
            *to = from;
        }
        Dictionary { trie, words, classes, user_contexts, costs: Costs::read(&mut sections) }
    }

    /// Calls `found` with the end and the numbers of the known words that start at a place, shortest first.
    pub(crate) fn words_at(&self, text: &str, start: usize, mut found: impl FnMut(usize, Range<u32>)) {
        let mut node = Some(0);
        let mut end = start;
        for c in text.get(start..).unwrap_or_default().chars() {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                node = node.and_then(|node| self.trie.child(node, *unit));
            }
            let Some(reached) = node else { return };
            end += c.len_utf8();
            let words = self.trie.words(reached);
            if !words.is_empty() {
                found(end, words);
            }
        }
    }

    /// The unknown words of a class.
    pub(crate) fn unknown(&self, class: WordClass) -> Range<u32> {
        self.classes.unknown.get(usize::from(class.0)).cloned().unwrap_or_default()
    }

    /// The word that stands for a single character of an unknown word.
    pub(crate) fn single(&self) -> u32 {
        self.unknown(WordClass(0)).start
    }

    /// Whether the word is an unknown one.
    pub(crate) fn is_unknown(&self, word: u32) -> bool {
        word >= self.single()
    }

    pub(crate) fn class(&self, c: char) -> WordClass {
        let unit = c.encode_utf16(&mut [0; 2]).first().copied().map_or(0, usize::from);
        WordClass(self.classes.of_unit.get(unit).copied().unwrap_or(1))
    }

    /// Whether a run of characters of the class makes one word.
    pub(crate) fn groups(&self, class: WordClass) -> bool {
        self.classes.flags.get(usize::from(class.0)).is_some_and(|flags| flags & 1 != 0)
    }

    /// Whether unknown words are tried also where a known word starts.
    pub(crate) fn invokes(&self, class: WordClass) -> bool {
        self.classes.flags.get(usize::from(class.0)).is_some_and(|flags| flags & 2 != 0)
    }

    /// Japanese: whether the character is Chinese.
    pub(crate) fn is_kanji(&self, c: char) -> bool {
        let class = self.class(c);
        class == self.class('漢') || class == self.class('一')
    }

    pub(crate) fn left(&self, word: u32) -> u16 {
        self.words.left.get(word as usize).copied().unwrap_or(0)
    }

    pub(crate) fn right(&self, word: u32) -> u16 {
        self.words.right.get(word as usize).copied().unwrap_or_else(|| self.left(word))
    }

    pub(crate) fn cost(&self, word: u32) -> i32 {
        self.words.cost.get(word as usize).copied().map_or(0, i32::from)
    }

    /// The part of speech.
    pub(crate) fn tag(&self, word: u32) -> &str {
        self.words.tags.get(usize::from(self.left(word))).map_or("", String::as_str)
    }

    /// What the builder of the language put there: a rule for the base form, or how a word is composed.
    pub(crate) fn form(&self, word: u32) -> u16 {
        self.words.form.get(word as usize).copied().unwrap_or(0)
    }

    /// What the builder of the language put there: a reading, or the parts of a word.
    pub(crate) fn detail(&self, word: u32) -> &[u8] {
        let at = word as usize;
        let range = self.words.detail_starts.get(at..at + 2);
        let range = range.and_then(|pair| pair.first().zip(pair.last()));
        range.and_then(|(from, to)| self.words.details.get(*from as usize..*to as usize)).unwrap_or_default()
    }

    /// Japanese: the dictionary form, if it differs from the surface.
    pub(super) fn base_form(&self, word: u32, surface: &str) -> Option<String> {
        let (drop, add) = self.words.rules.get(usize::from(self.form(word)).checked_sub(1)?)?;
        let kept = surface.chars().count().saturating_sub(*drop);
        let mut base: String = surface.chars().take(kept).collect();
        base.push_str(add);
        Some(base)
    }

    /// Japanese: the reading in katakana, which unknown words do not have.
    pub(super) fn kana_reading(&self, word: u32, surface: &str) -> Option<String> {
        if self.is_unknown(word) {
            return None;
        }
        match self.detail(word) {
            [] => Some(surface.chars().map(to_katakana).collect()),
            packed => Some(unpack_kana(packed)),
        }
    }

    /// Korean: the reading of a word that is not written in Hangul.
    pub(super) fn hangul_reading(&self, word: u32) -> Option<&str> {
        let detail = self.detail(word);
        (self.form(word) == 0 && !detail.is_empty()).then(|| std::str::from_utf8(detail).ok())?
    }
}

/// The surfaces of the known words, character by character; the root is node 0 and the children of a node
/// follow each other in the order of their characters.
struct Trie {
    labels: Vec<u16>,
    /// The first child of each node; one more at the end.
    children: Vec<u32>,
    /// The first word of each node; one more at the end.
    words: Vec<u32>,
}

impl Trie {
    fn read(sections: &mut Sections) -> Self {
        let labels = sections.numbers();
        let children = starts(sections.numbers().into_iter().map(u32::from), 1);
        let words = starts(sections.bytes().iter().copied().map(u32::from), 0);
        Trie { labels, children, words }
    }

    #[inline]
    fn child(&self, node: usize, unit: u16) -> Option<usize> {
        let from = self.children.get(node).copied()? as usize;
        let to = self.children.get(node + 1).copied()? as usize;
        let at = self.labels.get(from..to)?.binary_search(&unit).ok()?;
        Some(from + at)
    }

    fn words(&self, node: usize) -> Range<u32> {
        let start = self.words.get(node).copied().unwrap_or(0);
        start..self.words.get(node + 1).copied().unwrap_or(start)
    }
}

/// What is known of each word, by its number.
struct Words {
    left: Vec<u16>,
    /// Empty where the right context is always the left one.
    right: Vec<u16>,
    cost: Vec<i16>,
    form: Vec<u16>,
    detail_starts: Vec<u32>,
    details: Vec<u8>,
    /// Part of speech by left context.
    tags: Vec<String>,
    /// Characters to drop and text to add.
    rules: Vec<(usize, String)>,
}

impl Words {
    fn read(sections: &mut Sections) -> Self {
        let (left, right) = (sections.numbers(), sections.numbers());
        let (cost, form) = (sections.signed(), sections.numbers());
        let detail_starts = starts(sections.bytes().iter().copied().map(u32::from), 0);
        let details = sections.bytes().to_vec();
        let tags = sections.lines();
        let rules = sections.lines().iter().filter_map(|line| line.split_once('\t')).map(read_rule).collect();
        Words { left, right, cost, form, detail_starts, details, tags, rules }
    }
}

fn read_rule((drop, add): (&str, &str)) -> (usize, String) {
    (drop.parse().unwrap_or(0), add.to_owned())
}

struct Classes {
    flags: Vec<u8>,
    /// By UTF-16 unit.
    of_unit: Vec<u8>,
    unknown: Vec<Range<u32>>,
}

impl Classes {
    fn read(sections: &mut Sections, words: usize) -> Self {
        let counts: Vec<u32> = sections.bytes().iter().copied().map(u32::from).collect();
        let first = u32::try_from(words).unwrap_or(u32::MAX).saturating_sub(counts.iter().sum());
        let bounds = starts(counts.into_iter(), first);
        let unknown = bounds.windows(2).map(|pair| pair[0]..pair[1]).collect();
        let content = sections.bytes();
        let count = content.first().copied().map_or(0, usize::from);
        let (flags, runs) = content[1..].split_at(count);
        let mut of_unit = Vec::with_capacity(0x1_0000);
        for run in runs.chunks_exact(3) {
            let length = u16::from_le_bytes([run[1], run[2]]);
            of_unit.resize(of_unit.len() + usize::from(length), run[0]);
        }
        Classes { flags: flags.to_vec(), of_unit, unknown }
    }
}

/// Sums of counts from the first on: where each begins, and at last where the last one ends.
fn starts(counts: impl Iterator<Item = u32>, first: u32) -> Vec<u32> {
    let mut sum = first;
    let sums = counts.map(|count| {
        sum += count;
        sum
    });
    std::iter::once(first).chain(sums).collect()
}

/// Hiragana as katakana, everything else as it is.
fn to_katakana(c: char) -> char {
    if ('\u{3041}'..='\u{3096}').contains(&c) { char::from_u32(u32::from(c) + 0x60).unwrap_or(c) } else { c }
}

/// Kana of one byte each, their distance to U+3040; other characters after a byte 255 and one with their
/// length.
fn unpack_kana(packed: &[u8]) -> String {
    let mut out = String::with_capacity(packed.len() * 3);
    let mut rest = packed;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != 255 {
            out.extend(char::from_u32(0x3040 + u32::from(byte)));
        } else if let Some((&length, after)) = rest.split_first() {
            let (text, after) = after.split_at(usize::from(length).min(after.len()));
            out.push_str(std::str::from_utf8(text).unwrap_or_default());
            rest = after;
        }
    }
    out
}
