//! The part of a crate's `Cargo.toml` that the rules need: its name and what it depends on outside of tests.
//! Read once for each crate, for `edges` and `names`. In: the text of `Cargo.toml`; out: names. Versions,
//! features and profiles are no rule's business.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use toml::{Table, Value};

/// One crate of ours.
pub struct Manifest {
    pub name: String,
    pub folder: PathBuf,
    /// Path of `Cargo.toml` from the repository's root, for findings.
    pub path: String,
    pub dependencies: Vec<Dependency>,
}

/// One entry of `dependencies` or `build-dependencies`, also of those for one target only.
pub struct Dependency {
    /// The package's own name, whatever it is called here.
    pub package: String,
    /// True where it is one of our crates.
    pub ours: bool,
}

impl Manifest {
    pub fn read(root: &Path, folder: &Path) -> Result<Self> {
        let path = folder.join("Cargo.toml");
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let below = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        Self::parse(&below, folder, &text).with_context(|| format!("cannot understand `{}`", path.display()))
    }

    pub fn parse(path: &str, folder: &Path, text: &str) -> Result<Self> {
        let table: Table = text.parse()?;
        let name = table.get("package").and_then(|package| package.get("name")).and_then(Value::as_str);
        let mut dependencies = dependencies_of(&table);
        if let Some(targets) = table.get("target").and_then(Value::as_table) {
            dependencies.extend(targets.values().filter_map(Value::as_table).flat_map(dependencies_of));
        }
        let name = name.context("no package name")?.to_owned();
        Ok(Self { name, folder: folder.to_path_buf(), path: path.to_owned(), dependencies })
    }
}

fn dependencies_of(table: &Table) -> Vec<Dependency> {
    let tables = ["dependencies", "build-dependencies"].iter().filter_map(|key| table.get(*key)?.as_table());
    tables.flatten().map(|(name, value)| dependency(name, value)).collect()
}

fn dependency(name: &str, value: &Value) -> Dependency {
    let package = value.get("package").and_then(Value::as_str).unwrap_or(name);
    Dependency { package: package.to_owned(), ours: value.get("path").is_some() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sees_through_renames_and_targets() {
        let text = r#"
            [package]
            name = "engine"
            [dependencies]
            plan = { path = "../plan" }
            search = { package = "tantivy", version = "0.27" }
            [target.'cfg(unix)'.dependencies]
            memmap2 = "0.9"
            [dev-dependencies]
            proptest = "1"
        "#;
        let manifest = Manifest::parse("Cargo.toml", Path::new("."), text).unwrap();
        let found: Vec<(&str, bool)> =
            manifest.dependencies.iter().map(|d| (d.package.as_str(), d.ours)).collect();
        assert_eq!(found, [("plan", true), ("tantivy", false), ("memmap2", false)]);
    }
}
