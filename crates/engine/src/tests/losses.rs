//! A shard of which an object is damaged or gone: mended where that costs nothing, else the rest is served,
//! what is lost is named, and the home stays as it is, so that whoever brings the bytes back has the whole
//! shard.

use std::collections::BTreeSet;

use plan::{ErrorKind, Query};
use store::object::faults::{FaultyMedium, MemoryMedium};
use store::object::{Medium, ObjectOptions, ObjectSite};
use store::{ShardId, Site as _};

use super::*;

/// A shard in a bucket, opened again and again.
struct Bucket {
    objects: Arc<MemoryMedium>,
    clock: Arc<StillClock>,
}

/// How an object is damaged.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Flipped,
    Removed,
}

const DAMAGES: [Damage; 2] = [Damage::Flipped, Damage::Removed];

impl Bucket {
    fn new() -> Self {
        Self { objects: Arc::default(), clock: Arc::new(StillClock::at(1_000)) }
    }

    fn id() -> ShardId {
        ShardId { path: "films/shard1".into(), stream: [1; 16] }
    }

    fn site(&self) -> ObjectSite {
        let media = Arc::new(FaultyMedium::new(self.objects.clone()));
        let nonce = self.keys("epoch/").len() as u8;
        let nonces = Arc::new(move || [nonce; 16]);
        ObjectSite::new(media.clone(), media, nonces, ObjectOptions::default()).unwrap()
    }

    fn open(&self) -> Arc<Shard> {
        let home = self.site().home(&Self::id()).unwrap();
        Shard::open(home, Arc::new(schema()), config(), self.clock.clone()).unwrap()
    }

    fn open_reader(&self) -> Arc<Shard> {
        let archive = self.site().archive(&Self::id()).unwrap();
        Shard::open_reader(archive, Arc::new(schema()), config(), self.clock.clone(), 1_000).unwrap()
    }

    /// Of all objects of a kind, in order.
    fn keys(&self, kind: &str) -> Vec<String> {
        let listed = self.objects.list("shards/").unwrap().into_iter().map(|(key, _)| key);
        listed.filter(|key| key.contains(&format!("/{kind}"))).collect()
    }

    fn segment_files(&self) -> BTreeSet<String> {
        self.keys("segment/").into_iter().collect()
    }

    /// What was there.
    fn damage(&self, key: &str, how: Damage) -> Vec<u8> {
        let before = self.objects.get(key).unwrap();
        match how {
            Damage::Flipped => self.objects.damage(key, |bytes| {
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
            }),
            Damage::Removed => self.objects.delete(key).unwrap(),
        }
        before
    }

    fn mend(&self, key: &str, bytes: &[u8]) {
        self.objects.delete(key).unwrap();
        self.objects.create(key, &bytes.to_vec().into()).unwrap();
    }
}

fn name_of(key: &str) -> &str {
    key.split("segment/").nth(1).unwrap().split('/').next().unwrap()
}

fn ids(range: std::ops::RangeInclusive<u32>) -> Vec<String> {
    range.map(|id| format!("{id:02}")).collect()
}

fn add_all(shard: &Shard, range: std::ops::RangeInclusive<u32>) {
    update(shard, ids(range).iter().map(|id| add(film(id, "rot"))).collect());
}

/// Eight documents that all manifests have, two that the last has, and two that are in the log alone. Gives
/// the files of the first eight.
fn fill(bucket: &Bucket) -> BTreeSet<String> {
    let shard = bucket.open();
    add_all(&shard, 1..=8);
    flush(&shard);
    let oldest = bucket.segment_files();
    add_all(&shard, 9..=10);
    flush(&shard);
    add_all(&shard, 11..=11);
    add_all(&shard, 12..=12);
    oldest
}

fn assert_closed(shard: &Shard, told: &[&str]) {
    let failure =
        shard.update(batch(vec![add(film("99", "rot"))]), UpdateContext::default()).failure.unwrap();
    assert_eq!(failure.kind, ErrorKind::Unavailable);
    for told in told.iter().chain(&["updates are refused", "parhelion store repair"]) {
        assert!(failure.message.contains(told), "`{told}` in: {}", failure.message);
    }
    assert!(shard.commit(&Commit::HARD).is_err());
    assert!(shard.commit(&Commit { max_segments: Some(1), ..Commit::HARD }).is_err());
    assert!(!shard.core().merge_once().unwrap(), "nothing is merged");
    shard.core().scrub_due();
    let digest = shard.content_digest().unwrap_err();
    assert_eq!(digest.kind, ErrorKind::DataLoss, "it would be that of other documents");
    assert!(shard.export(&mut |_| Ok(())).is_err() && shard.capture().is_err());
    assert_eq!(shard.import(&[], None).unwrap_err().kind, ErrorKind::Unavailable);
    shard.close().unwrap();
}

