//! A disk that fills up, fails to sync, loses power or flips bits: what was acknowledged stays, what cannot
//! be done is said.

use plan::{Durable, ErrorKind, Query};

use super::*;

#[test]
fn a_power_cut_costs_nothing_acknowledged() {
    for seed in 0..20 {
        let site = Site::new();
        let shard = site.open();
        for round in 0..6 {
            update(&shard, vec![add(film(&round.to_string(), "rot"))]);
            match (seed + round) % 4 {
                0 => flush(&shard),
                1 => refresh(&shard),
                _ => {}
            }
        }
        site.disk.cut_power(seed);
        drop(shard);
        let shard = site.open();
        assert_eq!(found(&shard, &Query::All), ["0", "1", "2", "3", "4", "5"], "seed {seed}");
        update(&shard, vec![add(film("6", "rot"))]);
    }
}

#[test]
fn a_full_disk_refuses_updates_and_serves_reads() {
    let site = Site::new();
    let shard = site.open();
    update(&shard, vec![add(film("1", "rot"))]);
    flush(&shard);
    site.disk.reserve_nothing();
    site.disk.limit_space(Some(site.disk.space_used()));
    let big = "wort ".repeat(100_000);
    let mut failure = None;
    for id in 0..20 {
        failure = shard
            .update(batch(vec![add(film(&format!("big{id}"), &big))]), UpdateContext::default())
            .failure
            .or(failure);
    }
    assert_eq!(failure.unwrap().kind, ErrorKind::Unavailable, "what has no room is refused");
    assert_eq!(found(&shard, &Query::All), ["1"]);
    assert!(get(&shard, "1").is_some());
    site.disk.limit_space(None);
    update(&shard, vec![add(film("2", "rot"))]);
    flush(&shard);
    assert!(get(&shard, "2").is_some());
}

#[test]
fn a_failed_sync_closes_the_shard_to_updates_until_it_is_opened_again() {
    let site = Site::new();
    let shard = site.open();
    update(&shard, vec![add(film("1", "rot"))]);
    refresh(&shard);
    site.disk.fail_sync_after(0);
    let failure = shard.update(batch(vec![add(film("2", "rot"))]), UpdateContext::default()).failure.unwrap();
    assert_eq!(failure.kind, ErrorKind::Unknown);
    let failure = shard.update(batch(vec![add(film("3", "rot"))]), UpdateContext::default()).failure.unwrap();
    assert_eq!(failure.kind, ErrorKind::Unavailable, "it was not written");
    assert!(shard.commit(&Commit::SOFT).is_err() && shard.commit(&Commit::HARD).is_err());
    assert_eq!(found(&shard, &Query::All), ["1"]);
    drop(shard);
    let shard = site.open();
    assert!(get(&shard, "1").is_some());
    update(&shard, vec![add(film("4", "rot"))]);
}

#[test]
fn damage_in_the_log_leaves_a_readable_shard() {
    let site = Site::new();
    let shard = site.open();
    for id in 0..8 {
        update(&shard, vec![add(film(&format!("doc{id}"), &format!("word{id}")))]);
    }
    site.disk.kill();
    drop(shard);
    let log = site.disk.paths().into_iter().find(|path| path.to_string_lossy().contains("log/")).unwrap();
    site.disk
        .damage(&log, |bytes| {
            let at = bytes.windows(5).position(|window| window == b"word3").unwrap();
            bytes[at] ^= 0xff;
        })
        .unwrap();
    let shard = site.open();
    assert!(get(&shard, "doc2").is_some() && get(&shard, "doc3").is_none());
    let failure = shard.update(batch(vec![add(film("9", "x"))]), UpdateContext::default()).failure.unwrap();
    assert_eq!(failure.kind, ErrorKind::Unavailable);
    assert!(failure.message.contains("updates are refused"), "{}", failure.message);
    assert!(shard.commit(&plan::Commit::HARD).is_err());
    assert!(shard.stats().refused.is_some());
}

#[test]
fn pieces_wait_for_the_log_once() {
    let pieces = |shard: &Shard, from: usize| {
        for id in from..from + 8 {
            let piece =
                UpdateBatch { durable: Durable::Later, ..batch(vec![add(film(&id.to_string(), "rot"))]) };
            assert!(shard.update(piece, UpdateContext::default()).failure.is_none());
        }
    };
    let all = || UpdateBatch { durable: Durable::All, ..UpdateBatch::default() };
    for seed in 0..20 {
        let site = Site::new();
        let shard = site.open();
        update(&shard, vec![add(film("0", "rot"))]);
        let before = site.disk.syncs();
        pieces(&shard, 1);
        assert_eq!(site.disk.syncs(), before, "nobody is told of them");
        assert!(shard.update(all(), UpdateContext::default()).failure.is_none());
        assert_eq!(site.disk.syncs(), before + 1);
        pieces(&shard, 9);
        site.disk.cut_power(seed);
        drop(shard);
        let shard = site.open();
        let kept: Vec<_> = (0..17).take_while(|id| get(&shard, &id.to_string()).is_some()).collect();
        assert!(kept.len() >= 9, "seed {seed}: {kept:?}");
        assert_eq!(found(&shard, &Query::All).len(), kept.len(), "what follows a gap is not there");
        pieces(&shard, 20);
        site.disk.fail_sync_after(0);
        assert_eq!(shard.update(all(), UpdateContext::default()).failure.unwrap().kind, ErrorKind::Unknown);
    }
}

