//! A word of diagnosis: what a slow request spent most of its time on. A table of causes, each with the time
//! it stands for; those that matter are named, the largest first. In: the trace of the request, by phases;
//! out: a sentence for the log and `/solr/admin/slow`. Nothing is measured here.

use meter::{Phase, PhaseFigures, Traced};

use super::SlowRequest;

/// A cause is named when it stands for at least this share of the request.
const SHARE_MIN: u64 = 5;
/// At most this many are.
const CAUSES_MAX: usize = 3;

/// For example: "waited 80 ms for a processor; worked 15 ms in query".
pub fn why(slow: &SlowRequest) -> String {
    let mut causes = causes(&slow.traced);
    causes.retain(|(ns, _)| *ns > 0 && *ns >= slow.traced.wall_ns / SHARE_MIN);
    causes.sort_by_key(|(ns, _)| std::cmp::Reverse(*ns));
    causes.truncate(CAUSES_MAX);
    let mut said: Vec<String> = causes.into_iter().map(|(_, said)| said).collect();
    if let Some(pages) = slow.traced.total().usage.major_faults.filter(|pages| *pages > 0) {
        said.push(format!("read {pages} {} from disk", if pages == 1 { "page" } else { "pages" }));
    }
    if slow.status.is_none() {
        said.push("the client left before the answer".to_owned());
    }
    if said.is_empty() { "many small parts".to_owned() } else { said.join("; ") }
}

/// Every cause there can be, with what it stands for.
fn causes(traced: &Traced) -> Vec<(u64, String)> {
    let of =
        |phase: Phase| traced.phases.iter().find(|(known, _)| *known == phase).map(|(_, figures)| *figures);
    let wall = |phase: Phase| of(phase).map_or(0, |figures| figures.wall_ns);
    let total = traced.total();
    // On the way from thread to thread too: that of a request which nobody has taken up, and between phases.
    let queued = total.usage.run_queue_ns.unwrap_or(0) + traced.between_queue_ns;
    let taking_up = of(Phase::Thread).map_or(0, |figures| figures.wait_ns);
    let between = traced.between_ns().saturating_sub(traced.between_queue_ns);
    let mut causes = Vec::new();
    let mut cause = |ns: u64, said: &dyn Fn(String) -> String| causes.push((ns, said(shown(ns))));
    cause(wall(Phase::Read), &|ms| format!("waited {ms} for the client to send its request"));
    cause(wall(Phase::Admission), &|ms| format!("waited {ms} for its turn among other requests"));
    cause(taking_up, &|ms| format!("waited {ms} for a thread to take it up"));
    cause(wall(Phase::Sync), &|ms| match traced.store_ns {
        Some(ns) => format!("waited {ms} for the log in the store, which took {} for its PUT", shown(ns)),
        None => format!("waited {ms} for the log's sync"),
    });
    cause(queued, &|ms| format!("waited {ms} for a processor"));
    cause(between, &|ms| format!("{ms} went by between its parts"));
    for (phase, figures) in traced.phases.iter().filter(|(phase, _)| !is_wait(*phase)) {
        let name = phase.name();
        cause(figures.wait_ns, &|ms| format!("waited {ms} for locks in {name}"));
        cause(figures.usage.cpu_ns.unwrap_or(0), &|ms| format!("worked {ms} in {name}"));
        cause(blocked_ns(figures), &|ms| format!("stood still for {ms} in {name}, for a disk mostly"));
    }
    causes
}

/// Phases that are nothing but a wait.
fn is_wait(phase: Phase) -> bool {
    matches!(phase, Phase::Read | Phase::Admission | Phase::Thread | Phase::Sync)
}

/// Neither worked nor ready to: it waited for something that is not known to be a lock. Unknown where
/// processors are not counted.
fn blocked_ns(figures: &PhaseFigures) -> u64 {
    let Some(cpu_ns) = figures.usage.cpu_ns else { return 0 };
    let accounted = cpu_ns + figures.usage.run_queue_ns.unwrap_or(0) + figures.wait_ns;
    figures.wall_ns.saturating_sub(accounted)
}

fn shown(ns: u64) -> String {
    match ns {
        0..1_000_000 => format!("{} µs", ns / 1000),
        1_000_000..10_000_000_000 => format!("{} ms", ns / 1_000_000),
        _ => format!("{} s", ns / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use meter::Usage;

    use super::*;

    const MS: u64 = 1_000_000;

    /// A phase of this many milliseconds: wall, lock wait, CPU, run queue.
    fn phase(phase: Phase, [wall, wait, cpu, queue]: [u64; 4]) -> (Phase, PhaseFigures) {
        let usage = Usage { cpu_ns: Some(cpu * MS), run_queue_ns: Some(queue * MS), ..Usage::default() };
        (phase, PhaseFigures { wall_ns: wall * MS, wait_ns: wait * MS, usage })
    }

    fn slow(wall: u64, phases: Vec<(Phase, PhaseFigures)>) -> SlowRequest {
        let traced = Traced { wall_ns: wall * MS, phases, ..Traced::default() };
        SlowRequest {
            at_ms: 0,
            method: "GET".into(),
            path: "/solr/a/select".into(),
            collection: None,
            params: String::new(),
            status: Some(200),
            traced,
        }
    }

    #[test]
    fn the_largest_causes_are_named() {
        let check = |wall: u64, phases: Vec<(Phase, PhaseFigures)>, expected: &str| {
            assert_eq!(why(&slow(wall, phases)), expected);
        };
        check(
            65,
            vec![phase(Phase::Query, [65, 0, 19, 46])],
            "waited 46 ms for a processor; worked 19 ms in query",
        );
        check(100, vec![phase(Phase::Facet, [95, 0, 90, 0])], "worked 90 ms in facet");
        check(95, vec![phase(Phase::Sync, [80, 80, 0, 0])], "waited 80 ms for the log's sync");
        check(100, vec![phase(Phase::Index, [90, 70, 15, 0])], "waited 70 ms for locks in index");
        check(
            100,
            vec![phase(Phase::Fetch, [90, 0, 10, 0])],
            "stood still for 80 ms in fetch, for a disk mostly",
        );
        check(100, vec![phase(Phase::Query, [10, 0, 10, 0])], "90 ms went by between its parts");
        check(0, vec![], "many small parts");
        check(
            100,
            vec![phase(Phase::Thread, [90, 10, 0, 80]), phase(Phase::Query, [10, 0, 10, 0])],
            "waited 80 ms for a processor",
        );
    }

    #[test]
    fn a_slow_store_is_called_so() {
        let mut waited = slow(400, vec![phase(Phase::Sync, [390, 390, 0, 0])]);
        waited.traced.store_ns = Some(350 * MS);
        let expected = "waited 390 ms for the log in the store, which took 350 ms for its PUT";
        assert_eq!(why(&waited), expected);
    }

    #[test]
    fn a_processor_is_waited_for_between_parts_too() {
        let mut handed_over = slow(100, vec![phase(Phase::Query, [30, 0, 10, 20])]);
        handed_over.traced.between_queue_ns = 45 * MS;
        assert_eq!(why(&handed_over), "waited 65 ms for a processor; 25 ms went by between its parts");
    }

    #[test]
    fn pages_and_clients_that_left_are_told_of() {
        let mut read = slow(10, vec![phase(Phase::Query, [10, 0, 10, 0])]);
        read.traced.phases[0].1.usage.major_faults = Some(300);
        read.status = None;
        let expected = "worked 10 ms in query; read 300 pages from disk; the client left before the answer";
        assert_eq!(why(&read), expected);
    }
}
