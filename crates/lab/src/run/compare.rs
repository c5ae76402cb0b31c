//! Equal answers first: before anything is timed, both sides must give the generator's counts and the same
//! hits, in an order that differs only where the sort leaves it open, with the same scores and facets. Pure
//! over two JSON answers.

use serde_json::Value;

use crate::workload::{Order, Question};

/// Scores are 32-bit floats of a formula that leaves the order of additions open.
const SCORE_TOLERANCE: f64 = 1e-5;

/// `numFound` of an answer, or of what one suggester suggests.
pub fn hits(answer: &Value) -> Option<u64> {
    let found = answer.pointer("/response/numFound").or_else(|| suggested(answer)?.get("numFound"));
    found?.as_u64()
}

/// What the one suggester asked says of the one text.
fn suggested(answer: &Value) -> Option<&Value> {
    let by_text = answer.get("suggest")?.as_object()?.values().next()?;
    by_text.as_object()?.values().next()
}

/// What is wrong with an answer by itself.
pub fn against_generator(question: &Question, answer: &Value) -> Result<(), String> {
    let found = hits(answer).ok_or("an answer without `numFound`")?;
    match question.hits {
        Some(expected) if expected != found => Err(format!(
            "found {found} documents where the generator put {expected}, for {}",
            shown(question)
        )),
        _ => Ok(()),
    }
}

/// What the answers of two sides disagree on.
pub fn against_peer(question: &Question, order: Order, ours: &Value, peer: &Value) -> Result<(), String> {
    let counts = (hits(ours), hits(peer));
    if counts.0 != counts.1 {
        return Err(format!(
            "found {:?} documents, the peer {:?}, for {}",
            counts.0,
            counts.1,
            shown(question)
        ));
    }
    let facets = [ours, peer].map(|answer| (&answer["facet_counts"]["facet_fields"], &answer["facets"]));
    if !same(facets[0].0, facets[1].0) || !same(facets[0].1, facets[1].1) {
        return Err(format!("the facets differ for {}", shown(question)));
    }
    let key = match order {
        Order::Any => return Ok(()),
        Order::Score => "score",
        Order::Field(field) => field,
        Order::Suggested => "weight",
    };
    let [ours, peer] = [ours, peer].map(|answer| match order {
        Order::Suggested => suggestions(answer, key),
        _ => documents(answer, key),
    });
    same_lists(&ours, &peer).map_err(|reason| format!("{reason}, for {}", shown(question)))
}

/// A hit by its id and what it is sorted by.
type Hit<'a> = (&'a str, &'a Value);

fn documents<'a>(answer: &'a Value, key: &str) -> Vec<Hit<'a>> {
    let docs = answer.pointer("/response/docs").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    docs.iter().map(|doc| (doc["id"].as_str().unwrap_or_default(), &doc[key])).collect()
}

/// As hits, by their text.
fn suggestions<'a>(answer: &'a Value, key: &str) -> Vec<Hit<'a>> {
    let found = suggested(answer).and_then(|found| found.get("suggestions")?.as_array());
    let found = found.map_or(&[][..], Vec::as_slice);
    found.iter().map(|one| (one["term"].as_str().unwrap_or_default(), &one[key])).collect()
}

/// The same keys in the same places; the same ids among those of one key, except the last, which the page may
/// have cut.
fn same_lists(ours: &[Hit<'_>], peer: &[Hit<'_>]) -> Result<(), String> {
    if ours.len() != peer.len() {
        return Err(format!("{} hits on the page, the peer {}", ours.len(), peer.len()));
    }
    let keys = ours.iter().zip(peer);
    if let Some((place, (our, their))) = keys.enumerate().find(|(_, (our, their))| !same_key(our.1, their.1))
    {
        return Err(format!("hit {} is sorted by {}, the peer's by {}", place + 1, our.1, their.1));
    }
    let mut start = 0;
    while start < ours.len() {
        let run = ours[start..].iter().take_while(|hit| same_key(hit.1, ours[start].1)).count();
        let end = start + run;
        if end == ours.len() {
            break;
        }
        if sorted_ids(&ours[start..end]) != sorted_ids(&peer[start..end]) {
            return Err(format!("hits {} to {end} are others than the peer's", start + 1));
        }
        start = end;
    }
    Ok(())
}

/// As equal as two sums of the same numbers in another order.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (Value::Number(x), Value::Number(y)) if x.is_f64() && y.is_f64() => same_key(a, b),
        _ => a == b,
    }
}

fn same_key(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= SCORE_TOLERANCE * a.abs().max(b.abs()),
        _ => a == b,
    }
}

fn sorted_ids<'a>(hits: &[Hit<'a>]) -> Vec<&'a str> {
    let mut ids: Vec<&str> = hits.iter().map(|hit| hit.0).collect();
    ids.sort_unstable();
    ids
}

