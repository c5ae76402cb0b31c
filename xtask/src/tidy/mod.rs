//! `cargo xtask tidy`: proves the architecture's absences, and a few habits, by reading the sources.
//!
//! Owns the walk over the repository and the form of a finding; each rule is a module with its own table:
//! `edges` (which crate may depend on which), `names` (who may name tantivy, hyper, the file system ...),
//! `sources` (what every source file has or lacks), `paths` (documents name only what exists), `differences`
//! (kept differences from Solr are named where they are decided), `circles` (files that import each other),
//! `finish` (results are finished above the shards), `data` (plans are data), `params` (a request's
//! parameters are read through their definitions), `words` (types have names that can be searched for),
//! `index` (every page is in the index of the documents). Rules take texts and return findings, so that each
//! is tested without a tree of files. `whys` is no rule but a figure: how much of the code gives its reasons.

mod circles;
mod data;
mod differences;
mod edges;
mod finding;
mod finish;
mod index;
mod manifest;
mod names;
mod params;
mod paths;
mod sources;
mod whys;
mod words;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use finding::Finding;
use manifest::Manifest;
use whys::CommentShare;

/// Every finding in the repository at `root`, in order of path.
pub fn run(root: &Path) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut sources_all = Vec::new();
    let mut paths_all = Vec::new();
    for manifest in manifests(root)? {
        findings.extend(edges::check(&manifest));
        findings.extend(names::check_dependencies(&manifest));
        let sources = texts(root, &manifest.folder.join("src"), "rs")?;
        findings.extend(circles::check(&manifest.path, &sources)?);
        let paths: Vec<&str> = sources.iter().map(|(path, _)| path.as_str()).collect();
        findings.extend(sources::check_headings(&paths));
        findings.extend(params::check(&manifest.name, &sources));
        let paths_own = paths_of(&texts(root, &manifest.folder, "rs")?);
        for (path, text) in sources {
            findings.extend(sources::check(&path, &text));
            findings.extend(paths::check_comments(root, &path, &text, &paths_own));
            findings.extend(words::check(&path, &text));
            findings.extend(names::check_source(&manifest.name, &path, &text));
            findings.extend(data::check(&manifest.name, &path, &text));
            if !path.contains("/tests/") {
                findings.extend(finish::check(&manifest.name, &path, &text));
            }
            sources_all.push(text);
        }
        paths_all.extend(paths_own);
    }
    paths_all.extend(paths_of(&texts(root, &root.join("fuzz"), "rs")?));
    let documents = documents(root)?;
    findings.extend(index::check(&documents));
    for (path, text) in documents {
        if path == differences::DOCUMENT {
            findings.extend(differences::check(&text, sources_all.iter().map(String::as_str)));
        }
        findings.extend(paths::check(root, &path, &text, &paths_all));
        findings.extend(edges::check_document(&path, &text));
    }
    findings.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    Ok(findings)
}

fn paths_of(files: &[(String, String)]) -> Vec<String> {
    files.iter().map(|(path, _)| path.clone()).collect()
}

/// The files of each crate that import each other in a circle, and what ties them.
pub fn list_circles(root: &Path) -> Result<String> {
    let list =
        |manifest: Manifest| circles::list(&manifest.name, &texts(root, &manifest.folder.join("src"), "rs")?);
    manifests(root)?.into_iter().map(list).collect()
}

/// The share of inline comments in each crate's code, and in all of it.
pub fn list_whys(root: &Path) -> Result<String> {
    let mut all = CommentShare::default();
    let mut list = String::new();
    for manifest in manifests(root)? {
        let share = CommentShare::of(&texts(root, &manifest.folder.join("src"), "rs")?);
        all = all.plus(share);
        list.push_str(&format!("{:<17} {share}\n", manifest.name));
    }
    list.push_str(&format!("{:<17} {all}\n", "all"));
    Ok(list)
}

fn manifests(root: &Path) -> Result<Vec<Manifest>> {
    let mut folders = vec![root.join("xtask")];
    let crates = root.join("crates");
    for entry in std::fs::read_dir(&crates).with_context(|| format!("cannot read `{}`", crates.display()))? {
        folders.push(entry?.path());
    }
    folders.sort();
    folders
        .iter()
        .filter(|folder| folder.join("Cargo.toml").is_file())
        .map(|folder| Manifest::read(root, folder))
        .collect()
}

/// The documents whose paths are checked: `*.md` of the root and everything below `docs` and `compat`.
fn documents(root: &Path) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "md") {
            found.push(read(root, &path)?);
        }
    }
    for folder in ["docs", "compat"] {
        found.extend(texts(root, &root.join(folder), "md")?);
    }
    Ok(found)
}

/// Files below `folder` with that ending, as (path from the root, text); none where the folder is absent.
fn texts(root: &Path, folder: &Path, ending: &str) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        if !folder.is_dir() {
            continue;
        }
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                found.push(read(root, &path)?);
            }
        }
    }
    Ok(found)
}

fn read(root: &Path, path: &Path) -> Result<(String, String)> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let below = path.strip_prefix(root).unwrap_or(path);
    Ok((below.to_string_lossy().replace('\\', "/"), text))
}
