//! The home over media that behave and media that do not: the suites that every home passes, and what only an
//! object store does: PUTs that land late, behind fences and in names that were given free.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::faults::{FaultRates, FaultyMedium, MemoryMedium, PutFault};
use super::*;
use crate::conformance::{
    AppendRecord, FaultySite, SecondOpening, TestSite, check_faults, check_home, records,
};
use crate::contract::{LogFigures, SegmentFile, Verified, Watermark, WrittenFile};
use crate::metadata::MetadataStore;
use crate::metadata::conformance::check_metadata;
use crate::{ErrorKind, FileCopies, HomeWithCopies};

fn shard() -> ShardId {
    ShardId { path: "films/shard1".into(), stream: [1; 16] }
}

/// A shard in a medium that fails on command, and one process after another that opens it.
struct Bucket {
    medium: Mutex<FaultyMedium>,
    nonces: Arc<AtomicU64>,
    options: ObjectOptions,
    /// Of the medium, or of caches.
    folder: Option<tempfile::TempDir>,
    caches: Option<Arc<AtomicU64>>,
}

impl Bucket {
    fn on(inner: Arc<dyn Medium>, options: ObjectOptions) -> Self {
        let medium = Mutex::new(FaultyMedium::new(inner));
        Self { medium, nonces: Arc::default(), options, folder: None, caches: None }
    }

    fn in_memory() -> Self {
        Self::on(Arc::new(MemoryMedium::default()), ObjectOptions::default())
    }

    fn in_folder() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let inner = Arc::new(FolderMedium::unsynced(folder.path()));
        Self { folder: Some(folder), ..Self::on(inner, ObjectOptions::default()) }
    }

    /// Each process has a cache of its own.
    fn with_caches() -> Self {
        let folder = Some(tempfile::tempdir().unwrap());
        Self { folder, caches: Some(Arc::default()), ..Self::in_memory() }
    }

    /// The folder of the cache that has this number.
    fn cache(&self, number: u64) -> std::path::PathBuf {
        self.folder.as_ref().unwrap().path().join(number.to_string())
    }

    /// A process that has this cache.
    fn site_with(&self, cache: Option<CacheOptions>) -> ObjectSite {
        let medium = Arc::new(self.medium());
        let nonces = Arc::clone(&self.nonces);
        let nonce = move || u128::from(nonces.fetch_add(1, Ordering::Relaxed)).to_le_bytes();
        let options = ObjectOptions { cache, ..self.options.clone() };
        ObjectSite::new(medium.clone(), medium, Arc::new(nonce), options).unwrap()
    }

    fn medium(&self) -> FaultyMedium {
        self.medium.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn site(&self) -> ObjectSite {
        let number = self.caches.as_ref().map(|caches| caches.fetch_add(1, Ordering::Relaxed));
        self.site_with(number.map(|number| CacheOptions { folder: self.cache(number), bytes_max: 1 << 30 }))
    }
}

impl TestSite for Bucket {
    fn open(&self) -> Result<Arc<dyn ShardHome>> {
        self.site().home(&shard())
    }

    fn archive(&self) -> Arc<dyn ShardArchive> {
        self.site().archive(&shard()).unwrap()
    }

    fn second_opening(&self) -> SecondOpening {
        SecondOpening::Deposes
    }
}

impl FaultySite for Bucket {
    fn cut_power(&self, seed: u64) {
        let mut medium = self.medium.lock().unwrap_or_else(PoisonError::into_inner);
        *medium = medium.kill(seed);
    }

    fn fail_next_sync(&self) {
        self.medium().set_next(PutFault::Refused { landed: true });
    }

    fn set_full(&self, full: bool) {
        self.medium().limit_space(full.then_some(1500));
    }
}

#[test]
fn an_object_store_conforms_and_survives_faults() {
    check_home(&|| Box::new(Bucket::in_memory()));
    check_faults(&|| Box::new(Bucket::in_memory()));
}

#[test]
fn an_object_store_with_a_cache_conforms_and_survives_faults() {
    check_home(&|| Box::new(Bucket::with_caches()));
    check_faults(&|| Box::new(Bucket::with_caches()));
}

#[test]
fn a_folder_used_as_one_conforms_and_survives_faults() {
    check_home(&|| Box::new(Bucket::in_folder()));
    check_faults(&|| Box::new(Bucket::in_folder()));
}

