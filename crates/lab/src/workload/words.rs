//! An English-like vocabulary without English in it: words of syllables, the more frequent the shorter, drawn
//! by Zipf's law. The first two syllables follow from the rank, so that how many words share a prefix is
//! known: of 200,000 words 2,000 share their first two letters, and 20 their first four.

use crate::random::{Random, Zipf};

pub const VOCABULARY: u32 = 200_000;

const CONSONANTS: &[u8; 20] = b"tnsrldcmpbgfhvkwzjyx";
const VOWELS: &[u8; 5] = b"eaiou";

/// Draws words; the table behind it takes a few megabytes.
#[derive(Clone, Debug)]
pub struct Words(Zipf);

impl Words {
    pub fn new() -> Self {
        Self(Zipf::new(VOCABULARY, 1.0))
    }

    /// Appends `count` words, a space between.
    pub fn write(&self, count: usize, random: &mut Random, text: &mut Vec<u8>) {
        for index in 0..count {
            if index > 0 {
                text.push(b' ');
            }
            write_word(self.0.draw(random), text);
        }
    }
}

/// The word of rank `rank`, from 0, the most frequent.
pub fn word(rank: u32) -> String {
    let mut text = Vec::new();
    write_word(rank, &mut text);
    text.into_iter().map(char::from).collect()
}

/// The syllable of rank `rank` below 100.
fn syllable(rank: u32) -> [u8; 2] {
    [CONSONANTS[(rank / 5) as usize % 20], VOWELS[(rank % 5) as usize]]
}

/// Bijective base 100, the last digit first.
fn write_word(mut rank: u32, text: &mut Vec<u8>) {
    loop {
        text.extend_from_slice(&syllable(rank % 100));
        match rank / 100 {
            0 => return,
            rest => rank = rest - 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn words_are_distinct_and_share_prefixes_as_told() {
        let words: Vec<String> = (0..VOCABULARY).map(word).collect();
        assert_eq!(words.iter().collect::<HashSet<_>>().len(), words.len());
        let sharing = |prefix: &str| words.iter().filter(|word| word.starts_with(prefix)).count();
        assert_eq!([word(0), word(99), word(100), word(10_100)], ["te", "xu", "tete", "tetete"]);
        assert_eq!((sharing("se"), sharing("seta")), (2000, 20));
    }

    #[test]
    fn frequent_words_are_frequent() {
        let (words, mut random, mut text) = (Words::new(), Random::new(1), Vec::new());
        words.write(10_000, &mut random, &mut text);
        let text = String::from_utf8(text).unwrap();
        let count = |word: &str| text.split(' ').filter(|other| *other == word).count();
        // 1 / (1 + 1/2 + ... + 1/200,000) of all words is the first.
        assert!((600..1000).contains(&count(&word(0))), "{}", count(&word(0)));
        assert_eq!(text.split(' ').count(), 10_000);
    }
}
