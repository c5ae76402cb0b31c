//! The server that connections are held to: where it is, what it is asked, and what some requests came to.
//! Used by the busy connections and by those that are woken. The options are the command line's; how many
//! sockets stand in which state is read by `hold/mod.rs` from the system.

use std::io;
use std::net::TcpStream;

use client::SolrUrl;

use crate::load::{Connection, get_as, is_reset};

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
    /// A busy connection is closed, and another opened, after this many requests: by the client, or by the
    /// server that was asked to, in turn.
    pub requests_per_connection: u64,
    /// This many idle connections a second ask again, are closed or half closed, in turn; what is closed is
    /// opened anew.
    pub churn_per_second: u64,
}

/// What some requests came to.
#[derive(Debug, Default)]
pub(super) struct RequestOutcome {
    pub(super) connections: u64,
    pub(super) failed: u64,
    pub(super) resets: u64,
    pub(super) first_failure: Option<String>,
}

impl RequestOutcome {
    pub(super) fn add(&mut self, other: Self) {
        self.connections += other.connections;
        self.failed += other.failed;
        self.resets += other.resets;
        self.first_failure = self.first_failure.take().or(other.first_failure);
    }

    pub(super) fn fail(&mut self, requests: u64, error: &io::Error) {
        self.failed += requests;
        self.resets += u64::from(is_reset(error));
        self.first_failure.get_or_insert_with(|| error.to_string());
    }
}

/// Where to connect, and what to ask there.
pub(super) struct HeldPeer<'a> {
    pub(super) authority: &'a str,
    /// With the connection kept, and with the wish that it be closed.
    pub(super) requests: [Vec<u8>; 2],
}

impl<'a> HeldPeer<'a> {
    pub(super) fn new(options: &'a HoldOptions) -> Self {
        let authority = options.url.authority();
        let target = options.url.with(&options.path, &[]);
        let target = target.trim_start_matches("http://").trim_start_matches(authority);
        let kept = get_as(&options.url, target);
        let mut last = kept.clone();
        last.truncate(kept.len() - 2);
        last.extend_from_slice(b"Connection: close\r\n\r\n");
        Self { authority, requests: [kept, last] }
    }

    /// One request, answered with 200.
    pub(super) fn ask(&self, connection: &mut Connection, last: bool) -> io::Result<()> {
        match connection.exchange(&self.requests[usize::from(last)])? {
            answer if answer.status == 200 => Ok(()),
            answer => Err(io::Error::other(format!("status {}", answer.status))),
        }
    }

    /// A connection that has had its answer, whole; without a buffer, since there are many.
    pub(super) fn open_idle(&self) -> io::Result<TcpStream> {
        let mut connection = Connection::open(self.authority)?;
        self.ask(&mut connection, false)?;
        Ok(connection.into_stream())
    }
}
