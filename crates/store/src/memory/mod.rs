//! Shards in memory as an object store would keep them, for tests: a second opening deposes the first, which
//! learns so at its next append or publication; a write may be on its way for a while, may have landed
//! without an answer, or may never land. Deterministic and without threads: time passes when somebody waits.
//! `log` and `files` are the parts of a home, over one `medium`.

mod files;
mod log;
mod medium;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Result;
use crate::contract::{FencedLog, ManifestStore, SegmentStore, ShardHome};
use crate::faults::split_mix;
use crate::site::{ShardArchive, ShardId, Site};
use files::{Files, MemoryArchive};
use log::MemoryLog;
pub use medium::{Fate, MemoryCounts};
use medium::{Opening, Shared};

/// One shard after another, each with its owner, in memory.
#[derive(Clone, Default)]
pub struct MemorySite {
    shards: Arc<Mutex<BTreeMap<ShardId, Shared>>>,
}

impl MemorySite {
    fn shared(&self, id: &ShardId) -> Shared {
        let mut shards = self.shards.lock().unwrap_or_else(PoisonError::into_inner);
        shards.entry(id.clone()).or_default().clone()
    }

    /// What becomes of the groups offered next, one after another; the others land at once.
    pub fn set_fate(&self, id: &ShardId, fate: Fate) {
        self.shared(id).medium().fates.push_back(fate);
    }

    /// The process dies. Of what was on its way, what `seed` chooses lands, a prefix of it; what was not
    /// offered is gone.
    pub fn kill(&self, id: &ShardId, seed: u64) {
        let shared = self.shared(id);
        let mut medium = shared.medium();
        let mut state = seed;
        for group in std::mem::take(&mut medium.under_way) {
            if split_mix(&mut state) & 1 == 0 {
                medium.counts.lost_on_the_way += 1;
                break;
            }
            medium.land(group);
        }
        if let Some(manifest) = medium.manifest_under_way.take()
            && split_mix(&mut state) & 1 == 0
        {
            medium.manifests.push(manifest);
        }
        medium.life += 1;
        medium.changes_left = None;
        medium.unanswered_publication = None;
        medium.fates.clear();
    }

    /// The process dies after this many more changes of the medium: what it does then reaches nothing.
    /// [`MemorySite::kill`] ends it.
    pub fn die_after(&self, id: &ShardId, changes: u32) {
        self.shared(id).medium().changes_left = Some(changes);
    }

    /// Whether the process has died by itself.
    pub fn is_dead(&self, id: &ShardId) -> bool {
        self.shared(id).medium().changes_left == Some(0)
    }

    /// The next publication is not answered; whether it landed.
    pub fn leave_publication_unanswered(&self, id: &ShardId, landed: bool) {
        self.shared(id).medium().unanswered_publication = Some(landed);
    }

    /// It behaves from here on: nothing fails, and what is under way is answered.
    pub fn calm(&self, id: &ShardId) {
        let shared = self.shared(id);
        let mut medium = shared.medium();
        medium.fates.clear();
        medium.calms += 1;
        medium.left = None;
        medium.changes_left = medium.changes_left.filter(|left| *left == 0);
        medium.unanswered_publication = None;
    }

    /// How many bytes it still takes.
    pub fn limit_space(&self, id: &ShardId, left: Option<usize>) {
        self.shared(id).medium().left = left;
    }

    pub fn counts(&self, id: &ShardId) -> MemoryCounts {
        self.shared(id).medium().counts
    }
}

impl Site for MemorySite {
    fn home(&self, id: &ShardId) -> Result<Arc<dyn ShardHome>> {
        let shared = self.shared(id);
        let (opening, end) = {
            let mut medium = shared.medium();
            // From here on nothing of an older epoch lands: its groups under way find the slot taken.
            medium.epoch += 1;
            medium.under_way.clear();
            medium.manifest_under_way = None;
            medium.changes_left = None;
            (Opening { epoch: medium.epoch, life: medium.life }, medium.last)
        };
        let files = Arc::new(Files { shared: shared.clone(), opening });
        Ok(Arc::new(MemoryHome { opening, log: Arc::new(MemoryLog::new(shared, opening, end)), files }))
    }

