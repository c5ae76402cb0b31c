//! What a client counts of itself. Every counter is one line of the table below: its name, its meaning, its
//! place in the snapshot and in the text for Prometheus follow from it.
//!
//! Shared by transport, balancer and pools; read by whoever owns the client. Counts since the client was
//! made, and the time that it takes to get a kept connection.

use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hdrhistogram::Histogram;

macro_rules! counters {
    ($(#[doc = $help:literal] $name:ident,)*) => {
        /// Live counters, shared by all that a client is made of.
        #[derive(Debug, Default)]
        pub(crate) struct Metrics {
            $(pub $name: Counter,)*
            pub lease: LeaseTimes,
        }

        /// Counters at one moment.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct MetricsSnapshot {
            $(#[doc = $help] pub $name: u64,)*
            /// Time to get a kept connection from the pool, median.
            pub lease_ns_p50: u64,
            /// The same, of the slowest in a hundred.
            pub lease_ns_p99: u64,
        }

        impl Metrics {
            pub fn snapshot(&self) -> MetricsSnapshot {
                let (lease_ns_p50, lease_ns_p99) = self.lease.p50_and_p99();
                MetricsSnapshot { $($name: self.$name.get(),)* lease_ns_p50, lease_ns_p99 }
            }
        }

        impl MetricsSnapshot {
            /// In Prometheus' text format; every name begins with `prefix`.
            pub fn prometheus(&self, prefix: &str) -> String {
                let mut text = String::new();
                $(write_counter(&mut text, prefix, stringify!($name), $help, self.$name);)*
                for (quantile, nanoseconds) in [("0.5", self.lease_ns_p50), ("0.99", self.lease_ns_p99)] {
                    let seconds = nanoseconds as f64 / 1e9;
                    let _ = writeln!(text, "{prefix}lease_seconds{{quantile=\"{quantile}\"}} {seconds}");
                }
                text
            }
        }
    };
}

counters! {
    /// Requests that callers made
    requests,
    /// Times a request was sent, retries and hedges included
    attempts,
    /// Requests that ended with an error of the client
    failures,
    /// Times a request was sent again after a failure
    retries,
    /// Retries and hedges that were not made because the budget was used up
    budget_refusals,
    /// Times a request was sent to a second server because the first was slow
    hedges,
    /// Hedges that answered first
    hedges_won,
    /// Requests whose time ran out
    timeouts,
    /// Connections opened
    connections_opened,
    /// Connections that could not be opened
    connections_failed,
    /// Requests on a connection that was there
    connections_reused,
    /// Idle connections that the sweeper closed
    connections_swept,
    /// Idle connections that the server closed, found before they were used
    connections_found_closed,
    /// Connections that broke under a request
    connections_broken,
    /// Times a server was left out for a while
    ejections,
    /// Requests sent once more as they are because the server does not take packed ones
    codings_refused,
    /// Bytes of request bodies before they were packed
    request_bytes,
    /// Bytes of request bodies as sent
    request_bytes_sent,
    /// Bytes of response bodies as received
    response_bytes_received,
    /// Bytes of response bodies after they were unpacked
    response_bytes,
}

#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub fn increment(&self) {
        self.add(1);
    }

    pub fn add(&self, count: usize) {
        self.0.fetch_add(count as u64, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// In nanoseconds.
#[derive(Debug)]
pub(crate) struct LeaseTimes(Mutex<Histogram<u64>>);

impl Default for LeaseTimes {
    fn default() -> Self {
        Self(Mutex::new(Histogram::new_with_max(1_000_000_000, 2).expect("bounds in order")))
    }
}

impl LeaseTimes {
    pub fn record(&self, time: Duration) {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.lock().saturating_record(nanoseconds);
    }

    fn p50_and_p99(&self) -> (u64, u64) {
        let times = self.lock();
        (times.value_at_quantile(0.5), times.value_at_quantile(0.99))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Histogram<u64>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn write_counter(text: &mut String, prefix: &str, name: &str, help: &str, value: u64) {
    let help = help.trim();
    let _ = writeln!(
        text,
        "# HELP {prefix}{name}_total {help}\n# TYPE {prefix}{name}_total counter\n{prefix}{name}_total {value}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_shown_in_prometheus_format() {
        let metrics = Metrics::default();
        metrics.retries.add(3);
        metrics.lease.record(Duration::from_nanos(500));
        let text = metrics.snapshot().prometheus("parhelion_client_");
        assert!(text.contains("\nparhelion_client_retries_total 3\n"), "{text}");
        assert!(
            text.contains("# HELP parhelion_client_hedges_won_total Hedges that answered first\n"),
            "{text}"
        );
        assert_eq!(metrics.snapshot().lease_ns_p50 / 10, 50);
    }
}
