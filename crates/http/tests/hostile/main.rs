//! Requests that no client should send, made from a seed: parameters without sense, bodies cut off or packed
//! wrongly, heads that say two things at once, and bytes that are no HTTP. Whatever comes, each exchange ends
//! in time, no answer is a 5xx, nothing panics, and the server goes on serving. A server where people log in
//! answers who has logged in with the same statuses, and tells nobody else anything. What is sent is made by
//! the files beside this one.
//!
//! `PARHELION_HOSTILE_ROUNDS=100000 PARHELION_HOSTILE_SEED=7 cargo test -p http@0.1.0 --test hostile --
//! --nocapture`

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod answers;
mod bodies;
mod extremes;
mod paths;
mod random;
mod searches;
#[path = "../served/mod.rs"]
mod served;
mod values;
mod wire;

use std::panic;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use random::Random;
use served::Served;
use solr::security::Security;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::Instant;

/// An exchange that takes longer hangs. Generous: what is tested is that it ends.
const DEADLINE: Duration = Duration::from_secs(60);
const SHOWN_BYTES_MAX: usize = 4000;
/// The password of `solr` is `SolrRocks`.
const SECURITY: &str = r#"{"authentication":{"class":"solr.BasicAuthPlugin","credentials":{
    "solr":"IV0EHq1OnNrj6gvRCwvFwTrZ1+z1oBbnQdiVC3otuq0= Ndd7LKvVBAaZIF0QAVi1ekCfAJXr1GGfLtRUXhgrF8c="}}}"#;
const LOG_IN: &str = "Authorization: Basic c29scjpTb2xyUm9ja3M=\r\n";
const HOST: &[u8] = b"Host: x\r\n";

const DOCUMENTS: &str = r#"[
 {"id":"1","title_t":"Solaris by Lem","n_i":1,"p_d":1.5,"d_dt":"2020-01-02T03:04:05Z","s_s":"x","ss_ss":["a","b"],"b_b":true,"loc_p":"45,-93"},
 {"id":"2","title_t":"Stars of Solaris","n_i":2147483647,"p_d":-1e308,"d_dt":"9999-12-31T23:59:59Z","s_s":"y","loc_p":"0,180"},
 {"id":"3","title_t":"quick brown fox","n_i":-2147483648,"l_l":9223372036854775807,"f_f":3.4e38,"s_s":"é漢字","loc_p":"90,0"},
 {"id":"4","title_t":"a root","kids":[{"id":"4.1","s_s":"x"},{"id":"4.2","n_i":7}]}
]"#;

