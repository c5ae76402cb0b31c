//! The ten best found by skipping blocks are the first ten of all hits scored one by one: over segments long
//! enough to have blocks, of very different document lengths, with deletes and filters.

use std::sync::Arc;

use plan::{Document, Occur, Page, Query, Schema, SchemaSource, SearchPlan, Value};
use tantivy::postings::Postings as _;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet as _, TERMINATED, Term};

use super::build::{all, any, boolean, boost, filter, phrase, plan, search, term};
use crate::search::collect::best::{Best, Hopefuls as _};
use crate::search::evaluate::Evaluator;
use crate::search::lower::lower_scored;
use crate::search::terms::{Count, Direct};
use crate::search::{SearchCaches, mask};
use crate::snapshot::Snapshot;
use crate::testing::{schema, snapshot, source};

/// A xorshift generator: the same documents every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    /// Small numbers more often than large ones.
    fn word(&mut self) -> String {
        let unit = self.below(1000) as f64 / 1000.0;
        format!("w{}", (40.0 * unit * unit * unit) as u64)
    }
}

fn segment(numbers: &mut Numbers, first: usize, count: usize, length_mean: u64) -> Vec<Document> {
    let document = |number: usize| {
        let length = 1 + numbers.below(2 * length_mean);
        let words: Vec<String> = (0..length).map(|_| numbers.word()).collect();
        let parity = if number.is_multiple_of(3) { "third" } else { "other" };
        Document {
            fields: vec![
                (Arc::from("id"), vec![Value::Str(format!("{number:06}"))]),
                (Arc::from("a_t"), vec![Value::Str(words.join(" "))]),
                (Arc::from("c_s"), vec![Value::Str(parity.into())]),
            ],
        }
    };
    (first..first + count).map(document).collect()
}

fn shard() -> Snapshot {
    shard_of(schema())
}

/// With this similarity for all fields.
fn shard_by(class: &str, arguments: &[(&str, &str)]) -> Snapshot {
    let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let declared = [("class", class)].iter().chain(arguments).copied().map(own).collect();
    shard_of(Schema::build(SchemaSource { similarity: Some(declared), ..source() }).unwrap())
}

fn shard_of(schema: Schema) -> Snapshot {
    let mut numbers = Numbers(7);
    let batches = [
        segment(&mut numbers, 0, 1200, 3),
        segment(&mut numbers, 1200, 800, 90),
        segment(&mut numbers, 2000, 500, 12),
    ];
    let all = snapshot(&Arc::new(schema), &batches);
    let marked: Vec<_> = all
        .segments()
        .iter()
        .map(|view| {
            (0..view.reader().max_doc()).step_by(7).for_each(|doc| {
                view.segment.marks.mark(doc);
            });
            (view.segment.clone(), view.segment.marks.current())
        })
        .collect();
    Snapshot::build(Some(&all), all.layout().clone(), &marked).unwrap()
}

fn queries() -> Vec<Query> {
    let word = |number: usize| term("a_t", &format!("w{}", number % 40));
    let mut queries: Vec<Query> = (0..20).map(word).collect();
    for number in 0..10 {
        let (second, third) = (word(number * 7 + 3), word(number * 11 + 5));
        queries.push(any([word(number), second.clone()]));
        queries.push(any([word(number), boost(3.5, second.clone()), third.clone()]));
        queries.push(all([word(number), second.clone()]));
        queries.push(all([word(number), second.clone(), third.clone()]));
        queries.push(boost(0.25, any([word(number), any([second.clone(), third.clone()])])));
        queries.push(boolean([(Occur::Must, word(number)), (Occur::Should, second), (Occur::Should, third)]));
    }
    for words in ["w0 w1", "w0 w0", "w1 w0 w2", "w3 w0", "w30 w1", "w0 w99"] {
        queries.push(phrase("a_t", words, 0));
    }
    queries.push(phrase("a_t", "w0 w1", 2));
    queries
}

#[test]
fn skipping_loses_nothing() {
    check_skipping(&shard());
}

#[test]
fn skipping_loses_nothing_by_other_similarities() {
    // The writer of the blocks knows none of them: it chose their best pairs by BM25 as it is by default.
    check_skipping(&shard_by("solr.ClassicSimilarityFactory", &[]));
    check_skipping(&shard_by("solr.BooleanSimilarityFactory", &[]));
    for (k1, b) in [("0.2", "1"), ("5", "0"), ("1.2", "0.1"), ("0", "0.75"), ("30", "0.9")] {
        check_skipping(&shard_by("solr.BM25SimilarityFactory", &[("k1", k1), ("b", b)]));
    }
}

