//! The `zipf` corpus: documents of about 1 KB with numbers, dates, booleans, strings of several cardinalities
//! and English-like text. Dates and one number are a permutation, so that every range has a known count. The
//! questions about them are `cases.rs`'s. Words are drawn by Zipf's law because postings' lengths, and with
//! them what pruning saves, follow from it: uniform words would flatter either side.

mod cases;
mod scale;

use std::io::Write as _;

use super::contract::{Case, Claim, ClaimTest, Workload};
use super::instant::Instant;
use super::permutation::Permutation;
use super::words::Words;
use crate::random::{Random, Zipf};
use scale::ZipfScale;

const BODY_WORDS: usize = 120;

pub struct ZipfDocs {
    scale: ZipfScale,
    words: Words,
    countries: Zipf,
    categories: Zipf,
    users: Zipf,
    created: Permutation,
    sizes: Permutation,
}

impl ZipfDocs {
    pub fn new(docs: u64, seed: u64) -> Self {
        Self {
            scale: ZipfScale { docs, seed },
            words: Words::new(),
            countries: Zipf::new(20, 1.0),
            categories: Zipf::new(1000, 0.8),
            users: Zipf::new(100_000, 0.6),
            created: Permutation::new(docs, 0),
            sizes: Permutation::new(docs, 1),
        }
    }
}

impl Workload for ZipfDocs {
    fn docs(&self) -> u64 {
        self.scale.docs
    }

    fn fields(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("id", "string"),
            ("title_t", "text_general"),
            ("body_t", "text_general"),
            ("created_dt", "pdate"),
            ("updated_dt", "pdate"),
            ("size_i", "pint"),
            ("views_l", "plong"),
            ("score_d", "pdouble"),
            ("public_b", "boolean"),
            ("country_s", "string"),
            ("category_s", "string"),
            ("user_s", "string"),
            ("tags_ss", "strings"),
        ]
    }

    fn write_document(&self, number: u64, json: &mut Vec<u8>) {
        let random = &mut Random::of_item(self.scale.seed, number);
        let created = self.scale.created(self.created.rank(number));
        let updated = Instant(created.0 + random.below(86_400) * 1000);
        let size = self.sizes.rank(number);
        let _ = write!(
            json,
            r#"{{"id":"{number}","created_dt":"{created}","updated_dt":"{updated}","size_i":{size},"views_l":{},"score_d":{:.4},"public_b":{},"country_s":"c{:02}","category_s":"category{:03}","user_s":"user{:05}","tags_ss":["#,
            random.below(10_000_000_000),
            random.unit(),
            random.below(10) > 0,
            self.countries.draw(random),
            self.categories.draw(random),
            self.users.draw(random),
        );
        for tag in 0..1 + random.below(4) {
            let comma = if tag > 0 { "," } else { "" };
            let _ = write!(json, r#"{comma}"tag{tag}{:02}""#, random.below(50));
        }
        json.extend_from_slice(br#"],"title_t":""#);
        self.words.write(6, random, json);
        json.extend_from_slice(br#"","body_t":""#);
        self.words.write(BODY_WORDS, random, json);
        json.extend_from_slice(br#""}"#);
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases(&self.scale)
    }

    fn claims(&self) -> Vec<Claim> {
        let then = "search over mixed fields: ahead of Solr in every case of the same run".to_owned();
        vec![Claim { then, test: ClaimTest::AheadEverywhere }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_about_a_kilobyte() {
        let corpus = ZipfDocs::new(1000, 42);
        let mut json = Vec::new();
        (0..100).for_each(|number| corpus.write_document(number, &mut json));
        assert!((70_000..120_000).contains(&json.len()), "{} bytes of 100 documents", json.len());
    }
}
