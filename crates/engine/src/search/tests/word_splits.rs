//! Laws of parts that are not of hits: however a collection's documents are split over shards, the terms,
//! likes and spellings that shards know together are those of one shard with all documents.

use meter::{Allowance, Meters};
use plan::partial::IndexedFields;
use plan::{
    BrokenWords, Checker, CutDepth, Join, LikeChoice, LikeSource, LikeTerm, MoreLike, NearWords,
    RelatedScore, Result, SpellDictionary, SpellMode, SpellPlan, TermsPlan,
};
use proptest::prelude::*;

use super::brute_force::{Doc, WORDS, doc, numbered_shard};
use super::build::{boost, merged, term};
use super::spelling::words;
use crate::search::peers::JoinedValues;
use crate::search::{self, SearchCaches};
use crate::snapshot::Snapshot;

const FIELDS: [&str; 8] = ["c_s", "e_ss", "v_dv", "f_b", "none_s", "a_t", "m_is", "x_d"];

/// Documents in one shard, the same in several, and how those are merged.
#[derive(Debug)]
struct Split {
    docs: Vec<(Doc, usize)>,
    count: usize,
    pairs: Vec<usize>,
}

fn split() -> impl Strategy<Value = Split> {
    let docs = prop::collection::vec((doc(), 0usize..7), 0..40);
    (docs, 1usize..8, prop::collection::vec(0usize..7, 6)).prop_map(|(docs, count, pairs)| {
        let docs = docs.into_iter().map(|(doc, at)| (doc, at % count)).collect();
        Split { docs, count, pairs }
    })
}

impl Split {
    fn one(&self) -> Vec<Snapshot> {
        vec![self.shard(|_| true)]
    }

    fn many(&self) -> Vec<Snapshot> {
        (0..self.count).map(|shard| self.shard(|at| at == shard)).collect()
    }

    fn shard(&self, holds: impl Fn(usize) -> bool) -> Snapshot {
        let held = self.docs.iter().enumerate().filter(|(_, (_, at))| holds(*at));
        numbered_shard(&held.map(|(number, (doc, _))| (number, doc)).collect::<Vec<_>>())
    }

    /// Expects that `shown` of both is the same.
    fn check<T: std::fmt::Debug>(
        &self,
        shown: impl Fn(&[Snapshot], CutDepth) -> T,
    ) -> std::result::Result<(), TestCaseError> {
        let (one, many) = (shown(&self.one(), CutDepth::Page), shown(&self.many(), CutDepth::Whole));
        prop_assert_eq!(format!("{many:#?}"), format!("{one:#?}"));
        Ok(())
    }
}

fn terms_plan() -> impl Strategy<Value = TermsPlan> {
    let bound = || {
        prop::option::of(
            (0..WORDS.len(), any::<bool>()).prop_map(|(at, included)| (WORDS[at].to_owned(), included)),
        )
    };
    let bounds = (bound(), bound(), prop::option::weighted(0.3, Just("r".to_owned())));
    let among = prop::option::weighted(0.3, Just(vec!["red".to_owned(), "grey".to_owned()]));
    let counts = (0u64..5, prop::option::of(0u64..20));
    (
        prop::sample::select(FIELDS.to_vec()),
        bounds,
        among,
        counts,
        (prop::option::of(0usize..5), any::<bool>()),
    )
        .prop_map(|(field, (lower, upper, prefix), among, (count_min, count_max), (limit, by_count))| {
            // A bound before the prefix ends a list at the first term behind it, of which each shard has its
            // own.
            let lower = lower.filter(|(lower, _): &(String, bool)| {
                prefix.as_ref().is_none_or(|prefix: &String| lower.starts_with(&**prefix) || lower > prefix)
            });
            TermsPlan {
                schema_version: None,
                field: field.into(),
                lower,
                upper,
                prefix,
                expressions: Vec::new(),
                among,
                count_min,
                count_max,
                limit,
                by_count,
                occurrences: true,
                depth: CutDepth::Page,
            }
        })
}

fn more_like() -> impl Strategy<Value = MoreLike> {
    let of = prop_oneof![
        (0usize..20).prop_map(|id| LikeSource::Document(format!("{id:03}"))),
        Just(LikeSource::Text("red green red rot rot grey".to_owned())),
    ];
    let choice = (1u32..3, 0u64..4, 3u64..40, prop::option::of(0u64..100), (1usize..6, any::<bool>()));
    (of, choice).prop_map(
        |(of, (frequency_min, documents_min, documents_max, percent_max, (terms_max, weighted)))| MoreLike {
            collections: vec![],
            schema_version: None,
            of,
            fields: vec![
                ("a_t".into(), 2.0),
                ("c_s".into(), 1.0),
                ("nosuch_t".into(), 1.0),
                ("f_b".into(), 0.5),
            ],
            choice: LikeChoice {
                frequency_min,
                documents_min,
                documents_max,
                percent_max,
                terms_max,
                weighted,
                ..LikeChoice::default()
            },
        },
    )
}

