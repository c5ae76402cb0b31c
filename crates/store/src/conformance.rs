//! What every home must do, as checks over the traits alone: `check_home` for any home, `check_faults` for
//! one whose medium can be made to fail. A new home passes both before anything is built on it. A failed
//! check panics.

use std::future::Future;
use std::io::Write;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};

use crate::contract::{FencedLog, ReplayEnd, SegmentFile, ShardHome, Verified, Watermark, WrittenFile};
use crate::{Durability, ErrorKind, Result, ShardArchive};

/// One shard, which can be opened again and again.
pub trait TestSite {
    fn open(&self) -> Result<Arc<dyn ShardHome>>;
    fn archive(&self) -> Arc<dyn ShardArchive>;
    fn second_opening(&self) -> SecondOpening;
}

/// What becomes of an opening while the shard's owner lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondOpening {
    /// It fails with `Deposed`.
    Refused,
    /// It succeeds, and the first owner learns so at its next look, append or publication.
    Deposes,
}

/// A record appended in one step, where nobody holds a lock.
pub trait AppendRecord {
    fn append_record(&self, record: &[u8]) -> Result<Watermark>;
}

impl<L: FencedLog + ?Sized> AppendRecord for L {
    fn append_record(&self, record: &[u8]) -> Result<Watermark> {
        Ok(self.append(self.reserve(record.len())?, record))
    }
}

/// A site that can fail on command.
pub trait FaultySite: TestSite {
    /// The machine loses power; homes opened before are dead.
    fn cut_power(&self, seed: u64);
    /// The next durable write fails for good.
    fn fail_next_sync(&self);
    /// Whether the medium takes no more than a few KiB from now on.
    fn set_full(&self, full: bool);
}

/// A record and its position.
pub type Positioned = (Watermark, Vec<u8>);

/// Records of a log above `after`.
pub fn records(home: &dyn ShardHome, after: Option<Watermark>) -> Result<(Vec<Positioned>, ReplayEnd)> {
    let mut found = Vec::new();
    let end = home.log().replay(after, &mut |at, record| {
        found.push((at, record.to_vec()));
        Ok(())
    })?;
    Ok((found, end))
}

/// Runs every check that needs no faults, each on a site of its own.
pub fn check_home(fresh: &dyn Fn() -> Box<dyn TestSite>) {
    log_replays_in_order(&*fresh());
    log_survives_many_openings(&*fresh());
    log_serves_many_threads(&*fresh());
    log_refuses_strange_positions(&*fresh());
    manifests_form_a_chain(&*fresh());
    segments_are_written_once(&*fresh());
    waiting_takes_no_thread(&*fresh());
    room_is_given_back(&*fresh());
    an_archive_reads_what_is_published(&*fresh());
    one_owner_at_a_time(&*fresh());
}

/// Runs every check that needs faults.
pub fn check_faults(fresh: &dyn Fn() -> Box<dyn FaultySite>) {
    for seed in 0..32 {
        acknowledged_records_survive_power_cuts(&*fresh(), seed);
        published_state_survives_power_cuts(&*fresh(), seed);
    }
    a_failed_sync_ends_the_log(&*fresh());
    a_full_medium_refuses_and_recovers(&*fresh());
}

fn open(site: &(impl TestSite + ?Sized)) -> Arc<dyn ShardHome> {
    site.open().expect("the home opens")
}

fn append(home: &dyn ShardHome, record: &[u8]) -> Watermark {
    let at = home.log().append_record(record).expect("the log takes a record");
    home.log().wait_durable(at).expect("the record becomes durable");
    at
}

fn log_replays_in_order(site: &dyn TestSite) {
    let mut written = Vec::new();
    let home = open(site);
    for number in 0..200u32 {
        let record = number.to_le_bytes().repeat(number as usize);
        written.push((home.log().append_record(&record).expect("append"), record));
    }
    assert!(written.is_sorted_by(|a, b| a.0 < b.0), "positions ascend");
    home.log().wait_durable(written[199].0).expect("wait");
    assert!(home.log().bytes() > 0);
    drop(home);
    let home = open(site);
    let (found, end) = records(&*home, None).expect("replay");
    assert_eq!(found, written);
    assert_eq!(end, ReplayEnd { records: 200, torn_bytes: 0, end: written[199].0 });
    let (found, _) = records(&*home, Some(written[120].0)).expect("replay");
    assert_eq!(found, written[121..]);
    home.log().trim(written[120].0).expect("trim");
    drop(home);
    let (found, _) = records(&*open(site), Some(written[120].0)).expect("replay after trim");
    assert_eq!(found, written[121..]);
}