fn append(home: &dyn ShardHome, record: &[u8]) -> Watermark {
    let at = home.log().append_record(record).unwrap();
    home.log().wait_durable(at).unwrap();
    at
}

#[test]
fn a_put_that_landed_without_an_answer_is_met_again() {
    for fault in [PutFault::Lost, PutFault::LandedUnanswered, PutFault::Late { calls: 0 }] {
        let bucket = Bucket::in_memory();
        let home = bucket.open().unwrap();
        bucket.medium().set_next(fault);
        let at = append(&*home, b"once");
        assert_eq!(records(&*home, None).unwrap().0, [(at, b"once".to_vec())], "{fault:?}");
        bucket.medium().set_next(fault);
        let version = home.manifests().publish(None, b"one").unwrap();
        bucket.medium().set_next(fault);
        home.segments().put("a.seg", b"123").unwrap();
        drop(home);
        let home = bucket.open().unwrap();
        assert_eq!(home.manifests().load().unwrap(), Some((version, b"one".to_vec())));
        assert_eq!(home.segments().list().unwrap(), ["a.seg"]);
        assert_eq!(records(&*home, None).unwrap().0.len(), 1);
    }
}

#[test]
fn an_outage_is_unknown_and_then_resolved() {
    let bucket = Bucket::in_memory();
    let home = bucket.open().unwrap();
    bucket.medium().set_down(true);
    let at = home.log().append_record(b"offered").unwrap();
    let behind = home.log().append_record(b"behind").unwrap();
    for _ in 0..2 {
        let (told, outcome) = std::sync::mpsc::channel();
        home.log().when_durable(behind, Box::new(move |result| told.send(result).unwrap()));
        assert_eq!(home.log().wait_durable(at).unwrap_err().kind(), &ErrorKind::Unknown);
        let outcome = outcome.try_recv().expect("who waits without a thread waits no longer than others");
        assert_eq!(outcome.unwrap_err().kind(), &ErrorKind::Unknown);
        assert!(home.log().durable() < at);
        assert!(home.log().is_waited_for(), "the same bytes are to be offered again");
    }
    let publication = home.manifests().publish(None, b"one").unwrap_err();
    assert_eq!(publication.kind(), &ErrorKind::Unknown);
    let other = home.manifests().publish(None, b"two").unwrap_err();
    assert_eq!(other.kind(), &ErrorKind::Retry, "of this one nothing was offered");
    assert_eq!(home.segments().put("a.seg", b"x").unwrap_err().kind(), &ErrorKind::Retry);
    bucket.medium().set_down(false);
    home.log().wait_durable(behind).unwrap();
    let first = home.manifests().publish(None, b"one").unwrap();
    assert_eq!(home.manifests().publish(None, b"one").unwrap(), first, "told again");
    home.segments().put("a.seg", b"x").unwrap();
    assert_eq!(records(&*home, None).unwrap().0.len(), 2);
}

/// Its end was met beside the log: whoever writes for those who wait would go on for ever, were they not
/// told.
#[test]
fn who_waits_without_a_thread_hears_of_an_end_that_another_call_met() {
    let bucket = Bucket::in_memory();
    let away = bucket.open().unwrap();
    let at = away.log().append_record(b"offered").unwrap();
    let (told, outcome) = std::sync::mpsc::channel();
    away.log().when_durable(at, Box::new(move |result| told.send(result).unwrap()));
    let _owner = bucket.open().unwrap();
    assert_eq!(away.log().confirm().unwrap_err().kind(), &ErrorKind::Deposed);
    assert!(away.log().is_waited_for());
    assert_eq!(away.log().wait_durable(at).unwrap_err().kind(), &ErrorKind::Deposed);
    assert_eq!(outcome.try_recv().unwrap().unwrap_err().kind(), &ErrorKind::Deposed);
    assert!(!away.log().is_waited_for(), "nobody is left to be told");
}

#[test]
fn documents_in_an_object_store_conform() {
    let fresh: [fn() -> Bucket; 2] = [Bucket::in_memory, Bucket::in_folder];
    for fresh in fresh {
        check_metadata(&|| {
            let bucket = fresh();
            Box::new(move || Box::new(bucket.site().metadata()))
        });
    }
}

