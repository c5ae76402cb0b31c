//! What a request may use up before its answer is cut short: time, time of processors, memory; and how much
//! memory it may in no case, beyond which there is no answer. Made once when the request is read, handed
//! along beside its plan, and looked at by whoever works on it, at steps coarse enough to cost nothing. Once
//! it is used up it stays so: what comes after ends at once, with what there is.

use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use plan::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::clock::Clock;

/// What is allowed, where something is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Since the request came in.
    pub time_ms: Option<u64>,
    pub cpu_ms: Option<u64>,
    pub memory_bytes: Option<u64>,
    /// What the server lets any request take: more is an error.
    pub memory_bytes_max: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Limit {
    Time,
    Cpu,
    Memory,
}

/// The limits of one request with what it has used so far. Clones share both; the default allows everything.
#[derive(Clone, Default)]
pub struct Allowance(Option<Arc<Meter>>);

struct Meter {
    limits: Limits,
    clock: Arc<dyn Clock>,
    started_ms: i64,
    cpu: Mutex<CpuUse>,
    bytes: AtomicU64,
    /// A bit for each limit that was met.
    exceeded: AtomicU8,
}

/// Time of processors, thread by thread.
#[derive(Default)]
struct CpuUse {
    thread: Option<ThreadId>,
    /// The thread's time when it was looked at last.
    seen_us: u64,
    used_us: u64,
}

impl Allowance {
    /// `started_ms` is when the request came in, by the same clock.
    pub fn new(limits: Limits, clock: Arc<dyn Clock>, started_ms: i64) -> Self {
        if limits == Limits::default() {
            return Self::default();
        }
        let meter = Meter {
            limits,
            clock,
            started_ms,
            cpu: Mutex::default(),
            bytes: AtomicU64::new(0),
            exceeded: AtomicU8::new(0),
        };
        Self(Some(Arc::new(meter)))
    }

    /// Says that work begins on the thread at hand: what the thread did before is not the request's.
    pub fn resume(&self) {
        // A thread's clock is read by a call of the system, several times a search.
        if let Some(meter) = self.0.as_ref().filter(|meter| meter.limits.cpu_ms.is_some()) {
            meter.count_cpu(false);
        }
    }

    /// Milliseconds since the request came in; 0 where nothing is limited, which reads no clock.
    pub fn elapsed_ms(&self) -> u64 {
        self.0.as_ref().map_or(0, |meter| meter.elapsed_ms())
    }

    /// Looks whether a limit is met.
    #[inline]
    pub fn is_used_up(&self) -> bool {
        self.0.as_ref().is_some_and(|meter| meter.is_exceeded() || meter.look())
    }

    /// Whether a look has found it so, without looking again.
    #[inline]
    pub fn was_used_up(&self) -> bool {
        self.0.as_ref().is_some_and(|meter| meter.is_exceeded())
    }

    /// Counts memory that the request takes. What is given back later still counts, as in Solr.
    #[inline]
    pub fn take_bytes(&self, bytes: usize) {
        if let Some(meter) = &self.0 {
            meter.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }

    /// Errors: `BadRequest` when the request takes more memory than the server lets any take.
    #[inline]
    pub fn check(&self) -> Result<()> {
        match &self.0 {
            Some(meter) if meter.is_over() => Err(meter.too_much()),
            _ => Ok(()),
        }
    }

    /// What is left of it, for whoever works on a part of the request elsewhere. Of processor time all of it:
    /// what another uses is counted there alone.
    pub fn left(&self) -> Limits {
        let Some(meter) = &self.0 else { return Limits::default() };
        let (limits, used) = (meter.limits, meter.bytes.load(Ordering::Relaxed));
        let bytes_left = |most: u64| most.saturating_sub(used);
        Limits {
            time_ms: limits.time_ms.map(|most| most.saturating_sub(meter.elapsed_ms())),
            cpu_ms: limits.cpu_ms,
            memory_bytes: limits.memory_bytes.map(bytes_left),
            memory_bytes_max: limits.memory_bytes_max.map(bytes_left),
        }
    }

    /// Says that a limit was met by whoever worked on a part of the request elsewhere.
    pub fn meet(&self, limit: Limit) {
        if let Some(meter) = &self.0 {
            meter.exceeded.fetch_or(limit.bit(), Ordering::Relaxed);
        }
    }

    /// The limits that there are, each with whether it was met.
    pub fn limits(&self) -> Vec<(Limit, bool)> {
        let Some(meter) = &self.0 else { return Vec::new() };
        let Limits { time_ms, cpu_ms, memory_bytes, memory_bytes_max: _ } = meter.limits;
        let limits = [(Limit::Time, time_ms), (Limit::Cpu, cpu_ms), (Limit::Memory, memory_bytes)];
        let exceeded = meter.exceeded.load(Ordering::Relaxed);
        let set = limits.into_iter().filter(|(_, most)| most.is_some());
        set.map(|(limit, _)| (limit, exceeded & limit.bit() != 0)).collect()
    }
}

impl fmt::Debug for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.limits()).finish()
    }
}

