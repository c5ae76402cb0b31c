//! The fruit corpus and its twelve queries, after Zezeski's Yokozuna benchmark: terms that stand in exactly
//! 1, 10, 100 … 1,000,000 documents, and boolean queries over them. Vocabulary and cardinalities are his; the
//! placement is ours: scattered by a multiplicative permutation instead of packed into the first documents,
//! so that no run of neighbours flatters a codec, with one document that holds every term. Hits are counted
//! here, from the placement itself.

use std::io::Write as _;

use super::contract::{Case, Claim, ClaimTest, Order, Question, Workload};
use super::permutation::Permutation;

/// (documents that hold the term in a corpus of a million, terms).
const TERMS: [(u64, [&str; 6]); 7] = [
    (1_000_000, ["blueberry", "apricot", "guava", "feijoa", "jackfruit", "jambul"]),
    (100_000, ["apple", "grape", "orange", "pineapple", "strawberry", "kiwi"]),
    (10_000, ["avocado", "raspberry", "persimmon", "blackberry", "cherry", "tomato"]),
    (1_000, ["clementine", "lime", "lemon", "melon", "plum", "pear"]),
    (100, ["marang", "nutmeg", "olive", "pecan", "peanut", "tangerine"]),
    (10, ["nunga", "nance", "mulberry", "langsat", "karonda", "kumquat"]),
    (1, ["korlan", "jocote", "genip", "elderberry", "citron", "jujube"]),
];

/// A named conjunction.
#[derive(Clone, Copy, Debug)]
pub struct FruitQuery {
    pub name: &'static str,
    pub terms: &'static [&'static str],
}

pub const QUERIES: [FruitQuery; 12] = [
    FruitQuery { name: "alpha", terms: &["pineapple", "grape", "notafruit"] },
    FruitQuery { name: "beta", terms: &["apple", "orange", "jujube"] },
    FruitQuery {
        name: "charlie",
        terms: &["apple", "grape", "elderberry", "orange", "pineapple", "strawberry"],
    },
    FruitQuery { name: "delta", terms: &["avocado", "nutmeg", "nance"] },
    FruitQuery { name: "echo", terms: &["mulberry", "clementine", "peanut"] },
    FruitQuery { name: "foxtrot", terms: &["persimmon", "cherry", "tomato"] },
    FruitQuery { name: "golf", terms: &["lime", "raspberry", "grape"] },
    FruitQuery { name: "hotel", terms: &["strawberry", "kiwi", "orange"] },
    FruitQuery { name: "india", terms: &["korlan", "nunga", "genip", "nutmeg", "kumquat"] },
    FruitQuery { name: "juliet", terms: &["citron", "jocote"] },
    FruitQuery { name: "kilo", terms: &["apricot"] },
    FruitQuery { name: "lima", terms: &["citron"] },
];

impl FruitQuery {
    /// In Solr's syntax.
    pub fn text(&self) -> String {
        self.terms.join(" AND ")
    }
}

/// A corpus of `docs` documents; cardinalities shrink in proportion, to one at least.
#[derive(Clone, Debug)]
pub struct Fruit {
    pub docs: u64,
    placements: Vec<Placement>,
}

/// Where one term stands: in the documents at the places of all ranks below its cardinality.
#[derive(Clone, Copy, Debug)]
struct Placement {
    term: &'static str,
    cardinality: u64,
    order: Permutation,
}

impl Fruit {
    /// `docs` is at least one.
    pub fn new(docs: u64) -> Self {
        let vocabulary =
            TERMS.iter().flat_map(|(count, terms)| terms.iter().map(move |term| (*term, *count)));
        let placements = vocabulary.enumerate().map(|(index, (term, of_million))| {
            let cardinality = (of_million * docs).div_ceil(1_000_000).clamp(1, docs);
            Placement { term, cardinality, order: Permutation::new(docs, index as u64) }
        });
        Self { docs, placements: placements.collect() }
    }

    /// The text of document `number`, from 0.
    fn text(&self, number: u64) -> String {
        let mut text = String::with_capacity(96);
        for placement in self.placements.iter().filter(|placement| placement.holds(number)) {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(placement.term);
        }
        text
    }

    /// How many documents a query must find.
    pub fn hits(&self, query: &FruitQuery) -> u64 {
        let placements: Vec<_> = query.terms.iter().filter_map(|term| self.placement(term)).collect();
        let all_known = placements.len() == query.terms.len();
        let Some(rarest) =
            placements.iter().min_by_key(|placement| placement.cardinality).filter(|_| all_known)
        else {
            return 0;
        };
        let candidates = (0..rarest.cardinality).map(|rank| rarest.order.place(rank));
        candidates.filter(|number| placements.iter().all(|placement| placement.holds(*number))).count() as u64
    }

    fn placement(&self, term: &str) -> Option<&Placement> {
        self.placements.iter().find(|placement| placement.term == term)
    }
}

impl Placement {
    fn holds(&self, number: u64) -> bool {
        self.order.rank(number) < self.cardinality
    }
}

impl Workload for Fruit {
    fn docs(&self) -> u64 {
        self.docs
    }

    fn fields(&self) -> &'static [(&'static str, &'static str)] {
        &[("id", "string"), ("fruit_t", "text_general")]
    }

    fn write_document(&self, number: u64, json: &mut Vec<u8>) {
        // Writing to memory cannot fail, and the vocabulary needs no escapes.
        let _ = write!(json, r#"{{"id":"{number}","fruit_t":"{}"}}"#, self.text(number));
    }

    /// One question a case: the twelve are constants by definition.
    fn cases(&self) -> Vec<Case> {
        let case = |query: &FruitQuery| {
            let text = query.text();
            let params = [("q", text.as_str()), ("df", "fruit_t"), ("fl", "id,score"), ("rows", "10")];
            Case {
                name: query.name.to_owned(),
                about: text.clone(),
                handler: "select",
                order: Order::Score,
                questions: vec![Question::new(&params, Some(self.hits(query)))],
            }
        };
        QUERIES.iter().map(case).collect()
    }

    fn claims(&self) -> Vec<Claim> {
        let then =
            "fruit benchmark (Zezeski, Yokozuna): exact counts, and ten times Solr on the same machine"
                .to_owned();
        vec![Claim { then, test: ClaimTest::RatioAtLeast { connections: 1, factor: 10.0 } }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_stands_in_exactly_its_documents() {
        let corpus = Fruit::new(10_000);
        let texts: Vec<_> = (0..corpus.docs).map(|number| corpus.text(number)).collect();
        let count =
            |term: &str| texts.iter().filter(|text| text.split(' ').any(|word| word == term)).count() as u64;
        for placement in &corpus.placements {
            assert_eq!(count(placement.term), placement.cardinality, "{}", placement.term);
        }
    }

    #[test]
    fn hits_agree_with_a_scan() {
        let corpus = Fruit::new(20_000);
        let texts: Vec<_> = (0..corpus.docs).map(|number| corpus.text(number)).collect();
        for query in &QUERIES {
            let matching =
                |text: &&String| query.terms.iter().all(|term| text.split(' ').any(|word| word == *term));
            assert_eq!(texts.iter().filter(matching).count() as u64, corpus.hits(query), "{}", query.name);
        }
    }

    #[test]
    fn the_full_corpus_has_these_hits() {
        let corpus = Fruit::new(1_000_000);
        let hits: Vec<_> = QUERIES.iter().map(|query| corpus.hits(query)).collect();
        assert_eq!(hits[0], 0);
        assert_eq!(hits[10], 1_000_000);
        assert!(hits[1..10].iter().all(|hits| *hits >= 1), "{hits:?}");
    }
}