#[test]
fn a_change_without_an_answer_is_settled_before_it_is_read() {
    let bucket = Bucket::in_memory();
    let (one, other) = (bucket.site().metadata(), bucket.site().metadata());
    let first = one.compare_and_set("schema", None, b"one").unwrap();
    bucket.medium().set_down(true);
    // What its `get` finds out is known already but for a newer version, for which it asks.
    assert_eq!(one.compare_and_set("schema", Some(first), b"two").unwrap_err().kind(), &ErrorKind::Retry);
    bucket.medium().set_down(false);
    bucket.medium().set_rates(FaultRates { lost: 1_000, ..FaultRates::default() }, 1);
    assert_eq!(one.compare_and_set("schema", Some(first), b"two").unwrap_err().kind(), &ErrorKind::Unknown);
    assert_eq!(one.get("schema").unwrap_err().kind(), &ErrorKind::Retry, "nobody knows yet");
    bucket.medium().set_rates(FaultRates::default(), 1);
    assert_eq!(one.get("schema").unwrap().unwrap().bytes, b"two");
    assert_eq!(other.get("schema").unwrap().unwrap().bytes, b"two");
    let conflict = other.compare_and_set("schema", Some(first), b"three").unwrap_err();
    assert_eq!(conflict.kind(), &ErrorKind::Conflict);
}

/// A publication with all that is durable, and the log trimmed behind it.
fn flush(home: &dyn ShardHome, version: Option<u64>, content: &[u8]) -> Option<u64> {
    let at = home.log().durable();
    let version = home.manifests().publish(version, content).unwrap();
    home.log().trim(at).unwrap();
    Some(version)
}

fn keys(bucket: &Bucket, part: &str) -> Vec<String> {
    let listed = bucket.medium().list("shards/").unwrap();
    listed.into_iter().map(|(key, _)| key).filter(|key| key.contains(part)).collect()
}

#[test]
fn a_put_that_lands_behind_a_fence_finds_its_name_taken() {
    let bucket = Bucket::in_memory();
    let old = bucket.open().unwrap();
    let known = append(&*old, b"known");
    bucket.medium().set_rates(FaultRates { late: 1_000, ..FaultRates::default() }, 7);
    let late = old.log().append_record(b"late").unwrap();
    let _ = old.log().wait_durable(late);
    bucket.medium().set_rates(FaultRates::default(), 7);
    let new = bucket.open().unwrap();
    let found = records(&*new, None).unwrap().0;
    assert_eq!(found[0], (known, b"known".to_vec()));
    // Whether it landed before the fence is the medium's to say; from now on that is so for good.
    let outcome = old.log().wait_durable(late);
    assert_eq!(outcome.is_ok(), found.len() == 2);
    let counts = bucket.medium().counts();
    assert!(counts.late > 0 && counts.landed_late + counts.met_late > 0, "{counts:?}");
    append(&*new, b"new");
    drop(new);
    assert_eq!(records(&*bucket.open().unwrap(), None).unwrap().0.len(), found.len() + 1);
}

#[test]
fn collection_keeps_what_the_kept_manifests_need() {
    let bucket = Bucket::in_memory();
    let home = bucket.open().unwrap();
    let (mut version, mut last) = (None, Watermark::START);
    for number in 0..30u8 {
        last = append(&*home, &[number]);
        version = flush(&*home, version, &[number]);
        assert!(keys(&bucket, "/manifest/").len() <= 8, "{number}");
        assert!(keys(&bucket, "/log/").len() <= 9, "{number}");
        assert!(keys(&bucket, "/boundary/").len() <= 1, "{number}");
    }
    assert_eq!(home.log().bytes(), 0);
    let tail = append(&*home, b"tail");
    drop(home);
    let home = bucket.open().unwrap();
    assert_eq!(home.manifests().load().unwrap(), version.map(|version| (version, vec![29])));
    assert_eq!(records(&*home, Some(last)).unwrap().0, [(tail, b"tail".to_vec())]);
    let error = records(&*home, None).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
    assert!(error.message().contains("records are missing"), "{error}");
}