/// The words that shards together choose.
pub(super) fn like_terms(shards: &[Snapshot], like: &MoreLike, pairs: &[usize]) -> Result<Vec<LikeTerm>> {
    let words = merged(shards.iter().map(|shard| search::like_words(shard, like).unwrap()), pairs);
    let counts = shards.iter().map(|shard| search::like_counts(shard, like, &words).unwrap());
    let counts = merged(counts, pairs);
    like.chosen(words, &counts)
}

fn checker() -> impl Strategy<Value = Checker> {
    let bound = || prop::sample::select(vec![0.0, 0.2, 0.9, 2.0, 5.0]);
    let near = (0usize..2, 1usize..6, 1u8..3, bound(), bound(), any::<bool>()).prop_map(
        |(prefix_min, inspections_max, edits_max, query_frequency_max, frequency_min, by_frequency)| {
            Checker::Near(NearWords {
                accuracy: 0.3,
                length_min: 1,
                prefix_min,
                inspections_max,
                edits_max,
                query_frequency_max,
                frequency_min,
                by_frequency,
                ..NearWords::default()
            })
        },
    );
    let broken = (1usize..4, 0u64..4, any::<bool>(), 1usize..30).prop_map(
        |(changes_max, frequency_min, by_sum, evaluations_max)| {
            Checker::Broken(BrokenWords {
                combine: true,
                tear: true,
                changes_max,
                frequency_min,
                by_sum,
                evaluations_max,
                ..BrokenWords::default()
            })
        },
    );
    prop_oneof![near, broken]
}

fn spell_plan() -> impl Strategy<Value = SpellPlan> {
    let texts = vec!["redgreen gre y", "ren rott r", "greyrotr blu e", "red g reen"];
    let mode = prop::sample::select(vec![SpellMode::Unknown, SpellMode::MorePopular, SpellMode::Always]);
    let checkers = prop::collection::vec(checker(), 1..3);
    (checkers, prop::sample::select(texts), 1usize..5, 0usize..3, mode).prop_map(
        |(checkers, text, count, alternatives, mode)| SpellPlan {
            schema_version: None,
            dictionaries: checkers.into_iter().map(dictionary).collect(),
            words: words(text),
            count,
            alternatives,
            mode,
            accuracy: None,
        },
    )
}

fn dictionary(checker: Checker) -> SpellDictionary {
    SpellDictionary { name: "d".into(), field: "a_t".into(), field_type: None, checker }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn terms_are_those_of_one_shard(split in split(), plan in terms_plan()) {
        split.check(|shards, depth| {
            let plan = TermsPlan { depth, ..plan.clone() };
            let counts = shards.iter().map(|shard| search::terms(shard, &plan).unwrap());
            cluster::finish_terms(&plan, merged(counts, &split.pairs))
        })?;
    }

    #[test]
    fn the_schema_browser_sees_one_shard(split in split(), field in prop::sample::select(FIELDS.to_vec()), limit in 0usize..6) {
        split.check(|shards, _| {
            let counts = shards.iter().map(|shard| search::term_documents(shard, field).unwrap());
            let IndexedFields(mut fields) = merged(shards.iter().map(|shard| search::luke_fields(shard).unwrap()), &split.pairs);
            fields.retain(|field| field.in_index);
            // A bound, which is nearer with fewer segments.
            fields.iter_mut().for_each(|field| field.distinct = field.distinct.map(|_| 0));
            (cluster::finish_top_terms(limit, merged(counts, &split.pairs)), fields)
        })?;
    }

    #[test]
    fn likes_are_those_of_one_shard(split in split(), like in more_like()) {
        split.check(|shards, _| like_terms(shards, &like, &split.pairs).map_err(|error| error.to_string()))?;
    }

    #[test]
    fn spellings_are_those_of_one_shard(split in split(), plan in spell_plan()) {
        split.check(|shards, _| {
            let look_up = |words: &_| {
                let caches = SearchCaches::default();
                let counts = shards.iter().map(|shard| search::words(shard, words, &caches, &Meters::default()).unwrap());
                Ok(merged(counts, &split.pairs))
            };
            cluster::spell_words(&plan, &Allowance::default(), &look_up).unwrap()
        })?;
    }

    #[test]
    fn joined_values_are_those_of_one_shard(split in split(), from in prop::sample::select(FIELDS.to_vec()), scored in any::<bool>()) {
        let query = super::build::any([term("e_ss", "red"), boost(0.25, term("c_s", "grey"))]);
        let join = Join { schema_version: None, collection: None, query, from: from.into(), to: "c_s".into(), score: Some(RelatedScore::Average) };
        // Scores depend on how rare words are where they are counted; their number does not.
        let join = if scored { Join { query: plan::Query::ConstantScore { query: Box::new(join.query), score: 0.3 }, ..join } } else { join };
        split.check(|shards, _| {
            let caches = || SearchCaches::default();
            let values = shards.iter().map(|shard| JoinedValues(search::joined(shard, (&join, scored, None), &caches()).unwrap()));
            merged(values, &split.pairs)
        })?;
    }
}
