//! Waiting for another member, no longer than it lives: one that is paused or cut off answers nothing and
//! ends no connection. In: what will be its answer; out: that, or an error once the node was told that it is
//! gone.

use std::time::Duration;

use cluster::{Member, Node};
use plan::{Error, ErrorKind, Result};
use tokio::time::timeout;

/// How often a member that does not answer is looked for among the living.
const LOOK_EVERY: Duration = Duration::from_millis(250);

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
