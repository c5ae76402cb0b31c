//! What a history of updates leaves to be found: every acknowledged update and none that was refused; of what
//! was in flight the whole or nothing, and from then on for good.

use std::collections::BTreeMap;

use serde_json::json;

use super::Blocking;

pub const COLLECTION: &str = "history";
const IDS_PER_WRITER: u64 = 60;

/// What may be found for one id: the last acknowledged state, or one of those sent after it and never
/// answered. `None` is "no document".
#[derive(Clone, Debug)]
pub struct Expected {
    pub acknowledged: Option<i64>,
    pub in_flight: Vec<Option<i64>>,
}

impl Expected {
    pub fn allows(&self, found: Option<i64>) -> bool {
        found == self.acknowledged || self.in_flight.contains(&found)
    }
}

pub type Model = BTreeMap<String, Expected>;

/// SplitMix64: small, seeded, good enough to choose what to do next.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (word ^ (word >> 31)) % bound
    }
}

pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Up to four changes of different ids: new content, or a delete.
pub fn choose_changes(writer: u64, random: &mut Random) -> Vec<(String, Option<i64>)> {
    let mut changes: BTreeMap<String, Option<i64>> = BTreeMap::new();
    for _ in 0..=random.below(4) {
        let id = format!("w{writer}-{}", random.below(IDS_PER_WRITER));
        let state = (random.below(5) > 0).then(|| random.below(1 << 30) as i64);
        changes.insert(id, state);
    }
    changes.into_iter().collect()
}

/// One body with a command for each change, this many blanks apart; Solr reads repeated keys in order.
pub fn body_of(changes: &[(String, Option<i64>)], gap: usize) -> String {
    let commands = changes.iter().map(|(id, state)| match state {
        Some(value) => {
            let kids: Vec<_> =
                (0..kids_of(*value)).map(|kid| json!({"id": format!("{id}-{kid}"), "of_i": value})).collect();
            let doc = json!({"id": id, "value_i": value, "text_t": format!("word{value}"), "kids": kids});
            format!("\"add\":{}", json!({ "doc": doc }))
        }
        None => format!("\"delete\":{}", json!({ "id": id })),
    });
    format!("{{{}}}", commands.collect::<Vec<_>>().join(&format!(",{}", " ".repeat(gap))))
}

/// How many documents stand below one with this value.
fn kids_of(value: i64) -> i64 {
    (value % 7 - 3).max(0)
}

/// Compares what the server has with the model, by real-time get and by search, and settles what was in
/// flight.
pub fn check(solr: &Blocking, model: &mut Model, round: u64) {
    solr.json(&format!("{COLLECTION}/update"), &[("commit", "true")]);
    let params = [("q", "*:*"), ("rows", "100000"), ("fl", "id,value_i,of_i")];
    let answer = solr.json(&format!("{COLLECTION}/select"), &params);
    let mut found: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    let mut below: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for doc in answer["response"]["docs"].as_array().unwrap() {
        let id = doc["id"].as_str().unwrap().to_owned();
        if let Some(of) = doc["of_i"].as_i64() {
            let root = id.rsplit_once('-').unwrap().0.to_owned();
            below.entry(root).or_default().push(of);
            continue;
        }
        found.entry(id).or_default().push(doc["value_i"].as_i64().unwrap());
    }
    for (id, values) in &found {
        assert_eq!(values.len(), 1, "round {round}: `{id}` stands {} times", values.len());
        assert!(model.contains_key(id), "round {round}: `{id}` was never sent");
    }
    for (id, expected) in model.iter_mut() {
        let state = found.get(id).map(|values| values[0]);
        assert!(expected.allows(state), "round {round}: `{id}` is {state:?}, expected {expected:?}");
        let got = solr.json(&format!("{COLLECTION}/get"), &[("id", id), ("fl", "value_i")]);
        assert_eq!(got["doc"]["value_i"].as_i64(), state, "round {round}: real-time get of `{id}`");
        let kids = below.remove(id).unwrap_or_default();
        let expected_kids = state.map_or_else(Vec::new, |value| vec![value; kids_of(value) as usize]);
        assert_eq!(kids, expected_kids, "round {round}: the documents below `{id}`");
        if let Some(value) = state {
            let query = format!("text_t:word{value} AND id:\"{id}\"");
            let hits = solr.json(&format!("{COLLECTION}/select"), &[("q", &query), ("rows", "0")]);
            assert_eq!(hits["response"]["numFound"], 1, "round {round}: `{id}` by its text");
        }
        *expected = Expected { acknowledged: state, in_flight: vec![] };
    }
}