fn log_survives_many_openings(site: &dyn TestSite) {
    let mut written = Vec::new();
    let mut epoch = 0;
    for number in 0..6u8 {
        let home = open(site);
        assert!(home.epoch() > epoch, "every opening has a later epoch");
        epoch = home.epoch();
        if number % 3 > 0 {
            written.push((append(&*home, &[number]), vec![number]));
        }
        assert_eq!(records(&*home, None).expect("replay").0, written);
    }
}

fn log_serves_many_threads(site: &dyn TestSite) {
    let home = open(site);
    let log = home.log();
    std::thread::scope(|scope| {
        for thread in 0..8u8 {
            let log = &log;
            scope.spawn(move || {
                for number in 0..25u8 {
                    let at = log.append_record(&[thread, number]).expect("append");
                    log.wait_durable(at).expect("wait");
                }
            });
        }
    });
    let (found, _) = records(&*home, None).expect("replay");
    assert_eq!(found.len(), 200);
    for thread in 0..8u8 {
        let numbers = found.iter().filter(|(_, record)| record[0] == thread).map(|(_, record)| record[1]);
        assert!(numbers.eq(0..25), "each thread's records in its own order");
    }
}

fn log_refuses_strange_positions(site: &dyn TestSite) {
    let home = open(site);
    let last = append(&*home, b"one");
    let next = Watermark::new(last.epoch, last.sequence + 1);
    let error = home.log().wait_durable(next).expect_err("nothing to wait for");
    assert_eq!(error.kind(), &ErrorKind::Invalid);
    let error = records(&*home, Some(next)).expect_err("nothing that far");
    assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
    let long = vec![0; crate::RECORD_BYTES_MAX + 1];
    assert_eq!(home.log().append_record(&long).expect_err("too long").kind(), &ErrorKind::Invalid);
    assert_eq!(records(&*home, None).expect("replay").0.len(), 1);
}

fn manifests_form_a_chain(site: &dyn TestSite) {
    let home = open(site);
    let chain = home.manifests();
    assert_eq!(chain.load().expect("load"), None);
    let conflict = |expected, what: &str| {
        let error = chain.publish(expected, b"x").expect_err(what);
        assert_eq!(error.kind(), &ErrorKind::Conflict, "{what}");
    };
    conflict(Some(1), "no manifest yet");
    let mut version = None;
    for number in 0..10u8 {
        let next = chain.publish(version, &[number]).expect("publish");
        assert!(Some(next) > version);
        conflict(version, "somebody else published");
        version = Some(next);
    }
    drop((home, chain));
    assert_eq!(open(site).manifests().load().expect("load"), version.map(|version| (version, vec![9])));
}

fn segments_are_written_once(site: &dyn TestSite) {
    let home = open(site);
    let store = home.segments();
    let whole = store.put("a.seg", b"123456789").expect("put");
    assert_eq!(whole, SegmentFile { name: "a.seg".into(), size: 9, crc32: 0xcbf4_3926 });
    assert_eq!(store.put("a.seg", b"other").expect_err("exists").kind(), &ErrorKind::Conflict);
    let mut writer = store.create("b.seg").expect("create");
    writer.write_all(b"12345").and_then(|()| writer.write_all(b"6789")).expect("write");
    assert_eq!(store.list().expect("list"), ["a.seg"], "not before it is finished");
    let WrittenFile { file: streamed, bytes } = writer.finish().expect("finish");
    assert_eq!(&*bytes, b"123456789", "what was written can be read at once");
    assert_eq!((streamed.size, streamed.crc32), (whole.size, whole.crc32));
    store.create("c.seg").expect("create").write_all(b"gone").expect("write");
    let others = store.put_all(&[("d.seg", b"d"), ("e.seg", b"")]).expect("put_all");
    assert_eq!(store.list().expect("list"), ["a.seg", "b.seg", "d.seg", "e.seg"]);
    drop(home);
    segments_read_back(&*store, &whole, &others[1]);
}

