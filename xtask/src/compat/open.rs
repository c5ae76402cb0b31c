//! The ratchet: `compat/open.yaml` lists the steps that do not pass yet, by scenario and step number. A
//! listed step may fail, any other may not; `--accept` rewrites the list from a run. It only ever ought to
//! grow shorter.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};

const HEAD: &str =
    "# Steps that do not pass yet, by scenario, counted from 1. Written by `cargo xtask compat --accept`.\n";

/// The listed steps.
#[derive(Debug, Default, PartialEq)]
pub struct Open {
    steps: BTreeMap<String, Vec<usize>>,
}

impl Open {
    /// Reads the list; no file is an empty list.
    pub fn read(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        Self::parse(&text).with_context(|| format!("cannot understand `{}`", path.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        let steps: Option<BTreeMap<String, Vec<usize>>> = serde_norway::from_str(text)?;
        Ok(Self { steps: steps.unwrap_or_default() })
    }

    pub fn contains(&self, scenario: &str, step: usize) -> bool {
        self.steps.get(scenario).is_some_and(|steps| steps.contains(&step))
    }

    /// Replaces what is listed of the scenarios that ran; others keep theirs.
    pub fn replace(&mut self, scenario: &str, steps: Vec<usize>) {
        if steps.is_empty() {
            self.steps.remove(scenario);
        } else {
            self.steps.insert(scenario.to_owned(), steps);
        }
    }

    pub fn write(&self, path: &Path) -> Result<()> {
        std::fs::write(path, self.render()).with_context(|| format!("cannot write `{}`", path.display()))
    }

    fn render(&self) -> String {
        let mut text = HEAD.to_owned();
        for (scenario, steps) in &self.steps {
            let steps: Vec<String> = steps.iter().map(usize::to_string).collect();
            let _ = writeln!(text, "{scenario}: [{}]", steps.join(", "));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut open = Open::default();
        open.replace("select/lucene", vec![3, 17]);
        open.replace("facet/field", vec![1]);
        open.replace("facet/field", Vec::new());
        assert_eq!(open.render(), format!("{HEAD}select/lucene: [3, 17]\n"));
        assert_eq!(Open::parse(&open.render()).unwrap(), open);
        assert!(open.contains("select/lucene", 17) && !open.contains("facet/field", 1));
        assert_eq!(Open::parse(HEAD).unwrap(), Open::default());
    }
}