#[test]
fn a_publisher_that_was_away_looks_at_the_boundary() {
    let bucket = Bucket::in_memory();
    let away = bucket.open().unwrap();
    let home = bucket.open().unwrap();
    let mut version = None;
    for number in 0..20u8 {
        append(&*home, &[number]);
        version = flush(&*home, version, &[number]);
    }
    // Its name was collected and is free: the create succeeds.
    let error = away.manifests().publish(None, b"zombie").unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Deposed, "{error}");
    assert_eq!(home.manifests().load().unwrap(), version.map(|version| (version, vec![19])));
    assert_eq!(bucket.archive().newest().unwrap(), version.map(|version| (version, vec![19])));
    flush(&*home, version, b"goes on");
}

#[test]
fn a_deposed_owner_removes_no_file_of_its_successor() {
    let bucket = Bucket::in_memory();
    let old = bucket.open().unwrap();
    let mine = old.segments().put("old.seg", b"old").unwrap();
    let new = bucket.open().unwrap();
    let file = new.segments().put("new.seg", b"new").unwrap();
    old.segments().remove("new.seg").unwrap();
    assert_eq!(old.segments().list().unwrap(), ["old.seg"]);
    new.segments().verify(&file).unwrap();
    new.segments().verify(&mine).unwrap();
}

#[test]
fn damage_is_named_and_closes_the_log() {
    let memory = Arc::new(MemoryMedium::default());
    let bucket = Bucket::on(Arc::clone(&memory) as _, ObjectOptions::default());
    let home = bucket.open().unwrap();
    let first = append(&*home, b"first");
    append(&*home, &[7; 3000]);
    append(&*home, b"third");
    let version = home.manifests().publish(None, b"one").unwrap();
    let file = home.segments().put("a.seg", b"123456789").unwrap();
    drop(home);
    let (group, segment) = (keys(&bucket, "/log/")[1].clone(), keys(&bucket, "/segment/")[0].clone());
    memory.damage(&group, |bytes| bytes[90] ^= 1);
    memory.damage(&segment, |bytes| bytes[3] ^= 1);
    let home = bucket.open().unwrap();
    let mut found = Vec::new();
    let replayed = home.log().replay(None, &mut |at, _| {
        found.push(at);
        Ok(())
    });
    let error = replayed.unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Corrupt { file: group, offset: 0 });
    assert_eq!(found, [first], "all before it was visited");
    assert!(matches!(home.segments().verify(&file).unwrap_err().kind(), ErrorKind::Corrupt { .. }));
    assert!(matches!(bucket.archive().open(&file).unwrap_err().kind(), ErrorKind::Corrupt { .. }));
    memory.damage(&keys(&bucket, "/manifest/").last().unwrap().clone(), |bytes| bytes[20] ^= 1);
    assert_eq!(bucket.archive().newest().unwrap(), Some((version, b"one".to_vec())), "passed over");
}

/// The old owner goes on collecting what no manifest needs while the new one reads the log.
#[test]
fn a_log_that_is_collected_meanwhile_is_read_from_where_it_is_needed() {
    let bucket = Bucket::in_memory();
    let old = bucket.open().unwrap();
    let written: Vec<_> = (0..9u8).map(|number| append(&*old, &[number])).collect();
    let new = bucket.open().unwrap();
    let logged = keys(&bucket, "/log/");
    let collect = |slots: &[String]| slots.iter().for_each(|key| bucket.medium().delete(key).unwrap());
    collect(&logged[..6]);
    let (needed, _) = records(&*new, Some(written[5])).unwrap();
    assert_eq!(needed.iter().map(|(at, _)| *at).collect::<Vec<_>>(), written[6..]);
    // Of what is needed none may be missing, wherever.
    collect(&logged[6..7]);
    let error = records(&*new, Some(written[5])).unwrap_err();
    assert!(error.message().contains("records are missing"), "{error}");
    collect(&logged[7..9]);
    assert!(matches!(records(&*new, Some(written[5])).unwrap_err().kind(), ErrorKind::Corrupt { .. }));
}