    fn is_used(&self, id: &ShardId) -> Result<bool> {
        let shards = self.shards.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(shards.get(id).is_some_and(|shared| shared.medium().epoch > 0))
    }

    fn archive(&self, id: &ShardId) -> Result<Arc<dyn ShardArchive>> {
        Ok(Arc::new(MemoryArchive(self.shared(id))))
    }
}

struct MemoryHome {
    opening: Opening,
    log: Arc<MemoryLog>,
    files: Arc<Files>,
}

impl ShardHome for MemoryHome {
    fn epoch(&self) -> u64 {
        self.opening.epoch
    }

    fn log(&self) -> Arc<dyn FencedLog> {
        Arc::clone(&self.log) as _
    }

    fn manifests(&self) -> Arc<dyn ManifestStore> {
        Arc::clone(&self.files) as _
    }

    fn segments(&self) -> Arc<dyn SegmentStore> {
        Arc::clone(&self.files) as _
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::conformance::{
        AppendRecord, FaultySite, SecondOpening, TestSite, check_faults, check_home, records,
    };

    fn shard() -> ShardId {
        ShardId { path: "films/shard1".into(), stream: [1; 16] }
    }

    impl TestSite for MemorySite {
        fn open(&self) -> Result<Arc<dyn ShardHome>> {
            self.home(&shard())
        }

        fn archive(&self) -> Arc<dyn ShardArchive> {
            Site::archive(self, &shard()).unwrap()
        }

        fn second_opening(&self) -> SecondOpening {
            SecondOpening::Deposes
        }
    }

    impl FaultySite for MemorySite {
        fn cut_power(&self, seed: u64) {
            self.kill(&shard(), seed);
        }

        fn fail_next_sync(&self) {
            self.set_fate(&shard(), Fate::Failed { landed: true });
        }

        fn set_full(&self, full: bool) {
            self.limit_space(&shard(), full.then_some(1500));
        }
    }

    #[test]
    fn a_memory_conforms_and_survives_faults() {
        check_home(&|| Box::new(MemorySite::default()));
        check_faults(&|| Box::new(MemorySite::default()));
    }

    #[test]
    fn a_late_answer_is_unknown_and_then_resolved() {
        for fate in [Fate::AnsweredLate { waits: 2 }, Fate::Delayed { waits: 2 }] {
            let site = MemorySite::default();
            let home = TestSite::open(&site).unwrap();
            site.set_fate(&shard(), fate);
            let at = home.log().append_record(b"late").unwrap();
            for _ in 0..2 {
                assert_eq!(home.log().wait_durable(at).unwrap_err().kind(), &ErrorKind::Unknown);
                assert!(home.log().durable() < at, "nothing behind it is acknowledged either");
            }
            home.log().wait_durable(at).unwrap();
            assert_eq!(records(&*home, None).unwrap().0, [(at, b"late".to_vec())]);
        }
    }

    /// However many looks it wanted, landed or not.
    #[test]
    fn a_calmed_medium_answers_what_is_under_way() {
        for fate in [Fate::AnsweredLate { waits: 3 }, Fate::Delayed { waits: 3 }] {
            let site = MemorySite::default();
            let home = TestSite::open(&site).unwrap();
            site.set_fate(&shard(), fate);
            let at = home.log().append_record(b"late").unwrap();
            assert_eq!(home.log().wait_durable(at).unwrap_err().kind(), &ErrorKind::Unknown);
            site.calm(&shard());
            home.log().wait_durable(at).unwrap();
            assert_eq!(records(&*home, None).unwrap().0, [(at, b"late".to_vec())]);
        }
    }

    #[test]
    fn what_is_under_way_meets_the_new_owner() {
        let site = MemorySite::default();
        let old = TestSite::open(&site).unwrap();
        site.set_fate(&shard(), Fate::Delayed { waits: 1 });
        let at = old.log().append_record(b"delayed").unwrap();
        assert_eq!(old.log().wait_durable(at).unwrap_err().kind(), &ErrorKind::Unknown);
        let new = TestSite::open(&site).unwrap();
        assert_eq!(old.log().wait_durable(at).unwrap_err().kind(), &ErrorKind::Deposed);
        assert_eq!(records(&*new, None).unwrap().0, []);
        assert!(site.counts(&shard()).deposed > 0);
    }
}
