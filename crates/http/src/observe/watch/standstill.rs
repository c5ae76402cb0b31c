//! What has not moved between looks at a shard, or is damaged, and for how long: pure, from figures and a
//! time to signs.
//!
//! In: [`VitalFigures`] of one shard at each look. Out: kinds of signs with how long and in which words. The
//! bounds are long against what is in order on a slow disk: a sign that comes and goes is read by nobody.

use meter::{VitalFigures, WaitFigures, WorkFigures};

use super::disk::DiskWatch;
use super::sign_kind::{Seen, SignKind, seconds};

/// A lock of those that are to be held for a moment.
const LOCK_MS: u64 = 1_000;
/// One under which documents are made ready to be searched.
const WORKED_LOCK_MS: u64 = 10_000;
/// A sync that no disk in order takes.
const LOG_MS: u64 = 2_000;
/// Without a file begun or written.
const FLUSH_MS: u64 = 30_000;
/// Without a byte written: a merge reads and orders for a while before it writes.
const MERGE_MS: u64 = 60_000;

/// One shard, from look to look.
#[derive(Debug, Default)]
pub struct ShardWatch {
    flush: Standstill,
    merge: Standstill,
    log: Standstill,
    /// In the order of the figures.
    locks: Vec<Standstill>,
    disk: DiskWatch,
    damage: Standstill,
    wrong_index: Standstill,
}

/// Since when something is as it is.
#[derive(Debug, Default)]
struct Standstill(Option<((u64, u64), u64)>);

impl Standstill {
    /// How long it has been so, where it is under way at all.
    fn lasted_ms(&mut self, under_way: Option<(u64, u64)>, now_ns: u64) -> Option<u64> {
        let Some(mark) = under_way else {
            self.0 = None;
            return None;
        };
        match self.0 {
            Some((known, since_ns)) if known == mark => Some(now_ns.saturating_sub(since_ns) / 1_000_000),
            _ => {
                self.0 = Some((mark, now_ns));
                Some(0)
            }
        }
    }
}

impl ShardWatch {
    pub fn look(&mut self, figures: &VitalFigures, now_ns: u64) -> Vec<Seen> {
        let VitalFigures { flush, merge, log, locks, damaged_files, wrong_segments } = figures;
        let mut seen = Vec::new();
        let mut see = |lasted_ms: Option<u64>, bound_ms, kind, words: &dyn Fn(&str) -> String| {
            if let Some(ms) = lasted_ms.filter(|ms| *ms >= bound_ms) {
                seen.push((kind, ms, words(&seconds(ms))));
            }
        };
        // A flush gathers small segments by a merge of its own: that is a step of the flush too.
        let steps = flush.steps.wrapping_add(merge.steps);
        let flushing = flush.is_running.then_some((flush.begun, steps));
        let lasted = self.flush.lasted_ms(flushing, now_ns);
        see(lasted, FLUSH_MS, SignKind::FlushStuck, &|time| {
            format!("the flush has got no further for {time}: that")
        });
        let lasted = self.merge.lasted_ms(running(merge), now_ns);
        see(lasted, MERGE_MS, SignKind::MergeStalled, &|time| {
            format!("the merge has written nothing for {time}: that")
        });
        let lasted = self.log.lasted_ms(waited_for(log), now_ns);
        see(lasted, LOG_MS, SignKind::LogStuck, &|time| {
            format!(
                "nothing of the log has become durable for {time}, and {} wait for it: the log",
                log.waiting
            )
        });
        self.locks.resize_with(locks.len(), Standstill::default);
        for (lock, known) in locks.iter().zip(&mut self.locks) {
            let lasted = known.lasted_ms(lock.is_held.then_some((lock.turns, 0)), now_ns);
            let bound_ms = if lock.covers_work { WORKED_LOCK_MS } else { LOCK_MS };
            see(lasted, bound_ms, SignKind::LockHeld, &|time| {
                format!("one thread has held the lock `{}` for {time}: that", lock.name)
            });
        }
        let lasted = self.damage.lasted_ms((*damaged_files > 0).then_some((0, 0)), now_ns);
        see(lasted, 0, SignKind::FileDamaged, &|_| {
            format!("{damaged_files} files are damaged or gone, and no other copy is whole: the index")
        });
        let lasted = self.wrong_index.lasted_ms((*wrong_segments > 0).then_some((0, 0)), now_ns);
        see(lasted, 0, SignKind::IndexWrong, &|_| {
            format!("{wrong_segments} segments say otherwise than the documents stored in them: the index")
        });
        seen.extend(self.disk.look(log, now_ns));
        seen
    }
}

fn running(work: &WorkFigures) -> Option<(u64, u64)> {
    work.is_running.then_some((work.begun, work.steps))
}

