//! `doctor slow`: where the time of a process went while it was watched: work, waits for a processor, for its
//! cgroup's share, for the disk, for pages of its memory, for others. Pure: from facts to a sentence and its
//! parts.

use serde::{Deserialize, Serialize};

use crate::facts::{ProcessFacts, ThreadFacts, ThreadState};
use crate::verdict::words::duration;

/// What slows it most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlowWhy {
    /// Others have the processors.
    RunQueue,
    /// Its cgroup's share of processor time is used up.
    Throttled,
    Disk,
    /// Pages that must be read from disk again and again.
    Memory,
    /// Its own work.
    Work,
    /// Nothing of this machine: it waits for others, or for work.
    Others,
}

/// A share of the time of the threads that did anything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowPart {
    pub name: String,
    pub ms: u64,
    /// Of work and all waits for this machine.
    pub share: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowVerdict {
    pub why: SlowWhy,
    pub sentence: String,
    pub next_step: String,
    pub parts: Vec<SlowPart>,
    pub notes: Vec<String>,
}

/// Below this share of work and waits nothing of the machine is worth a word.
const SHARE_MIN: f64 = 0.1;
/// Pages from disk a second that make a wait for the disk one for memory.
const FAULTS_A_SECOND: u64 = 20;

pub fn judge_slow(process: &ProcessFacts) -> SlowVerdict {
    let times = Times::of(process);
    let machine = [
        (SlowWhy::RunQueue, "waiting for a processor", times.run_queue_ms),
        (SlowWhy::Throttled, "throttled by its cgroup", times.throttled_ms),
        (SlowWhy::Disk, "waiting for the disk", times.disk_ms),
        (SlowWhy::Memory, "waiting for pages of its memory", times.memory_ms),
        (SlowWhy::Work, "at work on a processor", times.cpu_ms),
    ];
    let total = machine.iter().fold(0_u64, |sum, (_, _, ms)| sum.saturating_add(*ms));
    let share = |ms: u64| ms as f64 / total.max(1) as f64;
    let worst =
        machine.iter().take(4).max_by_key(|(_, _, ms)| *ms).filter(|(_, _, ms)| share(*ms) >= SHARE_MIN);
    let period = process.sampled_ms.max(1);
    let busy = total.saturating_mul(20) >= period;
    let why = match worst {
        _ if !busy => SlowWhy::Others,
        Some((why, ..)) => *why,
        None => SlowWhy::Work,
    };
    let parts =
        machine.iter().map(|(_, name, ms)| SlowPart { name: (*name).to_owned(), ms: *ms, share: share(*ms) });
    let mut parts: Vec<SlowPart> = parts.collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.ms));
    let words = sentence(why, &times, total, period, process);
    let next_step = next_step(why).replace("PID", &process.label.pid.to_string());
    SlowVerdict { why, sentence: words, next_step, parts, notes: notes(process) }
}

/// Milliseconds, summed over threads.
struct Times {
    cpu_ms: u64,
    run_queue_ms: u64,
    throttled_ms: u64,
    disk_ms: u64,
    memory_ms: u64,
}

impl Times {
    fn of(process: &ProcessFacts) -> Self {
        let all =
            |of: &dyn Fn(&ThreadFacts) -> u64| process.threads.iter().map(of).fold(0, u64::saturating_add);
        let waiting_ms = all(&|thread| thread.run_queue_us) / 1000;
        // A group that is throttled keeps its threads in the run queue: of that time, what was its own fault.
        let throttled_ms = process.throttled_ms.unwrap_or(0).min(waiting_ms);
        let blocked_ms = all(&|thread| blocked_ms(thread, process.sampled_ms));
        let faults = process.memory.major_faults.saturating_mul(1000) / process.sampled_ms.max(1);
        let (disk_ms, memory_ms) = if faults >= FAULTS_A_SECOND { (0, blocked_ms) } else { (blocked_ms, 0) };
        let cpu_ms = all(&|thread| thread.cpu_us) / 1000;
        Self { cpu_ms, run_queue_ms: waiting_ms - throttled_ms, throttled_ms, disk_ms, memory_ms }
    }
}

