//! What updates and searches tell of where their time goes: the phases that they go through, and that they
//! wait for the log. The clock of the trace moves with every look, so that nothing takes no time.

use std::sync::atomic::{AtomicU64, Ordering};

use meter::{Clock, Meters, Phase, Trace};
use plan::partial::FetchRequest;
use plan::{Page, SearchPlan};

use super::*;

#[derive(Default)]
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn now_ms(&self) -> i64 {
        0
    }

    fn now_ns(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

fn trace() -> Trace {
    Trace::new(Arc::new(Ticking::default()), 0)
}

/// The phases with whether they waited.
fn phases(trace: &Trace) -> Vec<(Phase, bool)> {
    let traced = trace.traced().unwrap();
    assert!(
        traced.phases.iter().all(|(_, figures)| figures.wall_ns > 0 && figures.wall_ns >= figures.wait_ns)
    );
    traced.phases.iter().map(|(phase, figures)| (*phase, figures.wait_ns > 0)).collect()
}

#[test]
fn updates_tell_what_they_wait_for() {
    let shard = Site::new().open();
    let traced = |operations: Vec<Operation>| {
        let trace = trace();
        let outcome = shard
            .update(batch(operations), UpdateContext { trace: trace.clone(), ..UpdateContext::default() });
        assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
        phases(&trace)
    };
    let (analyse, index) = ((Phase::Analyse, false), (Phase::Index, true));
    let (commit, sync) = ((Phase::Commit, false), (Phase::Sync, true));
    assert_eq!(traced(vec![add(film("1", "Solaris"))]), [commit, analyse, index, sync]);
    assert_eq!(traced(vec![delete_by_query(term("title_t", "nothing"))]), [(Phase::Index, false)]);
    let committed = traced(vec![delete("1"), Operation::Commit(Commit::SOFT)]);
    assert_eq!(committed, [commit, analyse, index, sync]);
}

#[test]
fn searches_tell_what_they_load() {
    let shard = Site::new().open();
    update(&shard, vec![add(film("1", "Solaris"))]);
    refresh(&shard);
    let trace = trace();
    let meters = Meters { trace: trace.clone(), ..Meters::default() };
    let page = Page { start: 0, rows: 1 };
    let (pin, plan) = (shard.pin(), SearchPlan { page, ..SearchPlan::count(Query::All) });
    let found = pin.search(&plan, &meters).unwrap();
    assert_eq!(phases(&trace), []);
    let hits: Vec<_> = found.hits.list.iter().collect();
    pin.fetch(&plan, &FetchRequest { hits: &hits, ..FetchRequest::default() }, &meters).unwrap();
    assert_eq!(phases(&trace), [(Phase::Fetch, false)]);
    // As long as one entry takes: where no group is expanded there is nothing to load a second time.
    let once = self::trace();
    drop(once.enter(Phase::Fetch));
    let wall_ns = |trace: &Trace| trace.traced().unwrap().phases[0].1.wall_ns;
    assert_eq!(wall_ns(&trace), wall_ns(&once));
}