#[test]
fn the_rest_of_a_shard_is_served_and_what_is_lost_is_named() {
    let bucket = Bucket::new();
    let files = fill(&bucket);
    assert!(files.len() > 6, "every kind of file: {files:?}");
    for (key, how) in files.iter().flat_map(|key| DAMAGES.map(|how| (key, how))) {
        let before = bucket.damage(key, how);
        let there = bucket.keys("segment/");
        let shard = bucket.open();
        assert_eq!(found(&shard, &Query::All), ids(9..=12), "{key} {how:?}");
        assert_eq!(found(&shard, &term("title_t", "rot")), ids(9..=12));
        assert!(get(&shard, "12").is_some(), "what is in the log is applied");
        let losses = shard.losses();
        let [segment] = &losses.segments[..] else { panic!("{losses}") };
        let (file, _) = segment.files.first().unwrap();
        assert_eq!((&**file, segment.files.len(), segment.documents), (name_of(key), 1, 8));
        assert!(name_of(key).starts_with(&segment.segment) && losses.log.is_none());
        assert_eq!(shard.vital_figures().damaged_files, 1);
        assert_closed(&shard, &[&segment.segment, name_of(key), "8 documents"]);
        drop(shard);
        assert_eq!(bucket.keys("segment/"), there, "nothing is removed or added");
        bucket.mend(key, &before);
    }
    let shard = bucket.open();
    assert!(shard.losses().is_empty());
    assert_eq!(found(&shard, &Query::All), ids(1..=12), "the manifest and the log have all of it");
    add_all(&shard, 13..=13);
}

#[test]
fn an_older_manifest_with_the_log_heals_what_it_can() {
    for how in DAMAGES {
        let bucket = Bucket::new();
        let oldest = fill(&bucket);
        let shard = bucket.open();
        update(&shard, vec![delete("01")]);
        flush(&shard);
        drop(shard);
        let newer: Vec<String> = bucket.segment_files().difference(&oldest).cloned().collect();
        assert!(newer.iter().any(|key| key.contains(".dead/")), "marks are among them: {newer:?}");
        for key in &newer {
            let objects = Bucket { objects: copy_of(&bucket.objects), clock: bucket.clock.clone() };
            objects.damage(key, how);
            let shard = objects.open();
            assert!(shard.losses().is_empty(), "{key} {how:?}: {}", shard.losses());
            assert_eq!(found(&shard, &Query::All), ids(2..=12), "{key} {how:?}");
            add_all(&shard, 13..=13);
            flush(&shard);
            drop(shard);
            assert_eq!(found(&objects.open(), &Query::All), ids(2..=13));
        }
    }
}

fn copy_of(objects: &MemoryMedium) -> Arc<MemoryMedium> {
    let copy = MemoryMedium::default();
    for (key, _) in objects.list("shards/").unwrap() {
        copy.create(&key, &objects.get(&key).unwrap().into()).unwrap();
    }
    Arc::new(copy)
}

#[test]
fn a_damaged_manifest_costs_nothing_while_the_log_is_there() {
    for how in DAMAGES {
        let bucket = Bucket::new();
        fill(&bucket);
        let newest = bucket.keys("manifest/").pop().unwrap();
        bucket.damage(&newest, how);
        let shard = bucket.open();
        assert!(shard.losses().is_empty(), "{how:?}: {}", shard.losses());
        assert_eq!(found(&shard, &Query::All), ids(1..=12));
    }
}

#[test]
fn without_a_manifest_nothing_is_made_up() {
    let bucket = Bucket::new();
    let shard = bucket.open();
    // So many that the first groups of the log are no more needed.
    for id in 1..=20 {
        add_all(&shard, id..=id);
        flush(&shard);
    }
    drop(shard);
    let manifests = bucket.keys("manifest/");
    let before: Vec<_> = manifests.iter().map(|key| bucket.damage(key, Damage::Removed)).collect();
    let there = bucket.keys("");
    let error = bucket.site().home(&Bucket::id()).map(drop).unwrap_err();
    assert!(matches!(error.kind(), store::ErrorKind::Corrupt { .. }), "{error}");
    assert!(error.message().contains("restore the shard from a backup"), "{error}");
    // But for the epoch that it began.
    assert_eq!(bucket.keys("").len(), there.len() + 1);
    manifests.iter().zip(&before).for_each(|(key, bytes)| bucket.mend(key, bytes));
    assert_eq!(found(&bucket.open(), &Query::All), ids(1..=20));

    bucket.keys("manifest/").iter().for_each(|key| drop(bucket.damage(key, Damage::Flipped)));
    let files = bucket.keys("segment/");
    let shard = bucket.open();
    assert_eq!(found(&shard, &Query::All), [""; 0]);
    assert_closed(&shard, &["the log cannot be read above record 0 of epoch 0"]);
    drop(shard);
    assert_eq!(bucket.keys("segment/"), files, "they may be all that is left");
}

