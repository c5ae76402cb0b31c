//! Histories from seeds: nodes that take one shard from each other, are paused, crash, append, flush and
//! collect, over a medium that loses answers and lets PUTs land late. What a node has at its opening is the
//! beginning of what every later one has, and nothing acknowledged is missing from it.

use std::sync::Arc;

use super::faults::{FaultCounts, FaultRates, FaultyMedium, MemoryMedium};
use super::seeded_bugs::SeededBug;
use super::*;
use crate::ErrorKind;
use crate::conformance::AppendRecord;
use crate::contract::{SegmentFile, Watermark};
use crate::faults::split_mix;

const NODES: usize = 2;
const STEPS: usize = 110;

/// What stands in for a manifest's content: a watermark, the file that has all below it, and what that is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Image {
    at: Watermark,
    file: Option<SegmentFile>,
    records: Vec<u32>,
}

impl Image {
    fn to_bytes(&self) -> Vec<u8> {
        let file = self.file.as_ref().map_or(String::new(), |file| file.name.clone());
        let crc = self.file.as_ref().map_or(0, |file| file.crc32);
        let mut bytes = self.at.to_bytes().to_vec();
        bytes.extend_from_slice(&crc.to_le_bytes());
        bytes.push(file.len() as u8);
        bytes.extend_from_slice(file.as_bytes());
        bytes.extend(self.records.iter().flat_map(|record| record.to_le_bytes()));
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let at = Watermark::from_bytes(bytes[..16].try_into().unwrap());
        let crc32 = u32::from_le_bytes(bytes[16..20].try_into().unwrap());
        let (name, records) = bytes[21..].split_at(usize::from(bytes[20]));
        let records: Vec<u32> =
            records.chunks_exact(4).map(|four| u32::from_le_bytes(four.try_into().unwrap())).collect();
        let name = String::from_utf8(name.to_vec()).unwrap();
        let size = 4 * records.len() as u64;
        let file = (!name.is_empty()).then_some(SegmentFile { name, size, crc32 });
        Self { at, file, records }
    }
}

struct Owner {
    home: Arc<dyn ShardHome>,
    version: Option<u64>,
    published: Image,
    /// All it has applied: what it opened with, and then its own, in order.
    applied: Vec<(Watermark, u32)>,
    opened_with: Vec<u32>,
    /// Published and not resolved.
    offered: Option<Image>,
    files: u32,
}

#[derive(Default, Debug)]
struct Reached {
    takeovers: u64,
    deposed_at_append: u64,
    deposed_at_publish: u64,
    unknown: u64,
    flushes: u64,
    collected: u64,
    crashes: u64,
    late: u64,
    landed_late: u64,
    met_late: u64,
}

struct History {
    medium: FaultyMedium,
    memory: Arc<MemoryMedium>,
    seed: u64,
    nonces: u64,
    next: u32,
    owners: [Option<Owner>; NODES],
    /// Steps for which a node does not come to anything.
    paused: [usize; NODES],
    acknowledged: Vec<u32>,
    /// What the last opening had: every later one begins with it.
    seen: Vec<u32>,
    reached: Reached,
}

fn shard() -> ShardId {
    ShardId { path: "films/shard1".into(), stream: [9; 16] }
}

fn options() -> ObjectOptions {
    let patience = Patience { answer_ms: 60, pause_ms_first: 10, pause_ms_max: 40 };
    ObjectOptions { patience, ..ObjectOptions::default() }
}

impl History {
    fn new(seed: u64) -> Self {
        let memory = Arc::new(MemoryMedium::default());
        let medium = FaultyMedium::new(Arc::clone(&memory) as _);
        medium.set_rates(FaultRates { lost: 60, landed_unanswered: 60, late: 120, unread: 10 }, seed);
        Self {
            medium,
            memory,
            seed,
            nonces: 0,
            next: 0,
            owners: [None, None],
            paused: [0, 0],
            acknowledged: Vec::new(),
            seen: Vec::new(),
            reached: Reached::default(),
        }
    }

    fn draw(&mut self, below: u64) -> u64 {
        split_mix(&mut self.seed) % below
    }

