//! The files of a data directory, or of a folder that is used as a bucket, as a test finds and damages them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use store::{LocalSite, ShardId, Site as _};

/// The largest segment file below a data directory.
pub fn segment_file(folder: &Path) -> PathBuf {
    let is_segment = |path: &PathBuf| path.parent().is_some_and(|folder| folder.ends_with("segment"));
    largest(files_below(folder).iter().filter(|path| is_segment(path)))
}

/// The objects of segments in a folder that is used as a bucket.
pub fn objects_of_segments(folder: &Path) -> BTreeSet<PathBuf> {
    let is_segment = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "segment");
    files_below(folder).into_iter().filter(is_segment).collect()
}

pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { waiting.push(path) } else { found.push(path) }
        }
    }
    found
}

pub fn largest<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> PathBuf {
    paths.into_iter().max_by_key(|path| path.metadata().unwrap().len()).unwrap().clone()
}

pub fn flip_a_bit(file: &Path) {
    let mut bytes = std::fs::read(file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(file, bytes).unwrap();
}

/// Puts the stored documents of a shard's second segment in the place of the first one's, with a manifest that
/// says so: every checksum is right, and the index says otherwise than the documents. The first segment's id.
pub fn swap_documents(data: &Path) -> String {
    let stored = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "store");
    let file = files_below(data).into_iter().find(stored).expect("a file of stored documents");
    let folder = file.parent().and_then(Path::parent).expect("a shard's folder");
    let manifests = files_below(&folder.join("manifest"));
    // Whose the shard is stands behind the magic and the format.
    let stream = std::fs::read(&manifests[0]).unwrap()[12..28].try_into().unwrap();
    let path = folder.strip_prefix(data).unwrap().display().to_string();
    let home = LocalSite::new(data).home(&ShardId { path, stream }).expect("nobody has it");
    let (version, bytes) = home.manifests().load().unwrap().expect("a manifest");
    let mut manifest: Value = serde_json::from_slice(&bytes).unwrap();
    let name_of = |manifest: &Value, segment: usize| {
        let files = manifest["segments"][segment]["files"].as_array().expect("files").iter();
        let mut names = files.map(|file| file["name"].as_str().unwrap().to_owned());
        names.find(|name| name.ends_with(".store")).expect("stored documents")
    };
    let (first, second) = (name_of(&manifest, 0), name_of(&manifest, 1));
    let bytes = std::fs::read(folder.join("segment").join(second)).unwrap();
    home.segments().remove(&first).unwrap();
    let put = home.segments().put(&first, &bytes).unwrap();
    let files = manifest["segments"][0]["files"].as_array_mut().unwrap();
    let record = files.iter_mut().find(|file| file["name"] == *first).unwrap();
    (record["size"], record["crc32"]) = (put.size.into(), put.crc32.into());
    home.manifests().publish(Some(version), &serde_json::to_vec(&manifest).unwrap()).unwrap();
    first.split('.').next().unwrap().to_owned()
}
