//! `serve --read-only`: the thread that takes up collections, schemas and aliases of the node that owns them.
//! Shards follow by tasks of their own; what cannot be taken up is logged, once as long as it stays the same,
//! and tried again.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use anyhow::Context as _;
use cluster::Node;

/// Documents change seldom, and there are several of each collection.
const LOOKS_OF_SHARDS: u32 = 10;

/// Follows until it is dropped.
pub struct Following(#[expect(dead_code, reason = "its end tells the thread to end")] Sender<()>);

/// On a thread of its own: the store may take its time.
pub fn start(node: &Arc<Node>, shards_every: Duration) -> anyhow::Result<Following> {
    let (stop, stopped) = channel();
    let node = Arc::downgrade(node);
    let every = shards_every * LOOKS_OF_SHARDS;
    let follow = move || {
        let mut told = Vec::new();
        while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
            let Some(node) = node.upgrade() else { return };
            let failures = node.follow().err().unwrap_or_default();
            let now: Vec<String> = failures.iter().map(ToString::to_string).collect();
            if now != told {
                failures
                    .iter()
                    .for_each(|error| tracing::warn!(%error, "cannot follow the owner; trying on"));
            }
            told = now;
        }
    };
    let thread = std::thread::Builder::new().name("follow".to_owned()).spawn(follow);
    thread.context("cannot start the thread that follows the owner")?;
    Ok(Following(stop))
}
