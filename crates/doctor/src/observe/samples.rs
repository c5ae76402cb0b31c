//! Threads over time: states, calls and counters at each sample, and what the scheduler's clock says about
//! how long each has been off the processors. In: the `/proc/PID/task` of one process, some times over half a
//! second; out: `ThreadFacts`, whose calls `process.rs` has decoded. Nothing is stopped: a thread may go on
//! between two files of one sample, so what is decided rests on samples that agree.

use std::collections::BTreeMap;

use procfs_core::process::{Schedstat, Status, Syscall};

use super::proc_dir::{ProcDir, printable};
use crate::facts::{ThreadFacts, ThreadState};

/// What is known of each thread since the first sample, by its number.
#[derive(Debug, Default)]
pub struct Samples {
    threads: BTreeMap<i32, Record>,
    /// A call was refused for want of rights, rather than for a thread that has gone.
    pub calls_refused: bool,
}

#[derive(Debug)]
struct Record {
    first: Sample,
    last: Sample,
    states: Vec<ThreadState>,
    same_call: bool,
    /// By number.
    calls_seen: BTreeMap<i64, u32>,
}

#[derive(Clone, Debug, Default)]
struct Sample {
    name: String,
    state: ThreadState,
    call: Option<Syscall>,
    cpu_us: u64,
    run_queue_us: u64,
    voluntary: u64,
    involuntary: u64,
    major_faults: u64,
    minor_faults: u64,
}

impl Samples {
    /// One look at every thread. Those that have gone are forgotten.
    pub fn take(&mut self, process: &ProcDir) {
        let tids = process.numbers("task").unwrap_or_default();
        self.threads.retain(|tid, _| tids.binary_search(tid).is_ok());
        for tid in tids {
            let Some(sample) = self.sample(process, tid) else { continue };
            match self.threads.get_mut(&tid) {
                Some(record) => record.add(sample),
                None => {
                    self.threads.insert(tid, Record::new(sample));
                }
            }
        }
    }

    /// Each thread with the call it was in at the last sample; the call itself is still to be decoded.
    pub fn finish(self, process: &ProcDir) -> Vec<(ThreadFacts, Option<Syscall>)> {
        let now_ms = scheduler_now_ms();
        let one = |(tid, record): (i32, Record)| {
            let call = record.last.call;
            (record.facts(process, tid, now_ms), call)
        };
        self.threads.into_iter().map(one).collect()
    }

    fn sample(&mut self, process: &ProcDir, tid: i32) -> Option<Sample> {
        let path = |file: &str| format!("task/{tid}/{file}");
        let stat = process.stat(&path("stat")).ok()?;
        let status = process.parsed::<Status>(&path("status")).ok();
        let schedstat = process.parsed::<Schedstat>(&path("schedstat")).ok();
        let call = match process.text(&path("syscall")) {
            Ok(line) => super::call::parse(&line),
            Err(error) => {
                self.calls_refused |= error.kind() == std::io::ErrorKind::PermissionDenied;
                None
            }
        };
        // Ticks are a hundredth of a second on every Linux that people run; schedstat counts nanoseconds.
        let ticks_us = stat.utime.saturating_add(stat.stime).saturating_mul(10_000);
        Some(Sample {
            name: printable(stat.comm.as_bytes()),
            state: ThreadState::from_letter(stat.state),
            call,
            cpu_us: schedstat.as_ref().map_or(ticks_us, |counts| counts.sum_exec_runtime / 1000),
            run_queue_us: schedstat.map_or(0, |counts| counts.run_delay / 1000),
            voluntary: status.as_ref().and_then(|status| status.voluntary_ctxt_switches).unwrap_or(0),
            involuntary: status.and_then(|status| status.nonvoluntary_ctxt_switches).unwrap_or(0),
            major_faults: stat.majflt,
            minor_faults: stat.minflt,
        })
    }
}

impl Record {
    fn new(sample: Sample) -> Self {
        let calls_seen = number(&sample).map(|number| (number, 1)).into_iter().collect();
        Self { states: vec![sample.state], first: sample.clone(), last: sample, same_call: true, calls_seen }
    }

    fn add(&mut self, sample: Sample) {
        self.same_call &= sample.call == self.last.call;
        self.states.push(sample.state);
        if let Some(number) = number(&sample) {
            *self.calls_seen.entry(number).or_default() += 1;
        }
        self.last = sample;
    }

