//! Relevance: how well the answers to queries agree with judgments of their documents. Judgments and runs are
//! TREC's files, measures those of `ir-measures` by its names and trec_eval's definitions
//! (`clients/ir_measures` compares the figures). `ask` makes a run by asking a server; nothing else here
//! knows that there is one.

mod ask;
mod fault;
mod gate;
mod measure;
mod score;
mod topics;
mod trec;

pub use ask::{Template, ask};
pub use fault::Fault;
pub use gate::Gate;
pub use measure::Measure;
pub use score::{Comparison, Scores, compare, score};
pub use topics::{Topic, parse_topics};
pub use trec::{Judgments, Run, parse_judgments, parse_run, write_run};
