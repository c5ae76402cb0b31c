//! How a step of a scenario ended, and where two answers part. Owns only these types: `compare` finds them,
//! `summary` counts and shows them, so that neither needs the other.

use serde_json::Value;

/// How one step ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    Passed,
    /// Differs only where the scenario says that we differ on purpose.
    Kept,
    Failed(Vec<Difference>),
    /// The question was edited after its answer was recorded.
    Stale,
    /// The collection could not be made or filled, and why.
    Unasked(String),
    Recorded,
}

/// One place where two answers part; absent parts are `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub path: String,
    pub expected: Option<Value>,
    pub actual: Option<Value>,
}
