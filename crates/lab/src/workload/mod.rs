//! What a run indexes and asks: a seeded corpus with a checksum, and cases, each a list of questions of one
//! kind, with the exact counts where the generator knows them. Workloads are data to the pipeline; they never
//! touch a connection.

mod fruit;
mod instant;
mod permutation;
mod rows;
mod suggest;
#[cfg(test)]
mod tests;
mod words;
mod zipf;
mod zipf_cases;

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use crate::error::Error;

use fruit::Fruit;
use rows::Rows;
use suggest::Suggest;
use zipf::ZipfDocs;

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

/// A workload by name and the number of documents it has unless told otherwise.
#[derive(Clone, Copy, Debug)]
pub struct WorkloadFacts {
    pub name: &'static str,
    pub docs: u64,
    pub about: &'static str,
}

/// Every workload.
pub fn workloads() -> &'static [WorkloadFacts] {
    &[
        WorkloadFacts {
            name: "fruit",
            docs: 1_000_000,
            about: "terms in exactly 1, 10, ... 1,000,000 documents; twelve boolean queries with known counts",
        },
        WorkloadFacts {
            name: "zipf",
            docs: 1_000_000,
            about: "1 KB documents of English-like text, numbers, dates, strings; about twenty kinds of queries",
        },
        WorkloadFacts {
            name: "rows",
            docs: 1_000_000,
            about: "relational rows; five filters, two of them ranges of dates, and three facets",
        },
        WorkloadFacts {
            name: "suggest",
            docs: 1_000_000,
            about: "names of two to five words with weights, completed as they are typed by four suggesters",
        },
        WorkloadFacts {
            name: "containers",
            docs: 0,
            about: "an empty and a constant answer, against Tomcat, Jetty, Grizzly and Undertow",
        },
        WorkloadFacts {
            name: "solrj",
            docs: 120_000,
            about: "1 KB documents through SolrJ's concurrent client, in requests that stream; documents a second",
        },
        WorkloadFacts {
            name: "keepalive",
            docs: 100_000,
            about: "client habits on one server: connections kept, checked before use, made anew; compressed answers",
        },
        WorkloadFacts {
            name: "stale-check",
            docs: 0,
            about: "connections that the server closes: trusted, checked before each use, or swept in time",
        },
    ]
}

pub fn by_name(name: &str, docs: u64, seed: u64) -> Result<Arc<dyn Workload>, Error> {
    Ok(match name {
        "fruit" => Arc::new(Fruit::new(docs)),
        "zipf" => Arc::new(ZipfDocs::new(docs, seed)),
        "rows" => Arc::new(Rows::new(docs, seed)),
        "suggest" => Arc::new(Suggest::new(docs, seed)),
        _ => return Err(Error::NoWorkload(name.to_owned())),
    })
}
