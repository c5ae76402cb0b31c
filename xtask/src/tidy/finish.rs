//! Results are cut, ordered and averaged once, above all shards (`crates/cluster/src/finish`). The crates
//! below answer with parts that merge: they have no module `finish`, no function `finish_…`, and name no
//! finished result. What ends a file, a hash or a stream is called `finish` alone, and may be.

use super::finding::Finding;

/// The crates below the one that finishes. `plan` declares the results that the others must not make.
const BELOW: [&str; 4] = ["plan", "engine", "store", "analysis"];
const RESULTS: [&str; 5] = ["SearchResult", "FacetResult", "BucketResult", "ShapeResult", "GroupedResult"];

pub fn check(package: &str, path: &str, text: &str) -> Vec<Finding> {
    if !BELOW.contains(&package) {
        return Vec::new();
    }
    let production = text.lines().take_while(|line| line.trim() != "#[cfg(test)]").enumerate();
    let code = production.filter(|(_, line)| !line.trim_start().starts_with("//"));
    let finding = |at: usize, what: &str| Finding {
        path: path.to_owned(),
        line: at + 1,
        message: format!(
            "{what} belongs into `crates/cluster/src/finish`: a shard answers with parts that merge"
        ),
    };
    let mut findings = Vec::new();
    for (at, line) in code {
        if line.contains("fn finish_") || line.contains("mod finish;") {
            findings.push(finding(at, "what finishes a result"));
        }
        let named = RESULTS.iter().find(|name| package != "plan" && names(line, name));
        findings.extend(named.map(|name| finding(at, &format!("`{name}`"))));
    }
    findings
}

/// Whether the line has this name, and not just one that ends with it.
fn names(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|before| before.is_alphanumeric() || before == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_finished_above_the_shards() {
        let check = |package: &str, text: &str, findings: usize| {
            assert_eq!(check(package, "a.rs", text).len(), findings, "{package} {text}");
        };
        check("engine", "pub fn finish_facets() {}", 1);
        check("plan", "mod finish;", 1);
        check("cluster", "mod finish;\nfn finish_facets() {}", 0);
        check("store", "fn finish(self) -> Result<SegmentFile>;", 0);
        check("engine", "fn count() -> Result<plan::FacetResult> {}", 1);
        check("engine", "struct FieldFacetResult;\n// A FacetResult is made above.", 0);
        check("plan", "pub struct FacetResult;", 0);
        check("engine", "#[cfg(test)]\nfn finish_it() {}", 0);
    }
}
