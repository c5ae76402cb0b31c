//! Readers beside a shard's owner: they see what it flushed, all of it or the flush before, never more and
//! never less than before.

use plan::ErrorKind;

use super::*;

const EVERY_MS: u64 = 1_000;

impl Site {
    fn open_reader(&self) -> Arc<Shard> {
        let (schema, clock) = (Arc::new(schema()), self.clock.clone());
        Shard::open_reader(self.disk.archive(), schema, self.config.clone(), clock, EVERY_MS).unwrap()
    }
}

#[test]
fn a_reader_sees_what_was_flushed_and_nothing_else() {
    let site = Site::new();
    let owner = site.open();
    update(&owner, vec![add(film("1", "rot")), add(film("2", "blau"))]);
    flush(&owner);
    let reader = site.open_reader();
    assert_eq!(found(&reader, &Query::All), ["1", "2"]);
    assert!(!reader.follow().unwrap(), "nothing is new");
    update(&owner, vec![add(film("3", "rot")), delete("1")]);
    refresh(&owner);
    assert!(!reader.follow().unwrap(), "shown there, and not flushed");
    let pinned = reader.snapshot();
    flush(&owner);
    assert!(reader.follow().unwrap());
    assert_eq!(found(&reader, &Query::All), ["2", "3"]);
    assert_eq!(found(&reader, &term("title_t", "rot")), ["3"]);
    assert_eq!(pinned.num_docs(), 2, "who searches goes on with what he had");
    assert!(get(&reader, "1").is_none() && get(&reader, "3").is_some());
    update(&owner, vec![add(document(&[("id", vec![text("4")]), ("new_s", vec![text("x")])]))]);
    owner.commit(&plan::Commit { max_segments: Some(1), ..plan::Commit::HARD }).unwrap();
    assert!(reader.follow().unwrap());
    assert_eq!(found(&reader, &term("new_s", "x")), ["4"], "a field that it did not know");
    assert_eq!((reader.segments().len(), found(&reader, &Query::All).len()), (1, 3));
}

#[test]
fn a_reader_writes_nothing() {
    let site = Site::new();
    let reader = site.open_reader();
    assert_eq!(found(&reader, &Query::All), [""; 0], "of a shard that nobody has owned yet");
    let refused =
        reader.update(batch(vec![add(film("1", "rot"))]), UpdateContext::default()).failure.unwrap();
    assert_eq!(refused.kind, ErrorKind::Unavailable);
    assert!(refused.message.contains("only read here"), "{}", refused.message);
    assert!(reader.commit(&plan::Commit::HARD).is_err());
    reader.close().unwrap();
    assert_eq!(site.disk.paths(), [""; 0].map(std::path::PathBuf::from));
    let owner = site.open();
    update(&owner, vec![add(film("1", "rot"))]);
    flush(&owner);
    let before = site.disk.paths();
    let reader = site.open_reader();
    assert_eq!(found(&reader, &Query::All), ["1"]);
    reader.tick(i64::MAX).unwrap();
    reader.close().unwrap();
    assert_eq!(site.disk.paths(), before);
    update(&owner, vec![add(film("2", "rot"))]);
}

/// Histories of an owner that updates, flushes, merges, deletes all and is opened anew, with a reader that
/// looks now and then: it always shows one of the states that were flushed, each no older than the one
/// before.
#[test]
fn a_reader_shows_one_flushed_state_after_another() {
    for seed in 0..30 {
        let site = Site::new();
        let mut owner = site.open();
        let reader = site.open_reader();
        let mut state: u64 = seed;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        // What each flush left, from nothing on.
        let mut flushed: Vec<Vec<String>> = vec![Vec::new()];
        let mut seen = 0;
        for _ in 0..30 {
            match draw(10) {
                0..4 => drop(update(&owner, vec![add(film(&draw(6).to_string(), "rot"))])),
                4 => drop(update(&owner, vec![delete(&draw(6).to_string())])),
                5 if draw(4) == 0 => drop(update(&owner, vec![delete_by_query(Query::All)])),
                6 => {
                    drop(owner);
                    owner = site.open();
                }
                7 => {
                    refresh(&owner);
                    // Flushes where it finds something to merge.
                    owner.core().merge_down_to(1).unwrap();
                    flushed.push(found(&owner, &Query::All));
                }
                _ => {
                    refresh(&owner);
                    flush(&owner);
                    flushed.push(found(&owner, &Query::All));
                }
            }
            if draw(3) == 0 {
                reader.follow().unwrap();
                let shown = found(&reader, &Query::All);
                let at = flushed.iter().rposition(|it| *it == shown);
                let at =
                    at.unwrap_or_else(|| panic!("seed {seed}: {shown:?} was never flushed: {flushed:?}"));
                assert!(at >= seen, "seed {seed}: state {at} after {seen}");
                seen = at;
            }
        }
        refresh(&owner);
        flush(&owner);
        reader.follow().unwrap();
        assert_eq!(found(&reader, &Query::All), found(&owner, &Query::All), "seed {seed}");
    }
}