    fn run(mut self) -> Reached {
        for _ in 0..STEPS {
            let node = self.draw(NODES as u64) as usize;
            if self.paused[node] > 0 {
                self.paused[node] -= 1;
                continue;
            }
            match (self.draw(24), self.owners[node].is_some()) {
                (0..6, false) | (0, true) => self.open(node),
                (1, true) => self.crash(node),
                (2, true) => self.paused[node] = self.draw(40) as usize,
                (3..5, true) => self.sweep(node),
                (5..12, true) => self.flush(node),
                (12.., true) => self.append(node),
                _ => {}
            }
        }
        self.medium.set_rates(FaultRates::default(), 0);
        while self.owners[0].is_none() {
            self.open(0);
        }
        self.append(0);
        self.flush(0);
        self.open(0);
        let FaultCounts { late, landed_late, met_late, .. } = self.medium.counts();
        let collected = self.memory.list("shards/").unwrap();
        self.reached.collected = u64::from(collected.iter().any(|(key, _)| key.contains("/boundary/")));
        Reached { late, landed_late, met_late, ..self.reached }
    }

    fn open(&mut self, node: usize) {
        self.owners[node] = None;
        self.nonces += 1;
        let nonce = u128::from(self.nonces).to_le_bytes();
        let medium = Arc::new(self.medium.clone());
        let site = ObjectSite::new(medium.clone(), medium, Arc::new(move || nonce), options()).unwrap();
        let home = match site.home(&shard()) {
            Ok(home) => home,
            Err(error) => return assert_eq!(error.kind(), &ErrorKind::Retry, "{error}"),
        };
        let loaded = home.manifests().load().unwrap();
        let version = loaded.as_ref().map(|(version, _)| *version);
        let published = loaded.map(|(_, bytes)| Image::from_bytes(&bytes)).unwrap_or_default();
        if let Some(file) = &published.file {
            match home.segments().verify(file) {
                Err(error) if *error.kind() == ErrorKind::Retry => return,
                verified => drop(verified.expect("what the newest manifest names is there")),
            }
        }
        let mut applied: Vec<_> = published.records.iter().map(|record| (published.at, *record)).collect();
        let after = Some(published.at).filter(|at| *at != Watermark::START);
        let replayed = home.log().replay(after, &mut |at, record| {
            applied.push((at, u32::from_le_bytes(record.try_into().unwrap())));
            Ok(())
        });
        match replayed {
            Err(error) if *error.kind() == ErrorKind::Retry => return,
            replayed => replayed.expect("the log is whole"),
        };
        let opened_with: Vec<u32> = applied.iter().map(|(_, record)| *record).collect();
        assert!(opened_with.starts_with(&self.seen), "{opened_with:?} does not begin with {:?}", self.seen);
        let mut rest = opened_with.iter();
        let has = |record: &u32| rest.any(|it| it == record);
        assert!(self.acknowledged.iter().all(has), "{:?} is not in {opened_with:?}", self.acknowledged);
        self.seen.clone_from(&opened_with);
        self.reached.takeovers += 1;
        let owner = Owner { home, version, published, applied, opened_with, offered: None, files: 0 };
        self.owners[node] = Some(owner);
    }

    fn crash(&mut self, node: usize) {
        self.owners[node] = None;
        self.reached.crashes += 1;
    }

    /// Removes what the owner's own manifest does not name, as an engine does behind its opening.
    fn sweep(&mut self, node: usize) {
        let Some(owner) = &self.owners[node] else { return };
        if owner.offered.is_some() {
            return;
        }
        let segments = owner.home.segments();
        let named = owner.published.file.as_ref().map(|file| &file.name);
        for name in segments.list().unwrap().iter().filter(|name| Some(*name) != named) {
            drop(segments.remove(name));
        }
    }

