//! A second opinion on the first hits of a search. Solr's words: `rq={!rerank …}`. Each shard scores its own
//! first hits again, `cluster` orders them; how two scores join is decided here, for both. Documents that are
//! not among the first `hits` keep their place and their score.

use serde::{Deserialize, Serialize};

use crate::query::tree::Query;

/// Orders the first hits anew, by their scores joined with those of another query; the hits behind them stay.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rerank {
    pub query: Query,
    /// How many of the first hits; at least 1.
    pub hits: usize,
    pub weight: f32,
    pub join: ScoreJoin,
    /// What the first scores are stretched to: (least, greatest).
    pub first_scale: Option<(f32, f32)>,
    /// The same of the second scores.
    pub second_scale: Option<(f32, f32)>,
    /// Whether the first key of the search's sort, greatest first, still goes before the joined score.
    pub after_first_key: bool,
}

/// How two scores become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScoreJoin {
    Add,
    Multiply,
    Replace,
}

impl Rerank {
    /// The joined score; a hit that the other query does not find keeps its first.
    pub fn joined(&self, first: f32, second: Option<f32>) -> f32 {
        let Some(second) = second else { return first };
        match self.join {
            ScoreJoin::Add => first + self.weight * second,
            ScoreJoin::Multiply => first * (self.weight * second),
            ScoreJoin::Replace => self.weight * second,
        }
    }
}