static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn panics() -> Vec<String> {
    std::mem::take(&mut *PANICS.lock().unwrap_or_else(PoisonError::into_inner))
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn nothing_that_is_sent_breaks_the_server() {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().thread_stack_size(http::STACK_BYTES).build();
    runtime.unwrap().block_on(send_all());
}

async fn send_all() {
    let rounds = setting("PARHELION_HOSTILE_ROUNDS", 400);
    let seed = setting("PARHELION_HOSTILE_SEED", 1);
    panic::set_hook(Box::new(|info| {
        eprintln!("{info}");
        PANICS.lock().unwrap_or_else(PoisonError::into_inner).push(info.to_string());
    }));
    let served = Served::start_whole(|_| {}).await;
    let security = Security::read(SECURITY).unwrap().map(Arc::new);
    let guarded = Served::start_whole(|config| config.security = security).await;
    for (served, head) in [(&served, ""), (&guarded, LOG_IN)] {
        let head = format!(
            "POST /solr/films/update?commit=true HTTP/1.1\r\n{head}Host: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            DOCUMENTS.len()
        );
        let added = served.send(&head, DOCUMENTS.as_bytes()).await;
        assert_eq!(added.status, 200, "{}", added.body);
    }
    let mut slowest = (Duration::ZERO, 0);
    for round in 0..rounds {
        let sent = wire::exchange(&mut Random::new(seed.wrapping_mul(1_000_003).wrapping_add(round)));
        let started = Instant::now();
        let found = exchange(&served, &sent).await;
        slowest = slowest.max((started.elapsed(), round));
        let verdict = match found {
            Ok(bytes) => match answers::judge(&sent, &bytes) {
                Ok(()) => compare(&guarded, &sent, &bytes).await,
                wrong => wrong,
            },
            Err(wrong) => Err(wrong),
        };
        let panics = panics();
        let shown = sent.get(..SHOWN_BYTES_MAX.min(sent.len())).unwrap().escape_ascii();
        assert!(
            verdict.is_ok() && panics.is_empty(),
            "seed {seed}, round {round}: {verdict:?} {panics:?} after {} bytes: {shown}",
            sent.len()
        );
    }
    assert_eq!(served.get("/solr/films/select?q=*:*").await.status, 200);
    let (elapsed, round) = slowest;
    println!(
        "{rounds} exchanges from seed {seed}: no 5xx, no panic, none without an end; the longest took {} ms (round {round})",
        elapsed.as_millis()
    );
}

/// Errors: where a log-in makes a difference other than that one has to log in.
async fn compare(guarded: &Served, sent: &[u8], found: &[u8]) -> Result<(), String> {
    if sent.starts_with(b"PRI") || answers::has(sent, b"/auth") {
        return Ok(());
    }
    let unknown = answers::statuses(sent, &exchange(guarded, sent).await?)?;
    if let Some(status) = unknown.iter().find(|status| **status < 400 && **status != 101) {
        return Err(format!("{status} without a log-in"));
    }
    let Some(at) = sent.windows(HOST.len()).position(|it| it == HOST) else { return Ok(()) };
    let sent = [&sent[..at], LOG_IN.as_bytes(), &sent[at..]].concat();
    let open = answers::statuses(&sent, found)?;
    let known = answers::statuses(&sent, &exchange(guarded, &sent).await?)?;
    // The first request of the exchange is the one that logs in.
    match (open.first(), known.first()) {
        (open, known) if open == known || known == Some(&401) => Ok(()),
        (open, known) => Err(format!("{open:?}, and {known:?} where people log in")),
    }
}

/// Sends all, says that it is all, and takes what comes until the server closes.
async fn exchange(served: &Served, sent: &[u8]) -> Result<Vec<u8>, String> {
    let (mut reader, mut writer) = served.connect().await.into_split();
    let send = async {
        // The server may answer and close before it has read all.
        let _ = writer.write_all(sent).await;
        let _ = writer.shutdown().await;
    };
    let mut bytes = Vec::new();
    let both = async { tokio::join!(send, reader.read_to_end(&mut bytes)) };
    tokio::time::timeout(DEADLINE, both).await.map_err(|_| "it does not end".to_owned())?.1.ok();
    Ok(bytes)
}

/// Where a request ends is not left to be read in two ways: a second one hidden in its body is never served.
#[tokio::test]
async fn a_request_ends_in_one_way_only() {
    let served = Served::start().await;
    let hidden = "GET /solr/admin/info/health HTTP/1.1\r\nHost: x\r\n\r\n";
    let check = async |fields: &str, body: &str, expected: &[u16]| {
        let head = "POST /solr/films/update HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
        let sent = format!("{head}{fields}\r\n{body}");
        let bytes = exchange(&served, sent.as_bytes()).await.unwrap();
        assert_eq!(answers::statuses(sent.as_bytes(), &bytes).unwrap(), expected, "{fields} {body}");
    };
    let (chunked, length) = ("Transfer-Encoding: chunked\r\n", "Content-Length: 2\r\n");
    check(length, "[]", &[200]).await;
    check(length, &format!("[]{hidden}"), &[200, 200]).await;
    check(chunked, "2\r\n[]\r\n0\r\n\r\n", &[200]).await;
    let both = format!("2\r\n[]\r\n0\r\n\r\n{hidden}");
    // Chunks count, and what comes after them is not read.
    check(&format!("Content-Length: 60\r\n{chunked}"), &both, &[200]).await;
    check(&format!("{chunked}Content-Length: 60\r\n"), &both, &[200]).await;
    check("Content-Length: 2\r\nContent-Length: 3\r\n", "[]", &[400]).await;
    check("Content-Length: 2, 3\r\n", "[]", &[400]).await;
    check("Content-Length: +2\r\n", "[]", &[400]).await;
    check("Content-Length: -1\r\n", "[]", &[400]).await;
    check("Content-Length: 18446744073709551616\r\n", "[]", &[400]).await;
    check("Transfer-Encoding: chunked, identity\r\n", &format!("0\r\n\r\n{hidden}"), &[400]).await;
    check("Transfer-Encoding: xchunked\r\n", &format!("0\r\n\r\n{hidden}"), &[400]).await;
    check("Transfer-Encoding : chunked\r\n", &format!("0\r\n\r\n{hidden}"), &[400]).await;
    check(" Transfer-Encoding: chunked\r\n", &format!("0\r\n\r\n{hidden}"), &[400]).await;
    check("Content-Length: 2\r\n Content-Length: 60\r\n", &format!("[]{hidden}"), &[400]).await;
}
