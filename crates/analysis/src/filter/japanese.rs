//! Filters behind the `japanese` tokenizer: dictionary forms, parts of speech, readings, spellings of kana.
//! All but the last need the tokens' words of the dictionary and leave other tokens alone. Solr differs:
//! `japaneseCompletion` is not supported.

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use crate::args::Args;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::filter::numerals::JAPANESE_NUMBER;
use crate::filter::shape::{Keep, Keeping, Plain, Rewrite, Rewriting};
use crate::stage::Filter;
use crate::token::{Token, utf16_len};
use crate::word_set::WordSet;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[
    &BASE_FORM,
    &HIRAGANA_UPPERCASE,
    &KATAKANA_STEM,
    &KATAKANA_UPPERCASE,
    &JAPANESE_NUMBER,
    &PART_OF_SPEECH_STOP,
    &READING_FORM,
];

static BASE_FORM: FilterDefinition = FilterDefinition::new(
    "japaneseBaseForm",
    "ja.JapaneseBaseFormFilterFactory",
    &[],
    "Inflected Japanese words in their dictionary form.",
    |_| Ok(Box::new(Rewriting(Plain(to_base_form)))),
);

static HIRAGANA_UPPERCASE: FilterDefinition = FilterDefinition::new(
    "japaneseHiraganaUppercase",
    "ja.JapaneseHiraganaUppercaseFilterFactory",
    &[],
    "Small hiragana as normal ones.",
    |_| Ok(Box::new(Rewriting(Plain(|token| token.text = token.text.chars().map(large_hiragana).collect())))),
);

static KATAKANA_UPPERCASE: FilterDefinition = FilterDefinition::new(
    "japaneseKatakanaUppercase",
    "ja.JapaneseKatakanaUppercaseFilterFactory",
    &[],
    "Small katakana as normal ones.",
    |_| Ok(Box::new(Rewriting(Plain(enlarge_katakana)))),
);

static KATAKANA_STEM: FilterDefinition = FilterDefinition::new(
    "japaneseKatakanaStem",
    "ja.JapaneseKatakanaStemFilterFactory",
    &["minimumLength"],
    "Drops the prolonging mark at the end of katakana words.",
    |args| Ok(Box::new(Rewriting(KatakanaStem { length_min: args.count("minimumLength", 4, 1)? }))),
);

static PART_OF_SPEECH_STOP: FilterDefinition = FilterDefinition::new(
    "japanesePartOfSpeechStop",
    "ja.JapanesePartOfSpeechStopFilterFactory",
    &["tags"],
    "Drops the words of the parts of speech in a file; without `tags` particles, auxiliaries and symbols.",
    build_stop,
)
.reading(&["tags"]);

static READING_FORM: FilterDefinition = FilterDefinition::new(
    "japaneseReadingForm",
    "ja.JapaneseReadingFormFilterFactory",
    &["useRomaji"],
    "Japanese words as they are read, in katakana or in Latin letters.",
    |args| Ok(Box::new(Rewriting(ReadingForm { romaji: args.flag("useRomaji", false) }))),
);

fn to_base_form(token: &mut Token) {
    if token.keyword {
        return;
    }
    if let Some(base) = token.morpheme.base_form(token.text.as_str()) {
        token.text = base;
    }
}

fn is_hiragana(c: char) -> bool {
    ('\u{3041}'..='\u{3096}').contains(&c)
}

fn large_hiragana(c: char) -> char {
    match c {
        'ぁ' | 'ぃ' | 'ぅ' | 'ぇ' | 'ぉ' | 'っ' | 'ゃ' | 'ゅ' | 'ょ' | 'ゎ' => after(c),
        'ゕ' => 'か',
        'ゖ' => 'け',
        other => other,
    }
}

/// The next character: most small kana come right before the normal ones.
fn after(c: char) -> char {
    char::from_u32(u32::from(c) + 1).unwrap_or(c)
}

/// Small katakana of the extension for Ainu, from U+31F0 on.
const AINU: &str = "クシストヌハヒフヘホムラリルレロ";

fn enlarge_katakana(token: &mut Token) {
    // The one small letter that takes a mark of its own in Ainu; by itself it would become フ with a mark left
    // over.
    let joined = token.text.replace("\u{31f7}\u{309a}", "プ");
    token.text = joined.chars().map(large_katakana).collect();
}

fn large_katakana(c: char) -> char {
    match c {
        'ァ' | 'ィ' | 'ゥ' | 'ェ' | 'ォ' | 'ッ' | 'ャ' | 'ュ' | 'ョ' | 'ヮ' => after(c),
        'ヵ' => 'カ',
        'ヶ' => 'ケ',
        '\u{31f0}'..='\u{31ff}' => AINU.chars().nth(c as usize - 0x31f0).unwrap_or(c),
        other => other,
    }
}