/// By the samples that found the thread in state D: the kernel's own account of it is off by default.
fn blocked_ms(thread: &ThreadFacts, sampled_ms: u64) -> u64 {
    let blocked = thread.states.iter().filter(|state| **state == ThreadState::Uninterruptible).count() as u64;
    sampled_ms.saturating_mul(blocked) / (thread.states.len() as u64).max(1)
}

fn sentence(why: SlowWhy, times: &Times, total: u64, period: u64, process: &ProcessFacts) -> String {
    let percent = |ms: u64| format!("{:.0} %", ms as f64 * 100.0 / total.max(1) as f64);
    let over = duration(period);
    let worked = format!("worked {}", duration(times.cpu_ms));
    match why {
        SlowWhy::RunQueue => format!(
            "waits for processors: in {over} its threads {worked} and stood ready without one for {} ({})",
            duration(times.run_queue_ms),
            percent(times.run_queue_ms)
        ),
        SlowWhy::Throttled => format!(
            "is throttled by its cgroup: in {over} its threads {worked} and were kept from processors for {} ({})",
            duration(times.throttled_ms),
            percent(times.throttled_ms)
        ),
        SlowWhy::Disk => format!(
            "waits for the disk: in {over} its threads {worked} and stood still in it for about {} ({})",
            duration(times.disk_ms),
            percent(times.disk_ms)
        ),
        SlowWhy::Memory => format!(
            "waits for its own memory: in {over} {} pages came from disk, for which its threads stood still for about {} ({})",
            process.memory.major_faults,
            duration(times.memory_ms),
            percent(times.memory_ms)
        ),
        SlowWhy::Work => {
            format!(
                "is slow by its own work: in {over} its threads {worked}, and waited for this machine hardly at all"
            )
        }
        SlowWhy::Others => {
            format!(
                "is not slowed by this machine: in {over} its threads {worked}; it waits for others, or for work"
            )
        }
    }
}

fn next_step(why: SlowWhy) -> &'static str {
    match why {
        SlowWhy::RunQueue => "`top`: who has the processors? fewer threads, a higher priority, more cores",
        SlowWhy::Throttled => "raise the group's limit (cpu.max), or start with fewer threads than its share",
        SlowWhy::Disk => "`iostat -x 1`; `parhelion doctor host --data-dir DIR` measures the disk's sync",
        SlowWhy::Memory => "`free -m`; lower heaps and caches, add memory, or turn swap off",
        SlowWhy::Work => "`perf top -p PID` shows in what; for our server: `parhelion slow`",
        SlowWhy::Others => "`parhelion doctor stuck PID` says for whom",
    }
}