fn segments_read_back(store: &dyn crate::SegmentStore, whole: &SegmentFile, empty: &SegmentFile) {
    assert_eq!(store.verify(whole).expect("intact"), Verified::Sound);
    let wrong = SegmentFile { crc32: 1, ..whole.clone() };
    assert!(matches!(store.verify(&wrong).expect_err("crc").kind(), ErrorKind::Corrupt { .. }));
    let wrong = SegmentFile { size: 8, ..whole.clone() };
    assert!(matches!(store.verify(&wrong).expect_err("size").kind(), ErrorKind::Corrupt { .. }));
    assert!(matches!(store.open(&wrong).expect_err("size").kind(), ErrorKind::Corrupt { .. }));
    store.fetch(&[whole.clone(), empty.clone()]).expect("fetch");
    let bytes = store.open(whole).expect("open");
    assert!(store.open(empty).expect("open").is_empty());
    store.remove(&whole.name).expect("remove");
    store.remove(&whole.name).expect("removing twice");
    assert_eq!(&*bytes, b"123456789", "bytes outlive their file");
    assert_eq!(store.open(whole).expect_err("removed").kind(), &ErrorKind::NotFound);
    assert_eq!(store.verify(whole).expect_err("removed").kind(), &ErrorKind::NotFound);
    for name in ["", ".", "..", ".x", "a/b", "/a", "a b"] {
        assert_eq!(store.put(name, b"").expect_err("bad name").kind(), &ErrorKind::Invalid, "{name:?}");
        let named = SegmentFile { name: name.to_owned(), ..empty.clone() };
        assert_eq!(store.open(&named).expect_err("bad name").kind(), &ErrorKind::Invalid, "{name:?}");
    }
}

/// Notes that it was woken.
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn waiting_takes_no_thread(site: &dyn TestSite) {
    let home = open(site);
    let (log, (sender, told)) = (home.log(), mpsc::channel());
    let positions: Vec<_> = (0..3u8).map(|number| log.append_record(&[number]).expect("append")).collect();
    for at in positions.iter().copied() {
        let sender = sender.clone();
        log.when_durable(at, Box::new(move |result| sender.send((at, result.is_ok())).expect("send")));
    }
    let woken = Arc::new(Woken(AtomicBool::new(false)));
    let waker = Waker::from(Arc::clone(&woken));
    let mut durability = pin!(Durability::of(&*log, positions[2]));
    let before = durability.as_mut().poll(&mut Context::from_waker(&waker));
    assert!(log.is_waited_for());
    // One waits with a thread, for all.
    assert!(matches!(log.try_wait_durable(positions[2]), Some(Ok(()))), "nobody else writes");
    assert!(!log.is_waited_for());
    assert!(before.is_ready() || woken.0.load(Ordering::SeqCst), "the future's waker was told");
    if before.is_pending() {
        let after = durability.as_mut().poll(&mut Context::from_waker(&waker));
        assert!(matches!(after, Poll::Ready(Ok(()))));
    }
    let mut all: Vec<_> = told.try_iter().collect();
    all.sort_unstable();
    assert_eq!(all, positions.iter().map(|at| (*at, true)).collect::<Vec<_>>());
    assert!(log.durable() >= positions[2]);
    let first = positions[0];
    log.when_durable(first, Box::new(move |result| sender.send((first, result.is_ok())).expect("send")));
    assert_eq!(told.try_recv(), Ok((first, true)), "what is durable is told at once");
}

/// Room that is not used hinders nobody, and records need not take all of theirs, nor come in the order of
/// their room.
fn room_is_given_back(site: &dyn TestSite) {
    let home = open(site);
    let log = home.log();
    for _ in 0..2_000 {
        drop(log.reserve(1_000).expect("room"));
    }
    let rooms: Vec<_> = (0..40).map(|_| log.reserve(600).expect("room")).collect();
    assert!(rooms.iter().all(|room| room.bytes() >= 600));
    let records: Vec<Vec<u8>> = (0..40u8).map(|number| vec![number; 15 * usize::from(number)]).collect();
    let ats: Vec<_> = rooms.into_iter().rev().zip(&records).map(|(room, it)| log.append(room, it)).collect();
    log.wait_durable(ats[39]).expect("wait");
    let found = self::records(&*home, None).expect("replay").0;
    assert_eq!(found, ats.into_iter().zip(records).collect::<Vec<_>>());
}

