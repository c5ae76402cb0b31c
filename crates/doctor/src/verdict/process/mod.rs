//! The verdict on a process: of its threads the one that counts, in a sentence, with the evidence. In: facts
//! of a process; out: the verdict that `render` prints. Threads are judged one by one in `thread.rs` before;
//! here only the choice among them is made.

use super::words::{bytes, duration};
use super::{Cause, Standing, ThreadVerdict, Verdict, locks, thread};
use crate::facts::{Access, ProcessFacts, Resource, ThreadState};

/// A file that is written to all day and has been silent for this long is worth a word.
const SILENCE_MS: u64 = 60_000;

/// `patience_ms`: a wait for somebody that lasts longer is called stuck.
pub fn judge(process: &ProcessFacts, patience_ms: u64) -> Verdict {
    let threads: Vec<ThreadVerdict> =
        process.threads.iter().map(|facts| thread::judge(process, facts, patience_ms)).collect();
    let chosen = whole(process).or_else(|| choose(process, &threads)).unwrap_or_default();
    let sentence = sentence(process, &chosen, &threads);
    Verdict {
        process: process.label.clone(),
        cause: chosen.cause,
        standing: chosen.standing,
        sentence,
        next_step: chosen.cause.next_step_of(&process.label),
        evidence: evidence(process, &chosen),
        tid: chosen.tid,
        waits_ms: chosen.waits_ms,
        blames: blamed(process, &chosen, &threads),
        threads,
        reason: None,
    }
}

/// What holds for all threads at once.
fn whole(process: &ProcessFacts) -> Option<ThreadVerdict> {
    let main = process.threads.first()?;
    let base = ThreadVerdict {
        tid: main.tid,
        name: main.name.clone(),
        waits_ms: main.waited_ms,
        ..ThreadVerdict::default()
    };
    if process.frozen {
        let object = "its cgroup to be thawed".to_owned();
        let because = "the group's freezer holds it".to_owned();
        return Some(ThreadVerdict {
            cause: Cause::Frozen,
            standing: Standing::Stuck,
            object,
            because,
            ..base
        });
    }
    let lost = locks::nobody_left(process)?;
    let standing = if lost.cause == Cause::Deadlock { Standing::Stuck } else { Standing::Waits };
    Some(ThreadVerdict { cause: lost.cause, standing, object: lost.object, because: lost.because, ..base })
        // A circle that can be named says more.
        .filter(|_| !process.threads.iter().any(|thread| is_in_circle(process, thread)))
}

fn is_in_circle(process: &ProcessFacts, facts: &crate::facts::ThreadFacts) -> bool {
    thread::judge(process, facts, 0).because.starts_with("they wait for one another")
}

/// The thread that stands worst; the main thread where several stand alike, then whoever waits longest.
fn choose(process: &ProcessFacts, threads: &[ThreadVerdict]) -> Option<ThreadVerdict> {
    let main = process.label.pid;
    let works = threads.iter().any(|verdict| verdict.cause == Cause::Busy);
    // Beside threads that work, one that waits for a moment is a thread at work too.
    let weight = |verdict: &ThreadVerdict| match verdict.standing {
        Standing::Stuck => 3,
        Standing::Waits if !works => 2,
        Standing::Waits => 0,
        Standing::Fine => 1,
    };
    let key = |verdict: &&ThreadVerdict| {
        let cause = std::cmp::Reverse(verdict.cause);
        (weight(verdict), verdict.cause == Cause::Deadlock, verdict.tid == main, cause, verdict.waits_ms)
    };
    threads.iter().max_by_key(key).cloned()
}

/// Through a thread of its own that has the lock, to whom that waits for.
fn blamed(
    process: &ProcessFacts,
    chosen: &ThreadVerdict,
    threads: &[ThreadVerdict],
) -> Option<crate::facts::ProcessLabel> {
    let own = |label: &&crate::facts::ProcessLabel| label.pid != process.label.pid;
    let by_thread = || {
        let owner = threads.iter().find(|verdict| Some(verdict.tid) == chosen.blames_thread)?;
        owner.blames.clone()
    };
    chosen.blames.as_ref().filter(own).cloned().or_else(by_thread)
}

