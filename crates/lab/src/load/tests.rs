//! Load against a small server in this process: what is counted, and from when.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::worker::ERRORS_MAX;
use super::*;

/// Answers each request on each connection, until dropped; those whose path holds `bad` with a 500.
struct Echo {
    authority: String,
    stop: Arc<AtomicBool>,
}

impl Echo {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                thread::spawn(move || answer(stream));
            }
        });
        Self { authority, stop }
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(&self.authority);
    }
}

fn answer(mut stream: TcpStream) {
    let mut bytes = [0; 1024];
    while let Ok(read @ 1..) = stream.read(&mut bytes) {
        let request = String::from_utf8_lossy(&bytes[..read]);
        let status = if request.contains("bad") { "500 no" } else { "200 OK" };
        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\nok");
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn load(path: &str, shape: Shape, duration: Duration) -> Load {
    load_by(Habit::KeptAlive, path, shape, duration)
}

fn load_by(habit: Habit, path: &str, shape: Shape, duration: Duration) -> Load {
    let echo = Echo::start();
    let requests = Requests::new(vec![get(&echo.authority, path)]);
    let server = Processes::new(vec![std::process::id()]);
    run(
        Target { authority: &echo.authority, requests: &requests, server: &server, habit },
        shape,
        duration,
        1,
    )
    .unwrap()
}

#[test]
fn a_closed_loop_counts_answers() {
    let seen = load("/", Shape::Closed { connections: 3 }, Duration::from_millis(50));
    assert!(seen.answered() >= 3 && seen.errors == 0 && seen.error.is_none());
    assert!(seen.per_second() > 0.0 && seen.lag_ns.is_empty());
}

#[test]
fn errors_are_no_answers() {
    let seen = load("/bad", Shape::Closed { connections: 1 }, Duration::from_secs(60));
    assert_eq!((seen.answered(), seen.errors), (0, ERRORS_MAX));
    assert_eq!(seen.error.as_deref(), Some("status 500: ok"));
}

#[test]
fn an_open_loop_sends_what_is_scheduled() {
    let shape = Shape::Open { per_second: 1000.0, arrivals: Arrivals::Constant, connections: 4 };
    let seen = load("/", shape, Duration::from_millis(100));
    assert_eq!((seen.answered(), seen.errors), (99, 0));
    assert!(!seen.lag_ns.is_empty());
}

#[test]
fn waiting_for_a_connection_is_latency() {
    // All arrivals at once over one connection: the last waits for all others, which an answer timed from its
    // actual send would not show.
    let shape = Shape::Open { per_second: 1e9, arrivals: Arrivals::Constant, connections: 1 };
    let seen = load("/", shape, Duration::from_nanos(2001));
    assert_eq!(seen.answered(), 2000);
    assert!(u128::from(2 * seen.latency_ns.max()) >= seen.elapsed.as_nanos());
}

#[test]
fn merged_histograms_hold_all() {
    let (mut sum, mut part) = (histogram(), histogram());
    (1..=100u64).for_each(|value| sum.saturating_record(value * 1000));
    (101..=200u64).for_each(|value| part.saturating_record(value * 1000));
    merge(&mut sum, &part);
    assert_eq!(sum.len(), 200);
    // Quantiles come to three figures.
    assert!((99_900..=100_100).contains(&sum.value_at_quantile(0.5)));
    assert!((199_800..=200_200).contains(&sum.max()));
}

#[test]
fn every_habit_gets_its_answers() {
    for habit in [Habit::KeptAlive, Habit::StaleCheck, Habit::NewEachTime] {
        let seen = load_by(habit, "/", Shape::Closed { connections: 2 }, Duration::from_millis(30));
        assert!(seen.answered() >= 2 && seen.errors == 0, "{habit:?}: {:?}", seen.error);
    }
}
