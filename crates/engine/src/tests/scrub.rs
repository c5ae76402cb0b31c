//! What lies still is read again within its time, each file once, and damage is told as long as it lasts.

use super::*;

const DAY_MS: i64 = 24 * 3600 * 1000;

fn site() -> Site {
    let mut site = Site::new();
    site.config.scrub_within_ms = Some(DAY_MS);
    site
}

fn segment_files(site: &Site) -> Vec<std::path::PathBuf> {
    let paths = site.disk.paths().into_iter();
    paths.filter(|path| path.to_string_lossy().contains("segment/")).collect()
}

#[test]
fn every_file_is_read_again_within_its_time() {
    let site = site();
    let shard = site.open();
    for id in ["a", "b"] {
        update(&shard, vec![add(film(id, "solaris"))]);
        flush(&shard);
    }
    let files = segment_files(&site);
    assert!(files.len() > 4, "{files:?}");
    shard.core().scrub_due();
    for path in &files {
        site.disk.damage(path, |bytes| bytes[0] ^= 1).unwrap();
    }
    shard.core().scrub_due();
    assert_eq!(shard.vital_figures().damaged_files, 0, "nothing is due yet");
    let pause_ms = DAY_MS / files.len() as i64;
    for known in 1..=files.len() as u64 {
        site.clock.advance(pause_ms);
        shard.core().scrub_due();
        assert_eq!(shard.vital_figures().damaged_files, known);
    }
    // As long as it lasts.
    site.disk.damage(&files[0], |bytes| bytes[0] ^= 1).unwrap();
    site.clock.advance(pause_ms);
    shard.core().scrub_due();
    assert_eq!(shard.vital_figures().damaged_files, files.len() as u64 - 1);
}

#[test]
fn a_file_that_is_gone_with_its_segment_is_no_damage() {
    let site = site();
    let shard = site.open();
    update(&shard, vec![add(film("a", "solaris"))]);
    flush(&shard);
    let file = segment_files(&site)[0].clone();
    site.disk.damage(&file, |bytes| bytes[0] ^= 1).unwrap();
    shard.core().scrub_due();
    site.clock.advance(DAY_MS);
    shard.core().scrub_due();
    assert_eq!(shard.vital_figures().damaged_files, 1);
    update(&shard, vec![delete_by_query(Query::All)]);
    flush(&shard);
    shard.core().scrub_due();
    assert_eq!(shard.vital_figures().damaged_files, 0);
}