fn sentence(process: &ProcessFacts, chosen: &ThreadVerdict, threads: &[ThreadVerdict]) -> String {
    let since = |ms: Option<u64>| ms.map(|ms| format!(" since {}", duration(ms))).unwrap_or_default();
    let colon = |because: &str| if because.is_empty() { String::new() } else { format!(": {because}") };
    let one_of = match threads.len() {
        0 | 1 => String::new(),
        _ if chosen.tid == process.label.pid => String::new(),
        count => format!(" (thread {} {}, one of {count})", chosen.tid, chosen.name),
    };
    match chosen.cause {
        Cause::Busy => format!("is not stuck: it works, with {}{one_of}", chosen.object),
        Cause::Idle | Cause::Sleeps | Cause::NextMessage => {
            format!(
                "is not stuck: it waits{} for {}{}{one_of}",
                since(chosen.waits_ms),
                chosen.object,
                colon(&chosen.because)
            )
        }
        Cause::Dead => {
            let parent = process.parent.as_ref().map(|parent| format!(" {parent}")).unwrap_or_default();
            format!("has ended{}: its parent{parent} has not asked for its exit code", since(chosen.waits_ms))
        }
        Cause::Stopped => format!("is stopped{} by a signal and waits for SIGCONT", since(chosen.waits_ms)),
        Cause::Traced => format!("is held by {}{}", chosen.object, colon(&chosen.because)),
        _ => {
            let owner = owner_words(chosen, threads);
            format!(
                "waits{} for {}{}{owner}{one_of}",
                since(chosen.waits_ms),
                chosen.object,
                colon(&chosen.because)
            )
        }
    }
}

/// Of the thread that has the lock, what it does with it.
fn owner_words(chosen: &ThreadVerdict, threads: &[ThreadVerdict]) -> String {
    let owner = threads.iter().find(|verdict| Some(verdict.tid) == chosen.blames_thread);
    owner.map_or_else(String::new, |owner| match owner.cause {
        Cause::Busy => ", which works".to_owned(),
        _ => format!(", which waits for {}", owner.object),
    })
}

fn evidence(process: &ProcessFacts, chosen: &ThreadVerdict) -> Vec<String> {
    let mut evidence = Vec::new();
    if let Some(facts) = process.thread(chosen.tid) {
        if let Some(call) = facts.in_call() {
            let samples = facts.states.len();
            let seen = if facts.same_call {
                format!("in all of {samples} samples")
            } else {
                "at the last sample".to_owned()
            };
            evidence.push(format!("in {} {seen}", call.text));
        }
        if facts.stood_still() && facts.state != ThreadState::Running {
            evidence.push(format!("not once on a processor in {} ms", process.sampled_ms));
        }
        evidence.extend(facts.wchan.as_ref().map(|name| format!("the kernel waits in {name}")));
    }
    evidence.extend(silent_logs(process));
    if process.memory.swapped_bytes > 0 {
        evidence.push(format!("{} of it are swapped out", bytes(process.memory.swapped_bytes)));
    }
    evidence.extend(throttling(process));
    evidence
}

fn throttling(process: &ProcessFacts) -> Option<String> {
    let ms = process.throttled_ms.filter(|ms| *ms > 0)?;
    Some(format!("its cgroup was kept from the processors for {ms} ms of {} ms", process.sampled_ms))
}

/// Files it writes to, the one that was written last first.
fn silent_logs(process: &ProcessFacts) -> Vec<String> {
    let mut found: Vec<(u64, &str)> = process
        .files
        .iter()
        .filter(|file| file.access != Access::Read)
        .filter_map(|file| match &file.resource {
            Resource::File { path, written_ms_ago: Some(ms), .. } if *ms >= SILENCE_MS => {
                Some((*ms, path.as_str()))
            }
            _ => None,
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found.iter().take(3).map(|(ms, path)| format!("{path} has been silent for {}", duration(*ms))).collect()
}

#[cfg(test)]
mod tests;
