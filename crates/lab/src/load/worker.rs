//! One connection of a load: sends prepared requests, records how long each answer took, opens a new
//! connection when the last is lost, and gives up after too many errors. When it sends is `closed`'s and
//! `open`'s to say.

use std::time::Instant;

use hdrhistogram::Histogram;

use super::connection::Connection;
use super::cpu::Processes;
use super::habit::Habit;
use super::requests::Requests;
use crate::error::Error;

/// Errors of one connection after which it gives up.
pub(super) const ERRORS_MAX: u64 = 20;

/// Whom to load, with what.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// `host:port`.
    pub authority: &'a str,
    pub requests: &'a Requests,
    pub server: &'a Processes,
    pub habit: Habit,
}

/// One connection and what it saw.
pub(super) struct Worker<'a> {
    pub(super) target: Target<'a>,
    pub(super) connection: Connection,
    pub(super) latency_ns: Histogram<u64>,
    pub(super) lag_ns: Histogram<u64>,
    pub(super) errors: u64,
    pub(super) error: Option<String>,
}

impl<'a> Worker<'a> {
    pub(super) fn connect(target: Target<'a>) -> Result<Self, Error> {
        let connection = Connection::open(target.authority)
            .map_err(|error| Error::Load { url: target.authority.to_owned(), reason: error.to_string() })?;
        let (latency_ns, lag_ns) = (histogram(), histogram());
        Ok(Self { target, connection, latency_ns, lag_ns, errors: 0, error: None })
    }

    /// Sends the next request, meant to leave at `intended`; the time of its end.
    pub(super) fn send(&mut self, intended: Instant) -> Instant {
        self.ready_connection();
        let failure = match self.connection.exchange(self.target.requests.next()) {
            Ok(answer) if answer.status == 200 => None,
            Ok(answer) => Some(format!("status {}: {}", answer.status, excerpt(answer.body))),
            Err(error) => Some(error.to_string()),
        };
        let now = Instant::now();
        match failure {
            None => self.latency_ns.saturating_record((now - intended).as_nanos() as u64),
            Some(reason) => self.fail(reason),
        }
        if !self.connection.is_open() {
            self.reconnect();
        }
        now
    }

    /// What the client does before it dares to send.
    fn ready_connection(&mut self) {
        let renew = match self.target.habit {
            Habit::KeptAlive => false,
            Habit::StaleCheck => self.connection.looks_stale(),
            Habit::NewEachTime => true,
        };
        if renew {
            self.reconnect();
        }
    }

    fn fail(&mut self, reason: String) {
        self.errors += 1;
        self.error.get_or_insert(reason);
        self.reconnect();
    }

    fn reconnect(&mut self) {
        match Connection::open(self.target.authority) {
            Ok(connection) => self.connection = connection,
            Err(error) => {
                self.errors += 1;
                self.error.get_or_insert(error.to_string());
            }
        }
    }

    pub(super) fn gave_up(&self) -> bool {
        self.errors >= ERRORS_MAX
    }
}

/// An empty histogram of nanoseconds, to a minute, three significant figures.
pub fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000_000, 3)
        .unwrap_or_else(|_| unreachable!("constant bounds are valid"))
}

fn excerpt(body: &[u8]) -> String {
    String::from_utf8_lossy(body).chars().filter(|char| !char.is_control()).take(160).collect()
}
