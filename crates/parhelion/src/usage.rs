//! What the thread at hand has used, as its system tells: the one place that asks. On Linux that is four
//! system calls, 2.1 µs on the machine that this was written on (`getrusage` 0.4, the processor clock 0.6,
//! schedstat 1.0), so that the last reading of each thread is kept for those who do not mind its age.

use std::cell::Cell;
#[cfg(target_os = "linux")]
use std::{fs::File, os::unix::fs::FileExt as _};

use meter::Usage;

thread_local! {
    /// When it was read, and what.
    static LAST: Cell<Option<(u64, Usage)>> = const { Cell::new(None) };
}

/// As it was at `since_ns` of [`now_ns`] or later.
pub fn of_thread(since_ns: u64) -> Option<Usage> {
    if let Some((_, usage)) = LAST.get().filter(|(read_ns, _)| *read_ns >= since_ns) {
        return Some(usage);
    }
    // The moment first: what is used while it is read is in the reading.
    let (read_ns, usage) = (now_ns(), read());
    LAST.set(Some((read_ns, usage)));
    (usage != Usage::default()).then_some(usage)
}

/// How long the thread at hand has waited for a processor since it was last read, or since it began.
pub fn queued_ns() -> Option<u64> {
    let before_ns = LAST.get().and_then(|(_, usage)| usage.run_queue_ns).unwrap_or(0);
    Some(of_thread(u64::MAX)?.run_queue_ns?.saturating_sub(before_ns))
}

/// Since some moment before the program began.
#[cfg(unix)]
pub fn now_ns() -> u64 {
    nanos(rustix::time::ClockId::Monotonic).unwrap_or(0)
}

#[cfg(not(unix))]
pub fn now_ns() -> u64 {
    static BEGAN: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    u64::try_from(BEGAN.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Processor time of the thread at hand, exact where its system's accounts in `getrusage` are not.
#[cfg(unix)]
pub fn cpu_ns() -> Option<u64> {
    nanos(rustix::time::ClockId::ThreadCPUTime)
}

#[cfg(not(unix))]
pub fn cpu_ns() -> Option<u64> {
    None
}

#[cfg(unix)]
fn nanos(clock: rustix::time::ClockId) -> Option<u64> {
    let time = rustix::time::clock_gettime(clock);
    let (seconds, nanos) = (u64::try_from(time.tv_sec).ok()?, u64::try_from(time.tv_nsec).ok()?);
    Some(seconds * 1_000_000_000 + nanos)
}

#[cfg(target_os = "linux")]
fn read() -> Usage {
    use nix::sys::resource::{UsageWho, getrusage};
    let counts = getrusage(UsageWho::RUSAGE_THREAD).ok();
    let count = |of: fn(&nix::sys::resource::Usage) -> i64| u64::try_from(of(counts.as_ref()?)).ok();
    Usage {
        cpu_ns: cpu_ns(),
        run_queue_ns: run_queue_ns(),
        voluntary_switches: count(|it| it.voluntary_context_switches()),
        involuntary_switches: count(|it| it.involuntary_context_switches()),
        minor_faults: count(|it| it.minor_page_faults()),
        major_faults: count(|it| it.major_page_faults()),
    }
}

#[cfg(not(target_os = "linux"))]
fn read() -> Usage {
    Usage { cpu_ns: cpu_ns(), ..Usage::default() }
}

#[cfg(target_os = "linux")]
thread_local! {
    /// Opened once: it goes on telling of this thread. `None` where the kernel counts no such thing.
    static SCHEDSTAT: Option<File> = File::open("/proc/thread-self/schedstat").ok();
}

/// How long the thread at hand waited for a processor since it began.
#[cfg(target_os = "linux")]
fn run_queue_ns() -> Option<u64> {
    let mut bytes = [0; 96];
    // At the end of a thread its own things may be gone.
    let read = SCHEDSTAT.try_with(|file| file.as_ref()?.read_at(&mut bytes, 0).ok()).ok()??;
    second_number(bytes.get(..read)?)
}

/// Of proc(5)'s schedstat: time on a processor, time waiting for one, how often.
#[cfg(target_os = "linux")]
fn second_number(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn counters_of_a_thread_only_grow() {
        let before = of_thread(u64::MAX).unwrap();
        let pages = vec![1_u8; 8 << 20];
        assert_eq!(pages.iter().map(|one| u64::from(*one)).sum::<u64>(), 8 << 20);
        let used = of_thread(u64::MAX).unwrap().since(&before);
        assert!(used.cpu_ns > Some(0) && used.minor_faults.is_some() && used.major_faults.is_some());
        assert!(used.voluntary_switches.is_some() && used.involuntary_switches.is_some());
        assert!(now_ns() > 0);
    }

    #[test]
    fn a_reading_is_kept_for_those_who_do_not_mind_its_age() {
        let first = of_thread(u64::MAX);
        assert_eq!(of_thread(0), first);
    }

    #[test]
    fn what_was_waited_is_told_once() {
        let before = of_thread(u64::MAX).unwrap().run_queue_ns.unwrap();
        let waited = (0..1000).map(|_| {
            std::thread::yield_now();
            queued_ns().unwrap()
        });
        let told: u64 = waited.sum();
        assert_eq!(Some(before + told), of_thread(0).unwrap().run_queue_ns);
    }

    #[test]
    fn the_wait_for_a_processor_is_the_second_number() {
        for (text, expected) in
            [(&b"3739023 1200 17\n"[..], Some(1200)), (b"0 0 0", Some(0)), (b"12", None), (b"\xff", None)]
        {
            assert_eq!(second_number(text), expected, "{text:?}");
        }
    }
}
