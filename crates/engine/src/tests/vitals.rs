//! What a watcher sees of a shard from outside: which lock is held and for how many turns, whether flushes and
//! merges get further. It waits for none of them.

use meter::{LockFigures, VitalFigures};

use super::*;

fn lock_of(figures: &VitalFigures, name: &str) -> LockFigures {
    *figures.locks.iter().find(|lock| lock.name == name).expect("it is watched")
}

#[test]
fn a_lock_that_is_held_is_seen_as_one_hold() {
    let shard = Site::new().open();
    let core = shard.core();
    let holds: [(&str, &dyn Fn(&mut dyn FnMut())); 3] = [
        ("state", &|look| {
            let _held = core.state();
            look();
        }),
        ("maintenance", &|look| {
            let _held = core.maintenance();
            look();
        }),
        ("applying", &|look| {
            let _held = core.apply_exclusively();
            look();
        }),
    ];
    for (name, hold) in holds {
        assert!(!lock_of(&shard.vital_figures(), name).is_held, "{name}");
        let mut seen = Vec::new();
        for _ in 0..2 {
            hold(&mut || {
                seen.push([0; 2].map(|_| lock_of(&shard.vital_figures(), name)));
            });
        }
        // The same number within one hold, another in the next.
        assert!(seen.iter().all(|[one, other]| one == other && one.is_held), "{seen:?}");
        assert!(seen[0][0].turns < seen[1][0].turns, "{seen:?}");
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
