//! The road of an update: its operations go to the shards that they belong to, each shard applies its part in
//! order, and the outcome tells of them in the order in which they were sent. Commits go to all shards.
//!
//! In: batches as `solr` resolved them; out: what became of them once that is durable. A batch for a
//! collection of one shard is that shard's.

use std::sync::Arc;
use std::time::Duration;

use meter::Phase;
use plan::{Commit, Error, ErrorKind, Operation, Result, UpdateBatch, UpdateOutcome};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::served::{Served, ServedShard};
use super::{Collection, Counted, UpdateCounts};
use crate::followed::ShardCopy;
use crate::offload;
use crate::remote::RemoteMember;
use crate::routing::SplitBatch;
use crate::shard::{AppliedUpdate, FRESH_NS, UpdateContext};

/// Of each shard the part that it applied; `None` where it had none.
type AppliedParts = Vec<Option<AppliedUpdate>>;

impl Collection {
    /// Has what another member sends write where updates of this member's own clients pass: it waits while
    /// shards are exchanged, and meets those that are served then.
    pub(crate) fn pass<T>(&self, write: impl FnOnce(&Served) -> Result<T>) -> Result<T> {
        self.home.pass(write)
    }

    /// The same of an update. Errors: `InUse` where the collection takes none.
    pub(crate) fn pass_update<T>(&self, write: impl FnOnce(&Served) -> Result<T>) -> Result<T> {
        let home = &self.home;
        home.pass(|served| if home.is_read_only() { Err(read_only(&self.name())) } else { write(served) })
    }

    pub async fn update(&self, batch: UpdateBatch, context: UpdateContext) -> UpdateOutcome {
        let asked = Counted::asked(&batch);
        let outcome = self
            .updated(batch, context)
            .await
            .unwrap_or_else(|failure| UpdateOutcome { failure: Some(failure), ..UpdateOutcome::default() });
        self.counts.add(&asked.done(&outcome), self.home.served().moment().snapshot);
        outcome
    }

    async fn updated(&self, batch: UpdateBatch, context: UpdateContext) -> Result<UpdateOutcome> {
        let (home, queued) = (self.home.clone(), context.trace.wait(Phase::Thread));
        let name = self.name();
        let commits = batch.operations.iter().any(|it| matches!(it, Operation::Commit(_)));
        let work = move || {
            drop(queued);
            // Behind the gate, which an exchange of shards closes: that makes the logs hold for good all that
            // has passed.
            home.pass(|served| match served.shards.as_slice() {
                _ if home.is_read_only() => Err(read_only(&name)),
                // Where ids alone decide, one shard has them all, and nothing is to be split.
                [only] if served.router.places_by_id() => {
                    Ok((None, vec![Some(only.shard.update(batch, context))]))
                }
                _ => {
                    let mut split = SplitBatch::of(batch, &served.router, &served.documents);
                    let parts = std::mem::take(&mut split.parts);
                    Ok((Some(split), applied(served, parts, &context)?))
                }
            })
        };
        let (split, parts): (Option<SplitBatch>, AppliedParts) = offload::update(work).await??;
        let mut outcomes = Vec::with_capacity(parts.len());
        for part in parts {
            outcomes.push(match part {
                Some(part) => part.await,
                None => UpdateOutcome::default(),
            });
        }
        let outcome = match split {
            Some(split) => split.join(outcomes),
            None => outcomes.pop().unwrap_or_default(),
        };
        if commits && outcome.failure.is_none() {
            self.show_everywhere().await?;
        }
        Ok(outcome)
    }

    /// Behind a commit: whoever has a copy of a shard shows it too, or does not answer by itself. Of those
    /// that are not among the living nobody waits for an answer.
    async fn show_everywhere(&self) -> Result<()> {
        let served = self.home.served_full();
        let copies: Vec<ShardCopy> = served.shards.iter().filter_map(|it| it.copy.clone()).collect();
        if copies.is_empty() && served.followers.is_empty() {
            return Ok(());
        }
        // Longer than a look of whoever did not answer may be that does not know of this, at a leader that
        // does not know itself deposed (model `follow_leader`).
        let over = Instant::now() + Duration::from_nanos(2 * FRESH_NS);
        // Without the gate: nobody's update has to wait for a slow follower.
        let caught_up = offload::update(move || have_caught_up(&copies, &served.followers));
        if let Ok(have_it) = timeout_at(over, caught_up).await
            && !have_it??
        {
            sleep_until(over).await;
        }
        Ok(())
    }

    /// What updates did since it was opened.
    pub fn update_counts(&self) -> UpdateCounts {
        self.counts.read(self.home.served().moment().snapshot)
    }

    pub async fn commit(&self, commit: Commit) -> Result<()> {
        let home = self.home.clone();
        let work = move || {
            home.pass(|served| {
                let commit = |served: &ServedShard| {
                    let (shard, commit) = (served.shard.clone(), commit);
                    move || shard.commit(&commit)
                };
                let done = offload::side_by_side(served.shards.iter().map(commit).collect())?;
                done.into_iter().collect::<Result<()>>()
            })
        };
        offload::update(work).await??;
        self.show_everywhere().await
    }
}

/// In Solr's words, and with its status.
fn read_only(name: &str) -> Error {
    Error::new(ErrorKind::InUse, format!("Collection {name} is read-only."))
}

/// Whether all copies show by now what their leaders show, those here and those of others that live.
fn have_caught_up(copies: &[ShardCopy], followers: &[RemoteMember]) -> Result<bool> {
    type Job = Box<dyn FnOnce() -> bool + Send>;
    let own = copies.iter().cloned().map(|copy| Box::new(move || copy.shard.catch_up().is_ok()) as Job);
    let living = followers.iter().filter(|follower| follower.is_alive()).cloned();
    let others = living.map(|follower| Box::new(move || follower.catch_up().is_ok()) as Job);
    let done = offload::side_by_side(own.chain(others).collect())?;
    Ok(done.into_iter().all(|has_it| has_it))
}

/// Each part in its shard, side by side.
fn applied(
    served: &Served,
    parts: Vec<Option<UpdateBatch>>,
    context: &UpdateContext,
) -> Result<AppliedParts> {
    let job = |(served, part): (&ServedShard, Option<UpdateBatch>)| {
        let (shard, context) = (Arc::clone(&served.shard), context.clone());
        move || part.map(|part| shard.update(part, context))
    };
    offload::side_by_side(served.shards.iter().zip(parts).map(job).collect())
}
