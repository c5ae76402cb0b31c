//! The log on a disk in memory: damage distinguished from torn tails byte by byte, syncs counted, full disks,
//! and a model checked against random histories of appends, waits, trims, crashes and power cuts.

use std::io;
use std::path::PathBuf;

use proptest::prelude::*;

use crate::conformance::{AppendRecord, Positioned, records};
use crate::faults::MemoryDisk;
use crate::{ErrorKind, FencedLog, HomeOptions, LocalHome, LogOptions, Result, ShardHome, Watermark};

fn small() -> HomeOptions {
    let log = LogOptions { file_bytes: 2048, reserve_bytes: 512, pending_bytes_max: 4096 };
    HomeOptions { log, ..HomeOptions::default() }
}

/// A closed log of one file: three groups of three records, 20 bytes each.
fn three_groups() -> (MemoryDisk, Vec<Positioned>) {
    let disk = MemoryDisk::new(small());
    let home = disk.open().unwrap();
    let mut written = Vec::new();
    for group in 0..3u8 {
        for number in 0..3u8 {
            let record = vec![0x10 * group + number + 1; 20];
            written.push((home.log().append_record(&record).unwrap(), record));
        }
        home.log().wait_durable(written[written.len() - 1].0).unwrap();
    }
    drop(home);
    (disk, written)
}

fn log_files(disk: &MemoryDisk) -> Vec<PathBuf> {
    disk.paths().into_iter().filter(|path| path.extension().is_some_and(|end| end == "log")).collect()
}

/// Records visited and how the replay ended.
fn outcome(home: &LocalHome) -> (Vec<Positioned>, Result<crate::ReplayEnd>) {
    let mut found = Vec::new();
    let end = home.log().replay(None, &mut |at, record| {
        found.push((at, record.to_vec()));
        Ok(())
    });
    (found, end)
}

const HEADER: usize = 72;
const RECORD: usize = 32 + 20;

#[test]
fn every_flipped_byte_is_damage_unless_only_the_last_group_is_hit() {
    for at in 0..HEADER + 9 * RECORD {
        let (disk, written) = three_groups();
        let file = log_files(&disk).remove(0);
        disk.damage(&file, |bytes| bytes[at] ^= 0x40).unwrap();
        let home = disk.open().unwrap();
        let (found, end) = outcome(&home);
        let whole = at.checked_sub(HEADER).map_or(0, |at| at / RECORD);
        assert_eq!(found, written[..whole], "byte {at}");
        if whole < 6 {
            let error = end.unwrap_err();
            let offset = if at < HEADER { 0 } else { (HEADER + whole * RECORD) as u64 };
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            assert_eq!(error.kind(), &ErrorKind::Corrupt { file: name, offset }, "byte {at}");
            assert!(home.log().append_record(b"more").is_err(), "a damaged log takes no records");
        } else {
            let torn = ((9 - whole) * RECORD) as u64;
            assert_eq!(end.unwrap().torn_bytes, torn, "byte {at}");
        }
    }
}

#[test]
fn a_later_opening_proves_the_last_group() {
    let (disk, written) = three_groups();
    let home = disk.open().unwrap();
    let at = home.log().append_record(b"next epoch").unwrap();
    home.log().wait_durable(at).unwrap();
    drop(home);
    let file = log_files(&disk).remove(0);
    disk.damage(&file, |bytes| bytes[HEADER + 8 * RECORD + 40] ^= 1).unwrap();
    let (found, end) = outcome(&disk.open().unwrap());
    assert_eq!(found, written[..8]);
    assert!(matches!(end.unwrap_err().kind(), ErrorKind::Corrupt { .. }));
}

#[test]
fn a_log_cut_anywhere_replays_its_whole_records() {
    let (disk, written) = three_groups();
    let file = log_files(&disk).remove(0);
    for cut in (0..=HEADER + 9 * RECORD).rev() {
        disk.damage(&file, |bytes| bytes.truncate(cut)).unwrap();
        disk.kill();
        let home = disk.open().unwrap();
        let (found, end) = outcome(&home);
        let whole = cut.checked_sub(HEADER).map_or(0, |at| at / RECORD);
        assert_eq!(found, written[..whole], "cut at {cut}");
        assert_eq!(end.unwrap().records, whole as u64);
    }
}

#[test]
fn a_missing_file_is_damage() {
    let disk = MemoryDisk::new(small());
    let home = disk.open().unwrap();
    let mut last = Watermark::START;
    while log_files(&disk).len() < 4 {
        last = home.log().append_record(&[1; 300]).unwrap();
        home.log().wait_durable(last).unwrap();
    }
    drop(home);
    for missing in 0..4 {
        disk.kill();
        let (before, _) = records(&disk.open().unwrap(), None).unwrap();
        let gone = log_files(&disk).remove(missing);
        let mut kept = Vec::new();
        disk.damage(&gone, |bytes| kept = std::mem::take(bytes)).unwrap();
        let result = records(&disk.open().unwrap(), Some(Watermark::new(1, 1)));
        match result {
            // An emptied last file is what a power cut leaves of one that was never synced.
            Ok((found, _)) => assert!(missing == 3 && found.len() < before.len() - 1),
            Err(error) => assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}"),
        }
        disk.damage(&gone, |bytes| *bytes = kept).unwrap();
    }
    assert!(records(&disk.open().unwrap(), Some(last)).unwrap().0.is_empty());
}

