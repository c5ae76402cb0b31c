//! Kill -9 under load, again and again on the same data: after each restart every acknowledged document is
//! there exactly once with its last acknowledged content and the documents below it, and no deleted one has
//! come back. What was in flight may be there or not, but never a part of a block.
//!
//! On one shard, and on three, over which the parts of a batch are spread: each of its documents is
//! acknowledged or not by itself.
//!
//! `PARHELION_CRASH_ROUNDS=100 PARHELION_CRASH_SEED=1 cargo test --release -p parhelion --test crash --
//! --nocapture`

#![allow(clippy::print_stdout)]

mod support;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use serde_json::json;

use support::{Blocking, Server};

const WRITERS: u64 = 4;
const IDS_PER_WRITER: u64 = 60;
const COLLECTION: &str = "crash";

/// What may be found for one id: the last acknowledged state, or one of those sent after it and never
/// answered. `None` is "no document".
#[derive(Clone, Debug)]
struct Expected {
    acknowledged: Option<i64>,
    in_flight: Vec<Option<i64>>,
}

impl Expected {
    fn allows(&self, found: Option<i64>) -> bool {
        found == self.acknowledged || self.in_flight.contains(&found)
    }
}

type Model = BTreeMap<String, Expected>;

/// SplitMix64: small, seeded, good enough to choose what to do next.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (word ^ (word >> 31)) % bound
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn acknowledged_updates_survive_kill_9() {
    kill_again_and_again(1);
}

#[test]
fn acknowledged_updates_of_three_shards_survive_kill_9() {
    kill_again_and_again(3);
}

fn kill_again_and_again(shards: usize) {
    let rounds = setting("PARHELION_CRASH_ROUNDS", 5);
    let seed = setting("PARHELION_CRASH_SEED", 1);
    let data = tempfile::tempdir().unwrap();
    let mut server = Server::start(data.path());
    server.client().create_collection(COLLECTION, shards);
    let mut model = Model::new();
    let mut updates = 0;
    for round in 0..rounds {
        let mut random = Random(seed.wrapping_mul(1_000_003).wrapping_add(round));
        let kill_at = 20 + random.below(400);
        updates += load_and_kill(&mut server, &mut model, kill_at, random.below(u64::MAX));
        server = Server::start(data.path());
        check(&server.client(), &mut model, round);
    }
    println!(
        "{rounds} rounds, {updates} acknowledged updates, {} ids, {shards} shard(s): nothing lost, nothing twice",
        model.len()
    );
}

/// Writers run until the process is killed, which happens once `kill_at` requests were acknowledged.
fn load_and_kill(server: &mut Server, model: &mut Model, kill_at: u64, seed: u64) -> u64 {
    let acknowledged = AtomicU64::new(0);
    let shared = Mutex::new(std::mem::take(model));
    let url = server.url.clone();
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (acknowledged, shared, url) = (&acknowledged, &shared, &url);
            scope.spawn(move || {
                write(writer, &Blocking::new(url), Random(seed ^ writer), shared, acknowledged);
            });
        }
        while acknowledged.load(Ordering::Acquire) < kill_at {
            thread::yield_now();
        }
        server.kill();
    });
    *model = shared.into_inner().unwrap();
    acknowledged.load(Ordering::Acquire)
}

/// One writer owns its ids, so that the order of updates to an id is known.
fn write(writer: u64, solr: &Blocking, mut random: Random, model: &Mutex<Model>, acknowledged: &AtomicU64) {
    loop {
        let changes = choose_changes(writer, &mut random);
        for (id, state) in &changes {
            let mut model = model.lock().unwrap();
            let expected =
                model.entry(id.clone()).or_insert(Expected { acknowledged: None, in_flight: vec![] });
            expected.in_flight.push(*state);
        }
        let params: &[(&str, &str)] = match random.below(12) {
            0 => &[("commit", "true")],
            1 | 2 => &[("softCommit", "true")],
            _ => &[],
        };
        // Some bodies are so long that they are taken in pieces.
        let gap = if random.below(8) == 0 { 600 << 10 } else { 0 };
        let answer = solr.post_json(&format!("{COLLECTION}/update"), params, body_of(&changes, gap));
        let Ok(answer) = answer else { return };
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
        let mut model = model.lock().unwrap();
        for (id, state) in changes {
            model.insert(id, Expected { acknowledged: state, in_flight: vec![] });
        }
        drop(model);
        acknowledged.fetch_add(1, Ordering::Release);
    }
}

/// Up to four changes of different ids: new content, or a delete.
fn choose_changes(writer: u64, random: &mut Random) -> Vec<(String, Option<i64>)> {
    let mut changes: BTreeMap<String, Option<i64>> = BTreeMap::new();
    for _ in 0..=random.below(4) {
        let id = format!("w{writer}-{}", random.below(IDS_PER_WRITER));
        let state = (random.below(5) > 0).then(|| random.below(1 << 30) as i64);
        changes.insert(id, state);
    }
    changes.into_iter().collect()
}

/// One body with a command for each change, this many blanks apart; Solr reads repeated keys in order.
fn body_of(changes: &[(String, Option<i64>)], gap: usize) -> String {
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
fn check(solr: &Blocking, model: &mut Model, round: u64) {
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
