//! Differences from Solr that are kept stand in two places: as a row of the ADR that lists them, and as a
//! `Solr differs:` where the code decides. Owns the rule that every row's scenarios are named by at least as
//! many comments as rows.

use std::collections::BTreeMap;

use super::finding::Finding;

/// The list.
pub const DOCUMENT: &str = "docs/adr/0003-kept-differences.md";

const MARK: &str = "Solr differs:";

/// Findings for the rows of `document` that too few comments of `sources` speak of.
pub fn check<'a>(document: &str, sources: impl Iterator<Item = &'a str>) -> Vec<Finding> {
    let comments: Vec<String> = sources.flat_map(comments).collect();
    let mut rows: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (line, scenario) in scenarios(document) {
        let (count, last) = rows.entry(scenario).or_default();
        (*count, *last) = (*count + 1, line);
    }
    let missing = |(scenario, (rows, line)): (&str, (usize, usize))| {
        let named = comments.iter().filter(|comment| comment.contains(scenario)).count();
        let message = format!(
            "`{scenario}` has {rows} kept difference(s) and {named} comment(s) `{MARK}` that name it"
        );
        (named < rows).then_some(Finding { path: DOCUMENT.to_owned(), line, message })
    };
    rows.into_iter().filter_map(missing).collect()
}

/// (line, scenario) of the last cell of each row.
fn scenarios(document: &str) -> impl Iterator<Item = (usize, &str)> {
    let rows = document.lines().enumerate().filter(|(_, line)| line.starts_with('|'));
    rows.flat_map(|(at, line)| {
        let last = line.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        let names = last.split('`').skip(1).step_by(2);
        names.map(move |name| (at + 1, name))
    })
}

/// Each comment from the mark to the end of its block.
fn comments(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = source.lines().map(str::trim_start).peekable();
    while let Some(line) = lines.next() {
        let Some((_, text)) = line.split_once(MARK).filter(|_| line.starts_with("//")) else { continue };
        let mut comment = text.to_owned();
        while let Some(next) = lines.next_if(|next| next.starts_with("//") && !next.contains(MARK)) {
            comment.push_str(next);
        }
        found.push(comment);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_decided_somewhere() {
        let rows = "| What | Solr | Here | Scenario |\n|---|---|---|---|\n| a | b | c | `x/y` |\n| d | e | f | `x/y`, `x/z` |\n";
        let check = |source: &str, lines: &[usize]| {
            let found = check(rows, [source].into_iter());
            assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), lines, "{source}");
        };
        check("", &[4, 4]);
        check(
            "// Solr differs: so\n// (`compat/x/y.yaml`).\n// Solr differs: x/y\n//! Solr differs: x/z",
            &[],
        );
        check("// Solr differs: x/y and x/z", &[4]);
        check("let text = \"Solr differs: x/y x/z\";", &[4, 4]);
    }
}