fn check_skipping(shard: &Snapshot) {
    let caches = SearchCaches::default();
    for query in queries() {
        for filters in [vec![], vec![filter(term("c_s", "third"))]] {
            let hits = |rows| {
                let page = Page { start: 0, rows };
                let plan = SearchPlan { page, filters: filters.clone(), ..plan(query.clone()) };
                let result = search(shard, &plan, &caches).unwrap();
                let hits: Vec<_> = result.hits.into_iter().map(|hit| (hit.id, hit.score)).collect();
                (result.total, hits)
            };
            let (total, whole) = hits(10_000);
            assert_eq!(total, whole.len() as u64, "{query:?}");
            let (_, best) = hits(10);
            assert_eq!(best, whole[..best.len()], "{query:?}");
        }
    }
}

/// With slop; without, it costs no more than other words.
#[test]
fn a_phrase_repeats_a_word_only_so_often() {
    let shard = shard();
    let check = |count: usize, slop: u32, expected: bool| {
        let query = phrase("a_t", &vec!["w0"; count].join(" "), slop);
        let found = search(&shard, &plan(query), &SearchCaches::default());
        assert_eq!(found.is_ok(), expected, "{count} {slop}");
    };
    check(64, 2, true);
    check(65, 2, false);
    check(1024, 0, true);
}

#[test]
fn terms_score_as_documents_one_by_one() {
    let shard = shard();
    let caches = SearchCaches::default();
    let context = crate::search::context_of(&shard, &caches);
    let masks = mask::masks(&context, std::iter::empty()).unwrap();
    for query in queries() {
        let node = lower_scored(&context, &query).unwrap();
        let Some(direct) = Direct::of(&node) else { continue };
        let (mut expected, mut total) = (Best::new(50, &context.allowance), 0);
        for segment in &context.segments {
            expected.enter(segment.number);
            let mut evaluator = Evaluator::open(context.layout.tantivy(), &node, segment.reader).unwrap();
            let alive = segment.alive.as_ref().unwrap();
            for (doc, score) in alive.iter().filter_map(|doc| Some((doc, evaluator.score(doc)?))) {
                expected.offer(doc, score);
                total += 1;
            }
        }
        let mut best = Best::new(50, &context.allowance);
        let count = direct.collect(&context, &masks, &mut best, None).unwrap();
        assert_eq!(count, Count::exact(total), "{query:?}");
        let (mut same, enough) = (Best::new(50, &context.allowance), 25);
        let least = direct.collect(&context, &masks, &mut same, Some(enough)).unwrap();
        let right =
            if least.exact { least.total == total } else { (enough + 1..=total).contains(&least.total) };
        assert!(right, "{query:?}: {least:?} of {total}");
        let expected = expected.into_hits();
        assert_eq!(best.into_hits(), expected, "{query:?}");
        assert_eq!(same.into_hits(), expected, "{query:?}");
    }
}

/// What a cursor of either kind says of a term: document, frequency, positions.
type Listed = Vec<(u32, u32, Vec<u32>)>;

#[test]
fn postings_read_as_the_library_reads_them() {
    let shard = shard();
    let field = shard.layout().field("a_t").unwrap().inverted.unwrap();
    for view in shard.segments() {
        for number in 0..40 {
            let term = Term::from_field_text(field, &format!("w{number}"));
            let inverted = view.reader().inverted_index(field).unwrap();
            let Some(info) = inverted.get_term_info(&term).unwrap() else { continue };
            let theirs = inverted.read_postings(&term, IndexRecordOption::WithFreqsAndPositions).unwrap();
            let (mut theirs, mut expected) = (theirs.unwrap(), Listed::new());
            while theirs.doc() != TERMINATED {
                let mut positions = Vec::new();
                theirs.positions(&mut positions);
                expected.push((theirs.doc(), theirs.term_freq(), positions));
                theirs.advance();
            }
            let mut found = Listed::new();
            let mut blocks = view.postings().blocks(view.reader(), field, &info).unwrap();
            blocks.for_each_with_freqs(0, TERMINATED, |docs, freqs| {
                found.extend(docs.iter().zip(freqs).map(|(doc, freq)| (*doc, *freq, Vec::new())));
            });
            let mut blocks = view.postings().blocks(view.reader(), field, &info).unwrap();
            let mut positions = view.postings().positions(field, &info).unwrap().unwrap();
            for (doc, _, listed) in &mut found {
                let (start, count) = blocks.positions_of(*doc).unwrap();
                let mut position = 0;
                positions.read(start, count, |delta| {
                    position += delta;
                    listed.push(position);
                });
            }
            assert_eq!(found, expected, "w{number}");
        }
    }
}
