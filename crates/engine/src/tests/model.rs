//! Random histories of a shard beside a plain map: after each step, gets and searches must agree with it.

use std::collections::BTreeMap;

use plan::{AtomicOp, Operation, PayloadKind, PayloadOperation, PayloadUse, Query, Span, SpanQuery, Value};
use proptest::prelude::*;

use super::upkeep::{Upkeep, upkeep};
use super::*;

/// One step of a history. Ids and words are few, so that steps meet.
#[derive(Clone, Debug)]
enum Step {
    Add { id: u8, word: u8, field: u8 },
    Append { id: u8, word: u8 },
    Count { id: u8, by: i32 },
    Delete { id: u8 },
    DeleteByQuery { word: u8 },
    DeleteAll,
    Upkeep(Upkeep),
}

fn step() -> impl Strategy<Value = Step> {
    let (id, word) = (0u8..8, 0u8..4);
    prop_oneof![
        8 => (id.clone(), word.clone(), 0u8..6).prop_map(|(id, word, field)| Step::Add { id, word, field }),
        3 => (id.clone(), word.clone()).prop_map(|(id, word)| Step::Append { id, word }),
        2 => (id.clone(), -3i32..9).prop_map(|(id, by)| Step::Count { id, by }),
        3 => id.prop_map(|id| Step::Delete { id }),
        2 => word.prop_map(|word| Step::DeleteByQuery { word }),
        1 => Just(Step::DeleteAll),
        14 => upkeep().prop_map(Step::Upkeep),
    ]
}

/// What a document holds, as far as the steps go.
#[derive(Clone, Debug, Default, PartialEq)]
struct Held {
    words: Vec<String>,
    /// The field that this version of the document was given beside the words.
    extra: Option<u8>,
    count: Option<i32>,
    /// What is stored with a word of it.
    mark: Option<u8>,
    version: i64,
}

#[derive(Default)]
struct Model {
    now: BTreeMap<String, Held>,
    /// As searches see it.
    shown: BTreeMap<String, Held>,
}

fn word(number: u8) -> String {
    format!("w{number}")
}

fn operation(step: &Step) -> Option<Operation> {
    let edit = |id: &u8, field, op, values| modify(&id.to_string(), field, op, values);
    Some(match step {
        Step::Add { id, word: number, field } => add(document(&[
            ("id", vec![text(&id.to_string())]),
            ("words_t", vec![text(&word(*number))]),
            (&format!("extra{field}_t"), vec![text("x y")]),
            ("mark_dpf", vec![text(&format!("x|9 m|{number} y"))]),
        ])),
        Step::Append { id, word: number } => edit(id, "words_t", AtomicOp::Add, vec![text(&word(*number))]),
        Step::Count { id, by } => edit(id, "count_i", AtomicOp::Inc, vec![Value::Int(*by)]),
        Step::Delete { id } => delete(&id.to_string()),
        Step::DeleteByQuery { word: number } => delete_by_query(term("words_t", &word(*number))),
        Step::DeleteAll => delete_by_query(Query::All),
        _ => return None,
    })
}

impl Model {
    fn apply(&mut self, step: &Step, version: Option<i64>) {
        match step {
            Step::Add { id, word: number, field } => {
                let words = vec![word(*number)];
                let held = Held { words, extra: Some(*field), mark: Some(*number), ..Held::default() };
                self.now.insert(id.to_string(), held);
            }
            Step::Append { id, word: number } => {
                self.now.entry(id.to_string()).or_default().words.push(word(*number));
            }
            Step::Count { id, by } => {
                let count = &mut self.now.entry(id.to_string()).or_default().count;
                *count = Some(count.unwrap_or(0) + by);
            }
            Step::Delete { id } => drop(self.now.remove(&id.to_string())),
            Step::DeleteByQuery { word: number } => {
                self.now.retain(|_, held| !held.words.contains(&word(*number)));
            }
            Step::DeleteAll => self.now.clear(),
            Step::Upkeep(upkeep) if upkeep.shows_all() => self.shown = self.now.clone(),
            Step::Upkeep(_) => {}
        }
        if let (Step::Add { id, .. } | Step::Append { id, .. } | Step::Count { id, .. }, Some(version)) =
            (step, version)
        {
            self.now.entry(id.to_string()).or_default().version = version;
        }
    }

    fn check(&self, shard: &Shard) {
        for id in (0..8u8).map(|id| id.to_string()) {
            assert_eq!(read(shard, &id), self.now.get(&id).cloned(), "get {id}");
        }
        let shown = |keep: &dyn Fn(&Held) -> bool| {
            self.shown.iter().filter(|(_, held)| keep(held)).map(|(id, _)| id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(found(shard, &Query::All), shown(&|_| true), "all");
        for number in 0..4 {
            let expected = shown(&|held| held.words.contains(&word(number)));
            assert_eq!(found(shard, &term("words_t", &word(number))), expected, "word {number}");
            assert_eq!(found(shard, &term("everything", &word(number))), expected, "copied word {number}");
            let expected = shown(&|held| held.mark == Some(number));
            assert_eq!(found(shard, &marked(number)), expected, "payload {number}");
        }
        for field in 0..6 {
            let expected = shown(&|held| held.extra == Some(field));
            assert_eq!(found(shard, &term(&format!("extra{field}_t"), "y")), expected, "field {field}");
        }
        assert_eq!(shard.stats().num_docs, self.shown.len() as u64);
    }
}

/// Documents that have the number with the word `m`, and something with the word before it.
fn marked(number: u8) -> Query {
    let word = |word: &str| Span::Word(word.into());
    let check = PayloadUse::Check {
        kind: PayloadKind::Float,
        operation: PayloadOperation::Equal,
        payloads: vec![Value::Float(9.0), Value::Float(f32::from(number))],
    };
    let span = Span::Near { spans: vec![word("x"), word("m")], slop: 0, in_order: true };
    let field = "mark_dpf".into();
    Query::Span(Box::new(SpanQuery { field, span, payload: Some(check), text: None }))
}

fn read(shard: &Shard, id: &str) -> Option<Held> {
    let document = get(shard, id)?;
    let words = document.get("words_t").unwrap_or_default().iter().map(Value::to_text).collect();
    let extra = (0..6).find(|field| document.get(&format!("extra{field}_t")).is_some());
    let count = match document.first("count_i") {
        Some(Value::Int(count)) => Some(*count),
        _ => None,
    };
    let mark = document.first("mark_dpf").and_then(|mark| mark.to_text().chars().nth(6)?.to_digit(10));
    let mark = mark.and_then(|mark| u8::try_from(mark).ok());
    Some(Held { words, extra, count, mark, version: version_of(shard, id).unwrap() })
}

fn run(steps: &[Step]) {
    let site = Site::new();
    let mut shard = site.open();
    let mut model = Model::default();
    for step in steps {
        let mut version = None;
        if let Some(operation) = operation(step) {
            site.clock.advance(1);
            version = update(&shard, vec![operation]).added.first().map(|(_, version)| *version);
        }
        if let Step::Upkeep(upkeep) = step {
            shard = upkeep.befall(&site, shard);
        }
        model.apply(step, version);
        model.check(&shard);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn histories_agree_with_a_map(steps in proptest::collection::vec(step(), 1..40)) {
        run(&steps);
    }
}