#[test]
fn the_last_group_damaged_is_no_torn_tail() {
    let memory = Arc::new(MemoryMedium::default());
    let bucket = Bucket::on(Arc::clone(&memory) as _, ObjectOptions::default());
    let home = bucket.open().unwrap();
    append(&*home, b"first");
    append(&*home, b"last");
    drop(home);
    memory.damage(&keys(&bucket, "/log/")[1].clone(), |bytes| bytes[100] ^= 1);
    let home = bucket.open().unwrap();
    assert!(matches!(records(&*home, None).unwrap_err().kind(), ErrorKind::Corrupt { .. }));
    assert!(matches!(home.log().reserve(1).unwrap_err().kind(), ErrorKind::Corrupt { .. }));
}

#[test]
fn records_that_wait_together_take_one_put() {
    let bucket = Bucket::in_memory();
    let site = bucket.site();
    let home = site.home(&shard()).unwrap();
    let before = site.counts();
    let ats: Vec<_> = (0..100u8).map(|number| home.log().append_record(&[number]).unwrap()).collect();
    assert_eq!(site.counts().puts, before.puts, "memory only");
    home.log().wait_durable(ats[99]).unwrap();
    assert_eq!(site.counts().puts, before.puts + 1);
    home.log().wait_durable(ats[99]).unwrap();
    assert_eq!(site.counts().puts, before.puts + 1, "an idle shard asks for nothing");
}

#[test]
fn a_crowded_log_waits_for_its_window_and_an_idle_one_does_not() {
    let bucket = Bucket::in_memory();
    bucket.medium().set_call_ms(20);
    let home = bucket.open().unwrap();
    let took = |crowd: usize| {
        let began = bucket.medium().now_ms();
        let ats: Vec<_> = (0..crowd).map(|_| home.log().append_record(b"x").unwrap()).collect();
        ats.iter().for_each(|at| home.log().when_durable(*at, Box::new(|result| result.unwrap())));
        home.log().wait_durable(ats[crowd - 1]).unwrap();
        bucket.medium().now_ms() - began
    };
    assert_eq!(took(1), 20, "a single client waits for the store alone");
    assert_eq!(took(1), 20);
    assert_eq!(took(8), 20, "nobody waited together before");
    assert!((30..=55).contains(&took(8)), "the next begins a window behind the one before");
    let full = vec![0; 9 << 20];
    let ats = [home.log().append_record(&full).unwrap(), home.log().append_record(b"x").unwrap()];
    let began = bucket.medium().now_ms();
    home.log().wait_durable(ats[0]).unwrap();
    assert_eq!(bucket.medium().now_ms() - began, 20, "a full group goes at once");
}

/// Requests are counted by what they are for, and the log tells of what is not flushed and of a slow store.
#[test]
fn a_log_tells_its_window_its_tail_and_how_long_the_store_took() {
    let bucket = Bucket::in_memory();
    let site = bucket.site();
    let home = site.home(&shard()).unwrap();
    let figures = |home: &dyn ShardHome| home.log().figures().unwrap();
    assert_eq!(figures(&*home), LogFigures::default());
    bucket.medium().set_call_ms(30);
    append(&*home, b"one");
    append(&*home, b"two");
    let after = figures(&*home);
    assert_eq!((after.groups, after.put_ms, after.window_ms, after.pending_bytes), (2, 30, 0, 0));
    assert_eq!((after.tail_records, after.tail_age_ms), (2, 30), "the first is as old as the second's PUT");
    let ats: Vec<_> = (0..4).map(|_| home.log().append_record(b"x").unwrap()).collect();
    assert!(figures(&*home).pending_bytes > 0);
    ats.iter().for_each(|at| home.log().when_durable(*at, Box::new(|result| result.unwrap())));
    home.log().wait_durable(ats[3]).unwrap();
    assert_eq!(figures(&*home).window_ms, 60, "twice what a PUT takes");
    assert_eq!(figures(&*home).tail_records, 6);
    let puts = |kind| {
        let counts = site.counts_by_kind().into_iter().find(|(of, _)| *of == kind).unwrap().1;
        (counts.puts, counts.bytes_put > 0)
    };
    assert_eq!(puts(ObjectKind::Log), (3, true));
    assert_eq!(puts(ObjectKind::Segment), (0, false));
    let all: u64 = site.counts_by_kind().into_iter().map(|(_, counts)| counts.puts).sum();
    assert_eq!(all, site.counts().puts);
    drop(home);
    let home = bucket.open().unwrap();
    home.log().replay(None, &mut |_, _| Ok(())).unwrap();
    assert_eq!(figures(&*home).tail_records, 6, "an earlier opening's, once they were read");
    flush(&*home, None, b"all");
    home.log().trim(home.log().durable()).unwrap();
    let flushed = figures(&*home);
    assert_eq!((flushed.tail_bytes, flushed.tail_records, flushed.tail_age_ms), (0, 0, 0));
}