impl Limit {
    fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl Meter {
    fn is_exceeded(&self) -> bool {
        self.exceeded.load(Ordering::Relaxed) != 0
    }

    fn look(&self) -> bool {
        let Limits { time_ms, cpu_ms, memory_bytes, memory_bytes_max: _ } = self.limits;
        if self.is_over() {
            return true;
        }
        let met = [
            (Limit::Time, time_ms.is_some_and(|most| self.is_late(most))),
            (Limit::Cpu, cpu_ms.is_some_and(|most| self.count_cpu(true) >= most.saturating_mul(1000))),
            (Limit::Memory, memory_bytes.is_some_and(|most| self.bytes.load(Ordering::Relaxed) > most)),
        ];
        let bits = met.iter().filter(|(_, met)| *met).fold(0, |bits, (limit, _)| bits | limit.bit());
        if bits != 0 {
            self.exceeded.fetch_or(bits, Ordering::Relaxed);
        }
        bits != 0
    }

    fn is_over(&self) -> bool {
        self.limits.memory_bytes_max.is_some_and(|most| self.bytes.load(Ordering::Relaxed) > most)
    }

    fn too_much(&self) -> Error {
        let most = self.limits.memory_bytes_max.unwrap_or(0) >> 20;
        Error::bad_request(format!(
            "the request takes more than the `{most}` MiB of memory that one may; ask for fewer rows, values or groups at a time, or start the server with a higher --request-memory-max"
        ))
    }

    /// The clock counts whole milliseconds: one more makes sure that as many have gone by.
    fn is_late(&self, most_ms: u64) -> bool {
        self.elapsed_ms() > most_ms || most_ms == 0
    }

    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.clock.now_ms().saturating_sub(self.started_ms)).unwrap_or(0)
    }

    /// The microseconds used so far; with `add`, those since the last look on this thread are.
    fn count_cpu(&self, add: bool) -> u64 {
        let mut cpu = self.cpu.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(now_us) = self.clock.thread_cpu_us() else { return 0 };
        let thread = Some(thread::current().id());
        if add && cpu.thread == thread {
            cpu.used_us += now_us.saturating_sub(cpu.seen_us);
        }
        (cpu.thread, cpu.seen_us) = (thread, now_us);
        cpu.used_us
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicI64;

    use super::*;

    /// A millisecond goes by with every look.
    #[derive(Default)]
    struct Ticking(AtomicI64);

    impl Clock for Ticking {
        fn now_ms(&self) -> i64 {
            self.0.fetch_add(1, Ordering::Relaxed)
        }

        fn thread_cpu_us(&self) -> Option<u64> {
            u64::try_from(self.now_ms()).ok().map(|ticks| ticks * 1000)
        }
    }

    fn looks_until_used_up(limits: Limits) -> Option<usize> {
        let allowance = Allowance::new(limits, Arc::new(Ticking::default()), 0);
        allowance.resume();
        allowance.take_bytes(1);
        (0..100).find(|_| allowance.is_used_up())
    }

    #[test]
    fn limits_are_met_once_for_all() {
        let check = |limits: Limits, expected: Option<usize>| {
            assert_eq!(looks_until_used_up(limits), expected, "{limits:?}");
        };
        let none = Limits::default();
        check(none, None);
        check(Limits { time_ms: Some(0), ..none }, Some(0));
        check(Limits { time_ms: Some(5), ..none }, Some(6));
        check(Limits { time_ms: Some(1000), ..none }, None);
        check(Limits { cpu_ms: Some(3), ..none }, Some(2));
        check(Limits { memory_bytes: Some(0), ..none }, Some(0));
        check(Limits { memory_bytes: Some(1), ..none }, None);
    }

    #[test]
    fn beyond_what_the_server_gives_there_is_no_answer() {
        let limits = Limits { memory_bytes_max: Some(1 << 20), ..Limits::default() };
        let allowance = Allowance::new(limits, Arc::new(Ticking::default()), 0);
        allowance.take_bytes(1 << 20);
        assert!(!allowance.is_used_up() && allowance.check().is_ok());
        allowance.take_bytes(1);
        assert!(allowance.is_used_up());
        assert!(allowance.check().unwrap_err().message.contains("more than the `1` MiB"));
        assert_eq!(allowance.limits(), []);
    }

    #[test]
    fn it_is_told_which_limits_were_met() {
        let limits = Limits { time_ms: Some(1000), memory_bytes: Some(10), ..Limits::default() };
        let allowance = Allowance::new(limits, Arc::new(Ticking::default()), 0);
        assert!(!allowance.is_used_up());
        allowance.clone().take_bytes(11);
        assert!(!allowance.was_used_up());
        assert!(allowance.is_used_up() && allowance.was_used_up());
        assert_eq!(allowance.limits(), [(Limit::Time, false), (Limit::Memory, true)]);
    }
}
