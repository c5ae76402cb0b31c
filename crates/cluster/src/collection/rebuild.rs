//! Rebuilding a collection under another schema while it is served: the documents of each shard go, as the
//! engine's log has them, into a shard beside it; updates that come meanwhile follow; then one file names
//! the new edition with its schema, and it is served. Until that file is written the old shards are whole
//! and in service, whatever happens.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use plan::{Commit, Error, ErrorKind, Result, Schema, SchemaSource};
use store::Watermark;

use super::intake::Intake;
use super::rebuild_status::{RebuildState, RebuildStatus, SchemaEdit};
use super::{Collection, Served};
use crate::collection_documents::SavedSchema;
use crate::in_use::VersionedSchema;
use crate::node::Node;
use crate::placement::Placement;
use crate::shard::ShardSettings;

/// Rounds over what was updated meanwhile, before updates have to wait for the last one.
const ROUNDS_MAX: usize = 20;

/// A rebuild on its way.
struct Rebuild<'a> {
    node: &'a Node,
    collection: &'a Collection,
    edit: &'a SchemaEdit,
    /// In the order of the shards that they are to replace.
    target: Served,
    /// The version of the collection's schema that the target's was made of.
    version: u64,
    purpose: &'a RebuildPurpose,
    /// The version of the document that says that all shards are this node's, where there are others.
    gathered: Option<u64>,
}

/// Why the shards are made anew.
enum RebuildPurpose {
    /// Under another schema.
    Schema,
    /// To take in what comes from elsewhere, under the same one.
    Intake(Vec<Intake>),
    /// The same documents in new segments: only if they are the same.
    Renewal,
}

impl RebuildPurpose {
    fn intakes(&self) -> &[Intake] {
        match self {
            Self::Intake(intakes) => intakes,
            Self::Schema | Self::Renewal => &[],
        }
    }
}

