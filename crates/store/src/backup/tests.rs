//! Backups share files, survive power cuts, and tell damage.

use super::*;
use crate::ShardHome;
use crate::faults::MemoryDisk;

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

#[test]
fn backups_share_what_they_have_in_common() {
    let disk = MemoryDisk::default();
    let home = disk.open().unwrap();
    let both = segments(&home, &[("a.seg", b"one"), ("b.seg", b"other"), ("same.seg", b"one")]);
    let backups = folder(&disk);
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
