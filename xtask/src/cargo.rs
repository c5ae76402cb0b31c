//! Cargo, as whoever works on this calls it. A task is run by `cargo run`, which tells it its own package in
//! variables that build scripts of dependencies look at: with them each task would compile anew what was
//! compiled without them, and the other way about.

use std::path::Path;
use std::process::Command;

/// Of the package that `cargo run` runs.
const OWN: [&str; 3] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"];

/// In the repository's root.
pub fn command(root: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    let is_own = |name: &str| OWN.iter().any(|prefix| name.starts_with(prefix));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_own)) {
        cargo.env_remove(name);
    }
    cargo
}
