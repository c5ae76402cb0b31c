//! Nobody is told of what the log may still lose: neither searches, nor gets, nor whose version conflicts
//! with it. What was refused never appears; what is unknown appears as a whole or never, at the next opening
//! too.

use plan::{Durable, ErrorKind, Query};

use super::*;

/// Applied, and nobody has waited for the log yet.
fn piece(operations: Vec<Operation>) -> UpdateBatch {
    UpdateBatch { durable: Durable::Later, ..batch(operations) }
}

fn try_get(shard: &Shard, id: &str) -> Result<Option<Document>, ErrorKind> {
    let found = shard.get(&[id.to_owned()], &FieldSelection::everything());
    found.map(|mut documents| documents.pop().unwrap()).map_err(|error| error.kind)
}

/// A shard with `1` shown, and `2` added and `1` deleted in a piece that nobody has waited for.
fn unsettled(site: &Site) -> Arc<Shard> {
    let shard = site.open();
    update(&shard, vec![add(film("1", "rot")), add(film("9", "rot"))]);
    refresh(&shard);
    assert!(
        shard
            .update(piece(vec![add(film("2", "rot")), delete("1")]), UpdateContext::default())
            .failure
            .is_none()
    );
    shard
}

#[test]
fn a_refresh_waits_for_the_log_up_to_its_cut() {
    let site = Site::new();
    let shard = unsettled(&site);
    let before = site.disk.syncs();
    refresh(&shard);
    assert_eq!((site.disk.syncs(), found(&shard, &Query::All)), (before + 1, vec!["2".into(), "9".into()]));
    refresh(&shard);
    assert_eq!(site.disk.syncs(), before + 1, "it needs no sync of its own");
}

#[test]
fn a_failed_sync_shows_nothing_of_what_it_lost() {
    let site = Site::new();
    let shard = unsettled(&site);
    site.disk.fail_sync_after(0);
    assert_eq!(shard.commit(&Commit::SOFT).unwrap_err().kind, ErrorKind::Unavailable);
    let check = |shard: &Shard| {
        assert_eq!(found(shard, &Query::All), ["1", "9"]);
        assert_eq!(try_get(shard, "2"), Err(ErrorKind::Unavailable));
        assert_eq!(try_get(shard, "1"), Err(ErrorKind::Unavailable), "deleted, or not");
        assert!(try_get(shard, "9").unwrap().is_some(), "of what is durable the log need not tell");
        assert_eq!(try_get(shard, "never"), Ok(None));
    };
    check(&shard);
    assert!(shard.commit(&Commit::HARD).is_err() && shard.commit(&Commit::SOFT).is_err());
    assert!(shard.tick(1_000_000).is_ok());
    check(&shard);
}

/// That nothing matches is the work of a delete which the log could lose: with it the document would be back,
/// and the delete by query, which was acknowledged, undone.
#[test]
fn a_delete_by_query_without_a_match_waits_for_what_it_was_judged_by() {
    let site = Site::new();
    let shard = unsettled(&site);
    update(&shard, vec![delete_by_query(term("id", "1"))]);
    site.disk.cut_power(1);
    drop(shard);
    assert!(get(&site.open(), "1").is_none(), "what was acknowledged stays");
}

#[test]
fn a_get_waits_for_the_updates_of_its_ids_alone() {
    let site = Site::new();
    let shard = unsettled(&site);
    let before = site.disk.syncs();
    assert!(get(&shard, "9").is_some() && get(&shard, "never").is_none());
    assert_eq!(site.disk.syncs(), before);
    assert!(get(&shard, "2").is_some());
    assert_eq!(site.disk.syncs(), before + 1);
    site.disk.cut_power(1);
    drop(shard);
    assert!(get(&site.open(), "2").is_some(), "what was told stays");
}

/// Where documents have others below them, an update of a root is one of them too.
#[test]
fn a_get_of_a_child_waits_for_its_root() {
    let site = Site::new();
    let shard = site.open();
    let children = |title: &str| {
        vec![plan::NestedField {
            name: Some("scenes".into()),
            listed: false,
            documents: vec![plan::Nested { id: "1a".into(), document: film("1a", title), children: vec![] }],
        }]
    };
    let block = |title: &str| add_block("1".into(), film("1", title), children(title), Expect::Anything);
    update(&shard, vec![block("first")]);
    flush(&shard);
    assert!(shard.update(piece(vec![add(film("1", "alone"))]), UpdateContext::default()).failure.is_none());
    site.disk.fail_sync_after(0);
    assert_eq!(try_get(&shard, "1a"), Err(ErrorKind::Unavailable), "gone with its root, or not");
}

/// Though its segment, in which it stood below its root, is gone meanwhile with the last of its documents.
#[test]
fn a_get_of_a_child_waits_for_its_root_without_its_segment() {
    let site = Site::new();
    let shard = site.open();
    let documents = vec![plan::Nested { id: "1a".into(), document: film("1a", "below"), children: vec![] }];
    let scenes = plan::NestedField { name: Some("scenes".into()), listed: false, documents };
    update(&shard, vec![add_block("1".into(), film("1", "rot"), vec![scenes], Expect::Anything)]);
    flush(&shard);
    drop(shard);
    let shard = site.open();
    let cut = shard.core().cut().unwrap();
    assert!(shard.update(piece(vec![delete("1")]), UpdateContext::default()).failure.is_none());
    shard.core().show(&cut).unwrap();
    assert_eq!(shard.core().state().segments.len(), 0);
    site.disk.fail_sync_after(0);
    assert_eq!(try_get(&shard, "1a"), Err(ErrorKind::Unavailable), "gone with its root, or not");
}

