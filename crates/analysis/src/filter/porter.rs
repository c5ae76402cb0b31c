//! Porter's stemmer ("An algorithm for suffix stripping", 1980), on bytes: every suffix is ASCII, and a byte
//! of another character counts as a consonant, of which a run counts once. Departures as in the author's own
//! later version and in Lucene: words of one or two letters stay, `bli` becomes `ble`, `logi` becomes `log`.

/// Replaces a word in lower case by its stem.
pub(crate) fn stem(word: &mut String) {
    if word.len() <= 2 || !word.is_ascii() && word.chars().count() <= 2 {
        return;
    }
    plurals_and_participles(word);
    final_y(word);
    replace_first(word, DOUBLE_SUFFIXES, 0);
    replace_first(word, SINGLE_SUFFIXES, 0);
    drop_suffix(word);
    final_e(word);
}

/// Steps 2 and 3, longest suffix of a kind first.
const DOUBLE_SUFFIXES: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
];

const SINGLE_SUFFIXES: &[(&str, &str)] = &[
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

/// Step 4; `ion` needs an `s` or `t` before it.
const LAST_SUFFIXES: &[&str] = &[
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism",
    "ate", "iti", "ous", "ive", "ize",
];

fn consonant(word: &[u8], at: usize) -> bool {
    match word.get(at) {
        Some(b'a' | b'e' | b'i' | b'o' | b'u') => false,
        Some(b'y') => at == 0 || !consonant(word, at - 1),
        _ => true,
    }
}

/// How often a run of vowels is followed by a run of consonants in the first `end` bytes.
fn measure(word: &[u8], end: usize) -> usize {
    let mut count = 0;
    let mut after_vowel = false;
    let mut previous_consonant = false;
    for at in 0..end {
        let is_consonant = match word.get(at) {
            Some(b'a' | b'e' | b'i' | b'o' | b'u') => false,
            Some(b'y') => at == 0 || !previous_consonant,
            _ => true,
        };
        if is_consonant && after_vowel {
            count += 1;
        }
        after_vowel = !is_consonant;
        previous_consonant = is_consonant;
    }
    count
}

fn has_vowel(word: &[u8], end: usize) -> bool {
    (0..end).any(|at| !consonant(word, at))
}

fn ends_with_double_consonant(word: &[u8]) -> bool {
    let Some((last, rest)) = word.split_last() else { return false };
    last.is_ascii() && rest.last() == Some(last) && consonant(word, word.len() - 1)
}

/// Consonant, vowel, consonant at the end of the first `end` bytes, the last not w, x or y.
fn ends_consonant_vowel_consonant(word: &[u8], end: usize) -> bool {
    if end < 3 || !consonant(word, end - 1) || consonant(word, end - 2) || !consonant(word, end - 3) {
        return false;
    }
    !matches!(word.get(end - 1), Some(b'w' | b'x' | b'y'))
}

/// The length of what stands before a suffix. Most suffixes are ruled out by their last letter alone.
#[inline]
fn before(word: &str, suffix: &str) -> Option<usize> {
    // Step 4 alone has nineteen suffixes; one byte rules out most of them without a comparison of strings.
    if word.as_bytes().last() != suffix.as_bytes().last() {
        return None;
    }
    word.strip_suffix(suffix).map(str::len)
}

/// Step 1a and 1b.
fn plurals_and_participles(word: &mut String) {
    if word.ends_with('s') {
        if word.ends_with("sses") || word.ends_with("ies") {
            word.truncate(word.len() - 2);
        } else if !word.ends_with("ss") {
            word.pop();
        }
    }
    if let Some(stem) = before(word, "eed") {
        if measure(word.as_bytes(), stem) > 0 {
            word.pop();
        }
        return;
    }
    let Some(stem) = before(word, "ed").or_else(|| before(word, "ing")) else { return };
    if !has_vowel(word.as_bytes(), stem) {
        return;
    }
    word.truncate(stem);
    let bytes = word.as_bytes();
    if word.ends_with("at") || word.ends_with("bl") || word.ends_with("iz") {
        word.push('e');
    } else if ends_with_double_consonant(bytes) {
        if !matches!(bytes.last(), Some(b'l' | b's' | b'z')) {
            word.pop();
        }
    } else if measure(bytes, bytes.len()) == 1 && ends_consonant_vowel_consonant(bytes, bytes.len()) {
        word.push('e');
    }
}

/// Step 1c.
fn final_y(word: &mut String) {
    if let Some(stem) = before(word, "y")
        && has_vowel(word.as_bytes(), stem)
    {
        word.pop();
        word.push('i');
    }
}

/// Replaces the first suffix of the list that the word has, if enough stands before it.
fn replace_first(word: &mut String, suffixes: &[(&str, &str)], measure_min: usize) {
    for (suffix, replacement) in suffixes {
        if let Some(stem) = before(word, suffix) {
            // The first suffix that fits decides even where too little stands before it; shorter ones are not
            // tried.
            if measure(word.as_bytes(), stem) > measure_min {
                word.truncate(stem);
                word.push_str(replacement);
            }
            return;
        }
    }
}

/// Step 4.
fn drop_suffix(word: &mut String) {
    for suffix in LAST_SUFFIXES {
        let Some(stem) = before(word, suffix) else { continue };
        // `adoption` loses `ion` and `million` keeps it: only behind s or t is it an ending.
        let guarded =
            *suffix == "ion" && !matches!(word.as_bytes().get(stem.wrapping_sub(1)), Some(b's' | b't'));
        if guarded {
            continue;
        }
        if measure(word.as_bytes(), stem) > 1 {
            word.truncate(stem);
        }
        return;
    }
}

/// Step 5.
fn final_e(word: &mut String) {
    if let Some(stem) = before(word, "e") {
        let bytes = word.as_bytes();
        let count = measure(bytes, stem);
        if count > 1 || count == 1 && !ends_consonant_vowel_consonant(bytes, stem) {
            word.pop();
        }
    }
    let bytes = word.as_bytes();
    if word.ends_with('l') && ends_with_double_consonant(bytes) && measure(bytes, bytes.len()) > 1 {
        word.pop();
    }
}
