//! A small finished run, for the tests of what is computed from one and drawn of one. Its figures are made up
//! and round; nothing measures it. For tests of this crate and of the command line's tables: compiled into
//! them only.

use crate::load::{Arrivals, Shape};
use crate::run::{
    Agreement, Arm, CaseRecord, FORMAT, Figures, Host, Indexing, Manifest, Open, Paths, Run, RunOptions,
    ServerFacts, Skipped, Slice, WarmUp, Whose,
};
use crate::statistics::Interval;

pub fn sample_options() -> RunOptions {
    RunOptions {
        workload: "fruit".into(),
        docs: 1000,
        seed: 42,
        url: "http://127.0.0.1:8983/solr".into(),
        peer: Some("http://127.0.0.1:8984/solr".into()),
        collection: "lab_fruit".into(),
        cases: Vec::new(),
        connections: vec![1],
        open: Open {
            per_second: vec![100.0],
            peak_shares: Vec::new(),
            arrivals: Arrivals::Poisson,
            connections: 8,
        },
        pairs: 1,
        slice_ms: 20,
        warm_ms_max: 0,
        cached: false,
        index: true,
        paths: Paths::default(),
    }
}

/// One case, twice as fast as the peer, under a closed and an open loop.
pub fn sample_run() -> Run {
    let arms = vec![
        sample_arm(Shape::Closed { connections: 1 }),
        sample_arm(Shape::Open { per_second: 100.0, arrivals: Arrivals::Poisson, connections: 8 }),
    ];
    let facts = |url: &str| ServerFacts {
        url: url.into(),
        version: "1.0".into(),
        resident_bytes: Some(64 << 20),
        segments: Some(5),
    };
    Run {
        format: FORMAT.into(),
        manifest: Manifest {
            options: sample_options(),
            command: "parhelion lab run fruit".into(),
            started: "2026-01-02T03:04:05Z".into(),
            version: "0.1.0".into(),
            commit: None,
            corpus_checksum: Some("00".into()),
            host: Host { name: "host".into(), kernel: "Linux 6".into(), cores: 2, ..Host::default() },
            ours: Some(facts("http://127.0.0.1:8983/solr")),
            peer: Some(facts("http://127.0.0.1:8984/solr")),
        },
        indexing: vec![Indexing {
            whose: Whose::Ours,
            docs: 1000,
            seconds: 0.5,
            docs_per_second: 2000.0,
            server_cpu_seconds: Some(0.25),
            docs_per_cpu_second: Some(4000.0),
            generator_cpu_seconds: Some(0.1),
            slices: Vec::new(),
        }],
        indexing_ratio: None,
        cases: vec![CaseRecord {
            name: "alpha".into(),
            about: "a < b".into(),
            hits: Some(4),
            questions: 1,
            agreement: Agreement::Equal { questions: 1, hits: true },
            arms,
        }],
        skipped: vec![Skipped { case: "beta".into(), reason: "ours does not answer it".into() }],
        means: Vec::new(),
        verdicts: Vec::new(),
    }
}

fn sample_arm(shape: Shape) -> Arm {
    let interval = |median: f64| Some(Interval { median, low: median * 0.9, high: median * 1.1 });
    Arm {
        shape,
        ours: Some(sample_figures(200.0)),
        peer: Some(sample_figures(400.0)),
        ratio: interval(2.0),
        cpu_ratio: interval(4.0),
        p99_ratio: interval(2.0),
        void: Vec::new(),
    }
}

fn sample_figures(p50_us: f64) -> Figures {
    Figures {
        requests: 100,
        errors: 0,
        per_second: 2e5 / p50_us,
        p50_us,
        p90_us: p50_us * 1.5,
        p99_us: p50_us * 2.0,
        p999_us: p50_us * 3.0,
        max_us: p50_us * 4.0,
        cpu_us_per_request: Some(p50_us / 2.0),
        generator_cpu_share: Some(0.1),
        lag_p999_us: Some(80.0),
        warm_up: WarmUp { seconds: 1.0, settled: true },
        slices: vec![Slice {
            seconds: 1.0,
            requests: 100,
            p50_us,
            p99_us: p50_us * 2.0,
            server_cpu_seconds: Some(0.1),
            generator_cpu_seconds: Some(0.05),
        }],
        histogram: vec![(p50_us, 50), (p50_us * 2.0, 49), (p50_us * 4.0, 1)],
    }
}
