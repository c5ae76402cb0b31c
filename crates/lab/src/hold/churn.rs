//! Idle connections that do not stay so: in turn one asks again, one is closed, one is half closed and must
//! then be closed by the server. What is closed is opened anew, so that as many stay. It is what applications
//! do to pooled connections at night, and what leaves sockets in CLOSE_WAIT at a server that does not read
//! the end. `hold/mod.rs` counts those; each fault here is counted as a failed request or a reset.

use std::io::{self, Read as _};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::peer::{HeldPeer, RequestOutcome};
use crate::load::Connection;

/// A server that was told to close must within this time.
const CLOSE_MAX: Duration = Duration::from_secs(30);

#[derive(Debug, Default)]
pub(super) struct Churned {
    pub count: u64,
    pub outcome: RequestOutcome,
}

/// This many a second, until it has ended.
pub(super) fn churn(
    peer: &HeldPeer<'_>,
    idle: &mut [TcpStream],
    per_second: u64,
    ended: &AtomicBool,
) -> Churned {
    let (mut churned, started) = (Churned::default(), Instant::now());
    if idle.is_empty() || per_second == 0 {
        return churned;
    }
    while !ended.load(Ordering::Relaxed) {
        let due = Duration::from_secs_f64(churned.count as f64 / per_second as f64);
        if let Some(early) = due.checked_sub(started.elapsed()) {
            thread::park_timeout(early);
            continue;
        }
        // All are visited in turn, and in the next round each has something else done to it unless their
        // number is odd.
        let at = churned.count as usize % idle.len();
        if let Err(error) = step(peer, &mut idle[at], churned.count) {
            churned.outcome.fail(1, &error);
            if let Ok(fresh) = peer.open_idle() {
                idle[at] = fresh;
            }
        }
        churned.count += 1;
    }
    churned
}

fn step(peer: &HeldPeer<'_>, stream: &mut TcpStream, count: u64) -> io::Result<()> {
    match count % 3 {
        0 => {
            let mut connection = Connection::new(stream.try_clone()?)?;
            return peer.ask(&mut connection, false);
        }
        1 => {}
        _ => {
            stream.shutdown(Shutdown::Write)?;
            ends_cleanly(stream)?;
        }
    }
    *stream = peer.open_idle()?;
    Ok(())
}

/// Reads the end that the server makes of a connection; anything else is an error.
pub(super) fn ends_cleanly(mut stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(CLOSE_MAX))?;
    match stream.read(&mut [0])? {
        0 => Ok(()),
        _ => Err(io::Error::other("something came after the last answer")),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn an_end_is_clean_or_it_is_not() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        std::io::Write::write_all(&mut server, b"x").unwrap();
        drop(server);
        assert!(ends_cleanly(&client).is_err());
        ends_cleanly(&client).unwrap();
    }
}
