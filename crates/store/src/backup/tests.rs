//! Backups share files, survive power cuts and outages, and tell damage, in a folder as in a bucket.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use super::*;
use crate::ShardHome;
use crate::faults::MemoryDisk;
use crate::object::Medium as _;
use crate::object::faults::{FaultyMedium, MemoryMedium, PutFault};

fn segments(home: &dyn ShardHome, files: &[(&str, &[u8])]) -> Vec<(SegmentFile, SegmentBytes)> {
    let store = home.segments();
    let written = store.put_all(files).unwrap();
    written.into_iter().map(|file| (file.clone(), store.open(&file).unwrap())).collect()
}

fn draft(files: Vec<(SegmentFile, SegmentBytes)>) -> BackupDraft<'static> {
    BackupDraft { started_ms: 1, description: "{}".into(), files, now_ms: &|| 2 }
}

fn folder(disk: &MemoryDisk) -> BackupFolder {
    disk.open_backups("films").unwrap()
}

/// A bucket in memory, and the time there.
struct Bucket {
    inner: Arc<MemoryMedium>,
    medium: FaultyMedium,
    now_ms: Arc<AtomicI64>,
    nonces: Arc<AtomicU64>,
}

impl Bucket {
    fn new() -> Self {
        let inner = Arc::new(MemoryMedium::default());
        let medium = FaultyMedium::new(inner.clone());
        Self { inner, medium, now_ms: Arc::default(), nonces: Arc::default() }
    }

    /// As one process has it.
    fn process(&self) -> Arc<BackupBucket> {
        let (now_ms, nonces) = (self.now_ms.clone(), self.nonces.clone());
        let nonce = move || u128::from(nonces.fetch_add(1, Ordering::SeqCst)).to_le_bytes();
        let media = (Arc::new(self.medium.clone()) as _, Arc::new(self.medium.clone()) as _);
        let now = move || now_ms.load(Ordering::SeqCst);
        Arc::new(BackupBucket::new("memory", media, Arc::new(nonce), now))
    }

    /// As another process has them.
    fn backups(&self) -> BackupFolder {
        BackupFolder::open_in(&self.process(), "films").unwrap()
    }

    fn keys(&self, below: &str) -> Vec<String> {
        self.inner.list(below).unwrap().into_iter().map(|(key, _)| key).collect()
    }
}

#[test]
fn backups_share_what_they_have_in_common() {
    check_sharing(&folder(&MemoryDisk::default()));
    check_sharing(&Bucket::new().backups());
}

fn check_sharing(backups: &BackupFolder) {
    let disk = MemoryDisk::default();
    let home = disk.open().unwrap();
    let both = segments(&home, &[("a.seg", b"one"), ("b.seg", b"other"), ("same.seg", b"one")]);
    assert_eq!(backups.points().unwrap(), []);
    let first = backups.add(draft(both.clone())).unwrap();
    assert_eq!((first.point.id, first.point.bytes(), first.copied_files, first.copied_bytes), (0, 11, 2, 8));
    let mut more = both;
    more.extend(segments(&home, &[("c.seg", b"third")]));
    let second = backups.add(draft(more)).unwrap();
    assert_eq!((second.point.id, second.copied_files, second.copied_bytes), (1, 1, 5));
    assert_eq!(backups.points().unwrap(), [first.point, second.point.clone()]);
    assert_eq!(backups.verify(&second.point).unwrap(), 16);

    let other = MemoryDisk::default();
    let restored = other.open().unwrap();
    backups.restore(&second.point, &*restored.segments()).unwrap();
    assert_eq!(restored.segments().list().unwrap(), ["a.seg", "b.seg", "c.seg", "same.seg"]);
    assert_eq!(&*restored.segments().open(&SegmentFile::describe("c.seg", b"third")).unwrap(), b"third");

    assert_eq!(backups.remove(&[9]).unwrap_err().kind(), &ErrorKind::NotFound);
    assert_eq!(backups.remove(&[0]).unwrap(), Purged::default());
    assert_eq!(backups.verify(&second.point).unwrap(), 16);
    assert_eq!(backups.remove(&[1]).unwrap(), Purged { files: 3, bytes: 13 });
}

