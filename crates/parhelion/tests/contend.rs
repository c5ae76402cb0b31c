//! Nodes that fight for one store under load: the owner is killed, paused until another has taken the store
//! over, or left alive when the other comes. After each round the newest owner has what was acknowledged by
//! any of them, and nothing that was refused; what has no answer is there for good or never; and the old one
//! acknowledges nothing more and answers nothing stale.
//!
//! `PARHELION_CONTEND_ROUNDS=200 PARHELION_CONTEND_SEED=1 cargo test -p parhelion --test contend --
//! --nocapture`; `PARHELION_CONTEND_STORE=s3://bucket/prefix`, with what the store needs in the environment,
//! for another store than a folder: what lies there may be from before, the collection must not.

#![cfg(unix)]
#![allow(clippy::print_stdout)]

mod support;

use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use client::{Error, Response};

use support::history::{COLLECTION, Expected, Model, Random, body_of, check, choose_changes, setting};
use support::{Blocking, Server};

const WRITERS: u64 = 4;
/// Whoever writes to the new owner while the old one is away has ids of its own.
const SUCCESSOR_S_WRITER: u64 = WRITERS;
const SUCCESSOR_S_UPDATES: u64 = 12;

/// What becomes of an owner.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Killed,
    /// Until another has taken over.
    Paused,
    /// It lives on, and learns it.
    Deposed,
}

/// What an update was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Acknowledged,
    Refused,
    Unknown,
}

#[derive(Debug, Default)]
struct Tally {
    acknowledged: AtomicU64,
    refused: AtomicU64,
    unknown: AtomicU64,
}

#[test]
fn nodes_that_fight_for_a_store_lose_nothing() {
    let rounds = setting("PARHELION_CONTEND_ROUNDS", 6);
    let seed = setting("PARHELION_CONTEND_SEED", 1);
    let folder = tempfile::tempdir().expect("a folder");
    let store = std::env::var("PARHELION_CONTEND_STORE")
        .unwrap_or_else(|_| format!("file://{}", folder.path().join("bucket").display()));
    let serve = |round: u64| {
        // Two hosts in turn, each with the copies of files that it had.
        let data = folder.path().join(["one", "other"][round as usize % 2]);
        Server::start_with(&data, &["--store", &store])
    };
    let mut owner = serve(0);
    owner.client().create_collection(COLLECTION, 2);
    let (mut model, tally) = (Model::new(), Tally::default());
    for round in 1..=rounds {
        let mut random = Random(seed.wrapping_mul(1_000_003).wrapping_add(round));
        let fault = [Fault::Killed, Fault::Paused, Fault::Deposed][random.below(3) as usize];
        owner = contend(owner, fault, (&mut model, &tally), &mut random, || serve(round));
        println!("round {round}: {fault:?}, {tally:?}");
        check(&owner.client(), &mut model, round);
    }
    let ids = model.len();
    println!("{rounds} rounds, {tally:?}, {ids} ids: nothing lost, nothing twice, nothing refused came back");
}