/// Keeps tasks until the test gives them their turn.
#[derive(Debug, Default)]
struct ByHand(std::sync::Mutex<Vec<HandTask>>);

struct HandTask(&'static str, std::sync::Weak<dyn crate::Task>);

impl std::fmt::Debug for HandTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl crate::Scheduler for ByHand {
    fn start(
        &self,
        name: &'static str,
        _: crate::Priority,
        task: &Arc<dyn crate::Task>,
    ) -> plan::Result<Arc<dyn crate::TaskHandle>> {
        self.0.lock().unwrap().push(HandTask(name, Arc::downgrade(task)));
        Ok(Arc::new(Unheeded))
    }
}

struct Unheeded;

impl crate::TaskHandle for Unheeded {
    fn wake(&self) {}
    fn stop(&self) {}
}

/// As many as there are wait for one sync, which a task of the shard makes.
#[test]
fn updates_wait_without_a_thread_each() {
    use std::future::Future as _;
    let scheduler = Arc::new(ByHand::default());
    let mut site = Site::new();
    site.config.scheduler = Some(scheduler.clone());
    let shard = site.open();
    let before = site.disk.syncs();
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let adds = (0..64).map(|id| batch(vec![add(film(&id.to_string(), "rot"))]));
    let mut updates: Vec<_> = adds.map(|it| Box::pin(shard.apply(it, UpdateContext::default()))).collect();
    assert!(updates.iter_mut().all(|update| update.as_mut().poll(&mut context).is_pending()));
    assert_eq!(site.disk.syncs(), before);
    let task = scheduler.0.lock().unwrap().iter().find(|task| task.0 == "log").and_then(|it| it.1.upgrade());
    task.unwrap().turn();
    assert_eq!(site.disk.syncs(), before + 1);
    for update in &mut updates {
        let std::task::Poll::Ready(outcome) = update.as_mut().poll(&mut context) else { panic!("durable") };
        assert!(outcome.failure.is_none() && outcome.added.len() == 1);
    }
}

#[test]
fn a_conflict_is_told_once_what_it_is_about_is_durable() {
    let site = Site::new();
    let shard = unsettled(&site);
    let absent = || batch(vec![add_expecting(film("2", "blau"), Expect::Absent(-1))]);
    let before = site.disk.syncs();
    assert_eq!(shard.update(absent(), UpdateContext::default()).failure.unwrap().kind, ErrorKind::Conflict);
    assert_eq!(site.disk.syncs(), before + 1);
    assert!(shard.update(piece(vec![add(film("3", "rot"))]), UpdateContext::default()).failure.is_none());
    site.disk.fail_sync_after(0);
    let conflict = add_expecting(film("3", "blau"), Expect::Absent(-1));
    let failure = shard.update(batch(vec![conflict]), UpdateContext::default()).failure.unwrap();
    assert_eq!(failure.kind, ErrorKind::Unknown, "the other may never have been");
}

/// All operations of a group are one record: after any fault, all are there or none.
#[test]
fn what_is_unknown_is_there_as_a_whole_or_not_at_all() {
    let mut outcomes = [0, 0];
    for seed in 0..40 {
        let site = Site::new();
        let shard = site.open();
        update(&shard, vec![add(film("1", "rot")), add(film("2", "rot"))]);
        refresh(&shard);
        site.disk.fail_sync_after(0);
        let edits = vec![add(film("3", "rot")), delete("1"), add(film("2", "blau"))];
        assert_eq!(
            shard.update(batch(edits), UpdateContext::default()).failure.unwrap().kind,
            ErrorKind::Unknown
        );
        let refused =
            shard.update(batch(vec![add(film("refused", "rot"))]), UpdateContext::default()).failure.unwrap();
        assert_eq!(refused.kind, ErrorKind::Unavailable);
        assert_eq!(found(&shard, &term("title_t", "rot")), ["1", "2"], "not before it is known");
        if seed % 2 == 0 {
            site.disk.kill();
        } else {
            site.disk.cut_power(seed);
        }
        drop(shard);
        let shard = site.open();
        let is_there = get(&shard, "3").is_some();
        let expected: &[&str] = if is_there { &["2", "3"] } else { &["1", "2"] };
        assert_eq!(found(&shard, &Query::All), expected, "seed {seed}");
        assert_eq!(found(&shard, &term("title_t", "blau")).is_empty(), !is_there);
        assert!(get(&shard, "refused").is_none());
        outcomes[usize::from(is_there)] += 1;
        update(&shard, vec![add(film("4", "rot"))]);
    }
    assert!(outcomes.iter().all(|count| *count > 0), "{outcomes:?}");
}

/// Files that a merge replaced stay a while for those who read an older manifest.
#[test]
fn an_archive_opens_what_its_manifest_names_for_a_while() {
    let mut site = Site::new();
    site.config.replaced_files_kept_ms = 10_000;
    let shard = site.open();
    for id in ["1", "2", "3"] {
        update(&shard, vec![add(film(id, "rot"))]);
        flush(&shard);
    }
    let archive = site.disk.archive();
    let manifest =
        || crate::life::manifest::Manifest::from_bytes(&archive.newest().unwrap().unwrap().1).unwrap();
    let open_all = |manifest: &crate::life::manifest::Manifest| {
        manifest.files().all(|it| archive.open(&it.to_file()).is_ok())
    };
    let older = manifest();
    shard.commit(&Commit { max_segments: Some(1), ..Commit::HARD }).unwrap();
    assert_ne!(older.files().count(), manifest().files().count());
    assert!(open_all(&older) && open_all(&manifest()));
    site.clock.advance(10_000);
    shard.tick(11_000).unwrap();
    assert!(!open_all(&older) && open_all(&manifest()));
}
