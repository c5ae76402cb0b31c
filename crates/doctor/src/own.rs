//! What the doctor says of the very process that it runs in, for a server that has found something of its own
//! stuck: the threads that wait for somebody, each in a sentence. In: this process's own threads, seen
//! through `/proc` as any other's; out: the text that stands with a sign of the server that watches itself
//! (`crates/parhelion/src/watch.rs` hands it over). The thread that looks is at work, so it is never among
//! them.

use std::process;

use crate::observe::{Machine, ObserveOptions};
use crate::verdict::words::duration;
use crate::verdict::{Standing, ThreadVerdict, judge};

/// Threads that are reported.
const THREADS_MAX: usize = 3;

/// Those that wait longest first; `None` where none waits for anybody, or nothing could be seen. Takes as
/// long as it looks, and a walk over the machine's processes.
pub fn look_at_self(options: &ObserveOptions) -> Option<String> {
    let mut said = waiting(options)?;
    said.truncate(THREADS_MAX);
    (!said.is_empty()).then(|| said.join("; "))
}

fn waiting(options: &ObserveOptions) -> Option<Vec<String>> {
    let pid = process::id().cast_signed();
    let facts = Machine::observe().ok()?.process(pid, options).ok()?;
    // A wait of any length: that it is too long is already known.
    let verdict = judge(&facts, 0);
    let mut waiting: Vec<&ThreadVerdict> =
        verdict.threads.iter().filter(|thread| thread.standing >= Standing::Waits).collect();
    waiting.sort_by_key(|thread| std::cmp::Reverse((thread.standing, thread.waits_ms)));
    Some(waiting.into_iter().map(sentence).collect())
}

fn sentence(thread: &ThreadVerdict) -> String {
    let ThreadVerdict { tid, name, waits_ms, object, because, .. } = thread;
    let since = waits_ms.map(|ms| format!(" since {}", duration(ms))).unwrap_or_default();
    let because = if because.is_empty() { String::new() } else { format!(": {because}") };
    format!("thread {tid} ({name}) waits{since} for {object}{because}")
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_thread_of_its_own_that_waits_is_told_of() {
        let (mut asks, mut owes) = UnixStream::pair().unwrap();
        let (began, begun) = std::sync::mpsc::channel();
        let asking = std::thread::Builder::new().name("asks".to_owned()).spawn(move || {
            asks.write_all(b"?").unwrap();
            began.send(()).unwrap();
            let _ = asks.read(&mut [0]);
        });
        begun.recv().unwrap();
        let options = ObserveOptions { period: Duration::from_millis(30), samples: 3, now_ms: 0 };
        let told = || waiting(&options)?.into_iter().find(|words| words.contains("(asks) waits"));
        // It has a few instructions to go until it reads.
        let found = std::iter::repeat_with(told).take(200).find_map(|found| found);
        owes.write_all(b"!").unwrap();
        asking.unwrap().join().unwrap();
        let words = found.expect("it was told of");
        assert!(
            words.contains("for the Unix socket") && words.contains("the peer has not answered"),
            "{words}"
        );
    }
}