/// Loads the owner until the fault; gives the next owner back once all who wrote have their answers.
fn contend(
    mut owner: Server,
    fault: Fault,
    (model, tally): (&mut Model, &Tally),
    random: &mut Random,
    successor: impl FnOnce() -> Server,
) -> Server {
    let (until, seed) = (20 + random.below(150), random.below(u64::MAX));
    let (shared, is_over) = (Mutex::new(std::mem::take(model)), AtomicBool::new(false));
    let url = owner.url.clone();
    let acknowledged = AtomicU64::new(0);
    let next = thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (shared, url, is_over, acknowledged) = (&shared, &url, &is_over, &acknowledged);
            scope.spawn(move || {
                let (solr, mut random) = (Blocking::new(url), Random(seed ^ writer));
                while !is_over.load(Ordering::Acquire)
                    && update(writer, &solr, &mut random, (shared, tally)) == Told::Acknowledged
                {
                    acknowledged.fetch_add(1, Ordering::Release);
                    if random.below(20) == 0 {
                        // A flush may meet its end like anything else.
                        let _ = solr.get(&format!("{COLLECTION}/update"), &[("commit", "true")]);
                    }
                }
            });
        }
        while acknowledged.load(Ordering::Acquire) < until {
            thread::yield_now();
        }
        match fault {
            Fault::Killed => owner.kill(),
            Fault::Paused => signal(&owner, "STOP"),
            Fault::Deposed => {}
        }
        let next = successor();
        is_over.store(true, Ordering::Release);
        let (solr, mut random) = (next.client(), Random(seed ^ SUCCESSOR_S_WRITER));
        for _ in 0..SUCCESSOR_S_UPDATES {
            let told = update(SUCCESSOR_S_WRITER, &solr, &mut random, (&shared, tally));
            assert_eq!(told, Told::Acknowledged, "{fault:?}: the new owner takes updates");
        }
        if matches!(fault, Fault::Paused) {
            signal(&owner, "CONT");
        }
        next
    });
    *model = shared.into_inner().expect("no writer failed");
    if !matches!(fault, Fault::Killed) {
        check_deposed(&owner, model, random, tally);
    }
    next
}

/// Sends one change and notes what it was told.
fn update(
    writer: u64,
    solr: &Blocking,
    random: &mut Random,
    (model, tally): (&Mutex<Model>, &Tally),
) -> Told {
    let change = choose_changes(writer, random).into_iter().next().expect("one change at least");
    let (id, state) = change.clone();
    let none = || Expected { acknowledged: None, in_flight: vec![] };
    model.lock().expect("a model").entry(id.clone()).or_insert_with(none).in_flight.push(state);
    let told = told(solr.post_json(&format!("{COLLECTION}/update"), &[], body_of(&[change], 0)));
    let mut model = model.lock().expect("a model");
    let expected = model.get_mut(&id).expect("it was noted");
    let count = match told {
        Told::Acknowledged => {
            *expected = Expected { acknowledged: state, in_flight: vec![] };
            &tally.acknowledged
        }
        // What was never offered can never appear.
        Told::Refused => {
            expected.in_flight.pop();
            &tally.refused
        }
        Told::Unknown => &tally.unknown,
    };
    count.fetch_add(1, Ordering::Relaxed);
    told
}

fn told(answer: Result<Response, Error>) -> Told {
    let Ok(answer) = answer else { return Told::Unknown };
    let text = String::from_utf8_lossy(&answer.body);
    match answer.status {
        200 => Told::Acknowledged,
        503 if text.contains("is not known") => Told::Unknown,
        503 => Told::Refused,
        other => panic!("an update was answered with {other}: {text}"),
    }
}

/// An owner that was deposed and lives acknowledges nothing, and what it answers is what the new one has.
fn check_deposed(deposed: &Server, model: &Model, random: &mut Random, tally: &Tally) {
    let solr = deposed.client();
    for (id, expected) in model {
        let answer =
            solr.get(&format!("{COLLECTION}/get"), &[("id", id), ("fl", "value_i")]).expect("an answer");
        if answer.status == 503 {
            continue;
        }
        assert_eq!(answer.status, 200, "{answer:?}");
        let found = answer.json().expect("JSON")["doc"]["value_i"].as_i64();
        assert!(expected.allows(found), "a deposed owner says that `{id}` is {found:?}, not {expected:?}");
    }
    // Of these nothing may ever be found.
    let lost = Mutex::new(Model::new());
    for writer in 0..WRITERS {
        let told = update(writer, &solr, random, (&lost, tally));
        assert_ne!(told, Told::Acknowledged, "a deposed owner writes nothing");
    }
}

fn signal(server: &Server, name: &str) {
    let status = Command::new("kill").arg(format!("-{name}")).arg(server.pid().to_string()).status();
    assert!(status.expect("a program `kill`").success(), "the process takes signals");
}
