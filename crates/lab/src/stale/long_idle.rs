//! A client that asks nothing for longer than the server waits: the report's own case, whose server closed
//! connections after 50 s while the client kept them without limit, so that at 51 s all stood in CLOSE_WAIT.
//! Every arm has a server of its own, by whose port its sockets are told apart, and all wait at the same
//! time.

use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::arm::{PATH, StaleArm, close_wait};
use super::pools::{NaivePool, Pool, SweptPool};
use super::server::IdleServer;
use crate::error::Error;

/// Requests of a worker, before the pause and behind it.
const REQUESTS_EACH: u64 = 8;

/// The long pause.
#[derive(Clone, Copy, Debug)]
pub struct LongIdleOptions {
    /// Workers, and about as many connections.
    pub workers: usize,
    pub server_idle: Duration,
    /// Our client closes before that.
    pub client_idle: Duration,
    /// Sockets are looked at this long before the server closes them, and this long after.
    pub margin: Duration,
}

/// What an arm had behind it.
#[derive(Clone, Debug, Serialize)]
pub struct LongIdleFigures {
    pub arm: StaleArm,
    /// Sockets in CLOSE_WAIT just before the server's patience ended, and just after. `None` without `/proc`.
    pub close_wait_before: Option<usize>,
    pub close_wait_after: Option<usize>,
    /// Of the requests that came then, those that failed.
    pub requests_after: u64,
    pub failed_after: u64,
    /// When the sockets were looked at, since the last request.
    pub looked_after_s: f64,
}

/// An arm while it waits. Field order: the pool's connections go before their server does.
struct WaitingArm {
    arm: StaleArm,
    pool: Box<dyn Pool>,
    server: IdleServer,
}

pub(super) fn long_idle(options: &LongIdleOptions) -> Result<Vec<LongIdleFigures>, Error> {
    let wrong = |error: std::io::Error| Error::Load {
        url: "the lab's own server".to_owned(),
        reason: error.to_string(),
    };
    let mut arms = Vec::new();
    for arm in StaleArm::ALL {
        let server = IdleServer::start(options.server_idle).map_err(wrong)?;
        let authority = server.address.to_string();
        let pool: Box<dyn Pool> = match arm {
            StaleArm::Sweeper => Box::new(SweptPool::new(&authority, PATH, options.client_idle)?),
            StaleArm::None | StaleArm::Check => {
                Box::new(NaivePool::new(&authority, PATH, arm == StaleArm::Check))
            }
        };
        arms.push(WaitingArm { arm, pool, server });
    }
    let requests = options.workers as u64 * REQUESTS_EACH;
    for waiting in &arms {
        waiting.pool.burst(options.workers, requests);
    }
    let last = Instant::now();
    let until = |moment: Duration| thread::sleep(moment.saturating_sub(last.elapsed()));
    let look =
        || arms.iter().map(|waiting| close_wait(&waiting.server.address.to_string())).collect::<Vec<_>>();
    until(options.server_idle.saturating_sub(options.margin));
    let before = look();
    until(options.server_idle + options.margin);
    let looked_after_s = last.elapsed().as_secs_f64();
    let after = look();
    let figures = arms.iter().zip(before.into_iter().zip(after));
    Ok(figures
        .map(|(waiting, (close_wait_before, close_wait_after))| {
            let counts = waiting.pool.burst(options.workers, requests);
            LongIdleFigures {
                arm: waiting.arm,
                close_wait_before,
                close_wait_after,
                requests_after: counts.requests,
                failed_after: counts.failed,
                looked_after_s,
            }
        })
        .collect())
}
