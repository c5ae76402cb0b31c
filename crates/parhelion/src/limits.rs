//! The limits of a server that its command line may set. What is not set stays as `http::ServeConfig` has it,
//! so that a default is written in one place. In: flags of `serve` and `demo`; out: `http::ServeConfig`. What
//! each limit protects is said where it is enforced, in `http`.

use std::time::Duration;

use clap::Args;
use http::{Objective, ServeConfig, UpdateShare};

use crate::memory;

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// Refuse longer request bodies, and longer documents in updates, packed or unpacked, with 413. Default:
    /// 512.
    #[arg(long, value_name = "MIB", env = "PARHELION_BODY_MAX", value_parser = clap::value_parser!(u32).range(1..))]
    body_max: Option<u32>,
    /// Refuse longer bodies of requests with a query, and longer forms, with 413. Default: 16.
    #[arg(long, value_name = "MIB", env = "PARHELION_QUERY_BODY_MAX", value_parser = clap::value_parser!(u32).range(1..))]
    query_body_max: Option<u32>,
    /// Refuse requests with 400 that take more memory for their hits, documents and counts. Default: 512.
    #[arg(long, value_name = "MIB", env = "PARHELION_REQUEST_MEMORY_MAX", value_parser = clap::value_parser!(u32).range(1..))]
    request_memory_max: Option<u32>,
    /// Refuse bodies with 429 while those of all requests together take more. Default: 1024.
    #[arg(long, value_name = "MIB", env = "PARHELION_BODIES_MAX", value_parser = clap::value_parser!(u32).range(1..))]
    bodies_max: Option<u32>,
    /// Let more connections wait. Default: 20000, or what the system's limit of open files leaves.
    #[arg(long, value_name = "COUNT", env = "PARHELION_CONNECTIONS_MAX", value_parser = clap::value_parser!(u32).range(1..))]
    connections_max: Option<u32>,
    /// Close connections that ask nothing, or take longer to send their headers. Default: 120.
    #[arg(long, value_name = "SECONDS", env = "PARHELION_IDLE_TIMEOUT", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    idle_timeout: Option<u64>,
    /// Refuse updates with 429 from 85 % of this much memory on, and searches from 95 %. Default: what the
    /// machine or the control group has.
    #[arg(long, value_name = "MIB", env = "PARHELION_MEMORY_MAX", value_parser = clap::value_parser!(u32).range(1..))]
    memory_max: Option<u32>,
    /// Work on this many searches at a time; others wait. Default: 8 for each core, 16 at least.
    #[arg(long, value_name = "COUNT", env = "PARHELION_QUERIES_AT_ONCE", value_parser = clap::value_parser!(u32).range(1..))]
    queries_at_once: Option<u32>,
    /// Work on no more than that from when a search was refused until next to none are; on one less while
    /// searches take less than 5 ms. Default: one for each core.
    #[arg(long, value_name = "COUNT", env = "PARHELION_QUERIES_PRESSED", value_parser = clap::value_parser!(u32).range(1..))]
    queries_pressed: Option<u32>,
    /// When more wait, refuse those that have waited longest with 429. Default: 1024.
    #[arg(long, value_name = "COUNT", env = "PARHELION_QUERIES_WAITING_MAX")]
    queries_waiting_max: Option<u32>,
    /// Refuse searches that have waited this long with 429. Default: 250.
    #[arg(long, value_name = "MILLISECONDS", env = "PARHELION_QUERIES_PATIENCE", value_parser = clap::value_parser!(u64).range(..=3_600_000))]
    queries_patience: Option<u64>,
    /// Hold updates back so that searches keep to this: p99=50ms (or another share, in ms or s), adaptive
    /// (twice what they take at best), processor=80% (of all, within 5 points); a time and a share with a
    /// comma. Who is held back too long gets 429, with when to come again.
    #[arg(long, value_name = "WHAT", env = "PARHELION_OBJECTIVE")]
    objective: Option<Objective>,
    /// What a collection may have of the updates that --objective allows, against 1 for each that is not
    /// named.
    #[arg(long, value_name = "NAME=WEIGHT", env = "PARHELION_UPDATE_SHARE", value_delimiter = ',')]
    update_share: Vec<UpdateShare>,
    /// Pack only answers that are as long. Default: 2048.
    #[arg(long, value_name = "BYTES", env = "PARHELION_COMPRESS_MIN")]
    compress_min: Option<u32>,
    /// Look at no more log-ins of a user from an address for five minutes when this many have failed, nor of
    /// the address when ten times as many have; 0 looks at all, behind a proxy that counts itself. Default:
    /// 10.
    #[arg(long, value_name = "COUNT", env = "PARHELION_LOG_IN_FAILURES_MAX")]
    log_in_failures_max: Option<u32>,
    /// Tell in the log of requests that take this long, and where their time went; 0 tells of none. A
    /// collection's `slowQueryThresholdMillis` counts first. Default: 1000.
    #[arg(long, value_name = "MILLISECONDS", env = "PARHELION_SLOW_MS")]
    slow_ms: Option<u64>,
}

impl LimitArgs {
    pub fn apply(&self, config: &mut ServeConfig) {
        let Self {
            body_max,
            query_body_max,
            request_memory_max,
            bodies_max,
            connections_max,
            idle_timeout,
            memory_max,
            queries_at_once,
            queries_pressed,
            queries_waiting_max,
            queries_patience,
            compress_min,
            log_in_failures_max,
            slow_ms,
            objective,
            ref update_share,
        } = *self;
        set(&mut config.body_bytes_max, body_max.map(mebibytes));
        set(&mut config.query_bytes_max, query_body_max.map(mebibytes));
        set(&mut config.request_bytes_max, request_memory_max.map(|count| mebibytes(count) as u64));
        set(&mut config.bodies_bytes_max, bodies_max.map(mebibytes));
        set(&mut config.connections_max, connections_max.map(|count| count as usize));
        set(&mut config.header_timeout, idle_timeout.map(Duration::from_secs));
        set(&mut config.queries.at_once, queries_at_once.map(|count| count as usize));
        set(&mut config.queries.at_once_pressed, queries_pressed.map(|count| count as usize));
        config.memory_used = memory::gauge(memory_max.map(|count| mebibytes(count) as u64));
        set(&mut config.queries.waiting_max, queries_waiting_max.map(|count| count as usize));
        set(&mut config.compress_bytes_min, compress_min.map(|bytes| bytes as usize));
        set(&mut config.objective, objective.map(Some));
        config.update_shares.clone_from(update_share);
        set(&mut config.log_in_failures_max, log_in_failures_max);
        set(&mut config.slow_ms, slow_ms.map(|ms| Some(ms).filter(|ms| *ms > 0)));
        set(&mut config.queries.patience, queries_patience.map(Duration::from_millis));
    }
}

fn mebibytes(count: u32) -> usize {
    (count as usize).saturating_mul(1 << 20)
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}
