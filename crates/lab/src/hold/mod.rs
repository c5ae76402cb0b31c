//! Holds many idle connections while others are busy and all of them come and go: what the idle ones cost the
//! server in memory, and whether any connection is reset, lost or left half closed. A gauge, not a
//! comparison.

mod churn;
mod peer;

use std::io;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use self::churn::Churned;
pub use self::peer::HoldOptions;
use self::peer::{HeldPeer, RequestOutcome};
use crate::error::Error;
use crate::load::{Connection, Processes, half_closed, joined};
use crate::run::Watch;

/// Clients that open the idle connections.
const OPENERS: usize = 8;
/// How often there is a word on how far it is, and the server's memory is looked at.
const NOTE_EVERY: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// What was closed last may be seen in between for this long.
const SETTLE_MAX: Duration = Duration::from_secs(5);

/// What came of it.
#[derive(Clone, Debug, Serialize)]
pub struct Held {
    pub idle: usize,
    pub busy: usize,
    pub requests: u64,
    pub seconds: f64,
    /// Connections that the busy ones came to use up.
    pub connections: u64,
    /// Idle connections that were woken, closed or half closed.
    pub churned: u64,
    /// Requests that brought no answer, or one with a status other than 200.
    pub failed: u64,
    /// Those among them whose connection was reset or closed, with the ends of connections that were no clean
    /// ones.
    pub resets: u64,
    /// The first reason among them.
    pub first_failure: Option<String>,
    /// Idle connections that the server had closed by the end.
    pub idle_lost: usize,
    /// Sockets in state CLOSE_WAIT at the server's port, at either side, once all but the idle are closed.
    pub close_wait: Option<usize>,
    /// Of the server, before, with all the idle connections, and at the end.
    pub resident_bytes: [Option<u64>; 3],
    /// The most that was seen while the busy ones asked.
    pub resident_bytes_max: Option<u64>,
}

/// Errors: when the idle connections cannot be opened, mostly because this process may not have this many
/// files open.
pub fn hold(options: &HoldOptions, watch: &dyn Watch) -> Result<Held, Error> {
    let peer = HeldPeer::new(options);
    let server = Processes::listening_on(peer.authority);
    let before = server.resident_bytes();
    let wrong = |error: io::Error| Error::Load { url: peer.authority.to_owned(), reason: error.to_string() };
    let mut idle = open_all(&peer, options.idle, watch).map_err(wrong)?;
    let loaded = server.resident_bytes();
    let started = Instant::now();
    let Busy { mut outcome, churned, resident_bytes_max } =
        be_busy(options, &peer, &mut idle, &server, watch);
    let seconds = started.elapsed().as_secs_f64();
    let churned_count = churned.count;
    outcome.add(churned.outcome);
    Ok(Held {
        idle: idle.len(),
        busy: options.busy,
        requests: options.requests,
        seconds,
        connections: outcome.connections,
        churned: churned_count,
        failed: outcome.failed,
        resets: outcome.resets,
        first_failure: outcome.first_failure,
        idle_lost: idle.iter().filter(|stream| is_lost(stream)).count(),
        close_wait: settled_half_closed(peer.authority),
        resident_bytes: [before, loaded, server.resident_bytes()],
        resident_bytes_max,
    })
}

/// Some clients open them together.
fn open_all(peer: &HeldPeer<'_>, count: usize, watch: &dyn Watch) -> io::Result<Vec<TcpStream>> {
    let (left, opened) = (AtomicU64::new(count as u64), AtomicU64::new(0));
    let open = || {
        let mut streams = Vec::new();
        while take(&left, 1).is_some() {
            streams.push(peer.open_idle()?);
            opened.fetch_add(1, Ordering::Relaxed);
        }
        Ok(streams)
    };
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let openers: Vec<_> = (0..OPENERS).map(|_| scope.spawn(open)).collect();
        let noting = scope.spawn(|| {
            let say = || {
                watch.note(&format!(
                    "{} of {count} idle connections are open",
                    opened.load(Ordering::Relaxed)
                ));
            };
            until(&ended, |_| {}, say);
            say();
        });
        let streams = openers.into_iter().map(joined).collect::<io::Result<Vec<_>>>();
        ended.store(true, Ordering::Relaxed);
        noting.thread().unpark();
        Ok(streams?.into_iter().flatten().collect())
    })
}

