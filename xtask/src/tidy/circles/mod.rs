//! Files that import each other in a circle are one room with walls through it: none can be read, moved or
//! tested without the others. This rule refuses circles, crate by crate. When it was made, on 2026-11-23, 484
//! files stood in some; the last left theirs two days later.
//!
//! A file is a module; an arrow runs from it to the module whose item it names, followed through `pub use` to
//! where the item is. Tests are no part of it. In: a crate's sources; `imports` reads the arrows off them.
//! Out: findings, and what `tidy --circles` lists.

mod imports;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use crate::tidy::finding::Finding;
use imports::{Arrow, Sources};

/// Files that reach each other, and the arrows between them.
struct Circle {
    files: Vec<String>,
    arrows: Vec<Arrow>,
}

/// A finding where files of a crate stand in a circle. `manifest` is the path of its `Cargo.toml`.
pub fn check(manifest: &str, sources: &[(String, String)]) -> Result<Option<Finding>> {
    let files: usize = circles(sources)?.iter().map(|circle| circle.files.len()).sum();
    let message = format!(
        "{files} files import each other in circles: move what both need below both; `cargo xtask tidy --circles` \
         lists them"
    );
    Ok((files > 0).then(|| Finding { path: manifest.to_owned(), line: 0, message }))
}

/// The circles of a crate, the largest first, each with what ties it.
pub fn list(package: &str, sources: &[(String, String)]) -> Result<String> {
    let circles = circles(sources)?;
    let mut text = String::new();
    let files: usize = circles.iter().map(|circle| circle.files.len()).sum();
    writeln!(text, "{package}: {files} of {} files in {} circles", sources.len(), circles.len())?;
    for circle in &circles {
        writeln!(text, "  circle of {}: {}", circle.files.len(), circle.files.join(", "))?;
        for Arrow { from, to, names } in &circle.arrows {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            writeln!(text, "    {from} -> {to}: {}", names.join(", "))?;
        }
    }
    Ok(text)
}

fn circles(sources: &[(String, String)]) -> Result<Vec<Circle>> {
    let arrows = Sources::read(sources)?.arrows();
    let mut graph = DiGraph::<&str, ()>::new();
    let mut nodes = BTreeMap::new();
    for Arrow { from, to, .. } in &arrows {
        let [from, to] = [from, to].map(|file| *nodes.entry(file).or_insert_with(|| graph.add_node(file)));
        graph.add_edge(from, to, ());
    }
    let mut found: Vec<Circle> = Vec::new();
    for component in tarjan_scc(&graph).into_iter().filter(|component| component.len() > 1) {
        let mut files: Vec<String> = component
            .iter()
            .filter_map(|node| graph.node_weight(*node))
            .map(|file| (*file).to_owned())
            .collect();
        files.sort();
        let is_inside = |arrow: &&Arrow| files.contains(&arrow.from) && files.contains(&arrow.to);
        let arrows = arrows.iter().filter(is_inside).cloned().collect();
        found.push(Circle { files, arrows });
    }
    found.sort_by(|a, b| b.files.len().cmp(&a.files.len()).then_with(|| a.files.cmp(&b.files)));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files in circles, `src/` and `.rs` left out.
    fn check(sources: &[(&str, &str)], expected: &[&[&str]]) {
        let sources: Vec<_> =
            sources.iter().map(|(name, text)| (format!("src/{name}.rs"), (*text).to_owned())).collect();
        let found: Vec<Vec<String>> = circles(&sources).unwrap().into_iter().map(|it| it.files).collect();
        let file = |name: &&str| format!("src/{name}.rs");
        let expected: Vec<Vec<String>> =
            expected.iter().map(|files| files.iter().map(file).collect()).collect();
        assert_eq!(found, expected, "{sources:?}");
    }

    #[test]
    fn files_that_name_each_other_are_a_circle() {
        let lib = ("lib", "mod a; mod b; mod c;");
        check(&[lib, ("a", "use crate::b::B;"), ("b", "struct B;")], &[]);
        check(&[lib, ("a", "use crate::b::B;"), ("b", "use crate::a::A; struct B;")], &[&["a", "b"]]);
        check(&[lib, ("a", "fn a() { super::b::b() }"), ("b", "fn b() { crate::a::a() }")], &[&["a", "b"]]);
        let three = [lib, ("a", "use crate::b::B;"), ("b", "use crate::c::C;"), ("c", "use crate::a::A;")];
        check(&three, &[&["a", "b", "c"]]);
    }

    #[test]
    fn a_folder_is_tied_by_what_it_names_not_by_having_it() {
        let inner = ("a/b", "use super::A;");
        check(&[("lib", "mod a;"), ("a/mod", "mod b; struct A;"), inner], &[]);
        check(&[("lib", "mod a;"), ("a/mod", "mod b; use b::B; struct A;"), inner], &[&["a/b", "a/mod"]]);
        check(&[("lib", "mod a;"), ("a", "mod b; struct A; fn f() { b::g() }"), inner], &[&["a", "a/b"]]);
    }

    #[test]
    fn an_item_is_where_it_is_defined() {
        let face = ("a/mod", "mod b; mod c; pub use b::B; pub(crate) use c::*;");
        check(
            &[("lib", "mod a;"), face, ("a/b", "pub struct B;"), ("a/c", "use super::B; pub fn c() {}")],
            &[],
        );
        let user = ("d", "use crate::a::c; use crate::a::B;");
        check(
            &[("lib", "mod a; mod d;"), face, ("a/b", "use crate::d::D;"), ("a/c", ""), user],
            &[&["a/b", "d"]],
        );
    }

    #[test]
    fn tests_tie_nothing() {
        let tested = ("a", "struct A; #[cfg(test)] mod tests { use crate::b::B; }");
        check(&[("lib", "mod a; mod b;"), tested, ("b", "use crate::a::A;")], &[]);
        let apart = ("a", "struct A; #[cfg(test)] mod tests;");
        check(
            &[("lib", "mod a; mod b;"), apart, ("a/tests", "use crate::b::B;"), ("b", "use crate::a::A;")],
            &[],
        );
    }
}
