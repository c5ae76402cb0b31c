//! Documents and comments name only what exists. A path of this repository in backticks must be there: it
//! begins with a folder of the root, or is a file name in capitals such as `STYLE.md`. The file of a source
//! that is named without its way must be somewhere below what speaks of it: below the root for a document,
//! below its crate for a comment, which names a file of another crate by its whole path.
//!
//! Owns what counts as such a name. Names with a part in capitals or of one letter are patterns.

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

/// Of a document. `sources` are the paths of all sources.
pub fn check(root: &Path, path: &str, text: &str, sources: &[String]) -> Vec<Finding> {
    text.lines().enumerate().flat_map(|(at, line)| check_line(root, (path, at), line, sources)).collect()
}

/// Of the comments of a source. `sources` are the paths of its crate's.
pub fn check_comments(root: &Path, path: &str, text: &str, sources: &[String]) -> Vec<Finding> {
    let lines = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("//"));
    lines.flat_map(|(at, line)| check_line(root, (path, at), line, sources)).collect()
}

fn check_line(root: &Path, (path, at): (&str, usize), line: &str, sources: &[String]) -> Vec<Finding> {
    let is_gone = |name: &&str| {
        is_path(name) && !root.join(name).exists()
            || is_source(name) && !sources.iter().any(|source| ends_with(source, name))
    };
    let finding = |name| Finding {
        path: path.to_owned(),
        line: at + 1,
        message: format!("names `{name}`, which does not exist"),
    };
    quoted(line).filter(is_gone).map(finding).collect()
}

/// What stands between backticks in a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Patterns (`compat/<area>/*.yaml`) are no paths.
fn is_path(name: &str) -> bool {
    let document = name.strip_suffix(".md").is_some_and(|stem| stem.chars().all(|c| c.is_ascii_uppercase()));
    is_plain(name) && (document || !is_pattern(name) && FOLDERS.iter().any(|folder| name.starts_with(folder)))
}

/// A source that is named by the end of its path.
fn is_source(name: &str) -> bool {
    name.strip_suffix(".rs").is_some_and(|stem| !stem.is_empty())
        && is_plain(name)
        && !is_pattern(name)
        && !FOLDERS.iter().any(|folder| name.starts_with(folder))
}

fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
}

/// `docs/causes/NAME.md`, `a/mod.rs`.
fn is_pattern(name: &str) -> bool {
    name.split('/').any(|part| {
        let stem = part.split('.').next().unwrap_or_default();
        stem.len() == 1 || stem.chars().any(|c| c.is_ascii_uppercase()) && stem.to_uppercase() == stem
    })
}

fn ends_with(source: &str, name: &str) -> bool {
    source.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(findings: &[Finding]) -> Vec<usize> {
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn finds_what_is_gone() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let sources = ["crates/engine/src/life/merge.rs".to_owned()];
        let check = |text: &str, expected: &[usize]| {
            assert_eq!(lines(&check(root, "README.md", text, &sources)), expected, "{text}");
        };
        check("see `crates/nowhere` and `src/main.rs`", &[1, 1]);
        check("a\nsee `NOWHERE.md`", &[2]);
        check("patterns such as `crates/*/src`, `docs/NAME.md`, `crates/x/b.rs`, and words like `rows`", &[]);
        check("`merge.rs`, `life/merge.rs`; not `erge.rs`\n`write/merge.rs`", &[1, 2]);
    }

    #[test]
    fn comments_name_files_of_their_crate() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let check = |text: &str, expected: &[usize]| {
            let found = check_comments(root, "a.rs", text, &["crates/engine/src/life/merge.rs".to_owned()]);
            assert_eq!(lines(&found), expected, "{text}");
        };
        check("//! Merges are `merge.rs`,\n/// flushes `flush.rs`.", &[2]);
        check("let name = \"`flush.rs`\";\n    // `crates/nowhere/src`", &[2]);
    }
}