fn shown(question: &Question) -> String {
    let params: Vec<String> = question.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("`{}`", params.join("&"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(hits: u64, docs: &[(&str, f64)]) -> Value {
        let docs: Vec<Value> = docs.iter().map(|(id, score)| json!({"id": id, "score": score})).collect();
        json!({"response": {"numFound": hits, "docs": docs}})
    }

    #[test]
    fn counts_are_the_generators() {
        let question = |hits| Question { hits, ..Question::default() };
        assert!(against_generator(&question(Some(2)), &answer(2, &[])).is_ok());
        assert!(against_generator(&question(None), &answer(3, &[])).is_ok());
        let error = against_generator(&question(Some(2)), &answer(3, &[])).unwrap_err();
        assert_eq!(error, "found 3 documents where the generator put 2, for ``");
        assert!(against_generator(&question(None), &json!({})).is_err());
    }

    #[test]
    fn ties_may_stand_in_any_order() {
        let check = |ours: &[(&str, f64)], peer: &[(&str, f64)], equal: bool| {
            let (ours, peer) = (answer(9, ours), answer(9, peer));
            let result = against_peer(&Question::default(), Order::Score, &ours, &peer);
            assert_eq!(result.is_ok(), equal, "{result:?}");
        };
        check(&[("a", 2.0), ("b", 1.0)], &[("a", 2.0), ("b", 1.0)], true);
        check(&[("a", 2.0), ("b", 1.0)], &[("b", 2.0), ("a", 1.0)], false);
        check(&[("a", 2.0), ("b", 2.0), ("c", 1.0)], &[("b", 2.0), ("a", 2.0), ("c", 1.0)], true);
        // The page cuts the last run of equals: which of them are shown is open.
        check(&[("a", 2.0), ("b", 1.0)], &[("a", 2.0), ("z", 1.0)], true);
        check(&[("a", 2.0), ("b", 1.0)], &[("a", 2.0)], false);
        check(&[("a", 2.0)], &[("a", 2.000_001)], true);
        check(&[("a", 2.0)], &[("a", 2.1)], false);
    }

    #[test]
    fn counts_and_facets_must_agree() {
        let differs =
            |ours: &Value, peer: &Value| against_peer(&Question::default(), Order::Any, ours, peer).is_err();
        assert!(differs(&answer(1, &[]), &answer(2, &[])));
        let facets = |count: u64| {
            let mut answer = answer(1, &[]);
            answer["facet_counts"] = json!({"facet_fields": {"f": ["x", count]}});
            answer
        };
        assert!(differs(&facets(1), &facets(2)));
        assert!(!differs(&facets(1), &facets(1)));
        let tree = |sum: f64| {
            let mut answer = answer(1, &[]);
            answer["facets"] = json!({"count": 1, "by": {"buckets": [{"val": "x", "sum": sum}]}});
            answer
        };
        assert!(differs(&tree(1.0), &tree(2.0)));
        assert!(!differs(&tree(0.1 + 0.2), &tree(0.3)));
    }

    #[test]
    fn suggestions_compare_by_their_weights() {
        let answer = |found: &[(&str, u64)]| {
            let each: Vec<Value> =
                found.iter().map(|(term, weight)| json!({"term": term, "weight": weight})).collect();
            json!({"suggest": {"infix": {"so": {"numFound": found.len(), "suggestions": each}}}})
        };
        let check = |ours: &[(&str, u64)], peer: &[(&str, u64)], equal: bool| {
            let (ours, peer) = (answer(ours), answer(peer));
            let result = against_peer(&Question::default(), Order::Suggested, &ours, &peer);
            assert_eq!(result.is_ok(), equal, "{result:?}");
        };
        check(&[("a", 2), ("b", 1)], &[("a", 2), ("b", 1)], true);
        check(&[("a", 2), ("b", 2), ("c", 1)], &[("b", 2), ("a", 2), ("c", 1)], true);
        check(&[("a", 2), ("c", 1)], &[("b", 2), ("c", 1)], false);
        check(&[("a", 2)], &[], false);
    }

    #[test]
    fn sorted_fields_compare_by_their_value() {
        let sorted = |dates: [&str; 2]| json!({"response": {"numFound": 2, "docs": [{"id": "a", "d": dates[0]}, {"id": "b", "d": dates[1]}]}});
        let check =
            |ours, peer| against_peer(&Question::default(), Order::Field("d"), &sorted(ours), &sorted(peer));
        assert!(check(["2020", "2019"], ["2020", "2019"]).is_ok());
        let error = check(["2020", "2019"], ["2020", "2018"]).unwrap_err();
        assert_eq!(error, "hit 2 is sorted by \"2019\", the peer's by \"2018\", for ``");
    }
}
