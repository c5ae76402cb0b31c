//! Waiting for another member, no longer than it lives: one that is paused or cut off answers nothing and
//! ends no connection. Where another can be asked instead it is not waited for even so long: one that has not
//! answered for a moment is asked something that any member answers at once, and left where it does not.
//!
//! In: what will be its answer; out: that, or an error once the node was told that it is gone, or it was
//! found to say nothing.

use std::time::Duration;

use cluster::{Member, Node};
use plan::{Error, ErrorKind, Result};
use tokio::time::timeout;

use super::{Forward, Forwarded};

/// How often a member that does not answer is looked for among the living.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long a member may take before it is asked whether it answers anything, and how long it has for that.
const QUIET: Duration = Duration::from_millis(300);
/// What any member answers at once, to anybody.
const PROBE: &str = "/solr/admin/info/health";

/// Waits for the answer of a member as long as that lives: one that is paused or cut off answers nothing, and
/// who waits for it would wait for long. Errors: `Unknown` once it is taken for gone.
pub(crate) async fn while_alive<T>(
    node: &Node,
    owner: &Member,
    answer: impl Future<Output = Result<T>>,
) -> Result<T> {
    let mut answer = std::pin::pin!(answer);
    loop {
        if let Ok(answered) = timeout(LOOK_EVERY, &mut answer).await {
            return answered;
        }
        if !node.is_alive(owner) {
            let message = format!(
                "`{}` is gone, and nobody knows whether it did what was asked; look, or send it again",
                owner.name
            );
            return Err(Error::new(ErrorKind::Unknown, message));
        }
    }
}

/// As [`while_alive`], but no longer than the member answers anything at all. Only for what may be left and
/// asked of another. Errors: `Unavailable` where it does not, beside those.
pub(crate) async fn while_answering<T>(
    node: &Node,
    (forward, member): (&dyn Forward, &Member),
    answer: impl Future<Output = Result<T>>,
) -> Result<T> {
    let mut answer = std::pin::pin!(while_alive(node, member, answer));
    let mut quiet = QUIET;
    loop {
        if let Ok(answered) = timeout(quiet, &mut answer).await {
            // An error may be that it is not there.
            node.heard_of(member, answered.is_ok());
            return answered;
        }
        let probe = Forwarded {
            url: member.url.clone(),
            method: "GET".to_owned(),
            target: PROBE.to_owned(),
            headers: Vec::new(),
            body: None,
            is_safe: true,
        };
        let probed = timeout(QUIET, forward.forward(probe));
        let is_there = tokio::select! {
            answered = &mut answer => {
                node.heard_of(member, answered.is_ok());
                return answered;
            }
            probed = probed => matches!(probed, Ok(Ok(_))),
        };
        node.heard_of(member, is_there);
        if !is_there {
            return Err(Error::new(ErrorKind::Unavailable, format!("`{}` does not answer", member.name)));
        }
        // It is at work. What it is asked may take its time, and is not asked of another beside: that would
        // double the load when there is most of it.
        quiet = quiet.saturating_mul(2);
    }
}
