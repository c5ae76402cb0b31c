//! Phases, waits and usage, by a clock that the test turns.

use std::task::{Context, Poll, Waker};
use std::thread;

use super::*;

/// A nanosecond goes by with every look, in which the thread uses as much of a processor and maps a page.
#[derive(Default)]
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn now_ms(&self) -> i64 {
        0
    }

    fn now_ns(&self) -> u64 {
        self.0.fetch_add(10, Ordering::Relaxed)
    }

    fn thread_usage(&self, since_ns: u64) -> Option<Usage> {
        // It reads every thousand nanoseconds, and when what it has read is too old.
        let now = self.0.load(Ordering::Relaxed);
        let seen = if now - now % 1000 >= since_ns { now - now % 1000 } else { now };
        Some(Usage { cpu_ns: Some(seen), minor_faults: Some(seen / 10), ..Usage::default() })
    }
}

fn trace() -> Trace {
    Trace::new(Arc::new(Ticking::default()), 0)
}

fn walls(trace: &Trace) -> Vec<(Phase, u64)> {
    trace.traced().unwrap().phases.iter().map(|(phase, figures)| (*phase, figures.wall_ns)).collect()
}

#[test]
fn a_phase_within_another_interrupts_it() {
    let trace = trace();
    {
        let _query = trace.enter(Phase::Query); // looks at 10 and 20
        let facet = trace.enter(Phase::Facet); // 30, 40
        drop(facet); // 50, 60
        drop(trace.enter(Phase::Fetch)); // 70, 80 and 90, 100
    } // 110, 120
    assert_eq!(walls(&trace), [(Phase::Query, 60), (Phase::Facet, 20), (Phase::Fetch, 20)]);
    let traced = trace.traced().unwrap();
    assert_eq!(traced.total().usage.cpu_ns, Some(100));
    assert_eq!(traced.total().usage.minor_faults, Some(10));
    assert_eq!(traced.total().usage.run_queue_ns, None);
    assert_eq!(traced.between_ns(), traced.wall_ns - 100);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "it is about threads")]
fn what_one_thread_did_before_is_not_told_of_the_next() {
    let trace = trace();
    drop(trace.enter(Phase::Prepare));
    let queued = trace.wait(Phase::Thread);
    let working = trace.clone();
    let worker = thread::spawn(move || {
        drop(queued);
        drop(working.enter(Phase::Query));
    });
    worker.join().unwrap();
    let traced = trace.traced().unwrap();
    let thread = &traced.phases[1];
    assert_eq!((thread.0, thread.1.wait_ns, thread.1.usage), (Phase::Thread, 10, Usage::default()));
    assert_eq!(walls(&trace), [(Phase::Prepare, 20), (Phase::Thread, 10), (Phase::Query, 20)]);
}

#[test]
fn work_that_gives_its_thread_back_waits_meanwhile() {
    let trace = trace();
    let mut polls = 0;
    let work = poll_fn(|_| {
        polls += 1;
        if polls == 3 { Poll::Ready("done") } else { Poll::Pending }
    });
    let mut work = pin!(trace.during(Phase::Admin, work));
    let mut poll = || work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!([poll(), poll(), poll()], [Poll::Pending, Poll::Pending, Poll::Ready("done")]);
    // Three times a thread had it, for 20 each; twice none had, for 10 each.
    let [(Phase::Admin, figures)] = trace.traced().unwrap().phases[..] else { panic!("one phase") };
    assert_eq!((figures.wall_ns, figures.wait_ns, figures.usage.cpu_ns), (80, 20, Some(60)));
}

/// Of a thread that waits for a processor: what a look tells was waited since the look before.
#[derive(Default)]
struct Crowded {
    now_ns: AtomicU64,
    queued_ns: AtomicU64,
}

impl Clock for Crowded {
    fn now_ms(&self) -> i64 {
        0
    }

    fn now_ns(&self) -> u64 {
        self.now_ns.load(Ordering::Relaxed)
    }

    fn thread_usage(&self, _: u64) -> Option<Usage> {
        self.queued_ns.store(0, Ordering::Relaxed);
        None
    }

    fn thread_queued_ns(&self) -> Option<u64> {
        Some(self.queued_ns.swap(0, Ordering::Relaxed))
    }
}

impl Crowded {
    /// This long goes by, in which the thread waited for a processor for this long.
    fn pass(&self, ns: u64, queued_ns: u64) {
        self.now_ns.fetch_add(ns, Ordering::Relaxed);
        self.queued_ns.fetch_add(queued_ns, Ordering::Relaxed);
    }
}

#[test]
fn a_thread_that_goes_on_tells_for_how_long_it_had_no_processor() {
    let clock = Arc::new(Crowded::default());
    let trace = Trace::new(clock.clone(), 1000);
    // Before the first phase it has had 2000 of which the thread says 1500, behind it 700, which is less than
    // readings may be old.
    clock.pass(2000, 1500);
    drop(trace.enter(Phase::Prepare));
    clock.pass(700, 600);
    drop(trace.enter(Phase::Prepare));
    let queued = trace.wait(Phase::Thread);
    clock.pass(5000, 4000);
    drop(queued);
    drop(trace.enter(Phase::Query));
    // The thread has waited for longer than there was anything to wait for: for others.
    clock.pass(3000, 9000);
    drop(trace.enter(Phase::Write));
    // A client's time is the client's.
    let reading = trace.wait(Phase::Read);
    clock.pass(10_000, 8000);
    drop(reading);
    let traced = trace.traced().unwrap();
    let of = |phase| traced.phases.iter().find(|(known, _)| *known == phase).unwrap().1;
    let (thread, read) = (of(Phase::Thread), of(Phase::Read));
    assert_eq!((thread.wall_ns, thread.wait_ns, thread.usage.run_queue_ns), (5000, 1000, Some(4000)));
    assert_eq!((read.wall_ns, read.wait_ns, read.usage.run_queue_ns), (10_000, 10_000, None));
    assert_eq!((traced.between_ns(), traced.between_queue_ns), (2000 + 700 + 3000, 1500 + 3000));
}

#[test]
fn waits_are_told_of_the_phase_they_are_in() {
    let trace = trace();
    assert_eq!(trace.waiting(|| 1), 1);
    let index = trace.enter(Phase::Index);
    assert_eq!(trace.waiting(|| 2), 2);
    drop(index);
    let traced = trace.traced().unwrap();
    assert_eq!(traced.phases.len(), 1);
    assert_eq!((traced.phases[0].1.wall_ns, traced.phases[0].1.wait_ns), (40, 10));
}

#[test]
fn readings_may_be_a_little_old_until_exact_ones_are_asked_for() {
    let trace = Trace::new(Arc::new(Ticking::default()), 1000);
    drop(trace.enter(Phase::Query));
    assert_eq!(trace.traced().unwrap().total().usage.cpu_ns, Some(0));
    trace.be_exact();
    drop(trace.enter(Phase::Fetch));
    assert_eq!(trace.traced().unwrap().total().usage.cpu_ns, Some(20));
}

#[test]
fn none_is_kept_where_nobody_asks() {
    let trace = Trace::default();
    drop(trace.enter(Phase::Query));
    drop(trace.wait(Phase::Thread));
    trace.found(3);
    assert!(!trace.is_on() && trace.traced().is_none() && trace.elapsed_ns().is_none());
}
