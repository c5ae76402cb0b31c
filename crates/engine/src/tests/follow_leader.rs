//! Followers of a leader that can be asked: they show what it shows, flushed or not, and say how old that is.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use plan::{ErrorKind, Result};

use super::*;
use crate::{FilePiece, FollowerHas, Leader, PinnedShard, Shown, SnapshotImage};

const LEADS_NS: u64 = 1_000_000_000;
const EVERY_MS: u64 = 1_000;

/// A leader that is in the same process, and what becomes of its answers.
struct Near {
    shard: Mutex<Option<Arc<Shard>>>,
    clock: Arc<StillClock>,
    /// How long each answer is on the way.
    takes_ms: AtomicI64,
    is_damaged: Arc<AtomicBool>,
}

struct NearShown {
    pin: PinnedShard,
    image: SnapshotImage,
    is_damaged: Arc<AtomicBool>,
}

impl Leader for Near {
    fn look(&self, has: &FollowerHas) -> Result<Option<Box<dyn Shown>>> {
        let gone = || plan::Error::new(ErrorKind::Unavailable, "gone");
        let shard = self.shard.lock().unwrap().clone().ok_or_else(gone)?;
        let pin = shard.pin_led(LEADS_NS)?;
        // As members send it.
        let has: FollowerHas = serde_json::from_slice(&serde_json::to_vec(has).unwrap()).unwrap();
        let image = pin.image(&has)?;
        self.clock.advance(self.takes_ms.load(Ordering::SeqCst));
        let is_damaged = self.is_damaged.clone();
        Ok(image.map(|image| {
            let image = serde_json::from_slice(&serde_json::to_vec(&image).unwrap()).unwrap();
            Box::new(NearShown { pin, image, is_damaged }) as _
        }))
    }
}

impl Shown for NearShown {
    fn image(&self) -> &SnapshotImage {
        &self.image
    }

    fn piece(&self, piece: FilePiece<'_>) -> Result<Vec<u8>> {
        let mut bytes = self.pin.piece(piece)?;
        if self.is_damaged.load(Ordering::SeqCst) {
            bytes.iter_mut().for_each(|byte| *byte ^= 1);
        }
        // In small pieces, so that there are several.
        bytes.truncate(100);
        Ok(bytes)
    }
}

impl Site {
    fn near(&self, shard: &Arc<Shard>) -> Arc<Near> {
        Arc::new(Near {
            shard: Mutex::new(Some(shard.clone())),
            clock: self.clock.clone(),
            takes_ms: AtomicI64::new(0),
            is_damaged: Arc::default(),
        })
    }

    fn open_follower(&self, leader: Arc<Near>) -> Arc<Shard> {
        let beside = (self.config.clone(), self.clock.clone() as _);
        Shard::open_follower(self.disk.archive(), Arc::new(schema()), beside, (leader, EVERY_MS)).unwrap()
    }
}

/// What a shard shows, document by document in index order.
fn shown(shard: &Shard) -> Vec<String> {
    let snapshot = shard.snapshot();
    let living = snapshot.segments().iter().flat_map(|view| {
        view.reader().doc_ids_alive().map(|doc| {
            let source = view.source(doc).unwrap();
            let document = read_source(&source, snapshot.layout(), &FieldSelection::everything()).unwrap();
            format!("{document:?}")
        })
    });
    living.collect()
}

#[test]
fn a_follower_shows_what_its_leader_shows_without_a_flush() {
    let site = Site::new();
    let leader = site.open();
    update(&leader, vec![add(film("1", "rot")), add(film("2", "blau"))]);
    let follower = site.open_follower(site.near(&leader));
    follower.catch_up().unwrap();
    assert_eq!(found(&follower, &Query::All), [""; 0], "nothing is shown there yet");
    refresh(&leader);
    assert!(follower.catch_up().unwrap());
    assert_eq!(found(&follower, &Query::All), ["1", "2"]);
    assert!(!follower.catch_up().unwrap(), "nothing is new");
    update(&leader, vec![add(document(&[("id", vec![text("3")]), ("new_s", vec![text("x")])])), delete("1")]);
    let pinned = follower.snapshot();
    refresh(&leader);
    assert!(follower.catch_up().unwrap());
    assert_eq!(shown(&follower), shown(&leader));
    assert_eq!(found(&follower, &term("new_s", "x")), ["3"], "a field that it did not know");
    assert_eq!(pinned.num_docs(), 2, "who searches goes on with what he had");
    // A flush makes one segment of the small ones, which is in the store.
    leader.commit(&Commit { open_searcher: false, ..Commit::HARD }).unwrap();
    follower.catch_up().unwrap();
    assert_eq!(shown(&follower), shown(&leader));
    update(&leader, vec![add(film("4", "rot"))]);
    leader.commit(&Commit { max_segments: Some(1), ..Commit::HARD }).unwrap();
    assert!(follower.catch_up().unwrap());
    assert_eq!((shown(&follower), follower.segments().len()), (shown(&leader), 1));
    let refused = follower.update(batch(vec![add(film("5", "rot"))]), UpdateContext::default());
    assert_eq!(refused.failure.unwrap().kind, ErrorKind::Unavailable);
}

