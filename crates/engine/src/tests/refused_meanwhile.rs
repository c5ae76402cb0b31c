//! A shard that stops taking updates while one of them waits for room in the log: the wait is the only place
//! where an update that was allowed holds no lock. The log here lets the test in at exactly that moment; all
//! else of the home is the disk in memory's. What every home must do of itself is `store::conformance`'s.

use std::sync::{Arc, OnceLock, Weak};

use plan::{ErrorKind, Query};
use store::{
    DurabilityWaiter, FencedLog, ManifestStore, ReplayEnd, Room, SegmentStore, ShardHome, Watermark,
};

use super::*;

/// Closes its shard to updates between the room that it gives and the append.
struct ClosingLog {
    log: Arc<dyn FencedLog>,
    /// Whom to close; nobody while it is not set.
    shard: Arc<OnceLock<Weak<Shard>>>,
}

impl FencedLog for ClosingLog {
    fn reserve(&self, bytes: usize) -> store::Result<Room> {
        let room = self.log.reserve(bytes)?;
        if let Some(shard) = self.shard.get().and_then(Weak::upgrade) {
            shard.core().refuse_updates("the test says so");
        }
        Ok(room)
    }

    fn append(&self, room: Room, record: &[u8]) -> Watermark {
        self.log.append(room, record)
    }

    fn durable(&self) -> Watermark {
        self.log.durable()
    }

    fn wait_durable(&self, at: Watermark) -> store::Result<()> {
        self.log.wait_durable(at)
    }

    fn try_wait_durable(&self, at: Watermark) -> Option<store::Result<()>> {
        self.log.try_wait_durable(at)
    }

    fn when_durable(&self, at: Watermark, waiter: DurabilityWaiter) {
        self.log.when_durable(at, waiter);
    }

    fn is_waited_for(&self) -> bool {
        self.log.is_waited_for()
    }

    fn confirm(&self) -> store::Result<()> {
        self.log.confirm()
    }

    fn replay(
        &self,
        after: Option<Watermark>,
        visit: &mut dyn FnMut(Watermark, &[u8]) -> store::Result<()>,
    ) -> store::Result<ReplayEnd> {
        self.log.replay(after, visit)
    }

    fn trim(&self, upto: Watermark) -> store::Result<()> {
        self.log.trim(upto)
    }

    fn bytes(&self) -> u64 {
        self.log.bytes()
    }
}

struct ClosingHome {
    home: store::LocalHome,
    shard: Arc<OnceLock<Weak<Shard>>>,
}

impl ShardHome for ClosingHome {
    fn epoch(&self) -> u64 {
        self.home.epoch()
    }

    fn log(&self) -> Arc<dyn FencedLog> {
        Arc::new(ClosingLog { log: self.home.log(), shard: self.shard.clone() })
    }

    fn manifests(&self) -> Arc<dyn ManifestStore> {
        self.home.manifests()
    }

    fn segments(&self) -> Arc<dyn SegmentStore> {
        self.home.segments()
    }
}

/// Every kind of update, each on a shard of its own.
#[test]
fn nothing_is_written_by_a_shard_that_was_closed_while_room_was_made() {
    let operations = [
        ("add", add(film("3", "rot"))),
        ("replace", add(film("1", "rot"))),
        ("modify", modify("1", "title_t", plan::AtomicOp::Set, vec![text("neu")])),
        ("delete", delete("1")),
        ("delete by query", delete_by_query(term("title_t", "rot"))),
        ("delete all", delete_by_query(Query::All)),
    ];
    for (name, operation) in operations {
        let site = Site::new();
        let closing = Arc::new(OnceLock::new());
        let home = Arc::new(ClosingHome { home: site.disk.open().unwrap(), shard: closing.clone() });
        let shard = Shard::open(home, Arc::new(schema()), site.config.clone(), site.clock.clone()).unwrap();
        update(&shard, vec![add(film("1", "rot")), add(film("2", "rot"))]);
        refresh(&shard);
        let before = shard.position();
        closing.set(Arc::downgrade(&shard)).unwrap();
        let failure = shard.update(batch(vec![operation]), UpdateContext::default()).failure;
        assert_eq!(failure.map(|it| it.kind), Some(ErrorKind::Unavailable), "{name}");
        assert_eq!(shard.position(), before, "{name}: nothing was appended");
        assert_eq!(found(&shard, &Query::All), ["1", "2"], "{name}");
        assert!(get(&shard, "1").is_some(), "{name}");
        drop(shard);
        assert_eq!(found(&site.open(), &Query::All), ["1", "2"], "{name}: nor after a restart");
    }
}
