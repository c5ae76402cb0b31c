//! Waits of threads for one another, inside one process: who owns the lock, who waits in a circle, who waits
//! with nobody left to wake anyone. In: all threads of the process with the owners that `observe` read from
//! its memory; out: a verdict for one of them. Waits for locks on files are `resource.rs`'s, since their
//! holder is another process.

use super::resource::{rest, waits};
use super::{Cause, ThreadVerdict};
use crate::facts::{Futex, ProcessFacts, ThreadFacts, Wait};

/// The lock that a thread waits for.
pub fn futex(process: &ProcessFacts, thread: &ThreadFacts, futex: &Futex) -> ThreadVerdict {
    let own = owner(process, futex);
    if let Some(circle) = own.and_then(|_| circle(process, thread.tid)) {
        let because = format!("they wait for one another: {}", circle.join(" → "));
        return waits(Cause::Deadlock, format!("a lock at {:#x}", futex.address), &because);
    }
    match own.and_then(|tid| process.thread(tid)) {
        Some(joined) if futex.join => {
            let verdict = rest(format!("the end of its thread {}", label(joined)));
            ThreadVerdict { blames_thread: Some(joined.tid), ..verdict }
        }
        Some(holder) => {
            let because = format!("thread {} has it", label(holder));
            let verdict = waits(Cause::LockHeld, format!("a lock at {:#x}", futex.address), &because);
            ThreadVerdict { blames_thread: Some(holder.tid), ..verdict }
        }
        None if futex.bounded => rest("a wake-up of another thread, for some time".to_owned()),
        None => rest("a wake-up of another thread".to_owned()),
    }
}

/// What is left when every thread waits for a wake-up that only another of them could give, and none is
/// bounded. `None` where that is not so.
pub fn nobody_left(process: &ProcessFacts) -> Option<ThreadVerdict> {
    let lost = |thread: &ThreadFacts| match thread.in_call().map(|call| &call.wait) {
        Some(Wait::Futex(futex)) => {
            (futex.private || futex.join && owner(process, futex).is_some()) && !futex.bounded
        }
        _ => false,
    };
    if process.threads.is_empty() || !process.threads.iter().all(lost) {
        return None;
    }
    let object = match process.threads.len() {
        1 => "a wake-up, though it is its only thread".to_owned(),
        count => format!("wake-ups that its {count} threads owe one another"),
    };
    if handles_signals(process.signals_caught) {
        return Some(waits(Cause::SignalOnly, object, "a signal's handler alone could wake one"));
    }
    Some(waits(Cause::Deadlock, object, "nobody is left to wake them"))
}

/// Handlers of faults, and those of glibc's own (32, 33), wake nobody.
fn handles_signals(caught: u64) -> bool {
    const FAULTS: [u32; 8] = [4, 5, 7, 8, 11, 31, 32, 33];
    let faults: u64 = FAULTS.iter().map(|signal| 1_u64 << (signal - 1)).sum();
    caught & !faults != 0
}

/// The owner where it can be trusted: what merely looks like glibc's mutex names no thread of the process.
fn owner(process: &ProcessFacts, futex: &Futex) -> Option<i32> {
    futex.owner.filter(|tid| process.thread(*tid).is_some())
}

/// The threads from this one by owners back to it.
fn circle(process: &ProcessFacts, start: i32) -> Option<Vec<String>> {
    let mut at = start;
    let mut seen = Vec::new();
    // A circle that this thread only waits for, without being in it, is found from its members.
    while !seen.contains(&at) {
        seen.push(at);
        let Some(Wait::Futex(futex)) = process.thread(at)?.in_call().map(|call| &call.wait) else {
            return None;
        };
        at = owner(process, futex)?;
    }
    let names = |tid: i32| process.thread(tid).map(label).unwrap_or_default();
    (at == start).then(|| seen.iter().chain([&start]).map(|tid| names(*tid)).collect())
}

pub fn label(thread: &ThreadFacts) -> String {
    format!("{} ({})", thread.tid, thread.name)
}