fn an_archive_reads_what_is_published(site: &dyn TestSite) {
    let archive = site.archive();
    assert_eq!(archive.newest().expect("newest"), None, "nobody has owned the shard yet");
    let home = open(site);
    assert_eq!(archive.newest().expect("newest"), None);
    let file = home.segments().put("a.seg", b"123456789").expect("put");
    let first = home.manifests().publish(None, b"first").expect("publish");
    assert_eq!(archive.newest().expect("newest"), Some((first, b"first".to_vec())));
    let bytes = archive.open(&file).expect("open");
    let stray = home.segments().put("b.seg", b"not published").expect("put");
    let second = home.manifests().publish(Some(first), b"second").expect("publish");
    home.segments().remove(&file.name).expect("remove");
    assert_eq!(archive.newest().expect("newest"), Some((second, b"second".to_vec())));
    assert_eq!(&*bytes, b"123456789", "bytes outlive their file");
    match archive.open(&file) {
        Ok(kept) => assert_eq!(&*kept, b"123456789", "whoever has read it may have a copy"),
        Err(error) => assert_eq!(error.kind(), &ErrorKind::NotFound),
    }
    let wrong = SegmentFile { size: 3, ..stray.clone() };
    assert!(matches!(archive.open(&wrong).expect_err("size").kind(), ErrorKind::Corrupt { .. }));
    append(&*home, b"the owner goes on");
    drop(home);
    assert!(site.archive().open(&stray).is_ok(), "an archive removes nothing");
}

fn one_owner_at_a_time(site: &dyn TestSite) {
    match site.second_opening() {
        SecondOpening::Refused => a_second_opening_is_refused(site),
        SecondOpening::Deposes => a_second_opening_deposes(site),
    }
}

fn a_second_opening_is_refused(site: &dyn TestSite) {
    let home = open(site);
    let segments = home.segments();
    let refused = || site.open().err().map(|error| error.kind().clone());
    assert_eq!(refused(), Some(ErrorKind::Deposed));
    drop(home);
    assert_eq!(refused(), Some(ErrorKind::Deposed), "a part still owns the folder");
    drop(segments);
    assert_eq!(refused(), None);
}

fn a_second_opening_deposes(site: &dyn TestSite) {
    let first = open(site);
    let known = append(&*first, b"first");
    let version = first.manifests().publish(None, b"first").expect("publish");
    let (room, log) = (first.log().reserve(6).expect("room"), first.log());
    first.log().confirm().expect("nobody else has opened it");
    let second = open(site);
    assert!(second.epoch() > first.epoch());
    let error = first.log().confirm().expect_err("deposed");
    assert_eq!(error.kind(), &ErrorKind::Deposed, "{error}");
    second.log().confirm().expect("it owns the shard");
    assert_eq!(records(&*second, None).expect("replay").0, [(known, b"first".to_vec())]);
    let late = log.append(room, b"zombie");
    let error = log.wait_durable(late).expect_err("deposed");
    assert_eq!(error.kind(), &ErrorKind::Deposed, "{error}");
    assert_eq!(log.reserve(1).expect_err("deposed").kind(), &ErrorKind::Deposed);
    let error = first.manifests().publish(Some(version), b"zombie").expect_err("deposed");
    assert_eq!(error.kind(), &ErrorKind::Deposed, "{error}");
    let own = append(&*second, b"second");
    second.manifests().publish(Some(version), b"second").expect("publish");
    assert_eq!(records(&*second, Some(known)).expect("replay").0, [(own, b"second".to_vec())]);
}

