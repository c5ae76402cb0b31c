//! `cargo xtask docs`: writes the pages of `docs/` that are made from the code. What a page says is the
//! crate's that the page is about, which prints it by an example; this only puts it in its place. Tests of
//! that crate check that it is there.

use std::path::Path;

use anyhow::{Context, Result};

/// Page, and the example that prints it: (path, crate, example).
const PAGES: [(&str, &str, &str); 2] =
    [("docs/parameters.md", "solr", "parameters"), ("docs/openapi.json", "http@0.1.0", "openapi")];

/// Writes every page; `false` when one could not be made, after cargo has said why.
pub fn run(root: &Path) -> Result<bool> {
    for (path, package, example) in PAGES {
        let mut command = crate::cargo::command(root);
        command.args(["run", "--quiet", "--package", package, "--example", example]);
        command.stderr(std::process::Stdio::inherit());
        let output = command.output().with_context(|| format!("cannot start cargo for `{path}`"))?;
        if !output.status.success() {
            return Ok(false);
        }
        std::fs::write(root.join(path), output.stdout).with_context(|| format!("cannot write `{path}`"))?;
    }
    Ok(true)
}
