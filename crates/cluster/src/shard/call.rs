//! One call of a shard by a request that is gathered from several: the place where whoever looks from outside
//! sees it begin and end (docs/probes.md). While nobody looks the probes are an instruction each that does
//! nothing. What is asked, of whom and in which order is `gather`'s.

use plan::Result;

/// What a shard is asked for, as the probes name it.
#[derive(Clone, Copy, Debug)]
pub enum ShardStep {
    Heads,
    Search,
    GroupValues,
    Expand,
    Fetch,
}

impl ShardStep {
    fn name(self) -> &'static str {
        match self {
            Self::Heads => "heads",
            Self::Search => "search",
            Self::GroupValues => "group_values",
            Self::Expand => "expand",
            Self::Fetch => "fetch",
        }
    }
}

/// Calls the shard of this number on the thread at hand. Begin and end belong together by the thread.
pub fn call_shard<T>(step: ShardStep, shard: u32, call: impl FnOnce() -> Result<T>) -> Result<T> {
    let name = step.name();
    probe::probe!(parhelion, shard_call, name.as_ptr(), name.len(), shard);
    let answer = call();
    probe::probe!(parhelion, shard_answer, name.as_ptr(), name.len(), shard, answer.is_ok());
    answer
}
