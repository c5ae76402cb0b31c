//! Servers to compare with, started by the lab itself: a real Solr from Maven Central, alone or as a cloud of
//! two nodes. Owns where they live (a cache folder) and how they are started and stopped; a run only sees
//! their URL.

mod daemon;
mod project;
mod solr;

use std::path::PathBuf;

pub use project::{Built, Project, write};
pub use solr::{SolrOptions, down, processes_of, up};

use crate::error::Error;

/// Where the lab keeps what it builds and runs: `parhelion/lab` in the user's cache folder.
pub fn cache() -> Result<PathBuf, Error> {
    let from = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let base = from("XDG_CACHE_HOME").or_else(|| Some(from("HOME")?.join(".cache")));
    let base = base.ok_or_else(|| Error::Peer("no cache folder; set HOME or XDG_CACHE_HOME".to_owned()))?;
    Ok(base.join("parhelion").join("lab"))
}
