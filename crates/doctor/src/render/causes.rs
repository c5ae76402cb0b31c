//! The causes as text for a terminal, and as the page `docs/causes.md`: both from the one table of
//! definitions.

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

/// The same as `docs/causes.md`: a section for each.
pub fn causes_page() -> String {
    let mut out = INTRODUCTION.to_owned();
    for cause in Cause::ALL {
        let _ = write!(out, "\n## {}\n\n{}.\n\n", cause.name(), capitalized(cause.meaning()));
        let rows = [
            ("Seen", cause.symptom()),
            ("Why it matters", cause.harm()),
            ("The old way", cause.old_way()),
            ("The command", cause.command()),
        ];
        out.extend(rows.map(|(name, words)| format!("- **{name}**: {words}\n")));
        let _ = write!(out, "- **What it says**: *{}*\n- **Next**: {}\n", cause.example(), cause.next_step());
    }
    out
}

const INTRODUCTION: &str = "# Causes: what a process waits for, and how to tell

Every cause that [`parhelion doctor`](doctor.md) tells apart: what is seen of it, why it matters, how it was found before, the command
that tells today with what it says (of made-up processes), and the next step. Written by `parhelion doctor causes --markdown`.
";

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_causes_is_the_one_in_the_documentation() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/causes.md");
        let (page, said) = (std::fs::read_to_string(path).unwrap(), causes_page());
        let differs = page.lines().zip(said.lines()).find(|(page, said)| page != said);
        assert_eq!(differs, None, "write it anew: parhelion doctor causes --markdown > docs/causes.md");
        assert_eq!(page.len(), said.len());
    }

    #[test]
    fn every_cause_is_explained() {
        let text = causes();
        assert!(
            Cause::ALL.iter().all(|cause| text.contains(cause.meaning()) && text.contains(cause.next_step()))
        );
    }
}
