//! One call of a shard by a request that is gathered from several: the place where whoever looks from outside
//! sees it begin and end (docs/probes.md). While nobody looks each probe is a call that does nothing. What is
//! asked, of whom and in which order is `gather`'s.

use plan::Result;

/// What a shard is asked for, as the probes name it.
#[derive(Clone, Copy, Debug)]
pub enum ShardStep {
    Heads,
    Search,
    /// What facets need beyond what the search listed.
    Facets,
    /// The hits of the groups on the page.
    Members,
    GroupValues,
    Expand,
    Fetch,
}

impl ShardStep {
    fn name(self) -> &'static str {
        match self {
            Self::Heads => "heads",
            Self::Search => "search",
            Self::Facets => "facets",
            Self::Members => "members",
            Self::GroupValues => "group_values",
            Self::Expand => "expand",
            Self::Fetch => "fetch",
        }
    }
}

/// Calls the shard of this number on the thread at hand. Begin and end belong together by the thread.
pub fn call_shard<T>(step: ShardStep, shard: u32, call: impl FnOnce() -> Result<T>) -> Result<T> {
    let name = step.name();
    probe_call(name, shard);
    let answer = call();
    probe_answer(name, shard, answer.is_ok());
    answer
}

// Not in line: of each copy that the linker throws away a note stays behind, of a probe at no address, and
// tracers complain of every one.
#[inline(never)]
fn probe_call(name: &str, shard: u32) {
    probe::probe!(parhelion, shard_call, name.as_ptr(), name.len(), shard);
}

#[inline(never)]
fn probe_answer(name: &str, shard: u32, is_ok: bool) {
    probe::probe!(parhelion, shard_answer, name.as_ptr(), name.len(), shard, is_ok);
}
