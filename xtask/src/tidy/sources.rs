//! What every source file has or lacks: an opening that says what the file owns, no ignored tests, comments
//! no wider than code, and a size that still is one subject. The numbers are the house style's; a file that
//! outgrows them is split, not excused.

use super::finding::Finding;

/// Production lines at which a file has two subjects.
const LINES_MAX: usize = 700;

/// How many files of a crate may open with a single line, which says what a file is and not what it leaves to
/// others. The numbers only fall.
const ONE_LINE_HEADS: [(&str, usize); 4] = [("client", 3), ("doctor", 16), ("parhelion", 3), ("relay", 2)];

/// Characters of a line, as in `rustfmt.toml`, which leaves comments alone.
const WIDTH: usize = 110;

pub fn check(path: &str, text: &str) -> Vec<Finding> {
    let finding = |line: usize, message: String| Finding { path: path.to_owned(), line, message };
    let mut findings = Vec::new();
    if !text.starts_with("//!") {
        findings.push(finding(1, "open with `//!` lines: what the file owns, and what not".to_owned()));
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

/// Heads of a single line, where a crate has more than it may. `manifest` is the path of its `Cargo.toml`.
pub fn check_heads(package: &str, manifest: &str, sources: &[(String, String)]) -> Option<Finding> {
    let is_bare = |text: &str| text.lines().take_while(|line| line.starts_with("//!")).count() == 1;
    let bare = sources.iter().filter(|(path, text)| is_production(path) && is_bare(text));
    let bare: Vec<&str> = bare.map(|(path, _)| path.as_str()).collect();
    let allowed = ONE_LINE_HEADS.iter().find(|(name, _)| *name == package).map_or(0, |(_, files)| *files);
    let message = format!(
        "{} files open with a single line, {allowed} may: say what each owns, what not, where data comes from and \
         goes: {}",
        bare.len(),
        bare.join(", ")
    );
    (bare.len() > allowed).then(|| Finding { path: manifest.to_owned(), line: 0, message })
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
    fn heads_of_a_single_line_only_fall() {
        let check = |package: &str, files: usize, findings: usize| {
            let source = |at: usize| (format!("src/a{at}.rs"), "//! Owns a.\nfn f() {}".to_owned());
            let mut sources: Vec<_> = (0..files).map(source).collect();
            sources.push(("src/b.rs".to_owned(), "//! Owns b.\n//! Not a.\n".to_owned()));
            sources.push(("src/tests.rs".to_owned(), "//! Tests.\n".to_owned()));
            let found = check_heads(package, "Cargo.toml", &sources).into_iter().count();
            assert_eq!(found, findings, "{package} {files}");
        };
        check("engine", 0, 0);
        check("engine", 1, 1);
        let (package, allowed) = ONE_LINE_HEADS[0];
        check(package, allowed, 0);
        check(package, allowed + 1, 1);
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
