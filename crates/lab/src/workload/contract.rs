//! What a workload is: documents by number, cases of questions about them, and what must come of it. Data and
//! one trait; the pipeline reads it, the corpora beside this file are it. Corpora are pure: document 17 of a
//! seed is the same whoever asks for it, so that parts can be made side by side and indexed into two servers
//! alike, without a file in between.

use serde::{Deserialize, Serialize};

/// A corpus and the questions about it. Everything follows from the name, the number of documents and the
/// seed.
pub trait Workload: Send + Sync {
    fn docs(&self) -> u64;

    /// The configset that its collections are made of.
    fn configset(&self) -> &'static str {
        "_default"
    }

    /// The fields that documents have and their types in Solr's `_default` configset, which knows them by
    /// their suffix.
    fn fields(&self) -> &'static [(&'static str, &'static str)];

    /// Appends document `number`, from 0, as a JSON object.
    fn write_document(&self, number: u64, json: &mut Vec<u8>);

    /// What to ask once of each server when the corpus is in.
    fn preparation(&self) -> Option<Preparation> {
        None
    }

    fn cases(&self) -> Vec<Case>;

    /// What must come out for the workload to have made its point.
    fn claims(&self) -> Vec<Claim>;
}

/// A request that makes a server ready.
#[derive(Clone, Debug)]
pub struct Preparation {
    pub about: &'static str,
    /// The path below the collection.
    pub handler: &'static str,
    pub params: Vec<(&'static str, &'static str)>,
}

/// Questions of one kind, timed together.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    /// What is asked, for the reader of the report.
    pub about: String,
    /// The path below the collection that they are sent to.
    pub handler: &'static str,
    /// What the hits are ordered by.
    pub order: Order,
    /// Asked in turn; constants differ from one to the next wherever the case allows, so that no result cache
    /// answers.
    pub questions: Vec<Question>,
}

/// One request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    pub params: Vec<(String, String)>,
    /// How many documents must be found, where the generator knows.
    pub hits: Option<u64>,
}

/// By what the hits of a case are ordered, and so how two lists of them may differ and yet agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By score, which the questions ask for.
    Score,
    /// By this field, which the questions ask for.
    Field(&'static str),
    /// Suggestions, by their weights.
    Suggested,
    /// No order is asked for, or no hits; only counts are compared.
    Any,
}

/// A figure from a field report, and what a run must show for it to be met or beaten.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Claim {
    pub then: String,
    pub test: ClaimTest,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimTest {
    /// Geometric mean over the cases of our throughput divided by the peer's, at this many connections.
    RatioAtLeast {
        connections: usize,
        factor: f64,
    },
    /// Median ratio of this case.
    CaseRatioAtLeast {
        case: String,
        connections: usize,
        factor: f64,
    },
    /// The interval of every closed arm that counts lies above 1.
    AheadEverywhere,
    /// Ours, in this case, at this many connections.
    P99AtMostMs {
        case: String,
        connections: usize,
        ms: f64,
    },
    PerSecondAtLeast {
        case: String,
        connections: usize,
        per_second: f64,
    },
}

impl Question {
    pub fn new(params: &[(&str, &str)], hits: Option<u64>) -> Self {
        Self { params: params.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(), hits }
    }

    /// The same question, kept out of caches by Solr's local parameter `cache`: of the query (result cache)
    /// and of each filter (filter cache).
    #[must_use]
    pub fn uncached(mut self) -> Self {
        for (_, value) in self.params.iter_mut().filter(|(name, _)| name == "q" || name == "fq") {
            *value = match value.strip_prefix("{!") {
                Some(rest) => format!("{{!cache=false {rest}"),
                None => format!("{{!cache=false}}{value}"),
            };
        }
        self
    }
}