/// What one of them waited for is progress, however many still wait.
fn waited_for(log: &WaitFigures) -> Option<(u64, u64)> {
    (log.waiting > 0).then_some((log.reached, 0))
}

#[cfg(test)]
mod tests {
    use meter::LockFigures;

    use super::*;

    /// Looks twice a second for this many seconds at figures that stay as they are.
    fn stand_still(
        watch: &mut ShardWatch,
        figures: &VitalFigures,
        seconds: std::ops::Range<u64>,
    ) -> Vec<Seen> {
        let looks = seconds.start * 2..=seconds.end * 2;
        looks.map(|half| watch.look(figures, half * 500_000_000)).last().unwrap_or_default()
    }

    #[test]
    fn damage_is_told_as_long_as_it_lasts() {
        let mut watch = ShardWatch::default();
        let damaged = VitalFigures { damaged_files: 2, ..VitalFigures::default() };
        let seen = stand_still(&mut watch, &damaged, 0..5);
        assert!(
            matches!(&seen[..], [(SignKind::FileDamaged, 5_000, words)] if words.starts_with("2 files are damaged")),
            "{seen:?}"
        );
        assert_eq!(watch.look(&VitalFigures::default(), 6_000_000_000), []);
    }

    #[test]
    fn an_index_that_is_wrong_is_told_as_long_as_it_is_there() {
        let mut watch = ShardWatch::default();
        let wrong = VitalFigures { wrong_segments: 1, ..VitalFigures::default() };
        let seen = stand_still(&mut watch, &wrong, 0..5);
        assert!(
            matches!(&seen[..], [(SignKind::IndexWrong, 5_000, words)] if words.starts_with("1 segments say")),
            "{seen:?}"
        );
        assert_eq!(watch.look(&VitalFigures::default(), 6_000_000_000), []);
    }

    fn held(turns: u64) -> VitalFigures {
        let lock = LockFigures { name: "state", turns, is_held: true, covers_work: false };
        VitalFigures { locks: vec![lock], ..VitalFigures::default() }
    }

    fn worked_under(turns: u64) -> VitalFigures {
        let VitalFigures { mut locks, .. } = held(turns);
        locks.iter_mut().for_each(|lock| lock.covers_work = true);
        VitalFigures { locks, ..VitalFigures::default() }
    }

    fn at_work(steps: u64) -> WorkFigures {
        WorkFigures { begun: 3, is_running: true, steps }
    }

    #[test]
    fn what_stands_still_is_told_of_behind_its_bound() {
        let flush = VitalFigures { flush: at_work(7), ..VitalFigures::default() };
        let merge = VitalFigures { merge: at_work(7), ..VitalFigures::default() };
        let log = WaitFigures { waiting: 2, reached: 9, ..WaitFigures::default() };
        let log = VitalFigures { log, ..VitalFigures::default() };
        for (figures, bound_s, kind, words) in [
            (flush, 30, SignKind::FlushStuck, "no further for 30.0 s"),
            (merge, 60, SignKind::MergeStalled, "nothing for 1 min"),
            (log, 2, SignKind::LogStuck, "for 2.0 s, and 2 wait"),
            (held(5), 1, SignKind::LockHeld, "held the lock `state` for 1.0 s"),
            (worked_under(5), 10, SignKind::LockHeld, "held the lock `state` for 10.0 s"),
        ] {
            let mut watch = ShardWatch::default();
            assert_eq!(stand_still(&mut watch, &figures, 0..bound_s - 1), [], "{kind:?}");
            let seen = stand_still(&mut watch, &figures, bound_s - 1..bound_s);
            assert_eq!(seen.len(), 1, "{seen:?}");
            assert_eq!((seen[0].0, seen[0].1), (kind, bound_s * 1000));
            assert!(seen[0].2.contains(words), "{}", seen[0].2);
            assert_eq!(watch.look(&VitalFigures::default(), bound_s * 1_000_000_000), [], "it is over");
        }
    }

    #[test]
    fn what_moves_is_in_order_however_long_it_takes() {
        let mut watch = ShardWatch::default();
        for half in 0..1000_u64 {
            let figures = VitalFigures {
                flush: at_work(half / 4),
                merge: at_work(half / 4),
                log: WaitFigures { waiting: 1, reached: half, ..WaitFigures::default() },
                ..held(half)
            };
            assert_eq!(watch.look(&figures, half * 500_000_000), []);
        }
    }

    #[test]
    fn a_merge_within_a_flush_is_a_step_of_it() {
        let mut watch = ShardWatch::default();
        for half in 0..100_u64 {
            let figures = VitalFigures { flush: at_work(1), merge: at_work(half), ..VitalFigures::default() };
            assert_eq!(watch.look(&figures, half * 500_000_000), []);
        }
    }
}
