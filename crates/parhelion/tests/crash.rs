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

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use support::history::{COLLECTION, Expected, Model, Random, body_of, check, choose_changes, setting};
use support::{Blocking, Server};

const WRITERS: u64 = 4;

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
