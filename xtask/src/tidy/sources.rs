//! What every source file has or lacks: an opening that says what the file owns, no ignored tests, comments
//! no wider than code, and a size that still is one subject. The numbers are the house style's; a file that
//! outgrows them is split, not excused.

use super::finding::Finding;

/// Production lines at which a file has two subjects.
const LINES_MAX: usize = 700;

/// Characters of a line, as in `rustfmt.toml`, which leaves comments alone.
const WIDTH: usize = 110;

pub fn check(path: &str, text: &str) -> Vec<Finding> {
    let finding = |line: usize, message: String| Finding { path: path.to_owned(), line, message };
    let mut findings = Vec::new();
    let head = text.lines().take_while(|line| line.starts_with("//!")).count();
    if head < head_lines_min(path) {
        let message = "open with `//!` lines: what the file owns, what not, where data comes from and goes";
        findings.push(finding(1, message.to_owned()));
    }
    let ignored = text.lines().position(|line| line.trim_start().starts_with("#[ignore"));
    if let Some(at) = ignored {
        findings.push(finding(at + 1, "no ignored tests: fix it, or delete it".to_owned()));
    }
    let wide = text.lines().enumerate().filter(|(_, line)| is_wide_comment(line));
    findings.extend(wide.map(|(at, _)| {
        finding(at + 1, format!("a comment wider than the code's {WIDTH} characters: wrap it"))
    }));
    let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count();
    if lines > LINES_MAX && !path.ends_with("tests.rs") {
        findings.push(finding(
            0,
            format!("{lines} lines before the tests, at most {LINES_MAX}: find the second subject"),
        ));
    }
    findings
}

/// Tables cannot be wrapped.
fn is_wide_comment(line: &str) -> bool {
    let comment = line.trim_start();
    comment.starts_with("//") && line.chars().count() > WIDTH && !comment.contains(" | ")
}

/// A single line says what a file is, and not what it leaves to others. Of a test the name says the rest.
fn head_lines_min(path: &str) -> usize {
    if path.contains("/src/") && is_production(path) { 2 } else { 1 }
}

pub fn is_production(path: &str) -> bool {
    !path.contains("/tests/") && !path.ends_with("tests.rs")
}

/// A module with modules below it is the heading of their folder: `a/mod.rs`, not `a.rs` beside `a/`.
pub fn check_headings(paths: &[&str]) -> Vec<Finding> {
    let is_beside = |path: &&&str| {
        let folder = path.trim_end_matches(".rs");
        paths.iter().any(|other| other.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    };
    let finding = |path: &&str| Finding {
        path: (*path).to_owned(),
        line: 0,
        message: "stands beside its folder: make it the folder's `mod.rs`".to_owned(),
    };
    paths.iter().filter(is_beside).map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_sizes_and_ignored_tests() {
        let check =
            |text: &str, findings: usize| assert_eq!(check("a.rs", text).len(), findings, "{text:.40}");
        check("//! Owns a.\nfn f() {}", 0);
        check("fn f() {}", 1);
        check("//! Owns a.\n#[cfg(test)]\nmod tests {\n    #[ignore]\n    fn f() {}\n}", 1);
        check(&format!("//! Owns a.\n// {}", "wide ".repeat(30)), 1);
        check(&format!("//! Owns a.\n// | {}", "wide | ".repeat(30)), 0);
        check(&format!("//! Owns a.\nlet wide = \"{}\";", "wide ".repeat(30)), 0);
        check(&format!("//! Owns a.\n{}", "fn f() {}\n".repeat(LINES_MAX)), 1);
    }

    #[test]
    fn a_head_of_a_single_line_is_for_tests_and_examples() {
        let check = |path: &str, text: &str, findings: usize| {
            assert_eq!(check(path, text).len(), findings, "{path} {text}");
        };
        check("crates/a/src/b.rs", "//! Owns b.\nfn f() {}", 1);
        check("crates/a/src/b.rs", "//! Owns b.\n//! Not a.\nfn f() {}", 0);
        check("crates/a/src/b/tests.rs", "//! Owns b.\nfn f() {}", 0);
        check("crates/a/examples/b.rs", "//! Owns b.\nfn f() {}", 0);
    }

    #[test]
    fn a_folder_has_its_heading_inside() {
        let check = |paths: &[&str], findings: usize| {
            assert_eq!(check_headings(paths).len(), findings, "{paths:?}");
        };
        check(&["src/lib.rs", "src/a/mod.rs", "src/a/b.rs", "src/ab.rs"], 0);
        check(&["src/a.rs", "src/a/b.rs"], 1);
    }
}