#[test]
fn bounds_are_told_before_anything_is_offered() {
    let log =
        ObjectLogOptions { tail_bytes_max: 4_000, pending_bytes_max: 10_000, ..ObjectLogOptions::default() };
    let memory = Arc::new(MemoryMedium::default());
    let bucket = Bucket::on(memory, ObjectOptions { log, ..ObjectOptions::default() });
    let home = bucket.open().unwrap();
    let mut state = 1;
    let mut record = || (0..500).flat_map(|_| crate::faults::split_mix(&mut state).to_le_bytes()).collect();
    let noise: Vec<u8> = record();
    append(&*home, &noise);
    let error = home.log().reserve(1).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Retry, "{error}");
    let version = flush(&*home, None, b"one");
    drop(home.log().reserve(1).unwrap());
    // An outage: what waits in memory is bounded too.
    bucket.medium().set_down(true);
    let error = loop {
        match home.log().append_record(&[1; 1_000]) {
            Ok(at) => drop(home.log().wait_durable(at)),
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), &ErrorKind::Retry, "{error}");
    bucket.medium().set_down(false);
    append(&*home, b"after");
    flush(&*home, version, b"two");
}

/// A file that is fetched in three pieces, no two of them alike.
fn long_file() -> Vec<u8> {
    (0..5_000_000u32).flat_map(u32::to_le_bytes).collect()
}

#[test]
fn what_is_in_the_cache_is_not_fetched_again() {
    let bucket = Bucket::with_caches();
    let options = || CacheOptions { folder: bucket.cache(0), bytes_max: 1 << 30 };
    let site = bucket.site_with(Some(options()));
    let home = site.home(&shard()).unwrap();
    let mut writer = home.segments().create("long.seg").unwrap();
    writer.write_all(&long_file()).unwrap();
    let WrittenFile { file: long, bytes } = writer.finish().unwrap();
    let mut files = home.segments().put_all(&[("a.seg", b"short"), ("empty.seg", b"")]).unwrap();
    files.push(long.clone());
    assert!(*bytes == long_file());
    drop((home, site));
    let read = |site: &ObjectSite| {
        let home = site.home(&shard()).unwrap();
        let before = site.counts().gets;
        home.segments().fetch(&files).unwrap();
        let fetched = site.counts().gets - before;
        let opened: Vec<_> = files.iter().map(|file| home.segments().open(file).unwrap().len()).collect();
        assert_eq!(opened, [5, 0, 20_000_000]);
        assert!(*home.segments().open(&long).unwrap() == long_file());
        assert_eq!(site.counts().gets - before, fetched, "what was fetched is there");
        fetched
    };
    assert_eq!(read(&bucket.site_with(Some(options()))), 0, "a restart fetches nothing");
    let cold = bucket.site_with(Some(CacheOptions { folder: bucket.cache(1), ..options() }));
    assert_eq!(read(&cold), 2 + 3, "two short files, and one in three pieces");
    let archive = cold.archive(&shard()).unwrap();
    let before = cold.counts().gets;
    assert!(*archive.open(&long).unwrap() == long_file());
    assert_eq!(cold.counts().gets, before, "who reads beside an owner shares its cache");
}

/// The one copy in a cache whose name begins so.
fn copy_of(bucket: &Bucket, name: &str) -> std::path::PathBuf {
    let shard = std::fs::read_dir(bucket.cache(0)).unwrap().find_map(|it| {
        let path = it.unwrap().path();
        path.is_dir().then_some(path)
    });
    let mut copies = std::fs::read_dir(shard.unwrap()).unwrap().map(|it| it.unwrap().path());
    copies.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with(name)).unwrap()
}

