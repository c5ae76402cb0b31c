//! `germanStem`: the stemmer of Caumanns (1999) for German. Letter groups that count as one sound become one
//! sign before endings are taken off, and are spelled out again afterwards; a letter that repeats the one
//! before it is hidden from the endings likewise.

use crate::chars::is_letter;
use crate::filter::letters::{Letters, ends};

/// Groups in the order in which they are looked for, and their signs.
const GROUPS: &[(&str, char)] =
    &[("sch", '$'), ("ch", '§'), ("ei", '%'), ("ie", '&'), ("ig", '#'), ("st", '!')];

/// Stands for a letter like the one before it.
const REPEATED: char = '*';

pub(crate) fn german(word: &mut Letters) {
    *word = word.iter().collect::<String>().to_lowercase().chars().collect();
    // Lucene asks for letters by UTF-16 units, and half a character is none.
    if !word.iter().all(|c| *c <= '\u{ffff}' && is_letter(*c)) {
        return;
    }
    let hidden = substitute(word);
    strip(word, hidden);
    // `Lehrerinnen`: the doubled n of the feminine is hidden as a repeat, so this ending needs its own look.
    if word.len() > 5 && ends(word, "erin*") {
        word.pop();
        strip(word, hidden);
    }
    if let Some(last) = word.last_mut().filter(|last| **last == 'z') {
        // Plurals in x of loan words (`Matrix`, `Matrizen`) meet their singular.
        *last = 'x';
    }
    spell_out(word);
    drop_participle(word);
}

/// Replaces umlauts, repeated letters and groups; returns how many letters the word got shorter.
fn substitute(word: &mut Letters) -> usize {
    let mut hidden = 0;
    let mut at = 0;
    while let Some(c) = word.get(at).copied() {
        let repeats = at > 0 && word.get(at - 1) == Some(&c);
        let plain = match c {
            _ if repeats => REPEATED,
            'ä' => 'a',
            'ö' => 'o',
            'ü' => 'u',
            'ß' => {
                word.insert(at + 1, 's');
                hidden += 1;
                's'
            }
            other => other,
        };
        let rest = word.get_mut(at..).unwrap_or_default();
        rest.iter_mut().take(1).for_each(|c| *c = plain);
        let starts = |group: &str| group.chars().eq(rest.iter().copied().take(group.len()));
        if let Some((group, sign)) = GROUPS.iter().find(|(group, _)| starts(group)) {
            word.splice(at..at + group.len(), [*sign]);
            hidden += group.len() - 1;
        }
        at += 1;
    }
    hidden
}

fn strip(word: &mut Letters, hidden: usize) {
    while word.len() > 3 {
        // Lengths are those of the word as it was written, or words full of `sch` would count as short.
        let full = word.len() + hidden;
        if full > 5 && ends(word, "nd") || full > 4 && (ends(word, "em") || ends(word, "er")) {
            word.truncate(word.len() - 2);
        } else if matches!(word.last(), Some('e' | 's' | 'n' | 't')) {
            word.pop();
        } else {
            return;
        }
    }
}

fn spell_out(word: &mut Letters) {
    let mut spelled = Letters::with_capacity(word.len() + 4);
    for c in word.drain(..) {
        match GROUPS.iter().find(|(_, sign)| *sign == c) {
            Some((group, _)) => spelled.extend(group.chars()),
            None if c == REPEATED => spelled.extend(spelled.last().copied()),
            None => spelled.push(c),
        }
    }
    *word = spelled;
}

/// Of `gege`, the prefix of a participle before a verb in ge-, the first half goes.
fn drop_participle(word: &mut Letters) {
    if word.len() > 4
        && let Some(at) = word.windows(4).position(|letters| letters == ['g', 'e', 'g', 'e'])
    {
        word.drain(at..at + 2);
    }
}
