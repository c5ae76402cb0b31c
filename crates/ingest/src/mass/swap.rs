//! Where a run's documents go, and how they reach those who search: a new collection, counted, then the alias
//! in one step. The one before is kept, for going back.
//!
//! In: the state of a run and the target; out: a collection to fill, and at the end the alias on it. A run
//! that does not count what it sent leaves the alias where it was. Filling it is `range`'s.

use super::{MassIndex, RunError, RunPhase, RunState, SourceState, StateFolder};
use crate::config::{IngestConfig, TargetMode};
use crate::target::Target;

impl MassIndex {
    /// A new run: its collection is made, what an earlier one left unfinished is removed.
    pub(super) async fn begin(
        &self,
        before: RunState,
        digest: String,
        revisions: &[Option<String>],
    ) -> Result<RunState, RunError> {
        let target = &self.config.target;
        let mut state = RunState {
            run: before.run + 1,
            phase: RunPhase::Reading,
            config_digest: digest,
            target: before.target,
            collection: target.collection.clone(),
            previous: None,
            made: before.made,
            sources: self
                .config
                .sources
                .iter()
                .zip(revisions)
                .map(|(source, revision)| SourceState {
                    name: source.name.clone(),
                    revision: revision.clone(),
                    ..SourceState::default()
                })
                .collect(),
            resumed: 0,
            letters_bytes: 0,
            changes_begin: None,
            started_ms: (self.now)().as_millisecond(),
        };
        if target.mode == TargetMode::Swap {
            let collections = self.target.collections().await?;
            if collections.contains(&target.collection) {
                return Err(RunError::Config(format!(
                    "`{}` is a collection, and `mode = \"swap\"` wants an alias: name another, or write `mode = \"direct\"`",
                    target.collection
                )));
            }
            state.previous = self.target.alias(&target.collection).await?;
            self.remove_unfinished(&mut state, before.previous, &collections).await?;
            // A number that a collection of another state folder has is left alone.
            while collections.contains(&named(&self.config, state.run)) {
                state.run += 1;
            }
            state.collection = named(&self.config, state.run);
            state.made.push(state.collection.clone());
            // Known before it is made: a kill in between leaves a name, not a collection that nobody knows.
            self.folder.save(&state)?;
            self.target.create(&state.collection).await?;
        }
        self.folder.cut_letters(state.run, 0)?;
        self.folder.save(&state)?;
        Ok(state)
    }

    /// Whether the collection of an unfinished run is there: its name is kept before it is made, and who was
    /// killed in between has only the name.
    pub(super) async fn is_made(&self, state: &RunState) -> Result<bool, RunError> {
        let is_swapped = self.config.target.mode == TargetMode::Swap;
        Ok(!is_swapped || self.target.collections().await?.contains(&state.collection))
    }

    async fn remove_unfinished(
        &self,
        state: &mut RunState,
        kept_before: Option<String>,
        collections: &[String],
    ) -> Result<(), RunError> {
        let current = state.previous.clone();
        let kept = kept_before;
        let (gone, made): (Vec<_>, Vec<_>) = std::mem::take(&mut state.made)
            .into_iter()
            .partition(|name| Some(name) != current.as_ref() && Some(name) != kept.as_ref());
        state.made = made;
        for name in gone.iter().filter(|name| collections.contains(name)) {
            self.target.delete(name).await?;
        }
        Ok(())
    }

    /// Everything that was sent is there, and nothing else.
    pub(super) async fn verify(&self, state: &RunState) -> Result<(), RunError> {
        self.target.commit(&state.collection).await?;
        if self.config.target.mode == TargetMode::Direct {
            return Ok(());
        }
        let (sent, there) = (state.totals().sent, self.target.count(&state.collection).await?);
        if sent == there {
            return Ok(());
        }
        let cause = if there < sent {
            format!(
                "{} rows share their `{}` with another: make it unique in the mapping",
                sent - there,
                self.config.target.id_field
            )
        } else {
            "something else writes into it".to_owned()
        };
        Err(RunError::NotVerified(format!(
            "`{}` has {there} documents, {sent} were sent; {cause}, then run again with --fresh. The alias was left as it is",
            state.collection
        )))
    }

    /// The alias moves; of what earlier runs made, only the one before is kept.
    pub(super) async fn put_in_place(&self, state: &mut RunState) -> Result<(), RunError> {
        if self.config.target.mode == TargetMode::Swap {
            self.target.set_alias(&self.config.target.collection, &state.collection).await?;
        }
        state.phase = RunPhase::Done;
        self.folder.save(state)?;
        let kept = [Some(&state.collection), state.previous.as_ref()];
        let old: Vec<String> =
            state.made.iter().filter(|name| !kept.contains(&Some(name))).cloned().collect();
        let there = if old.is_empty() { Vec::new() } else { self.target.collections().await? };
        for name in old {
            if there.contains(&name) {
                self.target.delete(&name).await?;
            }
            state.made.retain(|made| *made != name);
        }
        Ok(self.folder.save(state)?)
    }
}

fn named(config: &IngestConfig, run: u64) -> String {
    format!("{}_run{run}", config.target.collection)
}

/// Puts the collection before the last run in place again, and the last run's aside; returns both names.
/// Twice is as before.
pub async fn rollback(config: &IngestConfig) -> Result<(String, String), RunError> {
    let dir = config.state.dir.clone().unwrap_or_default();
    let folder = StateFolder::open(&dir)?;
    let mut state = folder.load()?.for_target(&config.target);
    if config.target.mode == TargetMode::Direct || state.phase != RunPhase::Done {
        return Err(RunError::Config(
            "no finished run with `mode = \"swap\"` is there to go back from".to_owned(),
        ));
    }
    let Some(previous) = state.previous.clone() else {
        return Err(RunError::Config(
            "the last run was the first: there is nothing to go back to".to_owned(),
        ));
    };
    let target = Target::new(&config.target)?;
    target.set_alias(&config.target.collection, &previous).await?;
    let current = std::mem::replace(&mut state.collection, previous.clone());
    state.previous = Some(current.clone());
    folder.save(&state)?;
    Ok((current, previous))
}
