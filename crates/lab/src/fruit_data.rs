//! The fruit corpus and its twelve queries, after Zezeski's Yokozuna benchmark: terms that stand in exactly 1, 10, 100 …
//! 1,000,000 documents, and boolean queries over them. Vocabulary and cardinalities are his; the placement is ours:
//! scattered by a multiplicative permutation instead of packed into the first documents, so that no run of neighbours
//! flatters a codec, with one document that holds every term. Hits are counted here, from the placement itself.

use serde::Serialize;

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

/// Where one term stands: in document `rank * stride mod docs` for each rank below its cardinality.
#[derive(Clone, Copy, Debug)]
struct Placement {
    term: &'static str,
    cardinality: u64,
    stride: u64,
    /// Of the stride, modulo the number of documents: from a document back to its rank.
    inverse: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FruitDocument {
    pub id: String,
    pub fruit_t: String,
}

impl Fruit {
    /// `docs` is at least one.
    pub fn new(docs: u64) -> Self {
        let vocabulary =
            TERMS.iter().flat_map(|(count, terms)| terms.iter().map(move |term| (*term, *count)));
        let placements = vocabulary.enumerate().map(|(index, (term, of_million))| {
            let stride = stride(docs, index as u64);
            let cardinality = (of_million * docs).div_ceil(1_000_000).clamp(1, docs);
            Placement { term, cardinality, stride, inverse: inverse(stride, docs) }
        });
        Self { docs, placements: placements.collect() }
    }

    /// Document `number` of the corpus, from 0.
    pub fn document(&self, number: u64) -> FruitDocument {
        let mut text = String::with_capacity(96);
        for placement in self.placements.iter().filter(|placement| self.holds(number, placement)) {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(placement.term);
        }
        FruitDocument { id: number.to_string(), fruit_t: text }
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
        let candidates = (0..rarest.cardinality).map(|rank| mul_mod(rank, rarest.stride, self.docs));
        candidates.filter(|number| placements.iter().all(|placement| self.holds(*number, placement))).count()
            as u64
    }

    fn placement(&self, term: &str) -> Option<&Placement> {
        self.placements.iter().find(|placement| placement.term == term)
    }

    fn holds(&self, number: u64, placement: &Placement) -> bool {
        mul_mod(number, placement.inverse, self.docs) < placement.cardinality
    }
}

/// A multiplier without a factor in common with the corpus size, another for each term.
fn stride(docs: u64, index: u64) -> u64 {
    let first = (docs / 3 + 7919 * (index + 1)) % docs;
    (first.max(1)..).find(|candidate| gcd(*candidate, docs) == 1).unwrap_or(1)
}

fn mul_mod(a: u64, b: u64, modulus: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The inverse of `a` modulo `modulus` by the extended Euclidean algorithm; `a` must have no factor in common with it.
fn inverse(a: u64, modulus: u64) -> u64 {
    let (mut old_rest, mut rest) = (i128::from(a), i128::from(modulus));
    let (mut old_factor, mut factor) = (1i128, 0i128);
    while rest != 0 {
        let quotient = old_rest / rest;
        (old_rest, rest) = (rest, old_rest - quotient * rest);
        (old_factor, factor) = (factor, old_factor - quotient * factor);
    }
    old_factor.rem_euclid(i128::from(modulus)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_stands_in_exactly_its_documents() {
        let corpus = Fruit::new(10_000);
        let texts: Vec<_> = (0..corpus.docs).map(|number| corpus.document(number).fruit_t).collect();
        let count =
            |term: &str| texts.iter().filter(|text| text.split(' ').any(|word| word == term)).count() as u64;
        for placement in &corpus.placements {
            assert_eq!(count(placement.term), placement.cardinality, "{}", placement.term);
        }
    }

    #[test]
    fn hits_agree_with_a_scan() {
        let corpus = Fruit::new(20_000);
        let texts: Vec<_> = (0..corpus.docs).map(|number| corpus.document(number).fruit_t).collect();
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
