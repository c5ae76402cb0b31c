//! The grammar of random requests (`compat/random.yaml`): rules that make texts, groups that make parameters
//! and documents. Owns its format and its chances; asks nothing. What is made of a seed is the same at any
//! time.
//!
//! In a text `@{name}` stands for one of the alternatives of a rule, `@{name 1..3}` for one to three of them
//! with blanks between, `@{-5..20}` for a whole number, `@{0..999/100}` for one divided, and `@{n}` for the
//! number of the document. Deep in a rule that names itself the first alternative is taken, which therefore
//! must not. A group gives one of its sets, or nothing, by its `chance`; `also` are groups that come with a
//! set.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::compat::mask::Kind;
use crate::random::Random;

/// From here on rules take their first alternative.
const DEPTH_MAX: usize = 5;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grammar {
    pub configset: String,
    /// How many documents there are.
    documents: u64,
    /// Of these some are deleted afterwards.
    pub delete: Vec<String>,
    pub mask: BTreeMap<String, Kind>,
    rules: BTreeMap<String, Vec<String>>,
    document: Vec<Group>,
    request: Vec<Group>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    #[serde(default = "always")]
    chance: f64,
    one: Vec<Set>,
}

#[derive(Debug, Deserialize)]
struct Set {
    #[serde(default)]
    also: Vec<Group>,
    #[serde(flatten)]
    pairs: Map<String, Value>,
}

fn always() -> f64 {
    1.0
}

impl Grammar {
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let grammar: Self = serde_norway::from_str(&text)
            .with_context(|| format!("cannot understand `{}`", path.display()))?;
        let empty = grammar.rules.iter().find(|(_, alternatives)| alternatives.is_empty());
        ensure!(empty.is_none(), "a rule of `{}` has no alternative", path.display());
        Ok(grammar)
    }

    /// The documents, the same in every run: of each generation others with the same ids.
    pub fn documents(&self, generation: u64) -> Result<Vec<Value>> {
        let document = |number| {
            let seed = generation * self.documents + number;
            Ok(Value::Object(self.made(&self.document, seed, number)?))
        };
        (0..self.documents).map(document).collect()
    }

    /// The parameters of the request of a seed.
    pub fn request(&self, seed: u64) -> Result<Map<String, Value>> {
        self.made(&self.request, seed, seed)
    }

    fn made(&self, groups: &[Group], seed: u64, number: u64) -> Result<Map<String, Value>> {
        let mut making = Making { grammar: self, random: Random::new(seed), number, made: Map::new() };
        making.groups(groups)?;
        Ok(making.made)
    }
}

/// What is being made of one seed.
struct Making<'g> {
    grammar: &'g Grammar,
    random: Random,
    number: u64,
    made: Map<String, Value>,
}

impl Making<'_> {
    fn groups(&mut self, groups: &[Group]) -> Result<()> {
        for group in groups {
            if self.random.chance() >= group.chance {
                continue;
            }
            let Some(set) = group.one.get(self.random.below(group.one.len())) else { continue };
            for (name, value) in &set.pairs {
                let name = self.text(name, 0)?;
                for value in value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice) {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let text = self.text(&text, 0)?;
                    self.add(&name, Value::from(text));
                }
            }
            self.groups(&set.also)?;
        }
        Ok(())
    }

    /// A name that comes again gets one more value.
    fn add(&mut self, name: &str, value: Value) {
        match self.made.get_mut(name) {
            None => {
                self.made.insert(name.to_owned(), value);
            }
            Some(Value::Array(values)) => values.push(value),
            Some(one) => *one = Value::Array(vec![one.take(), value]),
        }
    }

    fn text(&mut self, template: &str, depth: usize) -> Result<String> {
        let (mut made, mut rest) = (String::new(), template);
        while let Some((before, after)) = rest.split_once("@{") {
            let Some((place, behind)) = after.split_once('}') else {
                bail!("`@{{` without an end in `{template}`")
            };
            made.push_str(before);
            made.push_str(&self.place(place, depth)?);
            rest = behind;
        }
        made.push_str(rest);
        Ok(made)
    }

    fn place(&mut self, place: &str, depth: usize) -> Result<String> {
        if place == "n" {
            return Ok(self.number.to_string());
        }
        if let Some(number) = self.number(place)? {
            return Ok(number);
        }
        let (name, times) = place.split_once(' ').unwrap_or((place, "1..1"));
        let times = self.number(times)?.with_context(|| format!("no times in `@{{{place}}}`"))?;
        let words = (0..times.parse::<usize>()?).map(|_| self.rule(name, depth + 1));
        Ok(words.collect::<Result<Vec<_>>>()?.join(" "))
    }

    fn rule(&mut self, name: &str, depth: usize) -> Result<String> {
        let grammar = self.grammar;
        let alternatives = grammar.rules.get(name).with_context(|| format!("there is no rule `{name}`"))?;
        let chosen = if depth > DEPTH_MAX { 0 } else { self.random.below(alternatives.len()) };
        self.text(&alternatives[chosen], depth)
    }

    /// A number of a range, if the place is one.
    fn number(&mut self, place: &str) -> Result<Option<String>> {
        let Some((from, to)) = place.split_once("..").filter(|_| !place.contains(' ')) else {
            return Ok(None);
        };
        let (to, divisor) = to.split_once('/').map_or((to, None), |(to, divisor)| (to, Some(divisor)));
        let (from, to): (i64, i64) = (from.parse()?, to.parse()?);
        ensure!(from <= to, "`{place}` is empty");
        let number = from + self.random.below((to - from + 1) as usize) as i64;
        Ok(Some(match divisor {
            None => number.to_string(),
            Some(divisor) => (number as f64 / divisor.parse::<f64>()?).to_string(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_of_the_grammar_ends() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compat/random.yaml");
        let grammar = Grammar::read(&path).unwrap();
        assert_eq!(grammar.documents(1).unwrap(), grammar.documents(1).unwrap());
        assert_ne!(grammar.documents(0).unwrap(), grammar.documents(1).unwrap());
        for seed in 0..2_000 {
            let request = grammar.request(seed).unwrap();
            assert!(request.contains_key("q"), "seed {seed}: {request:?}");
            assert!(!format!("{request:?}").contains("@{"), "seed {seed}: {request:?}");
        }
    }
}
