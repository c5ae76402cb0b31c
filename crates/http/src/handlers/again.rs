//! When a request is run again because what it met passes by itself: the schema changed between a handler's
//! look at it and the shard's, or a replica was lost whose shard has others. What is only read can be begun
//! anew as a whole. Updates are not only read, and see to it themselves.

use std::sync::Arc;
use std::time::Duration;

use cluster::Collection;
use plan::Result;
use solr::Params;

use super::effective::RESOLVED_MAX;
use super::permit::Permit;
use super::select;
use crate::request::call::{Call, Failure, TransientFailure};
use crate::request::route::Handler;

/// What is waited for before a request is begun anew whose replica was lost, in milliseconds. At first
/// nothing, since another replica is asked; then as long as it takes until a member hears who leads now.
const ANEW_MS: [u64; 4] = [0, 50, 200, 800];

/// How often one request was run.
#[derive(Default)]
pub(super) struct Attempts {
    /// By versions of the schema that it was late for.
    outdated: usize,
    lost: usize,
}

impl Attempts {
    /// Whether the request that failed so is to be run again, which it may be as soon as this returns.
    pub async fn asks_again(
        &mut self,
        failure: &Failure,
        (call, collection): (&Call<'_>, &Arc<Collection>),
        (handler, params, permit): (Handler, &Params, &Permit),
    ) -> Result<bool> {
        if handler == Handler::Update {
            return Ok(false);
        }
        match failure.transient {
            None => Ok(false),
            Some(TransientFailure::SchemaChanged) => {
                self.outdated += 1;
                if self.outdated == RESOLVED_MAX {
                    return Ok(false);
                }
                await_changes(call, collection, (handler, params)).await?;
                Ok(true)
            }
            Some(TransientFailure::ReplicaLost) => {
                // For about a second in all: another replica answers at once where there is one, and for
                // what only a new leader mends, after a session, clients had better ask again than wait here
                // by thousands.
                let pause_ms = ANEW_MS.get(self.lost).filter(|_| !permit.meters.allowance.is_used_up());
                self.lost += 1;
                let Some(pause_ms) = pause_ms else { return Ok(false) };
                tokio::time::sleep(Duration::from_millis(*pause_ms)).await;
                Ok(true)
            }
        }
    }
}

/// Which of several collections it was that refused, nobody tells: the changes of all of them are waited
/// for.
async fn await_changes(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    (handler, params): (Handler, &Params),
) -> Result<()> {
    let node = &call.server.node;
    node.await_change(collection).await?;
    if handler.asks_several() {
        let asked = select::asked(call, collection, params)?;
        let others = asked.collections().iter().filter(|it| !Arc::ptr_eq(it, collection));
        for other in others {
            node.await_change(other).await?;
        }
    }
    node.renew_views().await
}