/// Looks every [`LOOK_EVERY`] and speaks every [`NOTE_EVERY`], until it has ended.
fn until(ended: &AtomicBool, mut look: impl FnMut(Duration), mut say: impl FnMut()) {
    let (started, mut said) = (Instant::now(), Instant::now());
    while !ended.load(Ordering::Relaxed) {
        thread::park_timeout(LOOK_EVERY);
        look(started.elapsed());
        if said.elapsed() >= NOTE_EVERY {
            say();
            said = Instant::now();
        }
    }
}

struct Busy {
    outcome: RequestOutcome,
    churned: Churned,
    resident_bytes_max: Option<u64>,
}

fn be_busy(
    options: &HoldOptions,
    peer: &HeldPeer<'_>,
    idle: &mut [TcpStream],
    server: &Processes,
    watch: &dyn Watch,
) -> Busy {
    let (left, ended) = (AtomicU64::new(options.requests), AtomicBool::new(false));
    let client = || {
        let mut outcome = RequestOutcome::default();
        while let Some(count) = take(&left, options.requests_per_connection.max(1)) {
            outcome.add(on_one_connection(peer, count, outcome.connections % 2 == 1));
        }
        outcome
    };
    thread::scope(|scope| {
        let clients: Vec<_> = (0..options.busy.max(1)).map(|_| scope.spawn(client)).collect();
        let churning = scope.spawn(|| churn::churn(peer, idle, options.churn_per_second, &ended));
        let watching = scope.spawn(|| {
            let mut most = server.resident_bytes();
            let done = || options.requests - left.load(Ordering::Relaxed);
            let say = || watch.note(&format!("{} of {} requests", done(), options.requests));
            until(&ended, |_| most = most.max(server.resident_bytes()), say);
            most
        });
        let mut outcome = RequestOutcome::default();
        clients.into_iter().map(joined).for_each(|part| outcome.add(part));
        ended.store(true, Ordering::Relaxed);
        watching.thread().unpark();
        churning.thread().unpark();
        Busy { outcome, churned: joined(churning), resident_bytes_max: joined(watching) }
    })
}

/// Takes up to `count` of the requests that are left.
fn take(left: &AtomicU64, count: u64) -> Option<u64> {
    let rest = |left: u64| (left > 0).then(|| left.saturating_sub(count));
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest).ok().map(|left| left.min(count))
}

/// The client closes the connection at the end, or has the server do it.
fn on_one_connection(peer: &HeldPeer<'_>, count: u64, server_closes: bool) -> RequestOutcome {
    let mut outcome = RequestOutcome { connections: 1, ..RequestOutcome::default() };
    let mut connection = match Connection::open(peer.authority) {
        Ok(connection) => connection,
        Err(error) => {
            outcome.fail(count, &error);
            return outcome;
        }
    };
    for done in 0..count {
        let last = server_closes && done + 1 == count;
        if let Err(error) = peer.ask(&mut connection, last) {
            outcome.fail(count - done, &error);
            return outcome;
        }
    }
    if server_closes && let Err(error) = churn::ends_cleanly(&connection.into_stream()) {
        outcome.fail(0, &error);
        outcome.resets = 1;
    }
    outcome
}

fn is_lost(stream: &TcpStream) -> bool {
    let seen = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut [0]));
    !matches!(seen, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
}

/// The last connections may have been closed a moment ago.
fn settled_half_closed(authority: &str) -> Option<usize> {
    let started = Instant::now();
    loop {
        let count = half_closed(authority)?;
        if count == 0 || started.elapsed() > SETTLE_MAX {
            return Some(count);
        }
        thread::sleep(LOOK_EVERY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_shared_out() {
        let left = AtomicU64::new(25);
        assert_eq!([(); 4].map(|()| take(&left, 10)), [Some(10), Some(10), Some(5), None]);
    }

    #[test]
    fn what_ends_a_connection_early_is_a_reset() {
        let mut outcome = RequestOutcome::default();
        outcome.fail(3, &io::ErrorKind::ConnectionReset.into());
        outcome.fail(1, &io::Error::other("status 503"));
        assert_eq!((outcome.failed, outcome.resets), (4, 1));
        assert_eq!(outcome.first_failure.as_deref(), Some("connection reset"));
    }
}
