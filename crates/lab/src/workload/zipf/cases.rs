//! The questions of the `zipf` workload, about twenty kinds. Constants are drawn anew for each question, so
//! that no cache of results answers; counts are known where the corpus is a permutation, and only compared
//! elsewhere.

use super::scale::ZipfScale;
use crate::checksum::Checksum;
use crate::random::Random;
use crate::workload::contract::{Case, Order, Question};
use crate::workload::words::word;

/// Questions of a case: more than result caches usually hold.
const QUESTIONS: usize = 1024;

type Params = Vec<(&'static str, String)>;

pub(super) fn cases(scale: &ZipfScale) -> Vec<Case> {
    let mut cases = text(scale);
    cases.extend(people(scale));
    cases.extend(ranges(scale));
    cases.extend(sorts(scale));
    cases.extend(facets(scale));
    cases.push(case(scale, "id", "look-up of one document by its id", Order::Score, |random| {
        (query(format!("id:{}", random.below(scale.docs))), Some(1))
    }));
    cases
}

fn text(scale: &ZipfScale) -> Vec<Case> {
    let score = |name, about, make: fn(&mut Random) -> String| {
        case(scale, name, about, Order::Score, move |random| (query(make(random)), None))
    };
    vec![
        score("term", "one frequent word", |random| format!("body_t:{}", any(random, 1, 60))),
        score("or3", "any of three frequent words", |random| {
            format!("body_t:({})", several(random, 3, 3, 40).join(" OR "))
        }),
        score("or5", "any of five words, frequent to medium", |random| {
            format!("body_t:({})", several(random, 5, 3, 400).join(" OR "))
        }),
        score("and2", "a frequent and a medium word", |random| {
            format!("body_t:({} AND {})", any(random, 3, 40), any(random, 300, 3000))
        }),
        score("and3", "three words, frequent to medium", |random| {
            format!("body_t:({})", several(random, 3, 20, 400).join(" AND "))
        }),
        score("phrase", "a phrase of two very frequent words", |random| {
            format!("body_t:\"{}\"", several(random, 2, 0, 12).join(" "))
        }),
        score("prefix4", "words that share four letters, 20 of 200,000", |random| {
            format!("body_t:{}*", word(100 + random.below(10_000) as u32))
        }),
        score("prefix2", "words that share two letters, 2,000 of 200,000", |random| {
            format!("body_t:{}*", word(random.below(100) as u32))
        }),
    ]
}

/// Questions as people's search boxes ask them.
fn people(scale: &ZipfScale) -> Vec<Case> {
    let words = |random: &mut Random| format!("{} {}", any(random, 3, 40), any(random, 100, 2000));
    vec![
        case(scale, "edismax", "two words in five fields, phrases boosted", Order::Score, move |random| {
            let mut params = query(words(random));
            params.extend(
                [
                    ("defType", "edismax"),
                    ("qf", "title_t^3 body_t country_s category_s tags_ss"),
                    ("pf", "title_t^5 body_t^2"),
                    ("mm", "2"),
                    ("tie", "0.1"),
                ]
                .map(|(name, value)| (name, value.to_owned())),
            );
            (params, None)
        }),
        case(scale, "highlight", "two words, and where ten texts have them", Order::Score, move |random| {
            let mut params = query(format!("body_t:({})", words(random)));
            params
                .extend([("hl", "true"), ("hl.fl", "body_t")].map(|(name, value)| (name, value.to_owned())));
            (params, None)
        }),
        case(scale, "group", "a frequent word, the best of each of 1,000 groups", Order::Score, |random| {
            let mut params = query(format!("body_t:{}", any(random, 3, 40)));
            let grouped = [("group", "true"), ("group.field", "category_s"), ("group.main", "true")];
            params.extend(grouped.map(|(name, value)| (name, value.to_owned())));
            (params, None)
        }),
    ]
}

fn ranges(scale: &ZipfScale) -> Vec<Case> {
    let docs = scale.docs;
    let mut cases = Vec::new();
    for (name, per_mille) in [("0.1", 1), ("1", 10), ("10", 100), ("50", 500)] {
        let about = format!("a range of dates with {name} % of the documents");
        cases.push(case(scale, &format!("date{name}"), &about, Order::Score, |random| {
            let (first, hits) = part(random, docs, per_mille);
            let (from, to) = (scale.created(first), scale.created(first + hits - 1));
            (filtered("*:*", format!("created_dt:[{from} TO {to}]")), Some(hits))
        }));
    }
    for (name, per_mille) in [("0.1", 1), ("1", 10), ("10", 100), ("50", 500)] {
        let about = format!("a range of whole numbers with {name} % of the documents");
        cases.push(case(scale, &format!("int{name}"), &about, Order::Score, |random| {
            let (filter, hits) = sizes(random, docs, per_mille);
            (filtered("*:*", filter), Some(hits))
        }));
    }
    cases.push(case(scale, "range-term", "a frequent word under a range of 10 %", Order::Score, |random| {
        let (filter, _) = sizes(random, docs, 100);
        (filtered(&format!("body_t:{}", any(random, 1, 60)), filter), None)
    }));
    cases
}

fn sorts(scale: &ZipfScale) -> Vec<Case> {
    let docs = scale.docs;
    let sorted = |mut params: Params, by: &str, fields: &str| {
        params.retain(|(name, _)| *name != "fl");
        params.extend([("sort", by.to_owned()), ("fl", fields.to_owned())]);
        params
    };
    let by_date = Order::Field("created_dt");
    vec![
        case(scale, "sort", "all documents by date", by_date, |_| {
            (sorted(query("*:*".into()), "created_dt desc", "id,created_dt"), Some(docs))
        }),
        case(scale, "sort-filter", "a range of 10 % by date", by_date, |random| {
            let (filter, hits) = sizes(random, docs, 100);
            (sorted(filtered("*:*", filter), "created_dt desc", "id,created_dt"), Some(hits))
        }),
        case(scale, "sort-function", "a range of 10 % by a product of two fields", Order::Any, |random| {
            let (filter, hits) = sizes(random, docs, 100);
            (sorted(filtered("*:*", filter), "product(score_d,views_l) desc", "id"), Some(hits))
        }),
    ]
}

fn facets(scale: &ZipfScale) -> Vec<Case> {
    let docs = scale.docs;
    let mut cases = Vec::new();
    for (field, values) in [("category_s", "1,000"), ("user_s", "100,000")] {
        let name = field.trim_end_matches("_s");
        let about = format!("counts of {values} values over all documents");
        cases.push(case(scale, &format!("facet-{name}"), &about, Order::Any, |random| {
            (faceted(query("*:*".into()), field, random), Some(docs))
        }));
        let about = format!("counts of {values} values over a range of 1 %");
        cases.push(case(scale, &format!("facet-{name}-1"), &about, Order::Any, |random| {
            let (filter, hits) = sizes(random, docs, 10);
            (faceted(filtered("*:*", filter), field, random), Some(hits))
        }));
    }
    cases.extend(nested_facets(scale));
    cases
}

/// Facets in JSON, of a range of documents unless all are read: (name, what is counted, the tree).
const TREES: [(&str, &str, Option<u64>, &str); 4] = [
    (
        "json-facet",
        "1,000 values, of each the countries, over a range of 10 %",
        Some(100),
        r#"{"by":{"type":"terms","field":"category_s","limit":10,"facet":{"in":{"type":"terms","field":"country_s","limit":5}}}}"#,
    ),
    (
        "json-nested",
        "1,000 values, of each the countries with an average, over all documents",
        None,
        r#"{"by":{"type":"terms","field":"category_s","limit":10,"facet":{"in":{"type":"terms","field":"country_s","limit":5,"facet":{"score":"avg(score_d)"}}}}}"#,
    ),
    (
        "json-by-stat",
        "1,000 values by the average of a number, over a range of 10 %",
        Some(100),
        r#"{"by":{"type":"terms","field":"category_s","limit":10,"sort":"score desc","facet":{"score":"avg(score_d)","users":"unique(user_s)"}}}"#,
    ),
    (
        "json-stats",
        "sum, average, ends and distinct values of all documents",
        None,
        r#"{"sum":"sum(views_l)","avg":"avg(score_d)","min":"min(created_dt)","max":"max(size_i)","users":"unique(user_s)"}"#,
    ),
];

fn nested_facets(scale: &ZipfScale) -> Vec<Case> {
    let docs = scale.docs;
    let ask = |(name, about, per_mille, tree): (&str, &str, Option<u64>, &str)| {
        case(scale, name, about, Order::Any, move |random| {
            let (mut params, hits) = match per_mille {
                Some(per_mille) => {
                    let (filter, hits) = sizes(random, docs, per_mille);
                    (filtered("*:*", filter), hits)
                }
                None => (query("*:*".to_owned()), docs),
            };
            params.extend([("rows", "0".to_owned()), ("json.facet", tree.to_owned())]);
            (params, Some(hits))
        })
    };
    TREES.into_iter().map(ask).collect()
}

fn case(
    scale: &ZipfScale,
    name: &str,
    about: &str,
    order: Order,
    mut ask: impl FnMut(&mut Random) -> (Params, Option<u64>),
) -> Case {
    let mut random = Random::new(scale.seed ^ Checksum::of(name.as_bytes()).value());
    let mut questions: Vec<Question> = (0..QUESTIONS)
        .map(|_| {
            let (params, hits) = ask(&mut random);
            let params = params.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            Question { params, hits }
        })
        .collect();
    // A case without constants has one question.
    questions.dedup();
    Case { name: name.to_owned(), about: about.to_owned(), handler: "select", order, questions }
}

fn query(text: String) -> Params {
    vec![("q", text), ("fl", "id,score".to_owned())]
}

fn filtered(text: &str, filter: String) -> Params {
    let mut params = query(text.to_owned());
    params.push(("fq", filter));
    params
}

fn faceted(mut params: Params, field: &str, random: &mut Random) -> Params {
    let limit = 10 + random.below(20);
    let facet = [("facet", "true"), ("facet.field", field), ("facet.mincount", "1"), ("rows", "0")];
    params.extend(facet.map(|(name, value)| (name, value.to_owned())));
    params.push(("facet.limit", limit.to_string()));
    params
}

/// First rank and length of a random run of `per_mille` of `docs` ranks, one at least.
fn part(random: &mut Random, docs: u64, per_mille: u64) -> (u64, u64) {
    let length = (docs * per_mille / 1000).max(1);
    (random.below(docs - length + 1), length)
}

fn sizes(random: &mut Random, docs: u64, per_mille: u64) -> (String, u64) {
    let (first, hits) = part(random, docs, per_mille);
    (format!("size_i:[{first} TO {}]", first + hits - 1), hits)
}

/// A word of a rank in `from..to`.
fn any(random: &mut Random, from: u64, to: u64) -> String {
    word((from + random.below(to - from)) as u32)
}

/// Different words of ranks in `from..to`.
fn several(random: &mut Random, count: usize, from: u64, to: u64) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    while words.len() < count {
        let next = any(random, from, to);
        if !words.contains(&next) {
            words.push(next);
        }
    }
    words
}
