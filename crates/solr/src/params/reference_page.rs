//! The reference of search parameters as a page of Markdown (`docs/parameters.md`), made from the same
//! definitions that read them. The page is written by `cargo xtask docs`; a test here finds it out when it
//! falls behind.

use std::fmt::Write as _;

use super::{GROUPS, ParamDoc, Support, admin};

const HEAD: &str = "# Parameters

What `/select`, `/query` and handlers of their class read; under headings with a path, what the handler of that path reads. The
spelling and the meaning are Solr's. Parameters marked with * may
be given for one field, as `f.<field>.<name>`, or among the local parameters of the facet. A parameter of Solr's that is not
supported is refused by its name, never passed over, unless it only advises how to compute.

This page is written by `cargo xtask docs` from the definitions in `crates/solr/src/params`.
";

/// The whole page.
pub fn reference_page() -> String {
    let mut page = HEAD.to_owned();
    for (title, docs) in GROUPS.iter().chain(admin::GROUPS) {
        let of = |support| docs.iter().filter(|doc| doc.support == support).collect::<Vec<_>>();
        let (read, hints, refused) = (of(Support::Yes), of(Support::Hint), of(Support::No));
        let _ = write!(page, "\n## {title}\n\n");
        if !read.is_empty() {
            table(&read, &mut page);
        }
        if !hints.is_empty() {
            page.push_str("\nTaken as advice; answers are the same with and without them:\n\n");
            table(&hints, &mut page);
        }
        if !refused.is_empty() {
            page.push_str(if read.is_empty() { "" } else { "\nRefused:\n\n" });
            table(&refused, &mut page);
        }
    }
    page
}

fn table(docs: &[&ParamDoc], page: &mut String) {
    let has_defaults = docs.iter().any(|doc| doc.default.is_some());
    page.push_str(if has_defaults {
        "| Parameter | Default | |\n|---|---|---|\n"
    } else {
        "| Parameter | |\n|---|---|\n"
    });
    for ParamDoc { name, about, default, per_field, kind: _, support: _ } in docs {
        let mark = if *per_field { " *" } else { "" };
        // A name that ends in a point stands for all that begin with it.
        let more = if name.ends_with('.') { "…" } else { "" };
        let _ = write!(page, "| `{name}{more}`{mark} |");
        if has_defaults {
            let default = default.map(|text| format!(" `{text}`")).unwrap_or_default();
            let _ = write!(page, "{default} |");
        }
        let _ = writeln!(page, " {} |", about.replace('|', "\\|"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_up_to_date() {
        let written = include_str!("../../../../docs/parameters.md");
        assert!(written == reference_page(), "docs/parameters.md is behind; run `cargo xtask docs`");
    }

    #[test]
    fn every_parameter_has_a_row() {
        let page = reference_page();
        for doc in super::super::reference() {
            assert!(page.contains(&format!("| `{}", doc.name)), "{}", doc.name);
        }
    }
}