    fn facts(self, process: &ProcDir, tid: i32, now_ms: Option<f64>) -> ThreadFacts {
        let (first, last) = (self.first, self.last);
        let text = |file: &str| process.text(&format!("task/{tid}/{file}")).ok();
        let ran_ms = text("sched").as_deref().and_then(ran_at_ms);
        let waited = now_ms.zip(ran_ms).map(|(now, ran)| (now - ran).max(0.0) as u64);
        let wchan = text("wchan").map(|name| printable(name.trim().as_bytes()));
        ThreadFacts {
            tid,
            name: last.name,
            state: last.state,
            states: self.states,
            same_call: self.same_call,
            waited_ms: waited.filter(|_| last.state != ThreadState::Running),
            cpu_us: last.cpu_us.saturating_sub(first.cpu_us),
            run_queue_us: last.run_queue_us.saturating_sub(first.run_queue_us),
            voluntary_switches: last.voluntary.saturating_sub(first.voluntary),
            involuntary_switches: last.involuntary.saturating_sub(first.involuntary),
            major_faults: last.major_faults.saturating_sub(first.major_faults),
            minor_faults: last.minor_faults.saturating_sub(first.minor_faults),
            calls_seen: by_frequency(&self.calls_seen),
            wchan: wchan.filter(|name| !name.is_empty() && name != "0"),
            stack: text("stack").as_deref().map(stack).unwrap_or_default(),
            ..ThreadFacts::default()
        }
    }
}

/// The call that a sample found its thread in.
fn number(sample: &Sample) -> Option<i64> {
    match sample.call {
        Some(Syscall::Blocked { syscall_number, .. }) if syscall_number >= 0 => Some(syscall_number),
        _ => None,
    }
}

fn by_frequency(calls: &BTreeMap<i64, u32>) -> Vec<(String, u32)> {
    let mut found: Vec<(String, u32)> =
        calls.iter().map(|(number, count)| (super::call::name(*number), *count)).collect();
    found.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    found
}

/// When a thread was last on a processor: `se.exec_start` of its `sched` file, milliseconds of the
/// scheduler's clock.
pub(super) fn ran_at_ms(sched: &str) -> Option<f64> {
    let line = sched.lines().find(|line| line.starts_with("se.exec_start"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

/// The scheduler's clock now: this thread is on a processor as its own file is written.
fn scheduler_now_ms() -> Option<f64> {
    ran_at_ms(&std::fs::read_to_string("/proc/thread-self/sched").ok()?)
}

/// `[<0>] futex_wait+0x2a/0x100`: the names alone, at most 32.
pub(super) fn stack(text: &str) -> Vec<String> {
    let name = |line: &str| {
        let symbol = line.rsplit(' ').next()?;
        let name = symbol.split('+').next()?.trim();
        (!name.is_empty()).then(|| printable(name.as_bytes()))
    };
    text.lines().filter_map(name).take(32).collect()
}

#[cfg(test)]
mod tests {
    use procfs_core::FromRead as _;

    use super::*;
    use crate::observe::proc_dir::parse_stat;

    /// What a text that may be anything goes through.
    fn parse_all(text: &str) {
        let _ = (ran_at_ms(text), stack(text), parse_stat(text));
        let _ = (Schedstat::from_read(text.as_bytes()), Status::from_read(text.as_bytes()));
    }

    #[test]
    fn the_schedulers_files_are_read() {
        assert_eq!(
            ran_at_ms("x (1, #threads: 1)\nse.exec_start    :   986887.485021\nse.x : 2\n"),
            Some(986_887.485_021)
        );
        assert_eq!(ran_at_ms(""), None);
        let text = "[<0>] futex_wait_queue+0x63/0x90\n[<0>] do_syscall_64+0x71/0x280\n";
        assert_eq!(stack(text), ["futex_wait_queue", "do_syscall_64"]);
    }

    #[test]
    fn a_thread_that_waits_is_told_from_one_that_works() {
        let own = ProcDir::open(std::process::id().cast_signed()).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let (began, begun) = std::sync::mpsc::channel();
        let waiting = std::thread::spawn(move || {
            began.send(rustix::thread::gettid().as_raw_nonzero().get()).unwrap();
            let _ = receiver.recv();
        });
        let tid = begun.recv().unwrap();
        let mut samples = Samples::default();
        samples.take(&own);
        samples.take(&own);
        let threads = samples.finish(&own);
        drop(sender);
        waiting.join().unwrap();
        let of = |tid: i32| threads.iter().find(|(thread, _)| thread.tid == tid).unwrap();
        assert_eq!(of(tid).0.states.len(), 2);
        let me = &of(rustix::thread::gettid().as_raw_nonzero().get()).0;
        assert_eq!((me.state, me.waited_ms), (ThreadState::Running, None));
    }

    proptest::proptest! {
        #[test]
        fn no_content_panics(text in ".{0,200}", stat in "[0-9]{1,3} \\([^)]{0,9}\\) [A-Zt]( -?[0-9]{1,20}){0,60}",
            status in "(Name|State|VmRSS|Groups|SigQ|Cpus_allowed_list|NSpid|Uid):[ \t]?.{0,20}\n{1,6}") {
            parse_all(&text);
            parse_all(&stat);
            parse_all(&status);
        }
    }
}
