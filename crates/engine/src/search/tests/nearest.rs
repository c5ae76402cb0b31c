//! The nearest vectors against a plain look at all: in a segment with a graph and in one too small for it,
//! among many and among few, of fields that are looked through.

use std::sync::Arc;

use plan::{Nearest, Query, Value};

use super::build::{plan, search, term};
use crate::search::SearchCaches;
use crate::snapshot::Snapshot;
use crate::testing::{document, schema, snapshot, text};

const DOCUMENTS: u32 = 400;
const DIMENSION: u32 = 5;

fn vector(number: u32) -> Vec<f32> {
    let part = |at: u32| (number * DIMENSION + at + 1).wrapping_mul(2_654_435_761) >> 8;
    (0..DIMENSION).map(|at| part(at) as f32 / (1 << 24) as f32 - 0.5).collect()
}

fn has_vector(number: u32) -> bool {
    !number.is_multiple_of(9)
}

fn name(number: u32) -> &'static str {
    if number % 50 == 1 { "rare" } else { "often" }
}

fn indexed() -> Snapshot {
    let schema = Arc::new(schema());
    let row = |number: u32| {
        let values: Vec<Value> = vector(number).into_iter().map(Value::Float).collect();
        let mut fields = vec![("id", vec![text(&number.to_string())]), ("n_s", vec![text(name(number))])];
        if has_vector(number) {
            fields.push(("a_v", values.clone()));
            fields.push(("a_flat", values));
        }
        document(&fields)
    };
    let all: Vec<_> = (0..DOCUMENTS).map(row).collect();
    let (many, few) = all.split_at(395);
    snapshot(&schema, &[many.to_vec(), few.to_vec()])
}

fn found(snapshot: &Snapshot, field: &str, count: usize, among: &[&str]) -> Vec<(u32, f32)> {
    let among = among.iter().map(|name| term("n_s", name)).collect();
    let target = vector(10_000).into();
    let query = Nearest { field: field.into(), target, count, effort: 1.0, among };
    let result = search(snapshot, &plan(Query::Nearest(Box::new(query))), &SearchCaches::default()).unwrap();
    assert_eq!(result.total, result.hits.len() as u64);
    result.hits.iter().map(|hit| (hit.id.parse().unwrap(), hit.score.unwrap())).collect()
}

fn model(count: usize, allowed: impl Fn(u32) -> bool) -> Vec<(u32, f32)> {
    let target = vector(10_000);
    let score = |number: u32| {
        let squares = target.iter().zip(vector(number)).map(|(one, other)| (one - other) * (one - other));
        1.0 / (1.0 + squares.sum::<f32>())
    };
    let numbers = (0..DOCUMENTS).filter(|number| has_vector(*number) && allowed(*number));
    let mut all: Vec<(u32, f32)> = numbers.map(|number| (number, score(number))).collect();
    all.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    all.truncate(count);
    all
}

#[test]
fn the_nearest_are_found() {
    let snapshot = indexed();
    let check = |found: Vec<(u32, f32)>, model: Vec<(u32, f32)>| {
        let ids = |list: &[(u32, f32)]| list.iter().map(|(id, _)| *id).collect::<Vec<_>>();
        assert_eq!(ids(&found), ids(&model));
        assert!(found.iter().zip(&model).all(|(one, other)| (one.1 - other.1).abs() < 1e-6));
    };
    for field in ["a_v", "a_flat"] {
        check(found(&snapshot, field, 10, &[]), model(10, |_| true));
        check(found(&snapshot, field, 10, &["often"]), model(10, |number| name(number) == "often"));
        check(found(&snapshot, field, 3, &["rare"]), model(3, |number| name(number) == "rare"));
        check(found(&snapshot, field, 90, &[]), model(90, |_| true));
    }
    check(found(&snapshot, "a_v", 10, &["rare", "often"]), Vec::new());
    check(found(&snapshot, "nowhere_v", 10, &[]), Vec::new());
}
