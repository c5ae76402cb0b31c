//! What a request may use up, and what becomes of an answer that is cut short. Definitions only, each with
//! its spelling, sentence, default and parser (`spec.rs`); read by `crates/solr/src/limits.rs`, before
//! anything else of the request is.

use super::spec::{float, long, switch};
use super::{NoDefault, Param, ParamDoc, Preset};

pub const TIME_ALLOWED: Param<i64> = Param::new(
    "timeAllowed",
    long,
    NoDefault,
    "Milliseconds after which the answer is cut short. The header's `partialResults` tells that it was. Negative: no limit.",
);

pub const CPU_ALLOWED: Param<i64> = Param::new(
    "cpuAllowed",
    long,
    NoDefault,
    "As `timeAllowed`, in milliseconds of processor time. 0 or less: no limit.",
);

pub const MEM_ALLOWED: Param<f32> = Param::new(
    "memAllowed",
    float,
    NoDefault,
    "As `timeAllowed`, in megabytes that the search takes for its larger tables. 0 or less: no limit.",
);

pub const PARTIAL_RESULTS: Preset<bool> = Param::new(
    "partialResults",
    switch,
    "true",
    "Whether an answer that was cut short is shown; else it is left out and the header says so.",
);

pub const SEGMENT_TERMINATE_EARLY: Preset<bool> = Param::new(
    "segmentTerminateEarly",
    switch,
    "false",
    "Whether a search may end early in a sorted index. There are none: the header says that it did not.",
);

pub const DOCS: &[ParamDoc] = &[
    TIME_ALLOWED.doc(),
    CPU_ALLOWED.doc(),
    MEM_ALLOWED.doc(),
    PARTIAL_RESULTS.doc(),
    SEGMENT_TERMINATE_EARLY.doc(),
    ParamDoc::hint("multiThreaded", "Whether a search may take several threads."),
];