fn acknowledged_records_survive_power_cuts(site: &dyn FaultySite, seed: u64) {
    let mut known: Vec<Positioned> = Vec::new();
    for round in 0..4u64 {
        let home = open(site);
        assert_eq!(records(&*home, None).expect("replay").0, known, "what was replayed once stays");
        let mut written = known.clone();
        let acknowledged = written.len() + 12;
        for number in 0..20u8 {
            let record = vec![number; 100 * usize::from(number)];
            let at = home.log().append_record(&record).expect("append");
            written.push((at, record));
            if number % 3 == 2 && written.len() <= acknowledged {
                home.log().wait_durable(at).expect("wait");
            }
        }
        site.cut_power(seed * 4 + round);
        let home = open(site);
        known = records(&*home, None).expect("replay after a power cut").0;
        assert!(known.len() >= acknowledged, "{} of {acknowledged} acknowledged records", known.len());
        assert_eq!(known, written[..known.len()], "a prefix of what was written");
    }
}

fn published_state_survives_power_cuts(site: &dyn FaultySite, seed: u64) {
    let home = open(site);
    let file = home.segments().put("a.seg", &[7; 3000]).expect("put");
    let version = home.manifests().publish(None, b"names a.seg").expect("publish");
    let mut unfinished = home.segments().create("b.seg").expect("create");
    unfinished.write_all(&[8; 3000]).expect("write");
    site.cut_power(seed);
    let home = open(site);
    home.segments().verify(&file).map(drop).expect("a segment that was put is whole");
    assert_eq!(home.segments().list().expect("list"), ["a.seg"]);
    assert_eq!(home.manifests().load().expect("load"), Some((version, b"names a.seg".to_vec())));
}

fn a_failed_sync_ends_the_log(site: &dyn FaultySite) {
    let home = open(site);
    let first = append(&*home, b"first");
    let second = home.log().append_record(b"second").expect("append");
    site.fail_next_sync();
    let late = home.log().reserve(5).expect("room");
    for attempt in 0..3 {
        let error = home.log().wait_durable(second).expect_err("the sync fails");
        assert_eq!(error.kind(), &ErrorKind::Failed, "attempt {attempt}");
    }
    assert_eq!(home.log().append_record(b"third").expect_err("the log is over").kind(), &ErrorKind::Failed);
    let never = home.log().append(late, b"never");
    let error = home.log().wait_durable(never).expect_err("the log is over");
    assert_eq!(error.kind(), &ErrorKind::Failed);
    home.log().wait_durable(first).expect("what was durable stays so");
    assert_eq!(records(&*home, None).expect("replay goes on").0, [(first, b"first".to_vec())]);
    drop(home);
    let home = open(site);
    let found = records(&*home, None).expect("replay").0;
    assert_eq!(found[0], (first, b"first".to_vec()));
    assert!(found.len() <= 2);
    assert!(
        found.iter().all(|(_, record)| record != b"never"),
        "what comes behind a failed sync never appears"
    );
    append(&*home, b"fourth");
    site.cut_power(1);
    assert_eq!(
        records(&*open(site), None).expect("replay").0[..found.len()],
        found,
        "what was replayed stays"
    );
}

fn a_full_medium_refuses_and_recovers(site: &dyn FaultySite) {
    let home = open(site);
    let mut written = vec![(append(&*home, b"before"), b"before".to_vec())];
    site.set_full(true);
    let record = vec![1; 1000];
    let refusal = loop {
        match home.log().append_record(&record) {
            Ok(at) => written.push((at, record.clone())),
            Err(error) => break error,
        }
        assert!(written.len() < 100_000, "a full medium fills");
    };
    assert_eq!(refusal.kind(), &ErrorKind::Full, "{refusal}");
    let last = written[written.len() - 1].0;
    home.log().wait_durable(last).expect("what was accepted has its space");
    let record = vec![2; 64 << 10];
    assert_eq!(home.manifests().publish(None, &record).expect_err("full").kind(), &ErrorKind::Full);
    assert_eq!(home.segments().put("a.seg", &record).expect_err("full").kind(), &ErrorKind::Full);
    assert_eq!(records(&*home, None).expect("reads go on").0, written);
    site.set_full(false);
    written.push((append(&*home, b"after"), b"after".to_vec()));
    home.segments().put("a.seg", &record).expect("put again");
    home.manifests().publish(None, &record).expect("publish again");
    drop(home);
    assert_eq!(records(&*open(site), None).expect("replay").0, written);
}
