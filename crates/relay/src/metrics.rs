//! What a relay counts of itself, beside what its client counts of the servers: connections, requests by
//! kind, how long they took, what came of them. Read as Prometheus' text. Counted with atomics where a
//! request passes, read by whoever asks the relay's own address. Nothing here decides anything.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::route::Kind;

const PREFIX: &str = "parhelion_relay_";

/// An hour, in microseconds.
const LATENCY_US_MAX: u64 = 3_600_000_000;
const QUANTILES: [f64; 3] = [0.5, 0.99, 0.999];

pub(crate) struct Metrics {
    pub connections: Counter,
    pub connections_open: Counter,
    /// Answers that broke off behind their head.
    pub broken_off: Counter,
    /// Updates that went to several leaders.
    pub splits: Counter,
    /// Requests that the relay answered itself, because no server did.
    pub refused: Counter,
    pub reloads: Counter,
    /// Searches that may be answered from what is kept, by whether they were.
    pub cache_hits: Counter,
    pub cache_misses: Counter,
    pub bytes_from_applications: Counter,
    kinds: [KindMetrics; Kind::ALL.len()],
}

struct KindMetrics {
    /// By the first digit of the status, from 1.
    statuses: [Counter; 5],
    latency_us: Mutex<Histogram<u64>>,
}

#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub fn add(&self, count: usize) {
        self.0.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub fn sub(&self, count: usize) {
        self.0.fetch_sub(count as u64, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Metrics {
    pub fn new() -> Self {
        let histogram = || Histogram::new_with_max(LATENCY_US_MAX, 2).expect("bounds in order");
        let kind = |_| KindMetrics { statuses: Default::default(), latency_us: Mutex::new(histogram()) };
        Self {
            connections: Counter::default(),
            connections_open: Counter::default(),
            broken_off: Counter::default(),
            splits: Counter::default(),
            refused: Counter::default(),
            reloads: Counter::default(),
            cache_hits: Counter::default(),
            cache_misses: Counter::default(),
            bytes_from_applications: Counter::default(),
            kinds: Kind::ALL.map(kind),
        }
    }

    /// An answer's head went out.
    pub fn answered(&self, kind: Kind, status: u16, latency: Duration) {
        let of_kind = &self.kinds[kind as usize];
        if let Some(counter) = of_kind.statuses.get(usize::from(status / 100).saturating_sub(1)) {
            counter.add(1);
        }
        let microseconds = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        of_kind.latency_us.lock().unwrap_or_else(PoisonError::into_inner).saturating_record(microseconds);
    }

    pub fn prometheus(&self) -> String {
        let mut text = String::new();
        let single = [
            ("connections_total", "counter", "Connections of applications", &self.connections),
            ("connections_open", "gauge", "Connections of applications now", &self.connections_open),
            ("broken_off_total", "counter", "Answers that broke off behind their head", &self.broken_off),
            ("splits_total", "counter", "Updates that went to several leaders", &self.splits),
            ("refused_total", "counter", "Requests that no server answered", &self.refused),
            ("reloads_total", "counter", "Times the servers were configured anew", &self.reloads),
            ("cache_hits_total", "counter", "Searches answered from what is kept", &self.cache_hits),
            ("cache_misses_total", "counter", "Searches whose answer was not kept", &self.cache_misses),
            (
                "request_bytes_total",
                "counter",
                "Bytes of bodies that applications sent",
                &self.bytes_from_applications,
            ),
        ];
        for (name, kind, help, counter) in single {
            let value = counter.get();
            let _ = writeln!(
                text,
                "# HELP {PREFIX}{name} {help}\n# TYPE {PREFIX}{name} {kind}\n{PREFIX}{name} {value}"
            );
        }
        self.write_requests(&mut text);
        self.write_latency(&mut text);
        text
    }

    fn write_requests(&self, text: &mut String) {
        let name = format!("{PREFIX}requests_total");
        let _ = writeln!(text, "# HELP {name} Requests by kind and class of status\n# TYPE {name} counter");
        for kind in Kind::ALL {
            for (at, counter) in self.kinds[kind as usize].statuses.iter().enumerate() {
                let (kind, class, value) = (kind.name(), at + 1, counter.get());
                let _ = writeln!(text, "{name}{{kind=\"{kind}\",status=\"{class}xx\"}} {value}");
            }
        }
    }

    fn write_latency(&self, text: &mut String) {
        let name = format!("{PREFIX}seconds");
        let help = "Time to an answer's first byte";
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} summary");
        for kind in Kind::ALL {
            let latency = self.kinds[kind as usize].latency_us.lock().unwrap_or_else(PoisonError::into_inner);
            let kind = kind.name();
            for quantile in QUANTILES {
                let seconds = latency.value_at_quantile(quantile) as f64 / 1e6;
                let _ = writeln!(text, "{name}{{kind=\"{kind}\",quantile=\"{quantile}\"}} {seconds}");
            }
            let _ = writeln!(text, "{name}_count{{kind=\"{kind}\"}} {}", latency.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_shown_in_prometheus_format() {
        let metrics = Metrics::new();
        metrics.connections.add(3);
        metrics.answered(Kind::Update, 503, Duration::from_millis(10));
        metrics.answered(Kind::Update, 999, Duration::MAX);
        let text = metrics.prometheus();
        for line in [
            "parhelion_relay_connections_total 3",
            "parhelion_relay_requests_total{kind=\"update\",status=\"5xx\"} 1",
            "parhelion_relay_requests_total{kind=\"read\",status=\"2xx\"} 0",
            "parhelion_relay_seconds_count{kind=\"update\"} 2",
        ] {
            assert!(text.lines().any(|it| it == line), "{line}\n{text}");
        }
    }
}
