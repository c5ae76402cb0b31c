//! The sources of crates that a cargo build downloaded: where they lie, and each one's name, version and
//! licence.
//!
//! In: a cargo home; out: folders to walk, and what a crate's manifest says, read once for each folder. For
//! the command line's demo, which makes a collection of them; nothing is downloaded.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// What a crate says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CrateInfo {
    #[serde(rename = "crate")]
    pub name: String,
    pub version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
}

/// The unpacked crates of a cargo home, each folder read once.
#[derive(Debug, Default)]
pub struct Registry {
    known: HashMap<PathBuf, Option<CrateInfo>>,
}

#[derive(Deserialize)]
struct Manifest {
    package: Option<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: Option<String>,
    version: Option<toml::Value>,
    license: Option<toml::Value>,
}

impl Registry {
    /// The folders below `cargo_home` that hold unpacked crates: `registry/src/*/`.
    pub fn sources(cargo_home: &Path) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(cargo_home.join("registry").join("src")) else { return Vec::new() };
        let mut folders: Vec<_> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()).collect();
        folders.sort();
        folders
    }

    /// The crate that `path` belongs to, when it lies in a folder of `root` that has a manifest.
    pub fn crate_of(&mut self, root: &Path, path: &Path) -> Option<CrateInfo> {
        let folder = root.join(path.strip_prefix(root).ok()?.components().next()?);
        self.known.entry(folder).or_insert_with_key(|folder| read_manifest(folder)).clone()
    }
}

fn read_manifest(folder: &Path) -> Option<CrateInfo> {
    let text = fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let package = toml::from_str::<Manifest>(&text).ok()?.package?;
    let string = |value: Option<toml::Value>| value.and_then(|value| value.as_str().map(str::to_owned));
    Some(CrateInfo {
        name: package.name?,
        version: string(package.version)?,
        licence: string(package.license),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_is_known_by_its_manifest() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("registry/src/index");
        let folder = root.join("tiny-1.0.0");
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::write(
            folder.join("Cargo.toml"),
            "[package]\nname = \"tiny\"\nversion = \"1.0.0\"\nlicense = \"MIT\"\n",
        )
        .unwrap();
        assert_eq!(Registry::sources(home.path()), std::slice::from_ref(&root));
        let info = Registry::default().crate_of(&root, &folder.join("src/lib.rs")).unwrap();
        assert_eq!(
            (info.name.as_str(), info.version.as_str(), info.licence.as_deref()),
            ("tiny", "1.0.0", Some("MIT"))
        );
        assert_eq!(Registry::default().crate_of(&root, &root.join("loose.txt")), None);
    }
}