#[test]
fn a_power_cut_leaves_earlier_backups_whole() {
    for seed in 0..64 {
        let disk = MemoryDisk::default();
        let home = disk.open().unwrap();
        let mut files = segments(&home, &[("a.seg", &[1; 3000])]);
        let first = folder(&disk).add(draft(files.clone())).unwrap().point;
        files.extend(segments(&home, &[("b.seg", &[2; 3000]), ("c.seg", &[3; 3000])]));
        drop(home);
        disk.fail_sync_after(seed % 4);
        let second = folder(&disk).add(draft(files.clone()));
        disk.cut_power(seed);
        let backups = folder(&disk);
        let mut points = backups.points().unwrap();
        if second.is_ok() {
            assert_eq!(points.pop().map(|point| point.id), Some(1));
        }
        assert_eq!(points, std::slice::from_ref(&first));
        assert_eq!(backups.verify(&first).unwrap(), 3000);
        let third = backups.add(draft(files)).unwrap().point;
        assert_eq!(backups.verify(&third).unwrap(), 9000);
    }
}

#[test]
fn damage_is_told() {
    let disk = MemoryDisk::default();
    let home = disk.open().unwrap();
    let files = segments(&home, &[("a.seg", b"some bytes")]);
    let backups = folder(&disk);
    let point = backups.add(draft(files.clone())).unwrap().point;
    let corrupt = |error: Error| matches!(error.kind(), ErrorKind::Corrupt { .. });
    let damage = |part: &str| {
        let found = disk.paths().into_iter().find(|path| path.to_string_lossy().contains(part)).unwrap();
        disk.damage(&found, |bytes| bytes[3] ^= 1).unwrap();
    };
    let wrong = SegmentFile { crc32: 7, name: "b.seg".into(), ..files[0].0.clone() };
    assert!(corrupt(backups.add(draft(vec![(wrong, files[0].1.clone())])).unwrap_err()));
    damage("/object/");
    assert!(corrupt(backups.verify(&point).unwrap_err()));
    let restored = MemoryDisk::default();
    let restored = restored.open().unwrap();
    assert!(corrupt(backups.restore(&point, &*restored.segments()).unwrap_err()));
    assert_eq!(restored.segments().list().unwrap(), [""; 0]);
    damage(".backup");
    assert!(corrupt(backups.points().unwrap_err()));
}

#[test]
fn names_stay_below_the_root() {
    for name in ["..", "a/../../b", "/etc", "", ".hidden", "a b"] {
        assert_eq!(
            BackupFolder::open(Path::new("x"), name).err().unwrap().kind(),
            &ErrorKind::Invalid,
            "{name}"
        );
    }
    assert!(BackupFolder::open(Path::new("x"), "films/nightly").is_ok());
}

#[test]
fn a_bucket_has_the_layout_of_a_folder_and_takes_no_file_twice() {
    let bucket = Bucket::new();
    let (disk, home_disk) = (MemoryDisk::default(), MemoryDisk::default());
    let home = home_disk.open().unwrap();
    let mut files = segments(&home, &[("a.seg", b"one"), ("b.seg", b"other")]);
    for backups in [bucket.backups(), folder(&disk)] {
        backups.add(draft(files.clone())).unwrap();
    }
    let paths = disk.paths().into_iter().map(|path| path.to_string_lossy().into_owned());
    let of_disk: BTreeSet<String> = paths
        .filter_map(|path| Some(path.split_once("backups/")?.1.to_owned()))
        .filter(|path| !path.ends_with("LOCK"))
        .collect();
    let of_bucket: BTreeSet<String> =
        bucket.keys("films/").into_iter().filter(|key| !key.contains("/lock/")).collect();
    assert_eq!(of_bucket, of_disk);
    let objects = || bucket.keys("films/object/");
    let before = objects();
    files.extend(segments(&home, &[("c.seg", b"third")]));
    let process = bucket.process();
    let second = BackupFolder::open_in(&process, "films").unwrap().add(draft(files)).unwrap();
    assert_eq!(process.counts().puts, 4, "a file, the record, a lease, and its end");
    assert_eq!((second.point.id, second.copied_files, second.copied_bytes), (1, 1, 5));
    assert_eq!(objects().len(), before.len() + 1);
    assert_eq!(bucket.backups().points().unwrap().len(), 2);
}

