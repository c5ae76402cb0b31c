//! The stemmer for Greek of Ntais (2006) with Saroukos' additions (2008), for lower-case words without
//! accents and with one sigma (`greekLowercase`). Its rules are data, `data/greek_stem.txt`, tried in order,
//! each on what the one before left. `drop` lists endings of which a longer word (after `=` also one that is
//! the ending) loses one; then the first `put` whose condition holds adds letters back: the rest `is` a
//! listed stem, stands `after` one of the vowels, or `ends` so, `but` is not another (`but-ends`). `put!`
//! adds unless the condition holds. `irregular` words lose what follows the hyphen; `inflection` endings go
//! only from words that no rule touched, `comparative` ones from all.

use std::sync::LazyLock;

use crate::filter::letters::{Letters, drop_first, ends};

static RULES: LazyLock<Rules> = LazyLock::new(|| Rules::read(include_str!("../../data/greek_stem.txt")));

const VOWELS: &str = "αεηιουω";

pub(crate) fn greek(word: &mut Letters) {
    if word.len() < 4 {
        return;
    }
    let before = word.len();
    RULES.irregular(word);
    RULES.rules.iter().for_each(|rule| rule.apply(word));
    if word.len() == before
        && !drop_first(word, &RULES.inflections, 1)
        && word.len() > 1
        && after(word, VOWELS)
    {
        word.pop();
    }
    drop_first(word, &RULES.comparatives, 0);
}

#[derive(Default)]
struct Rules {
    irregular: Vec<(&'static str, &'static str)>,
    rules: Vec<Rule>,
    inflections: Vec<&'static str>,
    comparatives: Vec<&'static str>,
}

#[derive(Default)]
struct Rule {
    /// The endings and how many letters have to be left.
    endings: Vec<(&'static str, usize)>,
    additions: Vec<Addition>,
}

/// Letters that come back after an ending was dropped, and when.
#[derive(Default)]
struct Addition {
    letters: &'static str,
    unless: bool,
    is: Vec<&'static str>,
    after: &'static str,
    ends: Vec<&'static str>,
    but: Vec<&'static str>,
    but_ends: Vec<&'static str>,
}

impl Rules {
    /// Lines that cannot be understood are passed over; a test reads every line of the file.
    fn read(data: &'static str) -> Self {
        let mut rules = Rules::default();
        for line in data.lines() {
            // A rule that cannot be read is a fault of the build, which a test finds; a server must not die
            // of it.
            let _ = rules.read_line(line);
        }
        rules
    }

    fn read_line(&mut self, line: &'static str) -> Option<()> {
        let (key, rest) = line.split_once(' ')?;
        let words = rest.split(' ');
        match key {
            "#" => {}
            "irregular" => self.irregular.extend(words.filter_map(|word| word.split_once('-'))),
            "inflection" => self.inflections.extend(words),
            "comparative" => self.comparatives.extend(words),
            "drop" => {
                let endings =
                    words.map(|word| word.strip_prefix('=').map_or((word, 1), |ending| (ending, 0)));
                self.rules.push(Rule { endings: endings.collect(), additions: Vec::new() });
            }
            "put" | "put!" => {
                let addition = Addition { letters: rest, unless: key == "put!", ..Addition::default() };
                self.rules.last_mut()?.additions.push(addition);
            }
            _ => self.rules.last_mut()?.additions.last_mut()?.read_condition(key, rest)?,
        }
        Some(())
    }

    fn irregular(&self, word: &mut Letters) {
        let found = self.irregular.iter().find(|(stem, ending)| {
            let length = word.len().saturating_sub(ending.chars().count());
            ends(word, ending) && word.get(..length).is_some_and(|rest| ends(rest, stem))
        });
        if let Some((_, ending)) = found {
            word.truncate(word.len() - ending.chars().count());
        }
    }
}

impl Rule {
    fn apply(&self, word: &mut Letters) {
        if !self.endings.iter().any(|(ending, left)| drop_first(word, &[*ending], *left)) {
            return;
        }
        if let Some(addition) = self.additions.iter().find(|addition| addition.holds(word)) {
            word.extend(addition.letters.chars());
        }
    }
}

impl Addition {
    fn read_condition(&mut self, key: &str, rest: &'static str) -> Option<()> {
        let words = rest.split(' ');
        match key {
            "is" => self.is.extend(words),
            "after" => self.after = rest,
            "ends" => self.ends.extend(words),
            "but" => self.but.extend(words),
            "but-ends" => self.but_ends.extend(words),
            _ => return None,
        }
        Some(())
    }

    fn holds(&self, word: &[char]) -> bool {
        let is = |stem: &&str| ends(word, stem) && stem.chars().count() == word.len();
        let ends_so = |ending: &&str| ends(word, ending);
        let named = self.is.iter().any(is) || after(word, self.after) || self.ends.iter().any(ends_so);
        let excluded = self.but.iter().any(is) || self.but_ends.iter().any(ends_so);
        (named && !excluded) != self.unless
    }
}

fn after(word: &[char], vowels: &str) -> bool {
    word.last().is_some_and(|last| vowels.contains(*last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_understood() {
        let mut rules = Rules::default();
        for line in include_str!("../../data/greek_stem.txt").lines().filter(|line| !line.is_empty()) {
            assert!(rules.read_line(line).is_some(), "{line}");
        }
    }
}
