//! Holds many idle connections while others are busy, opening and closing as they go: what the idle ones cost the server in
//! memory, and whether any connection is reset, lost or left half closed. A gauge, not a comparison.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use client::SolrUrl;
use serde::Serialize;

use crate::error::Error;
use crate::load::{Connection, Processes, get_as, half_closed};

/// Idle clients look this often whether the server still has them.
const LOOK: Duration = Duration::from_millis(1);
/// After so long without an answer it is lost.
const ANSWER_MAX: Duration = Duration::from_secs(60);

#[derive(Clone, Debug)]
pub struct HoldOptions {
    pub url: SolrUrl,
    /// Below the Solr URL, with its parameters.
    pub path: String,
    /// Connections that ask once and then stay.
    pub idle: usize,
    /// Connections that ask all the time.
    pub busy: usize,
    /// Of the busy ones together.
    pub requests: u64,
    /// A busy connection is closed, and another opened, after so many requests.
    pub requests_per_connection: u64,
}

/// What came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Held {
    pub idle: usize,
    pub busy: usize,
    pub requests: u64,
    pub seconds: f64,
    /// Requests that brought no answer, or one with a status other than 200.
    pub failed: u64,
    /// The first reason among them.
    pub first_failure: Option<String>,
    /// Idle connections that the server had closed by the end.
    pub idle_lost: usize,
    /// Sockets in state CLOSE_WAIT at the server's port, at either side, once all but the idle are closed.
    pub close_wait: Option<usize>,
    /// Of the server, before, with all the idle connections, and at the end.
    pub resident_bytes: [Option<u64>; 3],
}

/// Errors: when the idle connections cannot be opened, mostly because this process may not have so many files open.
pub fn hold(options: &HoldOptions) -> Result<Held, Error> {
    let authority = options.url.authority();
    let target = options.url.with(&options.path, &[]);
    let target = target.trim_start_matches("http://").trim_start_matches(authority);
    let request = get_as(&options.url, target);
    let server = Processes::listening_on(authority);
    let before = server.resident_bytes();
    let wrong = |error: io::Error| Error::Load { url: authority.to_owned(), reason: error.to_string() };
    let idle = (0..options.idle).map(|_| open_idle(authority, &request)).collect::<Result<Vec<_>, _>>();
    let idle = idle.map_err(wrong)?;
    let loaded = server.resident_bytes();
    let started = Instant::now();
    let (failed, first_failure) = be_busy(options, authority, &request);
    let seconds = started.elapsed().as_secs_f64();
    Ok(Held {
        idle: idle.len(),
        busy: options.busy,
        requests: options.requests,
        seconds,
        failed,
        first_failure,
        idle_lost: idle.iter().filter(|stream| is_lost(stream)).count(),
        close_wait: half_closed(authority),
        resident_bytes: [before, loaded, server.resident_bytes()],
    })
}

/// A connection that has had its answer, whole: the read buffer is small, since there are many.
fn open_idle(authority: &str, request: &[u8]) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(authority)?;
    stream.set_read_timeout(Some(ANSWER_MAX))?;
    stream.write_all(request)?;
    let mut bytes = [0; 16 << 10];
    if stream.read(&mut bytes)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    stream.set_read_timeout(Some(LOOK))?;
    while stream.read(&mut bytes).is_ok_and(|read| read > 0) {}
    Ok(stream)
}

fn is_lost(mut stream: &TcpStream) -> bool {
    !matches!(stream.read(&mut [0]), Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut))
}

/// How many requests failed, and why the first did.
fn be_busy(options: &HoldOptions, authority: &str, request: &[u8]) -> (u64, Option<String>) {
    let left = AtomicU64::new(options.requests);
    let client = || {
        let (mut failed, mut first) = (0, None);
        while let Some(count) = take(&left, options.requests_per_connection.max(1)) {
            let (lost, why) = on_one_connection(authority, request, count);
            failed += lost;
            first = first.or(why);
        }
        (failed, first)
    };
    thread::scope(|scope| {
        let clients: Vec<_> = (0..options.busy.max(1)).map(|_| scope.spawn(client)).collect();
        let ended = clients.into_iter().filter_map(|client| client.join().ok());
        ended.fold((0, None), |(failed, first), (more, why)| (failed + more, first.or(why)))
    })
}

/// Takes up to `count` of the requests that are left.
fn take(left: &AtomicU64, count: u64) -> Option<u64> {
    let rest = |left: u64| (left > 0).then(|| left.saturating_sub(count));
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest).ok().map(|left| left.min(count))
}

fn on_one_connection(authority: &str, request: &[u8], count: u64) -> (u64, Option<String>) {
    let mut connection = match Connection::open(authority) {
        Ok(connection) => connection,
        Err(error) => return (count, Some(format!("cannot connect: {error}"))),
    };
    for done in 0..count {
        match connection.exchange(request) {
            Ok(answer) if answer.status == 200 => {}
            Ok(answer) => return (count - done, Some(format!("status {}", answer.status))),
            Err(error) => return (count - done, Some(error.to_string())),
        }
    }
    (0, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_shared_out() {
        let left = AtomicU64::new(25);
        assert_eq!([(); 4].map(|()| take(&left, 10)), [Some(10), Some(10), Some(5), None]);
    }
}
