//! The field reports that this project began with: what each found, which number it left, and the command
//! that shows ours. Data only; the commands measure anew, and a figure that stands here says when it was
//! measured.
//!
//! A report without a command is one whose number nobody can repeat yet: it says what is missing.

use serde::Serialize;

/// A field report.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FieldReport {
    pub by: &'static str,
    pub about: &'static str,
    /// Its number.
    pub then: &'static str,
    pub ours: Ours,
}

/// What there is of ours.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ours {
    /// A command of `parhelion`, and the figure that it showed the last time that one was written down.
    Shown { command: &'static str, last: Option<LastFigure> },
    /// What it waits for.
    NotYet { missing: &'static str },
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct LastFigure {
    pub figure: &'static str,
    /// Year, month, day.
    pub measured: &'static str,
}

const fn shown(command: &'static str) -> Ours {
    Ours::Shown { command, last: None }
}

const fn measured(command: &'static str, measured: &'static str, figure: &'static str) -> Ours {
    Ours::Shown { command, last: Some(LastFigure { figure, measured }) }
}

const fn not_yet(missing: &'static str) -> Ours {
    Ours::NotYet { missing }
}

const NODES: &str = "several nodes";

/// All of them, by author.
pub const REPORTS: [FieldReport; 22] = [
    FieldReport {
        by: "Ahouansou",
        about: "words of customers, brands, synonyms kept by hand",
        then: "`renew my mortgage` finds remortgages; `red shirt` is not swamped by Red Foo",
        ours: shown(
            "relevance test relevance/judgments.txt --queries relevance/queries.tsv -c catalogue --handler /search --gate nDCG@10>=0.95",
        ),
    },
    FieldReport {
        by: "Ahouansou",
        about: "Java REST containers, three rounds",
        then: "Grizzly answers 27,654 requests/s at 128 users, p99 14 ms",
        ours: shown("lab run containers --json-path /solr/admin/info/health?omitHeader=true&wt=json"),
    },
    FieldReport {
        by: "Ahouansou",
        about: "a ZooKeeper quorum lost to slow followers",
        then: "time-outs of 4 s had to become 60 s",
        ours: shown("doctor cluster http://127.0.0.1:8983/solr"),
    },
    FieldReport {
        by: "Ahouansou",
        about: "queries that leave their data centre (SOLR-8146)",
        then: "0 of them while a local replica lives",
        ours: not_yet(NODES),
    },
    FieldReport {
        by: "Ahouansou",
        about: "compression between data centres, 12,000 KB/s",
        then: "75 % fewer bytes, 60 % less time for large answers",
        ours: shown("lab run compression"),
    },
    FieldReport {
        by: "Ahouansou",
        about: "SolrCloud over three data centres",
        then: "one dies: queries are back in 1 s, nothing acknowledged is lost",
        ours: not_yet(NODES),
    },
    FieldReport {
        by: "Ahouansou",
        about: "an ingest service and its standbys",
        then: "the next takes over in a lease and a second, differing in 0 rows",
        ours: not_yet("an experiment; `ingest run` has leases and fencing"),
    },
    FieldReport {
        by: "Ahouansou",
        about: "a stand-alone server",
        then: "sheds load instead of dying",
        ours: shown("lab overload"),
    },
    FieldReport {
        by: "Gangadharan",
        about: "ranges of dates and facets over relational rows",
        then: "250 ms down to 10 ms, 10 requests/s up to 40",
        ours: shown("lab run rows"),
    },
    FieldReport {
        by: "Gangadharan",
        about: "reindexing by what changed in a database",
        then: "visible after 300 s",
        ours: not_yet("an experiment; `ingest run` follows changes"),
    },
    FieldReport {
        by: "Gangadharan",
        about: "fields that are never used, results worth keeping",
        then: "a replay before and after",
        ours: not_yet("the advice"),
    },
    FieldReport {
        by: "Leonard",
        about: "a batch that hung, found by hand with five tools",
        then: "an afternoon",
        ours: measured("doctor stuck 1", "2026-11-23", "0.74 s at p50, 5 of 5 found"),
    },
    FieldReport {
        by: "Dominy",
        about: "context switches of a loop beside busy neighbours",
        then: "65 ms on the clock, 19 of them work",
        ours: shown("lab jitter --clock-reads 7000"),
    },
    FieldReport {
        by: "Potter",
        about: "fleets: provisioned, upgraded, watched",
        then: "a rolling restart that nobody notices",
        ours: not_yet(NODES),
    },
    FieldReport {
        by: "Potter",
        about: "indexing by shards, replicas and clients",
        then: "73,780 documents/s on ten nodes, 34,881 with one replica more",
        ours: not_yet(NODES),
    },
    FieldReport {
        by: "Potter",
        about: "updates accepted faster than queries can bear",
        then: "p99 held at three times too many",
        ours: shown("lab run throttle"),
    },
    FieldReport {
        by: "Zezeski",
        about: "a store that search is derived from",
        then: "a flipped byte is found and healed",
        ours: not_yet(NODES),
    },
    FieldReport {
        by: "Zezeski",
        about: "the stale check of a client's connections",
        then: "2 to 4 times the throughput without it",
        ours: measured(
            "lab run stale-check",
            "2026-11-23",
            "3.6 times, 0 resets, 0 CLOSE_WAIT, a lease 0.1 us",
        ),
    },
    FieldReport {
        by: "Zezeski",
        about: "the fruit benchmark: twelve boolean queries",
        then: "exact counts, at least 10 times Solr",
        ours: shown("lab run fruit --peer-solr"),
    },
    FieldReport {
        by: "Sears",
        about: "a naive client: searches",
        then: "4.47 times with kept connections",
        ours: shown("lab run keepalive"),
    },
    FieldReport {
        by: "Sears",
        about: "a naive client: reindexing",
        then: "1.78 times",
        ours: not_yet("an experiment with Sunspot; `parhelion relay` stands between"),
    },
    FieldReport {
        by: "Sears",
        about: "a naive client: searches and updates mixed",
        then: "3.61 times",
        ours: not_yet("an experiment with Sunspot; `parhelion relay` stands between"),
    },
];
