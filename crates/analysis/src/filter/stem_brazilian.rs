//! `brazilianStem`: the stemmer of Brazilian Portuguese that Lucene has carried since its first years, akin
//! to Snowball's for Portuguese. Regions are those of Snowball: R1 and R2 after the first vowel-consonant
//! pairs, RV for verbs. A few of its rules drop less than they match; those are kept, as indexes depend on
//! them, and marked.

use crate::chars::is_letter;
use crate::filter::letters::{Letters, ends, replace_end};

/// What has to end in a suffix besides the word.
#[derive(Clone, Copy)]
enum Region {
    R1,
    R2,
    /// And an `e` has to stand before the suffix.
    RvAfterE,
}

/// Suffixes of nouns and adjectives, first one first: region, suffix, replacement.
const NOUNS: &[(Region, &str, &str)] = {
    use Region::{R1, R2, RvAfterE};
    &[
        (R2, "uciones", "u"),
        (R2, "imentos", ""),
        (R2, "amentos", ""),
        (R2, "adores", ""),
        (R2, "adoras", ""),
        (R2, "logias", "logias"), // Matches and changes nothing.
        (R2, "encias", "ente"),
        (R1, "amente", ""),
        (R2, "idades", ""),
        (R2, "acoes", ""),
        (R2, "imento", ""),
        (R2, "amento", ""),
        (R2, "adora", ""),
        (R2, "ismos", ""),
        (R2, "istas", ""),
        (R2, "logia", "log"),
        (R2, "ucion", "u"),
        (R2, "encia", "ente"),
        (R2, "mente", ""),
        (R2, "idade", ""),
        (R2, "acao", ""),
        (R2, "ezas", ""),
        (R2, "icos", ""),
        (R2, "icas", ""),
        (R2, "ismo", ""),
        (R2, "avel", ""),
        (R2, "ivel", ""),
        (R2, "ista", ""),
        (R2, "osos", ""),
        (R2, "osas", ""),
        (R2, "ador", ""),
        (R2, "ivas", ""),
        (R2, "ivos", ""),
        (RvAfterE, "iras", "ir"),
        (R2, "eza", ""),
        (R2, "ico", ""),
        (R2, "ica", ""),
        (R2, "oso", ""),
        (R2, "osa", ""),
        (R2, "iva", ""),
        (R2, "ivo", ""),
        (RvAfterE, "ira", "ir"),
    ]
};

/// Endings of verbs, first one first.
const VERBS: &str = "issemos essemos assemos ariamos eriamos iriamos iremos eremos aremos avamos iramos eramos aramos \
    asseis esseis isseis arieis erieis irieis irmos iamos armos ermos areis ereis ireis asses esses isses astes assem \
    essem issem ardes erdes irdes ariam eriam iriam arias erias irias estes istes aveis aria eria iria asse esse isse \
    aste este iste arei erei irei aram eram iram avam arem erem irem ando endo indo arao erao irao adas idas aras eras \
    iras avas ares eres ires ados idos amos emos imos ieis ada ida ara era ira iam ado ido ias ais eis ear ia ei am em \
    ar er ir as es is eu iu ou";

/// An ending of a verb that is recognised and stays.
const KEPT_VERB: &str = "ira";

/// What a word may start or end with besides letters, one of each.
const PUNCTUATION: &str = "\"'-,;.?!";

pub(crate) fn brazilian(word: &mut Letters) {
    let mut letters = plain_letters(word);
    trim_punctuation(&mut letters);
    let units: usize = letters.iter().map(|c| c.len_utf16()).sum();
    // Lucene's bounds, in UTF-16 units; longer words are not even freed of their accents.
    if !(3..30).contains(&units) {
        return;
    }
    if letters.iter().all(|c| *c <= '\u{ffff}' && is_letter(*c)) {
        stem(&mut letters);
    }
    *word = letters;
}

