//! The `suggest` workload: names of two to five words, each with a weight of its own, completed as they are
//! typed. Its configset, `lab_suggest`, declares the suggesters; they are built when the corpus is in. No two
//! weights are equal, so that every answer has one order and the two servers can be compared. In: a seed;
//! out: documents, and for each kind of look-up what a user would have typed of an entry.

use std::io::Write as _;

use super::contract::{Case, Claim, ClaimTest, Order, Preparation, Question, Workload};
use super::permutation::Permutation;
use super::words::Words;
use crate::checksum::Checksum;
use crate::random::{Random, Zipf};

const QUESTIONS: usize = 1024;
/// What a lookup may take.
const P99_MS_MAX: f64 = 5.0;
/// How far ahead it is meant to be.
const AHEAD: f64 = 3.0;

pub struct Suggest {
    docs: u64,
    seed: u64,
    words: Words,
    countries: Zipf,
    /// No two weights are equal, so that every answer has one order.
    weights: Permutation,
}

/// How what is asked is made of an entry's words.
struct Kind {
    name: &'static str,
    about: &'static str,
    suggester: &'static str,
    ask: fn(&[&str], &mut Random) -> String,
    /// Whether it is asked among the entries of a country.
    of_country: bool,
}

const KINDS: [Kind; 7] = [
    Kind {
        name: "infix",
        about: "three letters that any word begins with",
        suggester: "infix",
        ask: |words, random| begin(any(words, random), 3),
        of_country: false,
    },
    Kind {
        name: "infix-words",
        about: "a word and two letters that another begins with",
        suggester: "infix",
        ask: |words, _| format!("{} {}", last(words), begin(first(words), 2)),
        of_country: false,
    },
    Kind {
        name: "infix-context",
        about: "three letters that any word begins with, of one of 20 countries",
        suggester: "infix",
        ask: |words, random| begin(any(words, random), 3),
        of_country: true,
    },
    Kind {
        name: "prefix",
        about: "three letters that the entry begins with",
        suggester: "prefix",
        ask: |words, _| begin(&words.join(" "), 3),
        of_country: false,
    },
    Kind {
        name: "prefix-words",
        about: "a word and a letter that the entry begins with",
        suggester: "prefix",
        ask: |words, _| begin(&words.join(" "), first(words).len() + 2),
        of_country: false,
    },
    Kind {
        name: "fuzzy",
        about: "six letters that the entry begins with, one of them wrong",
        suggester: "fuzzy",
        ask: |words, random| wrong(&begin(&words.join(" "), 6), random),
        of_country: false,
    },
    Kind {
        name: "next-word",
        about: "what follows two words",
        suggester: "next_word",
        ask: |words, _| format!("{} ", words.iter().take(2).copied().collect::<Vec<_>>().join(" ")),
        of_country: false,
    },
];

fn first<'a>(words: &[&'a str]) -> &'a str {
    words.first().copied().unwrap_or_default()
}

fn last<'a>(words: &[&'a str]) -> &'a str {
    words.last().copied().unwrap_or_default()
}

fn any<'a>(words: &[&'a str], random: &mut Random) -> &'a str {
    words[random.below(words.len() as u64) as usize]
}

fn begin(text: &str, letters: usize) -> String {
    text.chars().take(letters).collect()
}

/// With another letter in a place behind the first.
fn wrong(text: &str, random: &mut Random) -> String {
    let place = 1 + random.below(text.len().max(2) as u64 - 1) as usize;
    text.chars().enumerate().map(|(at, letter)| if at == place { 'q' } else { letter }).collect()
}

impl Suggest {
    pub fn new(docs: u64, seed: u64) -> Self {
        let (words, countries) = (Words::new(), Zipf::new(20, 1.0));
        Self { docs, seed, words, countries, weights: Permutation::new(docs, 0) }
    }

    /// The words and the country of an entry.
    fn entry(&self, number: u64) -> (String, u32) {
        let random = &mut Random::of_item(self.seed, number);
        let mut name = Vec::new();
        self.words.write(2 + random.below(4) as usize, random, &mut name);
        (name.into_iter().map(char::from).collect(), self.countries.draw(random))
    }

    fn case(&self, kind: &Kind) -> Case {
        let mut random = Random::new(self.seed ^ Checksum::of(kind.name.as_bytes()).value());
        let questions = (0..QUESTIONS).map(|_| {
            let (name, country) = self.entry(random.below(self.docs));
            let words: Vec<&str> = name.split(' ').collect();
            let text = (kind.ask)(&words, &mut random);
            let country = format!("c{country:02}");
            let mut params = vec![("suggest.dictionary", kind.suggester), ("suggest.q", &text)];
            params.extend(kind.of_country.then_some(("suggest.cfq", country.as_str())));
            Question::new(&params, None)
        });
        Case {
            name: kind.name.to_owned(),
            about: kind.about.to_owned(),
            handler: "suggest",
            order: Order::Suggested,
            questions: questions.collect(),
        }
    }
}

impl Workload for Suggest {
    fn docs(&self) -> u64 {
        self.docs
    }

    fn configset(&self) -> &'static str {
        "lab_suggest"
    }

    fn fields(&self) -> &'static [(&'static str, &'static str)] {
        &[("id", "string"), ("name_s", "string"), ("country_s", "string"), ("weight_i", "pint")]
    }

    fn write_document(&self, number: u64, json: &mut Vec<u8>) {
        let (name, country) = self.entry(number);
        let weight = self.weights.rank(number);
        let _ = write!(
            json,
            r#"{{"id":"{number}","name_s":"{name}","country_s":"c{country:02}","weight_i":{weight}}}"#
        );
    }

    fn preparation(&self) -> Option<Preparation> {
        let params = [("suggest.buildAll", "true")];
        Some(Preparation { about: "building the suggesters", handler: "suggest", params: params.to_vec() })
    }

    fn cases(&self) -> Vec<Case> {
        KINDS.iter().map(|kind| self.case(kind)).collect()
    }

    fn claims(&self) -> Vec<Claim> {
        let of = |kind: &Kind| {
            let case = || kind.name.to_owned();
            let fast = ClaimTest::P99AtMostMs { case: case(), connections: 1, ms: P99_MS_MAX };
            let ahead = ClaimTest::CaseRatioAtLeast { case: case(), connections: 1, factor: AHEAD };
            [
                Claim { then: format!("`{}` within 5 ms at p99", kind.name), test: fast },
                Claim { then: format!("`{}` three times Solr", kind.name), test: ahead },
            ]
        };
        KINDS.iter().flat_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_made_of_entries() {
        let mut random = Random::new(1);
        let check = |name: &str, expected: &str, random: &mut Random| {
            let kind = KINDS.iter().find(|kind| kind.name == name).unwrap();
            assert_eq!((kind.ask)(&["sera", "tolina"], random), expected, "{name}");
        };
        check("infix-words", "tolina se", &mut random);
        check("prefix", "ser", &mut random);
        check("prefix-words", "sera t", &mut random);
        check("next-word", "sera tolina ", &mut random);
        let fuzzy = wrong("sera t", &mut random);
        assert!(fuzzy.starts_with('s') && fuzzy.contains('q') && fuzzy.len() == 6, "{fuzzy}");
    }
}
