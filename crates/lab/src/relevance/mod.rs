//! Relevance: how well the answers to queries agree with judgments of their documents. Judgments and runs are
//! TREC's files, measures those of `ir-measures` by its names and trec_eval's definitions
//! (`clients/ir_measures` compares the figures). `ask` makes a run by asking a server; nothing else here
//! knows that there is one.

mod ask;
mod gate;
mod measure;
mod score;
mod topics;
mod trec;

pub use ask::{Template, ask};
pub use gate::Gate;
pub use measure::Measure;
pub use score::{Comparison, Scores, compare, score};
pub use topics::{Topic, parse_topics};
pub use trec::{Judgments, Run, parse_judgments, parse_run, write_run};

/// Why a file or a request of a relevance test cannot be used; the message names file format, line and value.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub(crate) String);

impl Fault {
    fn at(line: usize, message: impl std::fmt::Display) -> Self {
        Fault(format!("line {line}: {message}"))
    }
}