#[test]
fn a_file_longer_than_the_ranges_of_a_read_comes_back() {
    let bucket = Bucket::new();
    let disk = MemoryDisk::default();
    let home = disk.open().unwrap();
    let long: Vec<u8> = (0..(40 << 20) + 17_u32).map(|at| (at % 251) as u8).collect();
    let point =
        bucket.backups().add(draft(segments(&home, &[("a.seg", &long), ("empty", b"")]))).unwrap().point;
    assert_eq!(bucket.backups().verify(&point).unwrap(), long.len() as u64);
    assert_eq!(&*bucket.backups().files(&point).unwrap()[0].1, &*long);
}

/// What landed without an answer is met again, and what an outage broke off is gone on with.
#[test]
fn an_outage_leaves_earlier_backups_whole() {
    let bucket = Bucket::new();
    let disk = MemoryDisk::default();
    let home = disk.open().unwrap();
    let mut files = segments(&home, &[("a.seg", b"one")]);
    bucket.medium.set_next(PutFault::LandedUnanswered);
    let first = bucket.backups().add(draft(files.clone())).unwrap().point;
    files.extend(segments(&home, &[("b.seg", b"other")]));
    bucket.medium.set_down(true);
    assert_eq!(bucket.backups().add(draft(files.clone())).unwrap_err().kind(), &ErrorKind::Retry);
    bucket.medium.set_down(false);
    assert_eq!(bucket.backups().points().unwrap(), [first]);
    let second = bucket.backups().add(draft(files)).unwrap();
    assert_eq!((second.point.id, second.copied_files), (1, 1));
    assert_eq!(bucket.backups().verify(&second.point).unwrap(), 8);
}

#[test]
fn damage_in_a_bucket_is_told() {
    let bucket = Bucket::new();
    let disk = MemoryDisk::default();
    let home = disk.open().unwrap();
    let backups = bucket.backups();
    let point = backups.add(draft(segments(&home, &[("a.seg", b"some bytes")]))).unwrap().point;
    let object = bucket.keys("films/object/").remove(0);
    let corrupt = |error: Error| matches!(error.kind(), ErrorKind::Corrupt { .. });
    bucket.inner.damage(&object, |bytes| bytes[3] ^= 1);
    assert!(corrupt(backups.verify(&point).unwrap_err()));
    bucket.inner.delete(&object).unwrap();
    assert_eq!(backups.verify(&point).unwrap_err().kind(), &ErrorKind::NotFound);
    bucket.inner.damage(&bucket.keys("films/point/").remove(0), |bytes| bytes[3] ^= 1);
    assert!(corrupt(backups.points().unwrap_err()));
}

/// One at a time changes backups, whichever machine it is on; a machine that died stands in the way no longer
/// than its lease.
#[test]
fn a_bucket_is_changed_by_one_at_a_time() {
    let bucket = Bucket::new();
    let disk = MemoryDisk::default();
    let home = disk.open().unwrap();
    let files = segments(&home, &[("a.seg", b"one")]);
    let add = || bucket.backups().add(draft(files.clone()));
    let first = bucket.backups();
    let mut held = first.storage.lock().unwrap();
    assert_eq!(add().unwrap_err().kind(), &ErrorKind::Retry);
    assert_eq!(bucket.backups().remove(&[]).unwrap_err().kind(), &ErrorKind::Retry);
    // It makes its lease longer as long as it lives.
    bucket.now_ms.fetch_add(40 * 60_000, Ordering::SeqCst);
    held.confirm().unwrap();
    bucket.now_ms.fetch_add(40 * 60_000, Ordering::SeqCst);
    assert_eq!(add().unwrap_err().kind(), &ErrorKind::Retry);
    // It sleeps; another takes its place, and it learns that before it does anything.
    bucket.now_ms.fetch_add(40 * 60_000, Ordering::SeqCst);
    assert_eq!(add().unwrap().point.id, 0);
    assert_eq!(held.confirm().unwrap_err().kind(), &ErrorKind::Retry);
    drop(held);
    assert_eq!(add().unwrap().point.id, 1);
    assert!(bucket.keys("films/lock/").len() <= 3, "{:?}", bucket.keys("films/lock/"));
}
