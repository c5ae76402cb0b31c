//! Update processors at work: the steps of a chain with their patterns compiled, and what each does to a
//! document on its way. Settings are `plan::Processor`'s, read by `config::processors`; which steps a request
//! takes is [`super::chain_choice`]'s. Steps see one document at a time and no index: what needs one becomes
//! a condition that the shard checks.

mod change;
mod choice;
mod compiled;
mod digest;
mod draft;
mod grow;
mod parse;
mod pattern;
mod revise;
mod sign;
mod step;
mod whole;

pub use compiled::{Chains, UpdateChains};
pub use draft::{Draft, ProcessorContext, Renamed};
pub use pattern::{compile_pattern, compile_replacement};
pub use step::Step;