impl Collection {
    /// How the last rebuild went, or goes; `None` since this process opened it.
    pub fn rebuild_status(&self) -> Option<RebuildStatus> {
        self.rebuild.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Starts a rebuild under the schema that `edit` makes. Errors: `Conflict` while another runs; those of
    /// the schema.
    pub fn start_rebuild(self: &Arc<Self>, node: &Arc<Node>, edit: SchemaEdit) -> Result<()> {
        // Tried here, so that whoever asks is told what is wrong with it. The rebuild makes it anew of the
        // schema of its time.
        Schema::build(edit(&self.schema().source)?)?;
        self.claim_rebuild(node)?;
        let (collection, node) = (self.clone(), node.clone());
        tokio::task::spawn_blocking(move || {
            let result = collection.rebuild(&node, &edit, &RebuildPurpose::Schema);
            collection.note_end(&node, result.err().map(|error| error.message));
        });
        Ok(())
    }

    /// Makes all segments anew, of stored documents and what the log has beyond them, under the same schema.
    /// Updates go on meanwhile. Blocks.
    ///
    /// Errors: `DataLoss` where the documents came out otherwise, and what is served is what was; `Conflict`
    /// while another rebuild runs.
    pub fn renew(self: &Arc<Self>, node: &Arc<Node>) -> Result<()> {
        self.claim_rebuild(node)?;
        let result = self.rebuild(node, &same_schema(), &RebuildPurpose::Renewal);
        self.note_end(node, result.as_ref().err().map(|error| error.message.clone()));
        result
    }

    /// Whether one is running.
    pub(crate) fn is_rebuilding(&self) -> bool {
        self.rebuild_status().is_some_and(|status| status.state == RebuildState::Running)
    }

    /// From here on a rebuild is running. Errors: `Conflict` while another is.
    pub(super) fn claim_rebuild(&self, node: &Node) -> Result<()> {
        // Shards of other members are asked.
        self.claim_change(node, self.stats().num_docs)
    }

    /// The same of any change of the shards. Asks nobody.
    pub(super) fn claim_change(&self, node: &Node, documents: u64) -> Result<()> {
        let started_ms = node.clock().now_ms();
        let mut status = self.rebuild.lock().unwrap_or_else(PoisonError::into_inner);
        if status.as_ref().is_some_and(|status| status.state == RebuildState::Running) {
            return Err(Error::new(ErrorKind::Conflict, "a rebuild is running; wait for its end"));
        }
        *status = Some(RebuildStatus {
            state: RebuildState::Running,
            started_ms,
            until_ms: started_ms,
            documents,
            bytes: 0,
            failure: None,
        });
        Ok(())
    }

    /// Of who claimed it for another change of the shards: no rebuild was made, and the one told of is the
    /// last before.
    pub(super) fn end_claim(&self, last: Option<RebuildStatus>) {
        *self.rebuild.lock().unwrap_or_else(PoisonError::into_inner) = last;
    }

    pub(super) fn note_end(&self, node: &Node, failure: Option<String>) {
        self.note(node, |status| {
            status.state = if failure.is_none() { RebuildState::Done } else { RebuildState::Failed };
            status.failure = failure;
        });
    }

    /// The schema before the last rebuild, with what the present one has that it does not know. Errors:
    /// `BadRequest` when there was no rebuild.
    pub fn schema_before_rebuild(&self) -> Result<SchemaSource> {
        let saved = self.catalog.schema(self.entry().key())?.value;
        let before = saved.before.ok_or_else(|| {
            Error::bad_request(format!(
                "the schema of `{}` was never rebuilt; there is nothing to undo",
                self.name()
            ))
        })?;
        Ok(with_added(before, &saved.source))
    }

    fn note(&self, node: &Node, change: impl FnOnce(&mut RebuildStatus)) {
        let mut status = self.rebuild.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(status) = &mut *status {
            status.until_ms = node.clock().now_ms();
            change(status);
        }
    }

    /// With documents from elsewhere. The caller has claimed it. Blocks.
    pub(super) fn rebuild_taking_in(self: &Arc<Self>, node: &Node, intakes: Vec<Intake>) -> Result<()> {
        self.rebuild(node, &same_schema(), &RebuildPurpose::Intake(intakes))
    }

    /// The caller has claimed it. Blocks.
    fn rebuild(self: &Arc<Self>, node: &Node, edit: &SchemaEdit, purpose: &RebuildPurpose) -> Result<()> {
        let gathered = node.gather_shards(self)?;
        let rebuilt = self.rebuild_gathered(node, (edit, purpose), gathered);
        match rebuilt.as_ref().err().map(|error| error.kind) {
            Some(ErrorKind::Unknown) => node.leave_rebuilding(self),
            // How it ended says how the rebuild went; what is not where it was, the node's next look brings
            // there.
            _ => gathered.into_iter().for_each(|gathered| drop(node.spread_shards_again(self, gathered))),
        }
        rebuilt
    }

    fn rebuild_gathered(
        &self,
        node: &Node,
        (edit, purpose): (&SchemaEdit, &RebuildPurpose),
        gathered: Option<u64>,
    ) -> Result<()> {
        let present = self.versioned_schema();
        let schema = rebuilt(&present, edit)?;
        let edition = self.begin_building(node, present.version + 1)?;
        let old = self.home.served_full();
        let beside = (old.owners.clone(), None);
        let opened = node.open_edition(&self.entry(), &edition, (&schema, self.config().auto_commit), beside);
        let result = opened.and_then(|target| {
            let version = present.version;
            let mut rebuild = Rebuild { node, collection: self, edit, target, version, purpose, gathered };
            let result = rebuild.run(&old);
            old.shards.iter().for_each(|served| served.shard.end_export());
            // Of those that are not served any more nothing is needed: failing to close or to remove them
            // changes no answer.
            let _ = if result.is_ok() { old.close() } else { rebuild.target.close() };
            result
        });
        let _made = node.lock();
        // Where nobody knows whether the rebuild was accepted, neither folder may go.
        let known = result.as_ref().err().is_none_or(|error| error.kind != ErrorKind::Unknown);
        if known && self.check_open().is_ok() {
            let _ = self.end_building();
        }
        result
    }

    /// Writes down which edition a rebuild is about to make, so that it can go if the rebuild comes to
    /// nothing. What an earlier one left goes first.
    fn begin_building(&self, node: &Node, version: u64) -> Result<String> {
        let _made = node.lock();
        self.check_open()?;
        let entry = self.entry();
        let mut placement = self.end_building()?;
        let taken = self.catalog.shard_folders(entry.key())?;
        let mut folder = format!("shard-{version}");
        let mut number = 2;
        while taken.contains(&folder) || node.is_used(&entry, &folder)? {
            folder = format!("shard-{version}.{number}");
            number += 1;
        }
        placement.building = Some(folder.clone());
        self.catalog.put_placement(entry.key(), &placement)?;
        Ok(folder)
    }

    /// Brings the placement in line with the schema and removes what it discards by that.
    fn end_building(&self) -> Result<Placement> {
        let entry = self.entry();
        let saved = self.catalog.schema(entry.key())?.value;
        // Invariant: what is served is never discarded, whatever the documents say.
        if saved.edition() != self.home.served().edition {
            let message = "the schema names other documents than are served here; start the node again";
            return Err(Error::new(ErrorKind::Unavailable, message));
        }
        let mut placement = self.catalog.placement_of(&entry)?;
        placement.settle(&entry, saved.edition());
        self.catalog.put_placement(entry.key(), &placement)?;
        self.catalog.sweep(entry.key(), &mut placement)?;
        Ok(placement)
    }

    /// Errors: it was deleted, unloaded, or the node stops.
    fn check_open(&self) -> Result<()> {
        let closed = || Error::new(ErrorKind::Unavailable, "the collection was closed during the rebuild");
        if self.closed.load(Ordering::Acquire) { Err(closed()) } else { Ok(()) }
    }
}

impl Rebuild<'_> {
    fn run(&mut self, old: &Served) -> Result<()> {
        let mut reached = Vec::with_capacity(old.shards.len());
        for (number, served) in old.shards.iter().enumerate() {
            reached.push(served.shard.export(None, &mut |record| self.take(number, record))?);
        }
        self.purpose.intakes().iter().try_for_each(|intake| self.take_in(intake))?;
        // Rounds get shorter as long as records are taken faster than they come; what is left is taken with
        // updates held up.
        for _ in 0..ROUNDS_MAX {
            let before = reached.clone();
            for ((number, served), at) in old.shards.iter().enumerate().zip(&mut reached) {
                *at = served.shard.export(Some(*at), &mut |record| self.take(number, record))?;
            }
            if reached == before {
                break;
            }
        }
        // Nearly all of the flush, before updates have to wait for the rest of it.
        self.flush()?;
        self.swap(old, &reached)
    }

