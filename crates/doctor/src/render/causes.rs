//! The causes as text for a terminal, and as pages of the documentation (`docs/causes.md`, `docs/causes/`):
//! all from the one table of definitions. The words themselves are the causes' (`verdict`). A test holds the
//! pages of the documentation against this text, so that neither can tell of a cause that the other does not
//! know.

use std::fmt::Write as _;

use crate::verdict::Cause;

/// What each cause means, and the next step.
pub fn causes() -> String {
    let mut out = String::new();
    for cause in Cause::ALL {
        let (name, meaning, next) = (cause.name(), cause.meaning(), cause.next_step());
        let _ = writeln!(out, "{name}\n    means: {meaning}\n    next:  {next}");
    }
    out
}

/// One cause in full, for a terminal.
pub fn cause(cause: Cause) -> String {
    let mut out = format!("{}: {}\n\n", cause.name(), cause.meaning());
    let rows = [
        ("seen", cause.symptom()),
        ("why it matters", cause.harm()),
        ("the old way", cause.old_way()),
        ("the command", cause.command()),
        ("what it says", cause.example()),
        ("next", cause.next_step()),
    ];
    out.extend(rows.map(|(name, words)| format!("  {:<16}{}\n", format!("{name}:"), words)));
    out
}

/// `docs/causes.md`: what there is, a line each.
pub fn causes_index() -> String {
    let mut out = INDEX.to_owned();
    for cause in Cause::ALL {
        let name = cause.name();
        let _ = writeln!(out, "| [{name}](causes/{name}.md) | {} |", cell(cause.meaning()));
    }
    out
}

/// `docs/causes/NAME.md`: the old way and the doctor's side by side.
pub fn cause_page(cause: Cause) -> String {
    let mut out = format!("# {}\n\n{}.\n\n", cause.name(), capitalized(cause.meaning()));
    let _ = write!(out, "- **Seen**: {}\n- **Why it matters**: {}\n\n", cause.symptom(), cause.harm());
    let rows = [
        ("do", cause.old_way(), cause.command().to_owned()),
        ("read", "what of it is the cause, one has to know", format!("*{}*", cause.example())),
        ("then", "", cause.next_step().to_owned()),
    ];
    out += "| | the old way | with the doctor |\n|---|---|---|\n";
    out.extend(rows.map(|(name, old, ours)| format!("| {name} | {} | {} |\n", cell(old), cell(&ours))));
    out + "\nThe sentence is one of a made-up process. [All causes](../causes.md), [how the doctor knows](../doctor.md#how-it-knows).\n"
}

const INDEX: &str = "# Causes: what a process waits for, and how to tell

Every cause that [`parhelion doctor`](doctor.md) tells apart, with a page for each: what is seen of it, why it matters, how it was found
before and the doctor's way beside it, and the next step. `parhelion doctor causes NAME` shows the same on a terminal; the pages are
written by `parhelion doctor causes --markdown`.

| cause | what it means |
|---|---|
";

/// A bar would end the cell, in code too.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_of_causes_are_those_of_the_documentation() {
        let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let check = |path: &str, said: &str| {
            let page = std::fs::read_to_string(docs.join(path)).unwrap_or_default();
            assert_eq!(page, said, "write {path} anew: parhelion doctor causes --markdown --into docs");
        };
        check("causes.md", &causes_index());
        for cause in Cause::ALL {
            check(&format!("causes/{}.md", cause.name()), &cause_page(*cause));
        }
        let pages = std::fs::read_dir(docs.join("causes")).unwrap().count();
        assert_eq!(pages, Cause::ALL.len(), "a page of a cause that is no more");
    }

    #[test]
    fn every_cause_is_explained() {
        let text = causes();
        assert!(
            Cause::ALL.iter().all(|cause| text.contains(cause.meaning()) && text.contains(cause.next_step()))
        );
    }
}
