//! The `keepalive` workload: what a client's habits cost, on one server. After Zezeski, whose cluster gained
//! two to four times the throughput when its client stopped checking for stale connections, and Sears, whose
//! drop-in client kept connections alive and compressed. In each case *ours* is the tuned habit and *peer*
//! the habit that the case names.

use std::sync::Arc;

use super::host::host;
use super::measure::{Contender, Method, measure};
use super::options::RunOptions;
use super::record::{Agreement, Arm, CaseRecord, Run, Skipped};
use super::setup::{Setup, finish, index_all, manifest};
use super::watch::Watch;
use crate::error::Error;
use crate::load::{Connection, Habit, Requests, Shape};
use crate::side::Side;
use crate::workload::{self, Claim, ClaimTest};

/// What answers are asked for: little, and much.
const QUESTIONS: [(&str, [(&str, &str); 4]); 2] = [
    ("small", [("q", "citron"), ("df", "fruit_t"), ("fl", "id"), ("rows", "10")]),
    ("large", [("q", "apricot"), ("df", "fruit_t"), ("fl", "id,fruit_t"), ("rows", "500")]),
];

/// The habits that keeping connections and trusting them is compared with.
const ARMS: [OtherHabit; 3] = [
    OtherHabit {
        name: "new-connection",
        about: "a new connection for each request",
        habit: Habit::NewEachTime,
        gzip: false,
    },
    OtherHabit {
        name: "stale-check",
        about: "connections kept, and checked before each request",
        habit: Habit::StaleCheck,
        gzip: false,
    },
    OtherHabit {
        name: "compressed",
        about: "connections kept, answers asked for in gzip (and not unpacked)",
        habit: Habit::KeptAlive,
        gzip: true,
    },
];

struct OtherHabit {
    name: &'static str,
    about: &'static str,
    habit: Habit,
    gzip: bool,
}

pub async fn run(setup: Setup, watch: Arc<dyn Watch>) -> Result<Run, Error> {
    let Setup { options, ours, origin, .. } = setup;
    let host = host();
    let fruit = workload::by_name("fruit", options.docs.max(1), options.seed)?;
    let indexed = index_all(&options, &fruit, [Some(&ours), None], &watch).await?;
    let (timed_options, side, cores) = (options.clone(), ours.clone(), host.cores);
    let timed = tokio::task::spawn_blocking(move || time_all(&timed_options, &side, cores, &*watch));
    let (cases, skipped) = timed.await.map_err(|error| Error::Task(error.to_string()))??;
    let checksum = indexed.as_ref().map(|indexed| indexed.checksum);
    let manifest = manifest(options, origin, host, checksum, [Some(&ours), None]).await;
    Ok(finish(manifest, indexed, cases, skipped, &claims()))
}

fn claims() -> Vec<Claim> {
    let claim = |then: &str, case: &str, factor| Claim {
        then: then.to_owned(),
        test: ClaimTest::CaseRatioAtLeast { case: case.to_owned(), connections: 1, factor },
    };
    vec![
        claim("no stale check (Zezeski): 2 to 4 times the throughput", "small-stale-check", 2.0),
        claim("a client that keeps connections (Sears): search 4.47 times", "small-new-connection", 4.47),
    ]
}

fn time_all(
    options: &RunOptions,
    side: &Side,
    cores: usize,
    watch: &dyn Watch,
) -> Result<(Vec<CaseRecord>, Vec<Skipped>), Error> {
    let method = Method::of(options, cores);
    let (mut cases, mut skipped) = (Vec::new(), Vec::new());
    for (question, params) in QUESTIONS {
        for habit in ARMS {
            let name = format!("{question}-{}", habit.name);
            if !options.wants(&name) {
                continue;
            }
            let requests = [requests(side, &params, false), requests(side, &params, habit.gzip)];
            if habit.gzip && !compresses(side, &requests[1])? {
                let reason = "the server does not compress this answer".to_owned();
                skipped.push(Skipped { case: name, reason });
                continue;
            }
            watch.note(&format!("timing {name}"));
            let about = format!("connections kept and trusted, against {}; a {question} answer", habit.about);
            let arms = arms(options, side, &requests, habit.habit, &method)?;
            let agreement = Agreement::Equal { questions: 1, hits: true };
            cases.push(CaseRecord { name, about, hits: None, questions: 1, agreement, arms });
        }
    }
    Ok((cases, skipped))
}

/// The tuned client against the one with `habit`.
fn arms(
    options: &RunOptions,
    side: &Side,
    requests: &[Requests; 2],
    habit: Habit,
    method: &Method,
) -> Result<Vec<Arm>, Error> {
    let tuned = Contender { side, requests: &requests[0], habit: Habit::KeptAlive };
    let other = Contender { side, requests: &requests[1], habit };
    let shapes = options.connections.iter().map(|connections| Shape::Closed { connections: *connections });
    shapes.map(|shape| measure(Some(tuned), Some(other), shape, method)).collect()
}

fn requests(side: &Side, params: &[(&str, &str)], gzip: bool) -> Requests {
    let mut params = params.to_vec();
    params.push(("wt", "json"));
    let authority = side.url().authority();
    let address = side.url().with(&format!("{}/select", side.collection), &params);
    let target = address.trim_start_matches("http://").trim_start_matches(authority);
    let accepts = if gzip { "Accept-Encoding: gzip\r\n" } else { "" };
    Requests::new(vec![format!("GET {target} HTTP/1.1\r\nHost: {authority}\r\n{accepts}\r\n").into_bytes()])
}

/// Whether an answer begins as gzip does.
fn compresses(side: &Side, requests: &Requests) -> Result<bool, Error> {
    let authority = side.url().authority();
    let wrong = |error: std::io::Error| Error::Load { url: authority.to_owned(), reason: error.to_string() };
    let mut connection = Connection::open(authority).map_err(wrong)?;
    let answer = connection.exchange(requests.next()).map_err(wrong)?;
    Ok(answer.body.starts_with(&[0x1f, 0x8b]))
}