/// Of a group that is gone at the very end nobody can know: nothing names it before the next owner's fence.
#[test]
fn a_log_is_served_up_to_where_it_can_be_read() {
    for how in DAMAGES {
        let bucket = Bucket::new();
        fill(&bucket);
        let groups = bucket.keys("log/");
        let [.., damaged, _] = &groups[..] else { panic!("{groups:?}") };
        let before = bucket.damage(damaged, how);
        for _ in 0..2 {
            let shard = bucket.open();
            assert_eq!(found(&shard, &Query::All), ids(1..=10), "{how:?}");
            let losses = shard.losses();
            let log = losses.log.as_ref().unwrap();
            assert_eq!((log.upto, losses.segments.len()), (store::Watermark::new(1, 2), 0), "{losses}");
            assert_closed(&shard, &["above record 2 of epoch 1"]);
        }
        bucket.mend(damaged, &before);
        assert_eq!(found(&bucket.open(), &Query::All), ids(1..=12));
    }
    // One that was damaged and not removed is known as the last one, too.
    let bucket = Bucket::new();
    fill(&bucket);
    bucket.damage(&bucket.keys("log/").pop().unwrap(), Damage::Flipped);
    let shard = bucket.open();
    assert_eq!(found(&shard, &Query::All), ids(1..=11));
    assert_eq!(shard.losses().log.as_ref().unwrap().upto, store::Watermark::new(1, 3));
}

/// A reader serves the rest, too, and finds again what comes back.
#[test]
fn a_reader_has_what_its_owner_has_mended() {
    for how in DAMAGES {
        let bucket = Bucket::new();
        let files = fill(&bucket);
        let key = files.first().unwrap();
        let before = bucket.damage(key, how);
        let reader = bucket.open_reader();
        assert_eq!(found(&reader, &Query::All), ids(9..=10), "{how:?}");
        assert_eq!(reader.losses().documents(), 8);
        bucket.mend(key, &before);
        let owner = bucket.open();
        add_all(&owner, 13..=13);
        flush(&owner);
        while !reader.follow().unwrap() {}
        assert!(reader.losses().is_empty());
        assert_eq!(found(&reader, &Query::All), ids(1..=13));
        // A whole one does not take up a damaged flush.
        let known = bucket.segment_files();
        add_all(&owner, 14..=14);
        flush(&owner);
        bucket.damage(bucket.segment_files().difference(&known).next().unwrap(), how);
        assert!((0..20).any(|_| reader.follow().is_err()), "it is tried again");
        assert!(reader.losses().is_empty());
        assert_eq!(found(&reader, &Query::All), ids(1..=13));
    }
}

/// Nobody starts the process for it: whoever keeps the shard hears that an opening would have all of it.
#[test]
fn what_comes_back_is_noticed() {
    for how in DAMAGES {
        let bucket = Bucket::new();
        let files: Vec<String> = fill(&bucket).into_iter().collect();
        let [first, .., last] = &files[..] else { panic!("{files:?}") };
        let before = [first, last].map(|key| bucket.damage(key, how));
        let shard = bucket.open();
        shard.core().look_for_lost();
        let later = || {
            bucket.clock.advance(10_000);
            shard.core().look_for_lost();
            shard.is_mended()
        };
        bucket.mend(first, &before[0]);
        assert!(!later() && !later(), "one of two");
        bucket.mend(last, &before[1]);
        assert!(!later(), "the next look comes later than the one before");
        assert!(later());
        assert_eq!(shard.losses().documents(), 8, "it is as it was until it is opened anew");
        drop(shard);
        let shard = bucket.open();
        assert!(shard.losses().is_empty() && !shard.is_mended());
        assert_eq!(found(&shard, &Query::All), ids(1..=12));
    }
}

/// On a disk a file of another length is known at once, and a flipped byte where files are read at open.
#[test]
fn a_shard_in_a_folder_is_served_so_too() {
    let mut site = Site::new();
    site.config.verify_at_open = true;
    let shard = site.open();
    add_all(&shard, 1..=8);
    flush(&shard);
    let is_file = |path: &std::path::PathBuf| path.to_string_lossy().contains("segment/");
    let files: Vec<_> = site.disk.paths().into_iter().filter(is_file).collect();
    add_all(&shard, 9..=10);
    flush(&shard);
    add_all(&shard, 11..=12);
    site.disk.kill();
    drop(shard);
    for path in &files {
        for change in [|bytes: &mut Vec<u8>| bytes[0] ^= 1, |bytes: &mut Vec<u8>| bytes.truncate(1)] {
            let mut before = Vec::new();
            site.disk
                .damage(path, |bytes| {
                    before.clone_from(bytes);
                    change(bytes);
                })
                .unwrap();
            let shard = site.open();
            assert_eq!(found(&shard, &Query::All), ids(9..=12), "{path:?}");
            assert_closed(&shard, &["8 documents", &path.file_name().unwrap().to_string_lossy()]);
            drop(shard);
            site.disk.damage(path, |bytes| *bytes = before).unwrap();
        }
    }
    assert_eq!(found(&site.open(), &Query::All), ids(1..=12));
}