#[test]
fn a_flipped_byte_is_mended_from_the_other_copy() {
    let memory = Arc::new(MemoryMedium::default());
    let bucket = Bucket {
        folder: Some(tempfile::tempdir().unwrap()),
        ..Bucket::on(memory.clone(), ObjectOptions::default())
    };
    let site = bucket.site_with(Some(CacheOptions { folder: bucket.cache(0), bytes_max: 1 << 30 }));
    let home = site.home(&shard()).unwrap();
    let file = home.segments().put("a.seg", b"123456789").unwrap();
    let mapped = home.segments().open(&file).unwrap();
    let (key, copy) = (keys(&bucket, "/segment/")[0].clone(), copy_of(&bucket, "a.seg"));
    let flip = || {
        let copy = std::fs::OpenOptions::new().write(true).open(&copy).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&copy, b"x", 3).unwrap();
    };
    flip();
    assert_eq!(&*mapped, b"123x56789");
    assert_eq!(home.segments().verify(&file).unwrap(), Verified::Mended);
    assert_eq!(&*mapped, b"123456789", "those who read it have the right bytes");
    assert_eq!(site.cache_counts().unwrap().mended, 1);
    memory.damage(&key, |bytes| bytes[0] = b'y');
    assert_eq!(home.segments().verify(&file).unwrap(), Verified::Mended);
    assert_eq!(memory.get(&key).unwrap(), b"123456789");
    memory.damage(&key, |bytes| bytes.truncate(4));
    assert_eq!(home.segments().verify(&file).unwrap(), Verified::Mended, "cut short");
    memory.delete(&key).unwrap();
    assert_eq!(home.segments().verify(&file).unwrap(), Verified::Mended, "gone");
    assert_eq!(home.segments().verify(&file).unwrap(), Verified::Sound);
    // Gone before it was opened: nothing lists it, and the copy is there all the same.
    memory.delete(&key).unwrap();
    let home = site.home(&shard()).unwrap();
    let archive = site.archive(&shard()).unwrap();
    assert_eq!(&*archive.open(&file).unwrap(), b"123456789");
    assert_eq!(&*home.segments().open(&file).unwrap(), b"123456789");
    assert_eq!(
        home.segments().open(&SegmentFile { name: "a".into(), ..file.clone() }).unwrap_err().kind(),
        &ErrorKind::NotFound
    );
    assert_eq!(home.segments().verify(&file).unwrap(), Verified::Mended);
    assert_eq!(memory.get(&key).unwrap(), b"123456789", "under the name that it had");
    flip();
    memory.damage(&key, |bytes| bytes[0] = b'y');
    let error = home.segments().verify(&file).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "no copy is whole: {error}");
}

/// What another node has of files, each as often as it is asked for.
struct Elsewhere(Vec<Vec<u8>>);

impl FileCopies for Elsewhere {
    fn find(&self, file: &SegmentFile) -> Option<Vec<u8>> {
        self.0.iter().find(|bytes| file.check(bytes).is_ok()).cloned()
    }
}

