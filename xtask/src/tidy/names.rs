//! Who may name what: each large library, and the file system, belongs to one layer, so that it can be
//! replaced, bounded and tested there. Owns both tables. What tests name is their own affair. Two tables and
//! their checks: packages by manifest, the file system by the sources, since the standard library stands in
//! no manifest.

use super::finding::Finding;
use super::manifest::Manifest;

/// A package (or, ending in `*`, a family) and the crates that may depend on it.
const PACKAGES: [(&str, &[&str]); 22] = [
    ("tantivy*", &["engine"]),
    ("axum*", &["http"]),
    ("hyper*", &["http", "client", "relay"]),
    ("tower-http", &["http"]),
    ("h2", &["http", "client"]),
    ("rustls*", &["http", "client"]),
    // `store` chooses the cryptography of `object_store`'s client with it, as it does with `reqwest`.
    ("tokio-rustls", &["http", "client", "store"]),
    ("rcgen", &["http"]),
    ("object_store", &["store"]),
    ("memmap2", &["store"]),
    ("zookeeper-client", &["membership"]),
    ("frostem", &["analysis"]),
    ("lindera*", &["analysis"]),
    ("icu_segmenter", &["analysis"]),
    ("icu_normalizer", &["analysis"]),
    ("icu_collator", &["analysis"]),
    ("unicode-segmentation", &["analysis"]),
    ("stop-words", &["analysis"]),
    ("whatlang", &["analysis"]),
    ("reqwest", &["store"]),
    ("chrono", &[]),
    ("bincode", &[]),
];

/// The crates that may name the file system: the store, and the tools whose work is files of the user.
const FILE_READERS: [&str; 8] =
    ["store", "parhelion", "ingest", "fleet", "doctor", "lab", "postgres_fixture", "xtask"];
const FILE_NAMES: [&str; 2] = ["std::fs", "tokio::fs"];

/// Large libraries in the wrong crate's dependencies.
pub fn check_dependencies(manifest: &Manifest) -> Vec<Finding> {
    let mut findings = Vec::new();
    for dependency in manifest.dependencies.iter().filter(|dependency| !dependency.ours) {
        let Some((_, owners)) = PACKAGES.iter().find(|(pattern, _)| covers(pattern, &dependency.package))
        else {
            continue;
        };
        if !owners.contains(&manifest.name.as_str()) {
            let owners = if owners.is_empty() { "nobody".to_owned() } else { owners.join(" and ") };
            let message = format!("`{}` may be named by {owners} only", dependency.package);
            findings.push(Finding { path: manifest.path.clone(), line: 0, message });
        }
    }
    findings
}

/// The file system in the sources of a crate that must not know of it; test modules and test files are left
/// out.
pub fn check_source(package: &str, path: &str, text: &str) -> Vec<Finding> {
    if FILE_READERS.contains(&package) || path.ends_with("tests.rs") || path.contains("/tests/") {
        return Vec::new();
    }
    let production = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    let named = production.enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    let wrong = named.filter(|(_, line)| FILE_NAMES.iter().any(|name| line.contains(name)));
    let message = format!("`{package}` must not name the file system; take bytes, or go through `store`");
    wrong.map(|(at, _)| Finding { path: path.to_owned(), line: at + 1, message: message.clone() }).collect()
}

fn covers(pattern: &str, package: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => package.starts_with(start),
        None => package == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn check_package(name: &str, dependency: &str, findings: usize) {
        let text = format!("[package]\nname = \"{name}\"\n[dependencies]\n{dependency} = \"1\"");
        let manifest = Manifest::parse("Cargo.toml", Path::new("."), &text).unwrap();
        assert_eq!(check_dependencies(&manifest).len(), findings, "{name}: {dependency}");
    }

    #[test]
    fn libraries_stay_in_their_layer() {
        check_package("engine", "tantivy", 0);
        check_package("cluster", "tantivy", 1);
        check_package("solr", "tantivy-common", 1);
        check_package("client", "hyper-util", 0);
        check_package("client", "axum", 1);
        check_package("relay", "hyper", 0);
        check_package("relay", "rustls", 1);
        check_package("parhelion", "object_store", 1);
        check_package("plan", "serde", 0);
    }

    #[test]
    fn the_file_system_is_the_stores() {
        let check = |package: &str, path: &str, text: &str, lines: &[usize]| {
            let found: Vec<usize> =
                check_source(package, path, text).iter().map(|finding| finding.line).collect();
            assert_eq!(found, lines, "{package} {path} {text}");
        };
        check("engine", "a.rs", "fn f() {}\nuse std::fs::File;", &[2]);
        check("engine", "a.rs", "// not std::fs\n#[cfg(test)]\nuse std::fs::File;", &[]);
        check("engine", "src/tests.rs", "use std::fs::File;", &[]);
        check("store", "a.rs", "use std::fs::File;", &[]);
    }
}