    fn append(&mut self, node: usize) {
        let count = self.draw(3) + 1;
        let Some(mut owner) = self.owners[node].take() else { return };
        let mut last = Watermark::START;
        for _ in 0..count {
            self.next += 1;
            match owner.home.log().append_record(&self.next.to_le_bytes()) {
                Ok(at) => owner.applied.push((at, self.next)),
                Err(error) if *error.kind() == ErrorKind::Deposed => {
                    return self.reached.deposed_at_append += 1;
                }
                Err(error) => panic!("{error}"),
            }
            last = owner.applied.last().unwrap().0;
        }
        match owner.home.log().wait_durable(last).map_err(|error| error.kind().clone()) {
            Ok(()) => {
                // In the order of the log: what was unknown before is known now.
                let own = owner.applied[owner.opened_with.len()..].iter().map(|(_, record)| *record);
                let own: Vec<u32> = own.filter(|record| !self.acknowledged.contains(record)).collect();
                self.acknowledged.extend(own);
            }
            Err(ErrorKind::Unknown) => self.reached.unknown += 1,
            Err(ErrorKind::Deposed) => return self.reached.deposed_at_append += 1,
            Err(kind) => panic!("{kind:?}"),
        }
        self.owners[node] = Some(owner);
    }

    fn flush(&mut self, node: usize) {
        let Some(mut owner) = self.owners[node].take() else { return };
        let (log, segments) = (owner.home.log(), owner.home.segments());
        if owner.offered.is_none() {
            let at = log.durable();
            let durable = owner.applied.iter().filter(|(it, _)| *it <= at).map(|(_, record)| *record);
            let records: Vec<u32> = durable.collect();
            let bytes: Vec<u8> = records.iter().flat_map(|record| record.to_le_bytes()).collect();
            owner.files += 1;
            let name = format!("e{}-{}.seg", owner.home.epoch(), owner.files);
            match segments.put(&name, &bytes) {
                Ok(file) => owner.offered = Some(Image { at, file: Some(file), records }),
                Err(error) if *error.kind() == ErrorKind::Deposed => return,
                Err(error) => assert_eq!(error.kind(), &ErrorKind::Retry, "{error}"),
            }
        }
        if let Some(offered) = owner.offered.clone() {
            let published = owner.home.manifests().publish(owner.version, &offered.to_bytes());
            match published.map_err(|error| error.kind().clone()) {
                Ok(version) => {
                    owner.version = Some(version);
                    let before = std::mem::replace(&mut owner.published, offered);
                    owner.offered = None;
                    if let Some(file) = before.file {
                        drop(segments.remove(&file.name));
                    }
                    drop(log.trim(owner.published.at));
                    self.reached.flushes += 1;
                }
                Err(ErrorKind::Unknown) => self.reached.unknown += 1,
                Err(ErrorKind::Deposed) => return self.reached.deposed_at_publish += 1,
                Err(kind) => panic!("{kind:?}"),
            }
        }
        self.owners[node] = Some(owner);
    }
}

/// Runs histories until one fails; what was reached by then, and whether one did.
fn run_all(seeds: u64) -> (Reached, Option<u64>) {
    let mut all = Reached::default();
    for seed in 0..seeds {
        let Ok(reached) = std::panic::catch_unwind(|| History::new(seed).run()) else {
            return (all, Some(seed));
        };
        let sums = [
            (&mut all.takeovers, reached.takeovers),
            (&mut all.deposed_at_append, reached.deposed_at_append),
            (&mut all.deposed_at_publish, reached.deposed_at_publish),
            (&mut all.unknown, reached.unknown),
            (&mut all.flushes, reached.flushes),
            (&mut all.collected, reached.collected),
            (&mut all.crashes, reached.crashes),
            (&mut all.late, reached.late),
            (&mut all.landed_late, reached.landed_late),
            (&mut all.met_late, reached.met_late),
        ];
        sums.into_iter().for_each(|(sum, more)| *sum += more);
    }
    (all, None)
}

#[test]
fn histories_of_nodes_that_fight_for_a_shard() {
    let (reached, failed) = run_all(2_000);
    assert_eq!(failed, None, "the first seed that fails");
    let counts = format!("{reached:?}");
    assert!(!counts.contains(": 0"), "what was not reached was not tested: {counts}");
}

#[test]
fn every_seeded_bug_is_found() {
    for bug in SeededBug::ALL {
        SeededBug::plant(Some(bug));
        let (_, failed) = run_all(2_000);
        SeededBug::plant(None);
        assert!(failed.is_some(), "{bug:?} was not found");
    }
}