#[test]
fn what_no_copy_of_its_own_mends_is_mended_from_elsewhere() {
    let memory = Arc::new(MemoryMedium::default());
    let bucket = Bucket {
        folder: Some(tempfile::tempdir().unwrap()),
        ..Bucket::on(memory.clone(), ObjectOptions::default())
    };
    let site = bucket.site_with(Some(CacheOptions { folder: bucket.cache(0), bytes_max: 1 << 30 }));
    let open = |elsewhere: &[&[u8]]| {
        let copies = elsewhere.iter().map(|bytes| bytes.to_vec()).collect();
        HomeWithCopies::new(site.home(&shard()).unwrap(), Arc::new(Elsewhere(copies)))
    };
    let file = open(&[]).segments().put("a.seg", b"123456789").unwrap();
    let (key, copy) = (keys(&bucket, "/segment/")[0].clone(), copy_of(&bucket, "a.seg"));
    let home = open(&[b"123456780", b"123456789"]);
    let mapped = home.segments().open(&file).unwrap();
    for damage in [|bytes: &mut Vec<u8>| bytes[0] = b'y', |bytes: &mut Vec<u8>| bytes.truncate(4)] {
        std::fs::write(&copy, b"123x56789").unwrap();
        memory.damage(&key, damage);
        assert_eq!(home.segments().verify(&file).unwrap(), Verified::Mended);
        assert_eq!(home.segments().verify(&file).unwrap(), Verified::Sound);
        assert_eq!(memory.get(&key).unwrap(), b"123456789");
        assert_eq!(std::fs::read(&copy).unwrap(), b"123456789");
        assert_eq!(&*mapped, b"123456789", "those who read it have the right bytes");
    }
    // Gone from both before it was opened: nobody knows its name any more but the manifest.
    drop((home, mapped));
    std::fs::remove_file(&copy).unwrap();
    memory.delete(&key).unwrap();
    let cold = bucket.site_with(Some(CacheOptions { folder: bucket.cache(1), bytes_max: 1 << 30 }));
    let copies = Arc::new(Elsewhere(vec![b"123456789".to_vec()]));
    let home = HomeWithCopies::new(cold.home(&shard()).unwrap(), copies);
    assert_eq!(home.segments().open(&file).unwrap_err().kind(), &ErrorKind::NotFound);
    assert_eq!(home.segments().verify(&file).unwrap(), Verified::Mended);
    assert_eq!(&*home.segments().open(&file).unwrap(), b"123456789");
    assert_eq!(home.segments().list().unwrap(), ["a.seg"]);
    let archive = cold.archive(&shard()).unwrap();
    assert_eq!(&*archive.copy(&file).unwrap().unwrap(), b"123456789");
    let other = SegmentFile { name: "b.seg".into(), ..file.clone() };
    assert!(archive.copy(&other).unwrap().is_none());
    archive.verify(&file).unwrap();
    // Nobody has it whole.
    let [key] = &keys(&bucket, "/segment/")[..] else { panic!("one object") };
    memory.damage(key, |bytes| bytes[0] = b'y');
    let home = HomeWithCopies::new(
        bucket.site_with(None).home(&shard()).unwrap(),
        Arc::new(Elsewhere(vec![b"y23456789".to_vec()])),
    );
    let error = home.segments().verify(&file).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
    let refused = home.segments().mend(&file, b"y23456789".to_vec()).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Corrupt { .. }), "it is looked at: {refused}");
    // Whoever was deposed mends nothing.
    let _newer = bucket.site_with(None).home(&shard()).unwrap();
    home.log().confirm().unwrap_err();
    assert_eq!(home.segments().mend(&file, b"123456789".to_vec()).unwrap_err().kind(), &ErrorKind::Deposed);
}

#[test]
fn what_comes_damaged_is_asked_for_again() {
    let bucket = Bucket::with_caches();
    let home = bucket.open().unwrap();
    let file = home.segments().put("a.seg", b"123456789").unwrap();
    let mut writer = home.segments().create("long.seg").unwrap();
    writer.write_all(&long_file()).unwrap();
    let long = writer.finish().unwrap().file;
    for file in [file, long] {
        let home = bucket.open().unwrap();
        bucket.medium().flip_reads(1);
        home.segments().open(&file).unwrap();
        assert_eq!(home.segments().verify(&file).unwrap(), Verified::Sound);
        let home = bucket.open().unwrap();
        bucket.medium().flip_reads(u32::MAX);
        let error = home.segments().open(&file).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
        bucket.medium().flip_reads(0);
    }
}

#[test]
fn a_reader_asks_for_the_next_manifest_and_seldom_for_all() {
    let bucket = Bucket::in_memory();
    let site = bucket.site();
    let archive = site.archive(&shard()).unwrap();
    assert_eq!(archive.newest_above(None).unwrap(), None, "nobody has owned it");
    let home = bucket.open().unwrap();
    let mut version = flush(&*home, None, b"one");
    assert_eq!(archive.newest_above(None).unwrap(), version.map(|version| (version, b"one".to_vec())));
    let before = site.counts();
    for _ in 0..10 {
        assert_eq!(archive.newest_above(version).unwrap(), None);
    }
    let counts = site.counts();
    assert_eq!((counts.gets - before.gets, counts.lists - before.lists), (10, 0));
    let first = version;
    version = flush(&*home, version, b"two");
    assert_eq!(archive.newest_above(first).unwrap(), version.map(|version| (version, b"two".to_vec())));
    // The next one comes and goes between two looks.
    for _ in 0..20 {
        version = flush(&*home, version, b"later");
    }
    let found = (0..20).find_map(|_| archive.newest_above(first).unwrap());
    assert_eq!(found, version.map(|version| (version, b"later".to_vec())));
}