#[test]
fn a_follower_counts_from_the_beginning_of_its_look() {
    let site = Site::new();
    let leader = site.open();
    let near = site.near(&leader);
    let follower = site.open_follower(near.clone());
    let ms = |ms: u64| Some(ms * 1_000_000);
    assert_eq!((leader.age_ns(), follower.age_ns()), (ms(0), None), "it has not looked yet");
    near.takes_ms.store(70, Ordering::SeqCst);
    follower.catch_up().unwrap();
    assert_eq!(follower.age_ns(), ms(70));
    site.clock.advance(30);
    assert_eq!(follower.age_ns(), ms(100));
    *near.shard.lock().unwrap() = None;
    assert!(follower.catch_up().is_err());
    assert_eq!(follower.age_ns(), ms(100), "an answer that did not come counts for nothing");
}

#[test]
fn what_comes_damaged_is_not_taken_up() {
    let site = Site::new();
    let leader = site.open();
    let near = site.near(&leader);
    let follower = site.open_follower(near.clone());
    update(&leader, vec![add(film("1", "rot"))]);
    refresh(&leader);
    follower.catch_up().unwrap();
    update(&leader, vec![add(film("1", "blau"))]);
    refresh(&leader);
    near.is_damaged.store(true, Ordering::SeqCst);
    assert_eq!(follower.catch_up().unwrap_err().kind, ErrorKind::Unavailable);
    assert_eq!(found(&follower, &term("title_t", "rot")), ["1"], "marks and segments come together");
    near.is_damaged.store(false, Ordering::SeqCst);
    assert!(follower.catch_up().unwrap());
    assert_eq!(found(&follower, &term("title_t", "blau")), ["1"]);
}

#[test]
fn without_its_leader_a_follower_goes_on_by_what_was_flushed() {
    let site = Site::new();
    let leader = site.open();
    update(&leader, vec![add(film("1", "rot"))]);
    flush(&leader);
    let near = site.near(&leader);
    let follower = site.open_follower(near.clone());
    update(&leader, vec![add(film("2", "rot"))]);
    refresh(&leader);
    follower.catch_up().unwrap();
    *near.shard.lock().unwrap() = None;
    assert!(!follower.follow().unwrap(), "what was flushed is less than what is shown");
    assert_eq!(found(&follower, &Query::All), ["1", "2"]);
    update(&leader, vec![add(film("3", "rot"))]);
    flush(&leader);
    assert!(follower.follow().unwrap());
    assert_eq!(found(&follower, &Query::All), ["1", "2", "3"]);
}

#[test]
fn a_look_at_a_deposed_leader_counts_for_nothing() {
    let site = Site::new();
    let leader = site.open();
    let near = site.near(&leader);
    let follower = site.open_follower(near.clone());
    update(&leader, vec![add(film("1", "rot"))]);
    refresh(&leader);
    let deposed = leader.pin_led(LEADS_NS).unwrap();
    drop((leader, near.shard.lock().unwrap().take()));
    let leader = site.open();
    update(&leader, vec![add(film("2", "rot"))]);
    refresh(&leader);
    *near.shard.lock().unwrap() = Some(leader);
    follower.catch_up().unwrap();
    site.clock.advance(10);
    let image = deposed.image(&FollowerHas::default()).unwrap().unwrap();
    let shown = NearShown { pin: deposed, image, is_damaged: Arc::default() };
    assert_eq!(follower.core().take_up(&shown).unwrap_err().kind, ErrorKind::Unavailable);
    assert_eq!(found(&follower, &Query::All), ["1", "2"]);
    assert_eq!(follower.age_ns(), Some(10_000_000));
}

/// Histories of a leader that updates, shows, flushes, merges and is opened anew, with a follower that looks
/// now and then, at times at a leader that is none any more: behind each look it shows what the leader shows,
/// or as much as before.
#[test]
fn a_follower_shows_one_state_of_its_leader_after_another() {
    for seed in 0..40 {
        let site = Site::new();
        let mut leader = site.open();
        let near = site.near(&leader);
        let follower = site.open_follower(near.clone());
        let mut state: u64 = seed;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut looks = 0;
        for _ in 0..40 {
            match draw(12) {
                0..4 => drop(update(&leader, vec![add(film(&draw(6).to_string(), "rot"))])),
                4 => drop(update(&leader, vec![delete(&draw(6).to_string())])),
                5 if draw(4) == 0 => drop(update(&leader, vec![delete_by_query(Query::All)])),
                6 => {
                    *near.shard.lock().unwrap() = None;
                    drop(leader);
                    // Between two leaders; at times before the second shows itself.
                    if draw(2) == 0 {
                        follower.follow().unwrap();
                    }
                    leader = site.open();
                    *near.shard.lock().unwrap() = Some(leader.clone());
                }
                7 => leader.core().merge_down_to(1).unwrap(),
                8 => leader.commit(&Commit { open_searcher: draw(2) == 0, ..Commit::HARD }).unwrap(),
                9..11 => refresh(&leader),
                _ => {}
            }
            if draw(3) == 0 {
                follower.catch_up().unwrap();
                assert_eq!(shown(&follower), shown(&leader), "seed {seed}");
                looks += 1;
            }
        }
        assert!(looks > 3, "seed {seed}");
    }
}
