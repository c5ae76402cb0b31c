//! `/admin/doctor`: what is stuck in the node at the moment, and what of its host will hurt next. Not Solr's.
//! `parhelion doctor cluster` asks it of each node, so that one place tells of all hosts.
//!
//! In: the watch, and findings that whoever runs the node measures on demand; out: both as lists. It tells
//! of folders and settings: who may read the configuration may ask.

use std::time::Duration;

use plan::Result;
use solr::response::{Entries, Node};

use super::info;
use crate::observe::host::HostNote;
use crate::request::call::Call;

/// A disk that does not answer must not keep the answer that says so.
const MEASURED_WITHIN: Duration = Duration::from_secs(5);

pub(super) async fn run(call: &Call<'_>) -> Result<Entries> {
    let measure = call.server.config.host_notes.clone();
    // Syncs of the disk are measured: not on a thread that serves.
    let measured = tokio::time::timeout(MEASURED_WITHIN, tokio::task::spawn_blocking(move || measure()));
    let notes = measured.await.ok().and_then(std::result::Result::ok).flatten();
    let signs = call.server.config.watch.signs();
    let mut entries: Entries = vec![("signs".into(), Node::Array(signs.iter().map(info::sign).collect()))];
    if notes.is_none() {
        let words = format!(
            "the host was not measured within {} s: ask again; if it stays so, its disk does not answer",
            MEASURED_WITHIN.as_secs()
        );
        entries.push(("unmeasured".into(), Node::from(words)));
    }
    let notes = notes.into_iter().flatten().map(note);
    entries.push(("findings".into(), Node::Array(notes.collect())));
    Ok(entries)
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