    fn flush(&self) -> Result<()> {
        self.target.shards.iter().try_for_each(|served| served.shard.commit(&Commit::HARD))
    }

    /// Takes what the shards of another collection have now; their later updates are their own.
    fn take_in(&mut self, intake: &Intake) -> Result<()> {
        for from in intake.from.shards() {
            let taken = from.export(None, &mut |record| {
                (0..self.target.shards.len())
                    .try_for_each(|number| self.take_wanted(number, record, Some(&*intake.wanted)))
            });
            from.end_export();
            taken?;
        }
        Ok(())
    }

    /// Takes a record whole.
    fn take(&mut self, number: usize, record: &[u8]) -> Result<()> {
        self.take_wanted(number, record, None)
    }

    /// Takes what is wanted of a record, under the schema of its time at least; of documents from elsewhere
    /// those that are the shard's.
    fn take_wanted(
        &mut self,
        number: usize,
        record: &[u8],
        wanted: Option<&dyn Fn(&str) -> bool>,
    ) -> Result<()> {
        self.collection.check_open()?;
        let present = self.collection.versioned_schema();
        if present.version != self.version {
            let schema = rebuilt(&present, self.edit)?;
            self.target.set_schema(&schema).map_err(|(error, _)| error)?;
            self.version = present.version;
        }
        let Served { router, documents, shards, .. } = &self.target;
        let Some(target) = shards.get(number) else { return Ok(()) };
        let own =
            |id: &str| wanted.is_none_or(|wanted| wanted(id)) && router.takes_in(documents, id) == number;
        let wanted: Option<&dyn Fn(&str) -> bool> = wanted.map(|_| &own as _);
        target.shard.import(record, wanted)?;
        self.collection.note(self.node, |status| status.bytes += record.len() as u64);
        Ok(())
    }

