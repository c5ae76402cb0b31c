//! Folders of shards that earlier versions wrote, opened by this one: formats on disk stay readable.

use std::fs;
use std::path::Path;

use plan::Query;
use store::{LocalSite, ShardId, Site as _};

use super::*;

/// A copy, as an opening writes.
fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Written in November 2026, when log records had format 1 and manifests format 2: two flushes, with a
/// document replaced and one deleted between them; then, in the log alone, a document, a delete by query and
/// a block.
#[test]
fn a_folder_of_the_first_formats_opens() {
    let folder = tempfile::tempdir().unwrap();
    let written = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/shard-format-1");
    copy_folder(&written, &folder.path().join("films"));
    let site = LocalSite::new(folder.path());
    let id = ShardId { path: "films".into(), stream: [7; 16] };
    for opening in 0..3 {
        let home = site.home(&id).unwrap();
        let clock = Arc::new(StillClock::at(1_000));
        let shard = Shard::open(home, Arc::new(schema()), config(), clock).unwrap();
        assert_eq!(found(&shard, &Query::All), ["1", "4", "5", "5a"], "opening {opening}");
        assert_eq!(found(&shard, &term("title_t", "again")), ["1"]);
        assert_eq!(version_of(&shard, "4"), Some(1_048_576_005));
        if opening == 1 {
            update(&shard, vec![add(film("6", "offret")), delete("6")]);
            flush(&shard);
        }
    }
}