#[test]
fn records_missing_below_the_first_file_are_damage() {
    let disk = MemoryDisk::new(small());
    let home = disk.open().unwrap();
    let positions: Vec<_> =
        (0..40u8).map(|number| home.log().append_record(&[number; 200]).unwrap()).collect();
    home.log().wait_durable(positions[39]).unwrap();
    let all = home.log().bytes();
    home.log().trim(positions[30]).unwrap();
    assert!(home.log().bytes() < all / 2);
    assert_eq!(records(&home, Some(positions[30])).unwrap().0.len(), 9);
    let error = records(&home, Some(positions[2])).unwrap_err();
    assert!(error.message().contains("missing"), "{error}");
    home.log().trim(positions[39]).unwrap();
    drop(home);
    assert_eq!(log_files(&disk).len(), 1, "the newest file is what the next chains to");
    assert_eq!(records(&disk.open().unwrap(), Some(positions[39])).unwrap().0, []);
}

#[test]
fn a_record_of_another_past_breaks_the_chain() {
    let (disk, written) = three_groups();
    let file = log_files(&disk).remove(0);
    let other = MemoryDisk::new(small());
    let home = other.open().unwrap();
    (0..9u8).for_each(|number| {
        let at = home.log().append_record(&[number; 20]).unwrap();
        home.log().wait_durable(at).unwrap();
    });
    drop(home);
    let record = HEADER + 2 * RECORD..HEADER + 3 * RECORD;
    let mut foreign = Vec::new();
    other.damage(&file, |bytes| foreign.extend_from_slice(&bytes[record.clone()])).unwrap();
    disk.damage(&file, |bytes| bytes[record].copy_from_slice(&foreign)).unwrap();
    let (found, end) = outcome(&disk.open().unwrap());
    assert_eq!(found, written[..2], "the third verifies by itself, and follows another second");
    assert!(matches!(end.unwrap_err().kind(), ErrorKind::Corrupt { .. }));
}

#[test]
fn a_trim_beyond_what_is_durable_keeps_the_chain() {
    let disk = MemoryDisk::new(small());
    let home = disk.open().unwrap();
    let durable = home.log().append_record(&[1; 1900]).unwrap();
    home.log().wait_durable(durable).unwrap();
    let pending = home.log().append_record(&[2; 1900]).unwrap();
    home.log().trim(pending).unwrap();
    disk.kill();
    assert_eq!(records(&disk.open().unwrap(), Some(durable)).unwrap().0, []);
}

#[test]
fn one_sync_serves_a_group() {
    let disk = MemoryDisk::default();
    let home = disk.open().unwrap();
    let log = home.log();
    let before = disk.syncs();
    let positions: Vec<_> = (0..50).map(|_| log.append_record(&[1; 100]).unwrap()).collect();
    assert_eq!(disk.syncs(), before, "an append syncs nothing");
    for at in positions.iter().rev() {
        log.wait_durable(*at).unwrap();
    }
    assert_eq!(disk.syncs(), before + 1);
}

#[test]
fn a_disk_that_fills_behind_its_reservation_keeps_the_queue() {
    let disk = MemoryDisk::new(small());
    disk.reserve_nothing();
    let home = disk.open().unwrap();
    disk.limit_space(Some(disk.space_used() + 1000));
    let positions: Vec<_> =
        (0..10u8).map(|number| home.log().append_record(&[number; 200]).unwrap()).collect();
    for _ in 0..2 {
        let error = home.log().wait_durable(positions[9]).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Full);
    }
    let late = home.log().append_record(b"late").unwrap();
    disk.limit_space(None);
    home.log().wait_durable(late).unwrap();
    assert_eq!(records(&home, None).unwrap().0.len(), 11);
    disk.kill();
    assert_eq!(records(&disk.open().unwrap(), None).unwrap().0.len(), 11);
}

#[test]
fn a_write_that_stops_half_way() {
    let check = |kind: io::ErrorKind, want: ErrorKind, usable: bool| {
        let disk = MemoryDisk::default();
        let home = disk.open().unwrap();
        disk.fail_write_after(0, kind);
        let at = home.log().append_record(&[5; 900]).unwrap();
        assert_eq!(home.log().wait_durable(at).unwrap_err().kind(), &want);
        assert_eq!(home.log().wait_durable(at).is_ok(), usable);
        disk.kill();
        let (found, _) = records(&disk.open().unwrap(), None).unwrap();
        assert_eq!(found.len(), usize::from(usable));
    };
    check(io::ErrorKind::StorageFull, ErrorKind::Full, true);
    check(io::ErrorKind::Other, ErrorKind::Failed, false);
}