    /// Between two updates: the last records, then the new shards with their schema instead of the old.
    fn swap(&mut self, old: &Served, reached: &[Watermark]) -> Result<()> {
        let collection = self.collection;
        // The node's lock before the collection's, as renaming takes them; the gate last, which is what
        // updates wait at.
        let _made = self.node.lock();
        collection.check_open()?;
        let _changing = collection.lock();
        // Ahead of the check, which is ahead of the copy (model `rebuild_shards`): one that took this member
        // for gone has changed this document before it took an update, so that this rebuild is not accepted.
        let before = collection.catalog.schema(collection.entry().key())?;
        self.node.check_gathered(&collection.entry(), self.gathered)?;
        let _alone = collection.home.alone();
        // Makes the logs hold for good what has passed the gate, before they are read.
        for ((number, served), at) in old.shards.iter().enumerate().zip(reached) {
            served.shard.export(Some(*at), &mut |record| self.take(number, record))?;
        }
        let present = collection.versioned_schema();
        let schema = rebuilt(&present, self.edit)?;
        self.target.set_schema(&schema).map_err(|(error, _)| error)?;
        for (target, old) in self.target.shards.iter().zip(&old.shards) {
            target.shard.inherit_batches(&old.shard.remembered_batches());
        }
        self.flush()?;
        if matches!(self.purpose, RebuildPurpose::Renewal) {
            check_same(old, &self.target)?;
        }
        // Only an edit could be undone.
        let saved = SavedSchema {
            version: schema.lineage.version,
            source: schema.source.clone(),
            edition: Some(self.target.edition.clone()),
            before: match self.purpose {
                RebuildPurpose::Schema => Some(present.value.source.clone()),
                RebuildPurpose::Intake(_) | RebuildPurpose::Renewal => before.value.before,
            },
        };
        let config = collection.config();
        self.target.configure(&ShardSettings::of(&config));
        // Invariant: the one step that accepts the rebuild. What fails behind it, the next start finishes.
        let accepted = collection.catalog.set_schema(collection.entry().key(), Some(before.version), &saved);
        accepted.inspect_err(|error| {
            if error.kind == ErrorKind::Unknown {
                // The next start may serve either edition: nothing more is acknowledged by this one, while
                // updates are held up.
                let _ = old.close();
            }
        })?;
        // The schema first: a search that was resolved by it, and still meets the old shard, is refused as
        // one that comes too early, and waits for this change to end.
        collection.schema.store(Arc::new(VersionedSchema::new(saved.version, schema)));
        collection.home.put(self.target.clone());
        collection.pending.store(None);
        collection.changes.fetch_add(1, Ordering::Release);
        Ok(())
    }
}

/// Errors: `DataLoss` where a shard's documents are not those of the one that it is made of.
fn check_same(old: &Served, target: &Served) -> Result<()> {
    for ((document, old), new) in old.documents.iter().zip(&old.shards).zip(&target.shards) {
        let (old, new) = (old.shard.content_digest()?, new.shard.content_digest()?);
        if old != new {
            let message = format!(
                "shard `{}` came out otherwise: {} documents with the digest {old} were {} with {new}; what \
                 was there is kept",
                document.name,
                old.documents(),
                new.documents()
            );
            return Err(Error::new(ErrorKind::DataLoss, message));
        }
    }
    Ok(())
}

fn same_schema() -> SchemaEdit {
    Box::new(|source| Ok(source.clone()))
}

/// What a rebuild makes of the present schema: the version after it.
fn rebuilt(present: &VersionedSchema, edit: &SchemaEdit) -> Result<Arc<Schema>> {
    let schema = Schema::build(edit(&present.value.source)?)?;
    Ok(Arc::new(schema.succeeding(&present.value, present.version + 1)))
}

/// `source` with the fields and types of `present` that it does not name: documents may have them since.
fn with_added(mut source: SchemaSource, present: &SchemaSource) -> SchemaSource {
    let known: Vec<_> = source.types.iter().map(|it| it.name.clone()).collect();
    source.types.extend(present.types.iter().filter(|it| !known.contains(&it.name)).cloned());
    for (fields, others) in
        [(&mut source.fields, &present.fields), (&mut source.dynamic_fields, &present.dynamic_fields)]
    {
        let known: Vec<_> = fields.iter().map(|it| it.name.clone()).collect();
        fields.extend(others.iter().filter(|it| !known.contains(&it.name)).cloned());
    }
    for (name, text) in &present.resources {
        source.resources.entry(name.clone()).or_insert_with(|| text.clone());
    }
    source
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rebuild_tests::{film, films, open, update};

    /// What came out otherwise does not take the place of what was there.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn shards_with_other_documents_are_not_the_same() {
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let [one, other] = [0, 1].map(|at| open(folders[at].path()));
        let (one, other) = (films(&one).await, films(&other).await);
        let check = || check_same(&one.home.served_full(), &other.home.served_full());
        check().unwrap();
        update(&one, vec![film("a", "1970")]).await;
        let error = check().unwrap_err();
        assert_eq!(error.kind, ErrorKind::DataLoss);
        assert!(error.message.contains("came out otherwise: 1 documents with the digest"), "{error}");
    }
}
