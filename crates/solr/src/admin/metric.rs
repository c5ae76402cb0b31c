//! What a metric is: a value, a gauge of several, a count, a rate of events, a time; and the names that Solr
//! 9.10.1 gives to the figures of each. How they are counted is the server's.
//!
//! In: figures from `http`, which fills registries for each answer; out: for `metrics.rs` and
//! `prometheus.rs`, which choose among them and spell them.

use plan::CacheStats;

use crate::response::{Entries, Name, Node};

/// The figures of one registry, such as `solr.core.films`, in order of their names.
#[derive(Clone, Debug)]
pub struct Registry {
    pub name: String,
    pub metrics: Vec<(String, Metric)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Metric {
    Value(Node),
    /// A gauge of several values.
    Properties(Vec<(&'static str, Node)>),
    /// Of what only grows.
    Count(u64),
    Meter(Rates),
    Timer(Rates, Times),
}

/// Events so far, and how many a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    pub count: u64,
    /// Since the beginning.
    pub mean: f64,
    /// Over the last minute, 5 and 15 minutes, what is recent counting more.
    pub recent: [f64; 3],
}

/// Times, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// All of them together, of which nothing is forgotten.
    pub total: f64,
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    pub deviation: f64,
    /// Of 50, 75, 95, 99 and 99.9 percent.
    pub percentiles: [f64; 5],
}

/// What a wish for a type of metrics names.
pub(super) const TYPES: [&str; 6] = ["histogram", "meter", "timer", "counter", "gauge", "all"];

impl Metric {
    /// One of [`TYPES`].
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Value(_) | Self::Properties(_) => "gauge",
            Self::Count(_) => "counter",
            Self::Meter(_) => "meter",
            Self::Timer(..) => "timer",
        }
    }

    /// What it shows in one word, where it has one; then [`Metric::figures`] of a compact answer are this.
    pub(super) fn alone(&self) -> Option<Node> {
        match self {
            Self::Value(node) => Some(node.clone()),
            Self::Count(count) => Some(Node::long(*count)),
            _ => None,
        }
    }

    /// All of its figures by name.
    pub(super) fn figures(&self) -> Vec<(&'static str, Node)> {
        match self {
            Self::Value(node) => vec![("value", node.clone())],
            Self::Properties(all) => all.clone(),
            Self::Count(count) => vec![("count", Node::long(*count))],
            Self::Meter(rates) => rates.figures(),
            Self::Timer(rates, times) => {
                let mut figures = rates.figures();
                figures.extend(times.figures());
                figures
            }
        }
    }
}

impl Rates {
    fn figures(&self) -> Vec<(&'static str, Node)> {
        let [one, five, fifteen] = self.recent;
        vec![
            ("count", Node::long(self.count)),
            ("meanRate", Node::Double(self.mean)),
            ("1minRate", Node::Double(one)),
            ("5minRate", Node::Double(five)),
            ("15minRate", Node::Double(fifteen)),
        ]
    }
}

impl Times {
    fn figures(&self) -> Vec<(&'static str, Node)> {
        let [p50, p75, p95, p99, p999] = self.percentiles;
        let all = [
            ("min_ms", self.min),
            ("max_ms", self.max),
            ("mean_ms", self.mean),
            ("median_ms", p50),
            ("stddev_ms", self.deviation),
            ("p75_ms", p75),
            ("p95_ms", p95),
            ("p99_ms", p99),
            ("p999_ms", p999),
        ];
        all.into_iter().map(|(name, time)| (name, Node::Double(time))).collect()
    }
}

/// Figures as entries of an answer.
pub(super) fn entries(figures: Vec<(&'static str, Node)>) -> Entries {
    figures.into_iter().map(|(name, node)| (Name::Borrowed(name), node)).collect()
}

/// As Solr shows a cache. Solr differs: a searcher there begins with empty caches, here they live on, so that
/// what counts since the last commit there counts since the start here, as `cumulative_*` does.
pub fn cache_metric(stats: &CacheStats) -> Metric {
    let long = |number: u64| Node::Long(i64::try_from(number).unwrap_or(i64::MAX));
    let ratio = if stats.lookups == 0 { 1.0 } else { stats.hits as f64 / stats.lookups as f64 };
    Metric::Properties(vec![
        ("lookups", long(stats.lookups)),
        ("hits", long(stats.hits)),
        ("hitratio", Node::Double(ratio)),
        ("inserts", long(stats.inserts)),
        ("evictions", long(stats.evictions)),
        ("size", long(stats.size)),
        ("warmupTime", Node::Long(0)),
        ("ramBytesUsed", long(stats.bytes)),
        ("maxRamMB", long(stats.bytes_max >> 20)),
        ("cumulative_lookups", long(stats.lookups)),
        ("cumulative_hits", long(stats.hits)),
        ("cumulative_hitratio", Node::Double(ratio)),
        ("cumulative_inserts", long(stats.inserts)),
        ("cumulative_evictions", long(stats.evictions)),
    ])
}