#[derive(Clone)]
struct KatakanaStem {
    /// In UTF-16 units.
    length_min: usize,
}

impl Rewrite for KatakanaStem {
    fn rewrite(&mut self, token: &mut Token) {
        let katakana = |c| ('\u{30a0}'..='\u{30ff}').contains(&c);
        if !token.keyword
            && token.text.ends_with('ー')
            && utf16_len(&token.text) >= self.length_min
            // Loan words are written with and without their last mark, so `コーヒー` loses it; words of several
            // scripts are left alone, as in Lucene.
            && token.text.chars().all(katakana)
        {
            token.text.pop();
        }
    }
}

/// The parts of speech that Lucene's Japanese analyzer drops.
const STOP_TAGS: &str = "接続詞 助詞 助詞-格助詞 助詞-格助詞-一般 助詞-格助詞-引用 助詞-格助詞-連語 助詞-接続助詞 \
    助詞-係助詞 助詞-副助詞 助詞-間投助詞 助詞-並立助詞 助詞-終助詞 助詞-副助詞／並立助詞／終助詞 助詞-連体化 助詞-副詞化 \
    助詞-特殊 助動詞 記号 記号-一般 記号-読点 記号-句点 記号-空白 記号-括弧開 記号-括弧閉 その他-間投 フィラー 非言語音";

fn build_stop(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let tags = args.words("tags", false)?;
    let tags = tags.unwrap_or_else(|| WordSet::new(STOP_TAGS.split_whitespace().map(str::to_owned), false));
    Ok(Keeping::boxed(OtherTags { dropped: Arc::new(tags) }))
}

#[derive(Clone)]
struct OtherTags {
    dropped: Arc<WordSet>,
}

impl Keep for OtherTags {
    fn keeps(&mut self, token: &Token) -> bool {
        // Tokens from elsewhere have no part of speech, and a filter may not drop what it knows nothing of.
        token.morpheme.part_of_speech().is_none_or(|tag| !self.dropped.contains(tag))
    }
}

#[derive(Clone)]
struct ReadingForm {
    romaji: bool,
}

impl Rewrite for ReadingForm {
    fn rewrite(&mut self, token: &mut Token) {
        let reading = token.morpheme.reading(&token.text).map(|reading| reading.into_owned());
        let reading = reading.or_else(|| token.text.contains(is_hiragana).then(|| in_katakana(&token.text)));
        match reading {
            _ if self.romaji => token.text = romanize(reading.as_deref().unwrap_or(&token.text)),
            Some(reading) => token.text = reading,
            None => {}
        }
    }
}

fn in_katakana(text: &str) -> String {
    let shift = |c| if is_hiragana(c) { char::from_u32(u32::from(c) + 0x60).unwrap_or(c) } else { c };
    text.chars().map(shift).collect()
}

/// Katakana, up to three together, and their Latin letters: a modified Hepburn romanisation as Lucene uses
/// it.
static ROMAJI: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let words: Vec<&str> = include_str!("../../data/romaji.txt").split_whitespace().collect();
    words.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
});

fn romanize(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let next = rest.chars().nth(1);
        let mut taken = first.len_utf8();
        match first {
            'ー' => {}
            'ッ' => out.extend(doubled(next)),
            'ン' => out.push_str(nasal(next)),
            _ => match longest(rest) {
                Some((length, latin)) => {
                    out.push_str(latin);
                    taken = length;
                }
                None => out.push(first),
            },
        }
        rest = rest.get(taken..).unwrap_or_default();
    }
    out
}

/// The longest entry of the table that a text starts with, and its length in bytes.
fn longest(text: &str) -> Option<(usize, &'static str)> {
    let ends = text.char_indices().take(3).map(|(at, c)| at + c.len_utf8());
    let found = ends.filter_map(|end| Some((end, *ROMAJI.get(text.get(..end)?)?)));
    found.last()
}

/// The consonant that a small ツ doubles.
fn doubled(next: Option<char>) -> Option<char> {
    Some(match next? {
        'カ' | 'キ' | 'ク' | 'ケ' | 'コ' => 'k',
        'サ' | 'シ' | 'ス' | 'セ' | 'ソ' => 's',
        'タ' | 'チ' | 'ツ' | 'テ' | 'ト' => 't',
        'パ' | 'ピ' | 'プ' | 'ペ' | 'ポ' => 'p',
        _ => return None,
    })
}

fn nasal(next: Option<char>) -> &'static str {
    match next {
        Some('バ' | 'ビ' | 'ブ' | 'ベ' | 'ボ' | 'パ' | 'ピ' | 'プ' | 'ペ' | 'ポ') => "m",
        Some('マ' | 'ミ' | 'ム' | 'メ' | 'モ') => "m",
        Some('ヤ' | 'ユ' | 'ヨ' | 'ア' | 'イ' | 'ウ' | 'エ' | 'オ') => "n'",
        _ => "n",
    }
}
