//! How much of the code says why: lines of inline comments over lines of code, crate by crate.
//!
//! Counts production code alone: no blank lines, nothing behind `#[cfg(test)]`, no files of tests. Doc
//! comments state contracts and are not counted on either side. It is a figure to look at, not a rule: a rule
//! on a share would be met by comments that repeat the code.

use std::fmt;

use super::sources::is_production;

/// Lines of one crate, or of all.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct CommentShare {
    code: usize,
    inline: usize,
}

impl CommentShare {
    /// Of a crate's `src`: (path, text) of each file.
    pub fn of(sources: &[(String, String)]) -> CommentShare {
        let production = sources.iter().filter(|(path, _)| is_production(path));
        production
            .map(|(_, text)| CommentShare::of_text(text))
            .fold(CommentShare::default(), CommentShare::plus)
    }

    pub fn plus(self, other: CommentShare) -> CommentShare {
        CommentShare { code: self.code + other.code, inline: self.inline + other.inline }
    }

    fn of_text(text: &str) -> CommentShare {
        let mut share = CommentShare::default();
        let production = text.lines().map(str::trim).take_while(|line| *line != "#[cfg(test)]");
        for line in production.filter(|line| !line.is_empty()) {
            match line {
                _ if line.starts_with("///") || line.starts_with("//!") => {}
                _ if line.starts_with("//") => share.inline += 1,
                _ => share.code += 1,
            }
        }
        share
    }
}

impl fmt::Display for CommentShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Hundredths of a percent in whole numbers: two crates with the same counts print the same text.
        let hundredths = (self.inline * 10_000).checked_div(self.code).unwrap_or(0);
        let (percent, rest) = (hundredths / 100, hundredths % 100);
        write!(f, "{:>7} code {:>5} inline {percent:>3}.{rest:02} %", self.code, self.inline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_comments_of_production_code_count() {
        let check = |path: &str, text: &str, code: usize, inline: usize| {
            let sources = [(path.to_owned(), text.to_owned())];
            assert_eq!(CommentShare::of(&sources), CommentShare { code, inline }, "{text}");
        };
        let text =
            "//! Owns a.\n\n/// Does f.\nfn f() {\n    // Twice: the first warms.\n    g(); // here\n}\n";
        check("src/a.rs", text, 3, 1);
        check("src/tests.rs", text, 0, 0);
        check("src/a.rs", &format!("{text}#[cfg(test)]\nmod tests {{\n// Not counted.\n}}\n"), 3, 1);
    }

    #[test]
    fn shares_are_shown_with_two_digits() {
        let check = |code: usize, inline: usize, expected: &str| {
            let shown = CommentShare { code, inline }.to_string();
            assert!(shown.ends_with(expected), "{shown}");
        };
        check(1_000, 12, "12 inline   1.20 %");
        check(300, 2, "0.66 %");
        check(0, 0, "0.00 %");
    }
}