fn plain_letters(word: &[char]) -> Letters {
    let lowered = word.iter().collect::<String>().to_lowercase();
    let plain = |c| match c {
        'á' | 'â' | 'ã' => 'a',
        'é' | 'ê' => 'e',
        'í' => 'i',
        'ó' | 'ô' | 'õ' => 'o',
        'ú' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        other => other,
    };
    lowered.chars().map(plain).collect()
}

fn trim_punctuation(letters: &mut Letters) {
    if letters.len() >= 2 && letters.first().is_some_and(|first| PUNCTUATION.contains(*first)) {
        letters.remove(0);
    }
    if letters.len() >= 2 && letters.last().is_some_and(|last| PUNCTUATION.contains(*last)) {
        letters.pop();
    }
}

fn stem(word: &mut Letters) {
    // Taken once and not again after an ending went: Lucene's stemmer looks at the old region too.
    let verb_region = word.get(rv(word)..).unwrap_or_default().to_vec();
    if drop_noun_suffix(word, &verb_region) || drop_verb_ending(word, &verb_region) {
        if ends(&verb_region, "ci") {
            drop_if(word, "i");
        }
    } else if let Some(vowel) = ["os", "a", "i", "o"].iter().find(|vowel| ends(&verb_region, vowel)) {
        drop_if(word, vowel);
    }
    if ends(&verb_region, "e") {
        drop_if(word, "e");
        if ends(&verb_region, "gue") {
            drop_if(word, "u");
        } else if ends(&verb_region, "cie") {
            drop_if(word, "i");
        }
    }
}

fn drop_if(word: &mut Letters, suffix: &str) {
    if ends(word, suffix) {
        replace_end(word, suffix.len(), "");
    }
}

fn drop_noun_suffix(word: &mut Letters, verb_region: &[char]) -> bool {
    let first = r1(word, 0);
    let second = first.and_then(|start| r1(word, start));
    let region = |start: Option<usize>| start.and_then(|start| word.get(start..)).unwrap_or_default();
    let found = NOUNS.iter().find(|(place, suffix, _)| match place {
        Region::R1 => ends(region(first), suffix),
        Region::R2 => ends(region(second), suffix),
        Region::RvAfterE => {
            let before = word.len().checked_sub(suffix.len() + 1).and_then(|at| word.get(at));
            ends(verb_region, suffix) && before == Some(&'e')
        }
    });
    if let Some((_, suffix, replacement)) = found {
        replace_end(word, suffix.len(), replacement);
    }
    found.is_some()
}

fn drop_verb_ending(word: &mut Letters, verb_region: &[char]) -> bool {
    let found = VERBS.split_ascii_whitespace().find(|ending| ends(verb_region, ending));
    if let Some(ending) = found.filter(|ending| *ending != KEPT_VERB) {
        replace_end(word, ending.len(), "");
    }
    found.is_some()
}

fn is_vowel(word: &[char], at: usize) -> bool {
    word.get(at).is_some_and(|c| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u'))
}

/// Where R1 of the word from `start` on begins: behind the first consonant that follows a vowel.
fn r1(word: &[char], start: usize) -> Option<usize> {
    let last = word.len().checked_sub(1)?;
    let vowel = (start..last).find(|at| is_vowel(word, *at))?;
    let consonant = (vowel..last).find(|at| !is_vowel(word, *at))?;
    Some(consonant + 1)
}

/// Where RV begins; the word's length if it has none.
fn rv(word: &[char]) -> usize {
    let last = word.len().saturating_sub(1);
    let next = |vowel: bool| (2..last).find(|at| is_vowel(word, *at) == vowel).map(|at| at + 1);
    let found = match (is_vowel(word, 0), is_vowel(word, 1)) {
        (_, false) if last > 0 => next(true),
        (true, true) if last > 1 => next(false),
        _ => None,
    };
    if let Some(start) = found {
        return start;
    }
    if last > 2 { 3 } else { word.len() }
}
