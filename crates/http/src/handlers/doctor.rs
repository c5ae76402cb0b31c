//! `/admin/doctor`: what is stuck in the node at the moment, and what of its host will hurt next. Not Solr's.
//! `parhelion doctor cluster` asks it of each node, so that one place tells of all hosts.
//!
//! In: the watch, and findings that whoever runs the node measures on demand; out: both as lists. It tells
//! of folders and settings: who may read the configuration may ask.

use plan::{Error, Result};
use solr::response::{Entries, Node};

use super::info;
use crate::observe::host::HostNote;
use crate::request::call::Call;

pub(super) async fn run(call: &Call<'_>) -> Result<Entries> {
    let measure = call.server.config.host_notes.clone();
    // Syncs of the disk are measured: not on a thread that serves.
    let notes = tokio::task::spawn_blocking(move || measure()).await;
    let notes =
        notes.map_err(|error| Error::internal("the host could not be measured").with_source(error))?;
    let signs = call.server.config.watch.signs();
    Ok(vec![
        ("signs".into(), Node::Array(signs.iter().map(info::sign).collect())),
        ("findings".into(), Node::Array(notes.into_iter().map(note).collect())),
    ])
}

fn note(note: HostNote) -> Node {
    let HostNote { name, sure, measured, why, mend } = note;
    Node::map([
        ("name", Node::from(name)),
        ("sure", Node::from(sure)),
        ("measured", Node::from(measured)),
        ("why", Node::from(why)),
        ("mend", Node::from(mend)),
    ])
}
