//! What a watcher sees of a shard from outside: which lock is held and for how many turns, whether flushes
//! and merges get further. It waits for none of them.

use meter::{LockFigures, VitalFigures};

use super::*;

fn lock_of(figures: &VitalFigures, name: &str) -> LockFigures {
    *figures.locks.iter().find(|lock| lock.name == name).expect("it is watched")
}

/// The lock's figures at two looks within one hold.
fn held<G>(shard: &Shard, name: &str, take: impl Fn() -> G) -> [LockFigures; 2] {
    assert!(!lock_of(&shard.vital_figures(), name).is_held, "{name}");
    let _held = take();
    [0; 2].map(|_| lock_of(&shard.vital_figures(), name))
}

#[test]
fn a_lock_that_is_held_is_seen_as_one_hold() {
    let shard = Site::new().open();
    let core = shard.core();
    let of = |name| match name {
        "state" => held(&shard, name, || core.state()),
        "maintenance" => held(&shard, name, || core.maintenance()),
        _ => held(&shard, name, || core.apply_exclusively()),
    };
    for name in ["state", "maintenance", "applying"] {
        let holds = [of(name), of(name)];
        // The same number within one hold, another in the next.
        assert!(holds.iter().all(|[one, other]| one == other && one.is_held), "{holds:?}");
        assert!(holds[0][0].turns < holds[1][0].turns, "{holds:?}");
    }
}

fn steps(shard: &Shard) -> (u64, u64) {
    let figures = shard.vital_figures();
    assert!(!figures.flush.is_running && !figures.merge.is_running, "{figures:?}");
    (figures.flush.steps, figures.merge.steps)
}

#[test]
fn flushes_and_merges_count_their_steps_and_end() {
    let shard = Site::new().open();
    for id in ["a", "b"] {
        update(&shard, vec![add(film(id, "solaris"))]);
        refresh(&shard);
        flush(&shard);
    }
    let (flushed, merged) = steps(&shard);
    assert!(flushed >= 2, "{flushed}");
    shard.core().merge_down_to(1).unwrap();
    assert!(steps(&shard).1 > merged, "a merge writes");
}
