//! What a run indexes and asks: a seeded corpus with a checksum, and cases, each a list of questions of one
//! kind, with the exact counts where the generator knows them. Workloads are data to the pipeline; they never
//! touch a connection. Owns the list of them; `contract` says what one is, each other file is one or makes
//! parts of it.

mod contract;
mod fruit;
mod instant;
mod permutation;
mod rows;
mod suggest;
#[cfg(test)]
mod tests;
mod words;
mod zipf;

use std::sync::Arc;

pub use contract::{Case, Claim, ClaimTest, Order, Question, Workload};

use crate::error::Error;
use fruit::Fruit;
use rows::Rows;
use suggest::Suggest;
use zipf::ZipfDocs;

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
        WorkloadFacts {
            name: "compression",
            docs: 50_000,
            about: "answers over a link of 12,000 KB/s, as they are and packed: bytes, time, processor",
        },
        WorkloadFacts {
            name: "throttle",
            docs: 50_000,
            about: "three times too many updates beside searches: with an objective for these, and without",
        },
        WorkloadFacts {
            name: "store",
            docs: 50_000,
            about: "shards in an object store that takes its time: acknowledgements, PUTs, take-over warm and cold",
        },
        WorkloadFacts {
            name: "replicas",
            docs: 200_000,
            about: "two replicas of each shard against one on two nodes: processor of who leads, of all; bytes between them",
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
