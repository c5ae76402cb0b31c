//! Documents name only what exists: a path of this repository in backticks must be there. Owns the rule of
//! what counts as such a path: it begins with a folder of the root, or is a file name in capitals such as
//! `STYLE.md`.

use std::path::Path;

use super::finding::Finding;

/// Folders of the root that documents point into.
const FOLDERS: [&str; 10] = [
    "crates/",
    "docs/",
    "compat/",
    "configsets/",
    "xtask/",
    "clients/",
    "fuzz/",
    "console/",
    "deploy/",
    "relevance/",
];

pub fn check(root: &Path, path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for name in quoted(line).filter(|name| is_path(name)) {
            if !root.join(name).exists() {
                let message = format!("names `{name}`, which does not exist");
                findings.push(Finding { path: path.to_owned(), line: at + 1, message });
            }
        }
    }
    findings
}

/// What stands between backticks in a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Patterns (`compat/<area>/*.yaml`) are no paths.
fn is_path(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let document = name.strip_suffix(".md").is_some_and(|stem| stem.chars().all(|c| c.is_ascii_uppercase()));
    plain && (document || FOLDERS.iter().any(|folder| name.starts_with(folder)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_gone() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let check = |text: &str, lines: &[usize]| {
            let found: Vec<usize> =
                check(root, "README.md", text).iter().map(|finding| finding.line).collect();
            assert_eq!(found, lines, "{text}");
        };
        check("see `crates/nowhere` and `src/main.rs`", &[1]);
        check("a\nsee `NOWHERE.md`", &[2]);
        check("patterns such as `crates/*/src` are fine, and words like `rows`", &[]);
    }
}
