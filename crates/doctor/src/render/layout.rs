//! Forms that several texts share: a table, a list of findings, a line that is cut. For the texts beside it.
//! They know characters, not columns of a terminal: names in wide scripts may push a column. What stands in a
//! cell or behind a finding is decided in the texts beside; here is only where it stands.

use std::fmt::Write as _;

use crate::host::{HostFinding, Sure};

/// Findings, each with why it matters and what mends it.
pub fn list(findings: &[HostFinding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let sure = match finding.sure {
            Sure::Certain => "certain",
            Sure::Likely => "likely",
            Sure::Hint => "hint",
        };
        let _ = writeln!(
            out,
            "{} ({sure}): {}\n    why:  {}\n    mend: {}",
            finding.name, finding.measured, finding.why, finding.mend
        );
    }
    if findings.is_empty() {
        out += "nothing found\n";
    }
    out
}

/// Rows under a title, columns as wide as their widest cell.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    // A table whose columns need no names has no line for them.
    let titles = std::iter::once(&head).filter(|head| head.iter().any(|cell| !cell.is_empty()));
    let all: Vec<&Vec<String>> = titles.chain(rows).collect();
    let width = |at: usize| {
        all.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut out = String::new();
    for row in all {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(out, "  {}", line.trim_end());
    }
    out
}

pub fn cut(text: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    text.chars().take(chars - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let rows = [vec!["1".to_owned(), "über".to_owned()], vec!["22".to_owned(), "x".to_owned()]];
        assert_eq!(table(&["a", "b"], &rows), "  a   b\n  1   über\n  22  x\n");
        assert_eq!(cut("abcdef", 4), "abc…");
    }
}
