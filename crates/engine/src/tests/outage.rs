//! What an update waits for where its home is an object store that does not answer, and what it is told then.
//! One thread; time passes only where the store's client pauses.

use std::sync::Arc;

use plan::{ErrorKind, Query};
use store::Site as _;
use store::object::faults::{FaultyMedium, MemoryMedium};
use store::object::{ObjectLogOptions, ObjectOptions, ObjectSite, Pacer as _};

use super::*;

/// A shard in a bucket whose log has memory for one small record that is not durable, and who fails it.
fn shard_in_a_bucket() -> (FaultyMedium, Arc<Shard>) {
    let medium = FaultyMedium::new(Arc::new(MemoryMedium::default()));
    let log = ObjectLogOptions { pending_bytes_max: 1, ..ObjectLogOptions::default() };
    let options = ObjectOptions { log, ..ObjectOptions::default() };
    let media = Arc::new(medium.clone());
    let site = ObjectSite::new(media.clone(), media, Arc::new(|| [7; 16]), options).unwrap();
    let home = site.home(&store::ShardId { path: "films/shard1".into(), stream: [1; 16] }).unwrap();
    let shard = Shard::open(home, Arc::new(schema()), config(), Arc::new(StillClock::at(1_000))).unwrap();
    (medium, shard)
}

#[test]
fn an_update_waits_for_a_silent_store_once() {
    let cases = [
        ("all of it in the log", vec![add(film("1", "rot"))]),
        // The first is in the log by then, and the second has waited for room.
        ("a part of it", vec![add(film("1", "rot")), delete_by_query(term("title_t", "rot"))]),
        ("a commit behind it", vec![add(film("1", "rot")), Operation::Commit(Commit::HARD)]),
    ];
    for (name, operations) in cases {
        let (medium, shard) = shard_in_a_bucket();
        medium.set_down(true);
        let began_ms = medium.now_ms();
        let failure = shard.update(batch(operations), UpdateContext::default()).failure.unwrap();
        let took_ms = medium.now_ms() - began_ms;
        assert_eq!(failure.kind, ErrorKind::Unknown, "{name}: {failure}");
        // One attempt is the update's; a shard without a task writes for others, too, on the thread at hand.
        assert!(took_ms <= 2 * store::object::Patience::default().answer_ms, "{name}: {took_ms} ms");
        medium.set_down(false);
        shard.commit(&Commit::HARD).unwrap();
        assert_eq!(found(&shard, &Query::All), ["1"], "{name}: as a whole, or never");
    }
}

/// Of one that found no room nothing can count.
#[test]
fn an_update_that_was_never_offered_is_refused() {
    let (medium, shard) = shard_in_a_bucket();
    medium.set_down(true);
    assert!(shard.update(batch(vec![add(film("1", "rot"))]), UpdateContext::default()).failure.is_some());
    let failure = shard.update(batch(vec![add(film("2", "rot"))]), UpdateContext::default()).failure;
    assert_eq!(failure.map(|error| error.kind), Some(ErrorKind::Unavailable));
    medium.set_down(false);
    shard.commit(&Commit::HARD).unwrap();
    assert_eq!(found(&shard, &Query::All), ["1"]);
}