#[test]
fn a_full_queue_is_synced_by_who_wants_room() {
    let disk = MemoryDisk::new(small());
    let home = disk.open().unwrap();
    let before = disk.syncs();
    for _ in 0..40 {
        home.log().append_record(&[1; 400]).unwrap();
    }
    assert!(disk.syncs() > before);
}

#[test]
fn all_who_wait_learn_of_a_failed_sync() {
    let disk = MemoryDisk::default();
    let home = disk.open().unwrap();
    disk.fail_sync_after(20);
    let log = home.log();
    let acknowledge = |thread: u8| {
        let written = (0..).map_while(|_| log.append_record(&[thread]).ok());
        written.take_while(|at| log.wait_durable(*at).is_ok()).collect::<Vec<_>>()
    };
    let mut acknowledged: Vec<Watermark> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|thread| scope.spawn(move || acknowledge(thread))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    acknowledged.sort();
    disk.cut_power(3);
    let (found, _) = records(&disk.open().unwrap(), None).unwrap();
    let found: Vec<_> = found.into_iter().map(|(at, _)| at).collect();
    assert!(found.starts_with(&acknowledged), "{found:?} begins with {acknowledged:?}");
}

#[derive(Debug, Clone)]
enum Step {
    Append(usize),
    Wait,
    Trim(usize),
    Reopen,
    Kill,
    CutPower(u64),
    FailSync(u64),
    FillDisk(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => (0usize..700).prop_map(Step::Append),
        4 => Just(Step::Wait),
        2 => (0usize..100).prop_map(Step::Trim),
        1 => Just(Step::Reopen),
        1 => Just(Step::Kill),
        3 => any::<u64>().prop_map(Step::CutPower),
        1 => (0u64..3).prop_map(Step::FailSync),
        1 => (0usize..3000).prop_map(Step::FillDisk),
    ]
}

/// What must be true of the log, whatever happens to the disk.
struct Model {
    disk: MemoryDisk,
    home: LocalHome,
    /// Accepted since the start, and not known to be lost.
    written: Vec<Positioned>,
    /// How many of them must survive.
    acknowledged: usize,
    /// Replays begin here: a manifest says the rest is in segments.
    watermark: Watermark,
}

impl Model {
    fn new() -> Self {
        let disk = MemoryDisk::new(small());
        let home = disk.open().unwrap();
        Self { disk, home, written: Vec::new(), acknowledged: 0, watermark: Watermark::START }
    }

    fn run(&mut self, step: &Step) {
        let log = self.home.log();
        match step {
            Step::Append(size) => {
                let record = vec![self.written.len() as u8; *size];
                if let Ok(at) = log.append_record(&record) {
                    self.written.push((at, record));
                }
            }
            Step::Wait => self.wait(&*log),
            Step::Trim(back) => {
                if let Some((at, _)) = self.acknowledged.checked_sub(back + 1).map(|at| &self.written[at]) {
                    self.watermark = self.watermark.max(*at);
                    log.trim(self.watermark).unwrap();
                }
            }
            Step::Reopen => self.wait(&*log),
            Step::Kill => self.disk.kill(),
            Step::CutPower(seed) => self.disk.cut_power(*seed),
            Step::FailSync(good) => self.disk.fail_sync_after(*good),
            Step::FillDisk(left) => self.disk.limit_space(Some(self.disk.space_used() + left)),
        }
        drop(log);
        if matches!(step, Step::Reopen | Step::Kill | Step::CutPower(_)) {
            self.reopen();
        }
    }

    fn wait(&mut self, log: &dyn FencedLog) {
        if let Some((at, _)) = self.written.last()
            && log.wait_durable(*at).is_ok()
        {
            self.acknowledged = self.written.len();
        }
    }

    fn reopen(&mut self) {
        // A second crash right away, so that the first home's drop does not matter.
        self.disk.kill();
        self.disk.limit_space(None);
        let Ok(home) = self.disk.open() else {
            // An armed sync failure hit the opening; the next one succeeds.
            self.disk.kill();
            self.home = self.disk.open().unwrap();
            return self.compare();
        };
        self.home = home;
        self.compare();
    }

    /// Every acknowledged record once, in order, and of the others a prefix.
    fn compare(&mut self) {
        let (found, _) = records(&self.home, Some(self.watermark)).unwrap();
        let skipped = self.written.iter().take_while(|(at, _)| *at <= self.watermark).count();
        assert!(skipped + found.len() >= self.acknowledged, "acknowledged records are lost");
        assert_eq!(found, self.written[skipped..skipped + found.len()]);
        self.written.truncate(skipped + found.len());
        self.acknowledged = self.written.len();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_history_loses_reorders_or_invents(steps in prop::collection::vec(step(), 1..80)) {
        let mut model = Model::new();
        steps.iter().for_each(|step| model.run(step));
        model.run(&Step::CutPower(7));
    }

    #[test]
    fn decoders_take_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        crate::fuzzing::log_file(&bytes);
        crate::fuzzing::log_record(&bytes);
        crate::fuzzing::manifest(&bytes);
    }
}
