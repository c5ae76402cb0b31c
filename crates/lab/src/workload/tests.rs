//! What holds for every workload: a corpus is its name, size and seed; every document is JSON with the
//! declared fields.

use super::*;
use crate::checksum::Checksum;

fn check(workload: &dyn Workload, sum: &str) {
    let mut json = Vec::new();
    for number in 0..workload.docs().min(200) {
        json.clear();
        workload.write_document(number, &mut json);
        let document: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&json).unwrap();
        for field in document.keys() {
            assert!(workload.fields().iter().any(|(name, _)| name == field), "{field} is not declared");
        }
    }
    // Pinned: a change here makes figures of different versions incomparable.
    assert_eq!(checksum(workload).to_string(), sum);
    let cases = workload.cases();
    assert!(cases.iter().all(|case| !case.questions.is_empty() && !case.about.is_empty()));
    let mut names: Vec<_> = cases.iter().map(|case| &case.name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), cases.len(), "names of cases are unique");
}

#[test]
fn corpora_are_pinned() {
    check(&Fruit::new(1000), "25818a1605afbb18");
    check(&ZipfDocs::new(1000, 42), "a885434281b06b93");
    check(&Rows::new(1000, 42), "a61c97b24dde7a30");
    check(&Suggest::new(1000, 42), "c14d17ef25fd41fe");
}

#[test]
fn caches_are_switched_off_for_queries_and_filters() {
    let question = Question::new(&[("q", "a"), ("fq", "{!term f=b}c"), ("fl", "id")], None).uncached();
    let values: Vec<&str> = question.params.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(values, ["{!cache=false}a", "{!cache=false term f=b}c", "id"]);
}

#[test]
fn ranges_hold_what_they_promise() {
    let corpus = ZipfDocs::new(1000, 42);
    let documents: Vec<serde_json::Value> = (0..1000)
        .map(|number| {
            let mut json = Vec::new();
            corpus.write_document(number, &mut json);
            serde_json::from_slice(&json).unwrap()
        })
        .collect();
    let mut checked = 0;
    for case in corpus.cases() {
        let question = &case.questions[0];
        let filter = question.params.iter().find(|(name, _)| name == "fq").map_or("", |(_, value)| value);
        let Some((field, range)) = filter.split_once(":[") else { continue };
        let (from, to) = range.trim_end_matches(']').split_once(" TO ").unwrap();
        let inside = |value: &serde_json::Value| match value.as_str() {
            Some(date) => from <= date && date <= to,
            None => (from.parse().unwrap()..=to.parse().unwrap()).contains(&value.as_u64().unwrap()),
        };
        let hits = documents.iter().filter(|document| inside(&document[field])).count() as u64;
        assert!(question.hits.is_none_or(|expected| expected == hits), "{}: {hits} for {filter}", case.name);
        checked += 1;
    }
    assert!(checked > 10);
}

#[test]
fn counted_rows_are_counted_right() {
    let corpus = Rows::new(2000, 42);
    let cases = corpus.cases();
    let dates = cases.iter().find(|case| case.name == "dates").unwrap();
    let counted = dates.questions.iter().filter(|question| question.hits.is_some()).count();
    assert_eq!(counted, 8);
    assert!(dates.questions[..8].iter().all(|question| question.hits > Some(0)), "ranges of dates are wide");
    let page = cases.iter().find(|case| case.name == "page").unwrap();
    assert_eq!(page.questions[0].params.iter().filter(|(name, _)| name == "fq").count(), 5);
}

/// The fingerprint of all documents, in order.
fn checksum(workload: &dyn Workload) -> Checksum {
    let mut sum = Checksum::default();
    let mut json = Vec::new();
    for number in 0..workload.docs() {
        json.clear();
        workload.write_document(number, &mut json);
        sum.add(&json);
    }
    sum
}