fn notes(process: &ProcessFacts) -> Vec<String> {
    let mut notes = Vec::new();
    let seconds = process.sampled_ms.max(1) as f64 / 1e3;
    // Counters of the whole process are read before the first sample and behind the last; a bundle of an
    // earlier release does not say when.
    let counted_seconds = process.counted_ms.max(process.sampled_ms).max(1) as f64 / 1e3;
    let sum = |of: fn(&ThreadFacts) -> u64| {
        process.threads.iter().map(of).fold(0, u64::saturating_add) as f64 / seconds
    };
    notes.push(format!(
        "a second: {:.0} voluntary and {:.0} involuntary switches, {:.0} minor and {:.0} major faults",
        sum(|thread| thread.voluntary_switches),
        sum(|thread| thread.involuntary_switches),
        sum(|thread| thread.minor_faults),
        sum(|thread| thread.major_faults),
    ));
    if let Some(io) = &process.io {
        let mib = |bytes: u64| bytes as f64 / counted_seconds / f64::from(1 << 20);
        notes.push(format!(
            "a second: {:.1} MiB from disk, {:.1} MiB to it, {:.0} reading and {:.0} writing calls",
            mib(io.disk_read_bytes),
            mib(io.disk_written_bytes),
            io.read_calls as f64 / counted_seconds,
            io.write_calls as f64 / counted_seconds
        ));
    }
    if let Some(network) = &process.network {
        let mib = |bytes: u64| bytes as f64 / counted_seconds / f64::from(1 << 20);
        notes.push(format!(
            "a second: {:.1} MiB from the network, {:.1} MiB to it, over {} connections; {} segments sent again",
            mib(network.received_bytes),
            mib(network.sent_bytes),
            network.connections,
            network.sent_again
        ));
    }
    if let Some(pressure) = &process.pressure {
        // The kernel settles its accounts when they are read, a moment behind our clock.
        let percent = |us: u64| (us as f64 / 1e4 / counted_seconds).min(100.0);
        notes.push(format!(
            "pressure of the {}: some task waited for a processor {:.0} %, for a disk {:.0} %, for memory {:.0} % of the time",
            pressure.scope,
            percent(pressure.cpu_some_us),
            percent(pressure.io_some_us),
            percent(pressure.memory_some_us)
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{NetworkUse, Pressure};

    fn thread(cpu_ms: u64, run_queue_ms: u64, blocked: usize) -> ThreadFacts {
        let states =
            (0..10).map(|at| if at < blocked { ThreadState::Uninterruptible } else { ThreadState::Sleeping });
        ThreadFacts {
            cpu_us: cpu_ms * 1000,
            run_queue_us: run_queue_ms * 1000,
            states: states.collect(),
            ..ThreadFacts::default()
        }
    }

    fn check(threads: Vec<ThreadFacts>, change: impl Fn(&mut ProcessFacts), why: SlowWhy, words: &str) {
        let mut process = ProcessFacts { threads, sampled_ms: 5000, ..ProcessFacts::default() };
        change(&mut process);
        let verdict = judge_slow(&process);
        assert_eq!(verdict.why, why, "{}", verdict.sentence);
        assert!(verdict.sentence.contains(words), "{}", verdict.sentence);
    }

    #[test]
    fn nobody_waits_longer_than_the_time_there_was() {
        let pressure = Pressure { cpu_some_us: 1_010_000, io_some_us: 500_000, ..Pressure::default() };
        let process = ProcessFacts {
            pressure: Some(pressure),
            network: Some(NetworkUse {
                connections: 2,
                sent_bytes: 2 << 20,
                sent_again: 3,
                ..NetworkUse::default()
            }),
            sampled_ms: 980,
            counted_ms: 1000,
            ..ProcessFacts::default()
        };
        let notes = judge_slow(&process).notes.join("\n");
        for words in ["processor 100 %, for a disk 50 %", "2.0 MiB to it, over 2 connections; 3 segments"] {
            assert!(notes.contains(words), "{notes}");
        }
    }

    #[test]
    fn time_goes_to_its_cause() {
        let two = || vec![thread(1200, 3100, 0), thread(0, 0, 0)];
        check(two(), |_| (), SlowWhy::RunQueue, "worked 1 s and stood ready without one for 3 s (72 %)");
        check(
            two(),
            |process| process.throttled_ms = Some(9000),
            SlowWhy::Throttled,
            "kept from processors for 3 s",
        );
        check(vec![thread(200, 10, 6)], |_| (), SlowWhy::Disk, "about 3 s (93 %)");
        check(
            vec![thread(200, 10, 6)],
            |process| process.memory.major_faults = 900,
            SlowWhy::Memory,
            "900 pages",
        );
        check(vec![thread(4900, 50, 0)], |_| (), SlowWhy::Work, "hardly at all");
        check(vec![thread(10, 5, 0)], |_| (), SlowWhy::Others, "for others");
        check(vec![], |_| (), SlowWhy::Others, "for others");
    }
}
