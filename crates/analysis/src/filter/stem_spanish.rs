//! Stemmers of Spanish that only make plurals singular: the light one of Savoy (UniNE), the older minimal
//! one, and `spanishPluralStem`, which knows words that have no singular. All drop accents first, so that
//! stems of both numbers meet.

use crate::filter::letters::{Letters, from_end, replace_end};
use crate::filter::stem_romance::unaccented;

fn drop_accents(word: &mut Letters) {
    word.iter_mut().for_each(|c| *c = unaccented(*c));
}

pub(crate) fn light(word: &mut Letters) {
    if word.len() < 5 {
        return;
    }
    drop_accents(word);
    match from_end(word, 0) {
        Some('o' | 'a' | 'e') => {
            word.pop();
        }
        Some('s') => light_plural(word),
        _ => {}
    }
}

fn light_plural(word: &mut Letters) {
    let (second, third, fourth) = (from_end(word, 1), from_end(word, 2), from_end(word, 3));
    if second == Some('e') && third == Some('s') && fourth == Some('e') {
        word.truncate(word.len() - 2);
    } else if second == Some('e') && third == Some('c') {
        replace_end(word, 3, "z");
    } else if matches!(second, Some('o' | 'a' | 'e')) {
        word.truncate(word.len() - 2);
    }
}

pub(crate) fn minimal(word: &mut Letters) {
    if word.len() < 4 || from_end(word, 0) != Some('s') {
        return;
    }
    drop_accents(word);
    word.iter_mut().filter(|c| **c == 'ñ').for_each(|c| *c = 'n');
    match (from_end(word, 2), from_end(word, 1)) {
        (Some('c'), Some('e')) => replace_end(word, 3, "z"),
        (_, Some('e')) => replace_end(word, 2, ""),
        _ => replace_end(word, 1, ""),
    }
}

/// Words in -s that are singular, or have no singular, without accents.
const INVARIANT: &str = "abrebotellas abrecartas abrelatas afueras albatros albricias aledaños alexis alicates analisis \
    andurriales antitesis añicos apendicitis apocalipsis arcoiris aries bilis boletus boris brindis cactus \
    canutas caries cascanueces cascarrabias ciempies cifosis cortaplumas corpus cosmos cosquillas creces \
    crisis cuatrocientas cuatrocientos cuelgacapas cuentacuentos cuentapasos cumpleaños doscientas \
    doscientos dosis enseres entonces esponsales estatus exequias fauces forceps fotosintesis gafas gafotas \
    gargaras gris honorarios ictus jueves lapsus lavacoches lavaplatos limpiabotas lunes maitines martes \
    mondadientes novecientas novecientos nupcias ochocientas ochocientos pais paris parabrisas paracaidas \
    parachoques paraguas pararrayos pisapapeles piscis portaaviones portamaletas portamantas quinientas \
    quinientos quitamanchas recogepelotas rictus rompeolas sacacorchos sacapuntas saltamontes salvavidas \
    seis seiscientas seiscientos setecientas setecientos sintesis tenis tifus trabalenguas vacaciones venus \
    versus viacrucis virus viveres volandas";

/// Plurals that lose two letters although no rule says so.
const SPECIAL: &str =
    "yoes noes sies clubes faralaes albalaes itemes albumes sandwiches relojes bojes contrarreloj carcajes";

fn is_listed(word: &[char], list: &str) -> bool {
    list.split_ascii_whitespace()
        .any(|listed| listed.chars().eq(word.iter().map(|c| crate::chars::to_lower(*c))))
}

pub(crate) fn plural(word: &mut Letters) {
    if word.len() < 4 {
        return;
    }
    drop_accents(word);
    if is_listed(word, INVARIANT) {
        return;
    }
    if is_listed(word, SPECIAL) {
        replace_end(word, 2, "");
    } else if from_end(word, 0) == Some('s') {
        let (drop, with) = plural_ending(word);
        replace_end(word, drop, with);
    }
}

fn is_vowel(c: Option<char>) -> bool {
    matches!(c, Some('a' | 'e' | 'i' | 'o' | 'u'))
}

/// How many letters the plural of a word in -s loses, and what takes their place.
fn plural_ending(word: &[char]) -> (usize, &'static str) {
    let [fourth, third, second] = [3, 2, 1].map(|back| from_end(word, back));
    let in_es = second == Some('e');
    if !is_vowel(second) || fourth == Some('q') {
        return (1, "");
    }
    if fourth == Some('g') && third == Some('u') && matches!(second, Some('i' | 'e')) {
        return (1, "");
    }
    match third {
        Some('r' | 'd' | 'l' | 'n' | 'x') if in_es && is_vowel(fourth) => (2, ""),
        Some('y' | 'u' | 's') if in_es => (2, ""),
        Some('i') if in_es && matches!(fourth, Some('u' | 'l' | 'r' | 't' | 'n')) => (2, ""),
        Some('a' | 'e' | 'i' | 'o' | 'u' | 'd') if second == Some('i') => (2, "y"),
        Some('c') if in_es => (3, "z"),
        _ => (1, ""),
    }
}
