//! Words that a configset adds to a built-in dictionary (`userDictionary`). They win over all other words. A
//! line of a Japanese file is `surface,segments,readings,part of speech` with blanks between the segments and
//! between their readings; one of a Korean file is a word, or a word and its parts, with blanks between.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::error::Error;

/// What a word of the configset adds to the cost of its way: nothing else is as cheap.
pub(crate) const USER_WORD_COST: i32 = -100_000;

/// Words of a Japanese file with their segments.
pub(crate) type JapaneseUserWords = UserWords<Vec<Segment>>;

/// A piece of a Japanese word.
#[derive(Debug)]
pub(crate) struct Segment {
    /// In bytes.
    pub(crate) length: usize,
    /// Part of speech and reading.
    pub(crate) word: Arc<(String, String)>,
}

/// Words of a Korean file.
pub(crate) type KoreanUserWords = UserWords<KoreanWord>;

/// What a Korean file says of a word.
#[derive(Debug)]
pub(crate) struct KoreanWord {
    /// The last character of the line, which decides what may follow the word.
    pub(crate) last: char,
    /// The lengths of the parts in characters; none if the word is not composed.
    pub(crate) parts: Option<Vec<usize>>,
}

/// Words by their first character, shorter ones first.
#[derive(Debug)]
pub(crate) struct UserWords<T> {
    by_first: FxHashMap<char, Vec<(String, u32)>>,
    values: Vec<T>,
}

impl<T> UserWords<T> {
    fn new(words: impl IntoIterator<Item = (String, T)>) -> Self {
        let mut by_first: FxHashMap<char, Vec<(String, u32)>> = FxHashMap::default();
        let mut values = Vec::new();
        for (number, (surface, value)) in (0..).zip(words) {
            values.push(value);
            if let Some(first) = surface.chars().next() {
                by_first.entry(first).or_default().push((surface, number));
            }
        }
        by_first.values_mut().for_each(|words| words.sort_by_key(|(surface, _)| surface.len()));
        UserWords { by_first, values }
    }

    /// Calls `found` with the end and the number of each word that starts at a place.
    pub(crate) fn words_at(&self, text: &str, start: usize, found: &mut dyn FnMut(usize, u32)) {
        let rest = text.get(start..).unwrap_or_default();
        let words = rest.chars().next().and_then(|first| self.by_first.get(&first));
        for (surface, number) in words.into_iter().flatten() {
            if rest.starts_with(surface.as_str()) {
                found(start + surface.len(), *number);
            }
        }
    }

    pub(crate) fn value(&self, number: u32) -> Option<&T> {
        self.values.get(number as usize)
    }
}

impl JapaneseUserWords {
    pub(crate) fn read_japanese(text: &str) -> Result<Self, Error> {
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let mut words = lines.map(read_japanese).collect::<Result<Vec<_>, _>>()?;
        words.sort_by(|one, other| one.0.cmp(&other.0));
        match words.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            None => Ok(UserWords::new(words)),
            Some(pair) => Err(Error::resource(format!(
                "the user dictionary has two entries for `{}`; leave one of them",
                pair[0].0
            ))),
        }
    }
}

fn read_japanese(line: &str) -> Result<(String, Vec<Segment>), Error> {
    let bad =
        |reason: &str| Error::resource(format!("cannot read the user dictionary entry `{line}`: {reason}"));
    let columns = split_csv(line);
    let [surface, segments, readings, tag, ..] = columns.as_slice() else {
        return Err(bad("write `surface,segments,readings,part of speech`"));
    };
    let segments: Vec<&str> = blanks(segments);
    let readings: Vec<&str> = blanks(readings);
    if segments.len() != readings.len() {
        return Err(bad("it has another number of readings than of segments"));
    }
    let joined: String = segments.concat().split_whitespace().collect();
    if joined != surface.split_whitespace().collect::<String>() {
        return Err(bad("its segments do not make up its surface"));
    }
    let segment = |(segment, reading): (&&str, &&str)| Segment {
        length: segment.len(),
        word: Arc::new((tag.clone(), (*reading).to_owned())),
    };
    Ok((surface.clone(), segments.iter().zip(&readings).map(segment).collect()))
}

/// Columns of a line of which some are in quotes.
fn split_csv(line: &str) -> Vec<String> {
    let mut columns = Vec::new();
    let mut column = String::new();
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => columns.push(std::mem::take(&mut column)),
            other => column.push(other),
        }
    }
    columns.push(column);
    columns
}

fn blanks(column: &str) -> Vec<&str> {
    column.split(' ').filter(|part| !part.is_empty()).collect()
}

impl KoreanUserWords {
    pub(crate) fn read_korean(text: &str) -> Result<Self, Error> {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
        let mut words = Vec::new();
        for line in lines.filter(|line| !line.trim().is_empty()) {
            words.push(read_korean(line)?);
        }
        words.sort_by(|one, other| one.0.cmp(&other.0));
        words.dedup_by(|later, earlier| later.0 == earlier.0);
        Ok(UserWords::new(words))
    }
}

fn read_korean(line: &str) -> Result<(String, KoreanWord), Error> {
    let mut words = line.split_whitespace();
    let surface = words.next().unwrap_or_default();
    let parts: Vec<usize> = words.map(|part| part.chars().count()).collect();
    if parts.iter().sum::<usize>() > surface.chars().count() {
        return Err(Error::resource(format!(
            "cannot read the user dictionary entry `{line}`: its parts are longer than the word"
        )));
    }
    let last = line.chars().next_back().unwrap_or(' ');
    Ok((surface.to_owned(), KoreanWord { last, parts: (!parts.is_empty()).then_some(parts) }))
}
