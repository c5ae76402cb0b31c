//! Which of our crates may depend on which: the table of ARCHITECTURE.md, as data, and the proof that the two
//! agree. Tests may depend on anything. In: manifests and documents; out: findings. What a crate may name of
//! libraries is `names.rs`'s.

use super::finding::Finding;
use super::manifest::Manifest;

/// Crate and what it may name. A crate without a row is a finding: new crates are decided, not discovered.
const ALLOWED: &[(&str, &[&str])] = &[
    ("http", &["coding", "solr", "cluster", "meter", "plan"]),
    ("solr", &["meter", "plan", "analysis"]),
    ("plan", &[]),
    ("meter", &["plan"]),
    ("analysis", &["plan"]),
    ("cluster", &["meter", "plan", "engine", "store"]),
    ("engine", &["meter", "plan", "analysis", "store"]),
    ("store", &[]),
    ("client", &["coding"]),
    ("coding", &[]),
    ("console", &[]),
    ("faultproxy", &[]),
    ("ingest", &["client", "plan"]),
    ("fleet", &["client"]),
    ("doctor", &["client"]),
    ("lab", &["client", "ingest"]),
    ("membership", &[]),
    ("model", &[]),
    ("postgres_fixture", &[]),
    ("relay", &["client"]),
    ("xtask", &[]),
];

/// The one crate that wires all others together.
const BINARY: &str = "parhelion";

pub fn check(manifest: &Manifest) -> Vec<Finding> {
    if manifest.name == BINARY {
        return Vec::new();
    }
    let finding = |message: String| Finding { path: manifest.path.clone(), line: 0, message };
    let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == manifest.name) else {
        return vec![finding(format!("crate `{}` has no row in the table of edges", manifest.name))];
    };
    let ours = manifest.dependencies.iter().filter(|dependency| dependency.ours);
    let wrong = ours.filter(|dependency| !allowed.contains(&dependency.package.as_str()));
    let message = |package: &str| {
        format!("`{}` must not depend on `{package}`; allowed: {}", manifest.name, list(allowed))
    };
    wrong.map(|dependency| finding(message(&dependency.package))).collect()
}

/// Edges that a document draws, such as `solr → {plan, analysis}`, and that the table does not have, or has
/// more of.
pub fn check_document(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for (name, drawn) in line.split('`').skip(1).step_by(2).filter_map(edge) {
            let row = ALLOWED.iter().find(|(row, _)| *row == name);
            if row.is_none_or(|(_, allowed)| !same(allowed, &drawn)) {
                let message = format!("the edges of `{name}` are not those of the table in xtask");
                findings.push(Finding { path: path.to_owned(), line: at + 1, message });
            }
        }
    }
    findings
}

/// Reads `name → {a, b}`.
fn edge(text: &str) -> Option<(&str, Vec<&str>)> {
    let (name, targets) = text.split_once(" → {")?;
    Some((name, targets.strip_suffix('}')?.split(", ").collect()))
}

fn same(allowed: &[&str], drawn: &[&str]) -> bool {
    allowed.len() == drawn.len() && drawn.iter().all(|name| allowed.contains(name))
}

fn list(names: &[&str]) -> String {
    if names.is_empty() { "nothing of ours".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn check_crate(name: &str, dependencies: &str, findings: usize) {
        let text = format!("[package]\nname = \"{name}\"\n[dependencies]\n{dependencies}");
        let manifest = Manifest::parse("Cargo.toml", Path::new("."), &text).unwrap();
        assert_eq!(check(&manifest).len(), findings, "{name}: {dependencies}");
    }

    #[test]
    fn only_the_edges_of_the_table() {
        check_crate("engine", "plan = { path = \"../plan\" }\nserde = \"1\"", 0);
        check_crate("plan", "store = { path = \"../store\" }", 1);
        check_crate("store", "plan = { path = \"../plan\" }", 1);
        check_crate("solr", "engine = { path = \"../engine\" }", 1);
        check_crate("parhelion", "lab = { path = \"../lab\" }", 0);
        check_crate("surprise", "", 1);
    }

    #[test]
    fn documents_draw_the_same_edges() {
        let check =
            |line: &str, findings: usize| assert_eq!(check_document("A.md", line).len(), findings, "{line}");
        check("Edges: `solr → {meter, plan, analysis}`, `analysis → {plan}`", 0);
        check("Edges: `solr → {analysis, plan, meter}`", 0);
        check("Edges: `solr → {plan}`", 1);
        check("Edges: `solr → {plan, engine}`", 1);
        check("a field `rows` and a `map → map`", 0);
    }
}