/// A commit that ends a request shows nothing that the log could lose.
#[test]
fn a_commit_waits_for_the_pieces_before() {
    let site = Site::new();
    let shard = site.open();
    let piece = UpdateBatch { durable: Durable::Later, ..batch(vec![add(film("1", "rot"))]) };
    assert!(shard.update(piece, UpdateContext::default()).failure.is_none());
    site.disk.fail_sync_after(0);
    let last = UpdateBatch { durable: Durable::All, ..batch(vec![Operation::Commit(Commit::SOFT)]) };
    assert_eq!(shard.update(last, UpdateContext::default()).failure.unwrap().kind, ErrorKind::Unknown);
    assert_eq!(shard.snapshot().max_doc(), 0);
}

/// Who stops the server does not wait for a long merge, and loses nothing by it.
#[test]
fn a_merge_is_given_up_when_the_shard_closes() {
    let site = Site::new();
    let shard = site.open();
    for part in 0..3 {
        update(&shard, (0..50).map(|at| add(film(&format!("{part}-{at}"), "rot"))).collect());
        flush(&shard);
    }
    let segments = shard.segments().len();
    shard.core().stop();
    assert!(shard.core().merge_down_to(1).is_err());
    assert_eq!(shard.segments().len(), segments);
    shard.close().unwrap();
    drop(shard);
    let shard = site.open();
    assert_eq!(found(&shard, &Query::All).len(), 150);
    shard.core().merge_down_to(1).unwrap();
    assert_eq!((shard.segments().len(), found(&shard, &Query::All).len()), (1, 150));
}

/// A folder that cannot be synced once, for files or behind a manifest's name, costs a flush and nothing
/// else.
#[test]
fn a_flush_without_an_answer_is_made_again() {
    let mut unknown = 0;
    // The folder of files, then that of manifests.
    for good in 0..2 {
        let site = Site::new();
        let shard = site.open();
        update(&shard, vec![add(film("1", "rot"))]);
        site.disk.fail_folder_sync_after(good, std::io::ErrorKind::StorageFull);
        let failed = shard.commit(&Commit::HARD).err().map(|error| error.kind);
        unknown += u64::from(failed == Some(ErrorKind::Unknown));
        update(&shard, vec![add(film("2", "rot"))]);
        flush(&shard);
        update(&shard, vec![add(film("3", "rot"))]);
        site.disk.cut_power(good);
        drop(shard);
        assert_eq!(found(&site.open(), &Query::All), ["1", "2", "3"], "{good}: {failed:?}");
    }
    assert!(unknown > 0, "no publication was left without an answer");
}

/// What may be there stays offered when the next try finds no room to begin: dropped, its name would be
/// another's for ever.
#[test]
fn a_publication_without_an_answer_outlives_a_full_disk() {
    let site = Site::new();
    let shard = site.open();
    update(&shard, vec![add(film("1", "rot"))]);
    // Behind the manifest's name.
    site.disk.fail_folder_sync_after(1, std::io::ErrorKind::StorageFull);
    assert_eq!(shard.commit(&Commit::HARD).unwrap_err().kind, ErrorKind::Unknown);
    site.disk.limit_space(Some(site.disk.space_used()));
    assert!(shard.commit(&Commit::HARD).is_err());
    site.disk.limit_space(None);
    update(&shard, vec![add(film("2", "rot"))]);
    flush(&shard);
    update(&shard, vec![add(film("3", "rot"))]);
    drop(shard);
    assert_eq!(found(&site.open(), &Query::All), ["1", "2", "3"]);
}

/// The flush that makes room for an update comes before it: refused, it is never there.
#[test]
fn an_update_whose_flush_fails_is_refused_before_it_is_logged() {
    let mut site = Site::new();
    site.config.ram_bytes_max = 1;
    let shard = site.open();
    update(&shard, vec![add(film("1", "rot"))]);
    let before = shard.position();
    site.disk.fail_folder_sync_after(0, std::io::ErrorKind::Other);
    let failure = shard.update(batch(vec![add(film("2", "rot"))]), UpdateContext::default()).failure.unwrap();
    assert_eq!((failure.kind, shard.position()), (ErrorKind::Unavailable, before), "{failure}");
    update(&shard, vec![add(film("3", "rot"))]);
    refresh(&shard);
    assert_eq!(found(&shard, &Query::All), ["1", "3"]);
}

#[test]
fn a_schema_that_cannot_be_shown_is_not_taken_up() {
    let site = Site::new();
    let shard = site.open();
    let piece = UpdateBatch { durable: Durable::Later, ..batch(vec![add(film("1", "rot"))]) };
    assert!(shard.update(piece, UpdateContext::default()).failure.is_none());
    site.disk.fail_sync_after(0);
    let before = shard.core().bound.load().schema.clone();
    shard.set_schema(Arc::new(schema())).unwrap_err();
    assert!(Arc::ptr_eq(&shard.core().bound.load().schema, &before));
}
