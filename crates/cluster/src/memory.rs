//! A shard in memory, for tests of this crate and of those above: real in what it promises (versions, visibility after a
//! commit, real-time get), naive in how. Searches know `All`, `Nothing` and `Term`, compared as text, in order of arrival.

use std::sync::{Arc, Mutex, PoisonError};

use meter::{Clock, Meters};
use plan::partial::ShardResult;
use plan::{
    AutoCommit, CacheStats, Commit, Document, DocumentVectors, Error, ErrorKind, Expect, Explanation,
    FieldSelection, Hit, Join, LikeTerm, MoreLike, Operation, Query, Result, Schema, SearchPlan,
    SpellFinding, SpellPlan, SuggestComponent, SuggestPlan, Suggestion, TermCount, TermsPlan, UpdateBatch,
    UpdateOutcome, Value, VectorsPlan, Version, WhyNot,
};

use store::{ShardImage, Watermark};

use crate::shard::{
    BackedUp, FieldStats, JoinedValues, OpenShard, Peers, SegmentStats, Shard, ShardPlace, ShardSite,
    ShardStats, TopTerms, UpdateContext, Visit,
};

/// Opens shards that forget everything when they close.
#[derive(Default)]
pub struct MemoryShards;

impl OpenShard for MemoryShards {
    fn open(&self, site: ShardSite) -> Result<Arc<dyn Shard>> {
        let state = State { schema: site.schema, ..State::default() };
        Ok(Arc::new(MemoryShard { clock: site.clock, state: Mutex::new(state) }))
    }

    /// What was there is not in the backup either.
    fn restore(&self, _: &ShardPlace, _: &BackedUp<'_>) -> Result<()> {
        Ok(())
    }
}

struct MemoryShard {
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

struct State {
    schema: Arc<Schema>,
    version: i64,
    documents: Vec<(String, Document)>,
    visible: Vec<(String, Document)>,
    snapshots: u64,
    suggesters_built: u64,
}

impl Default for State {
    fn default() -> Self {
        let schema = Schema::build(plan::SchemaSource::default()).unwrap_or_else(|error| panic!("{error}"));
        Self {
            schema: Arc::new(schema),
            version: 0,
            documents: vec![],
            visible: vec![],
            snapshots: 0,
            suggesters_built: 0,
        }
    }
}

impl State {
    fn position(&self, id: &str) -> Option<usize> {
        self.documents.iter().position(|(known, _)| known == id)
    }

    fn next_version(&mut self, now_ms: i64) -> i64 {
        self.version = (self.version + 1).max(now_ms << 20);
        self.version
    }

    fn check(&self, id: &str, expect: Expect) -> Result<()> {
        let actual = self.position(id).and_then(|at| match self.documents[at].1.first("_version_") {
            Some(Value::Long(version)) => Some(*version),
            _ => None,
        });
        let met = match expect {
            Expect::Anything => true,
            Expect::Exists => actual.is_some(),
            Expect::Exactly(version) => actual == Some(version),
            Expect::Absent(_) => actual.is_none(),
        };
        let (expected, actual) = (expect.as_version(), actual.unwrap_or(-1));
        let message = || format!("version conflict for {id} expected={expected} actual={actual}");
        if met { Ok(()) } else { Err(Error::new(ErrorKind::Conflict, message())) }
    }

    fn apply(&mut self, operation: Operation, now_ms: i64, outcome: &mut UpdateOutcome) -> Result<()> {
        match operation {
            Operation::Add(add) => {
                self.check(&add.id, add.expect)?;
                let version = self.next_version(now_ms);
                let mut document = add.document;
                document.append(&Arc::from("_version_"), [Value::Long(version)]);
                if let Some(at) = self.position(&add.id) {
                    self.documents.remove(at);
                }
                self.documents.push((add.id.clone(), document));
                outcome.added.push((add.id, version));
            }
            Operation::Delete { id, expect, .. } => {
                self.check(&id, expect)?;
                let version = self.next_version(now_ms);
                self.documents.retain(|(known, _)| *known != id);
                outcome.deleted.push((id, -version));
            }
            Operation::DeleteByQuery { query, text, .. } => {
                let version = self.next_version(now_ms);
                self.documents.retain(|(_, document)| !matches(&query, document));
                outcome.deleted_by_query.push((text, -version));
            }
            Operation::Commit(commit) => self.commit(&commit),
            Operation::Refused(refusal) => return Err(refusal.error),
            Operation::Modify(_) | Operation::Rollback => {
                return Err(Error::bad_request("a shard in memory does not do this"));
            }
        }
        Ok(())
    }

    fn commit(&mut self, commit: &Commit) {
        if commit.open_searcher {
            self.visible = self.documents.clone();
            self.snapshots += 1;
        }
    }
}

impl MemoryShard {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shard for MemoryShard {
    fn update(&self, batch: UpdateBatch, _: UpdateContext) -> UpdateOutcome {
        let (mut state, now_ms) = (self.state(), self.clock.now_ms());
        let mut outcome = UpdateOutcome::default();
        for operation in batch.operations {
            match state.apply(operation, now_ms, &mut outcome) {
                Err(error) if error.kind == ErrorKind::Conflict && batch.conflicts_skip => {}
                Err(error) => {
                    outcome.failure = Some(error);
                    break;
                }
                Ok(()) => {}
            }
        }
        outcome
    }

    fn commit(&self, commit: &Commit) -> Result<()> {
        self.state().commit(commit);
        Ok(())
    }

    fn search(&self, plan: &SearchPlan, _: &Meters) -> Result<ShardResult> {
        let state = self.state();
        let found = state.visible.iter().filter(|(_, document)| {
            matches(&plan.query, document)
                && plan.filters.iter().all(|filter| matches(&filter.query, document))
        });
        let found: Vec<_> = found.collect();
        let page = found.iter().enumerate().skip(plan.page.start).take(plan.page.rows);
        let hits = page.map(|(place, (id, document))| Hit {
            children: Vec::new(),
            id: id.clone(),
            place: place as u64,
            document: select(document, &plan.fields),
            score: plan.scores.then_some(1.0),
            values: vec![],
            explanation: None,
        });
        Ok(ShardResult {
            total: found.len() as u64,
            total_exact: true,
            score_max: plan.scores.then_some(if found.is_empty() { 0.0 } else { 1.0 }),
            hits: hits.collect(),
            ..ShardResult::default()
        })
    }

    fn joined(&self, _: &Join, _: bool) -> Result<JoinedValues> {
        Err(Error::internal("a shard in memory joins nothing"))
    }

    fn set_peers(&self, _: Arc<dyn Peers>) {}

    fn get(&self, ids: &[String], fields: &FieldSelection) -> Result<Vec<Option<Document>>> {
        let state = self.state();
        let found = ids.iter().map(|id| Some(select(&state.documents[state.position(id)?].1, fields)));
        Ok(found.collect())
    }

    fn set_schema(&self, schema: Arc<Schema>) -> Result<()> {
        if schema.source.name == REFUSED {
            return Err(Error::bad_request("a schema that no shard takes"));
        }
        self.state().schema = schema;
        Ok(())
    }

    fn set_auto_commit(&self, _: AutoCommit) {}

    fn set_expiries(&self, _: &[(String, u64)]) {}

    fn stats(&self) -> ShardStats {
        let state = self.state();
        let count = state.visible.len() as u64;
        ShardStats {
            num_docs: count,
            max_doc: count,
            segment_count: usize::from(count > 0),
            version: state.snapshots,
            current: state.visible == state.documents,
            ..ShardStats::default()
        }
    }

    fn luke_fields(&self) -> Result<Vec<FieldStats>> {
        let state = self.state();
        let mut fields: Vec<FieldStats> = Vec::new();
        for (name, _) in state.visible.iter().flat_map(|(_, document)| &document.fields) {
            match fields.iter_mut().find(|known| *known.name == **name) {
                Some(known) => known.docs += 1,
                None => fields.push(FieldStats {
                    name: name.to_string(),
                    docs: 1,
                    distinct: None,
                    in_index: true,
                }),
            }
        }
        Ok(fields)
    }

    fn top_terms(&self, _: &str, _: usize) -> Result<TopTerms> {
        Ok(TopTerms::default())
    }

    fn terms(&self, _: &TermsPlan) -> Result<Vec<TermCount>> {
        Ok(vec![])
    }

    fn vectors(&self, _: &VectorsPlan) -> Result<Vec<DocumentVectors>> {
        Ok(vec![])
    }

    fn why_not(&self, _: &SearchPlan, _: &str, _: &Meters) -> Result<WhyNot> {
        Ok(WhyNot::default())
    }

    fn like_terms(&self, _: &MoreLike) -> Result<Vec<LikeTerm>> {
        Ok(vec![])
    }

    fn set_suggesters(&self, _: &[SuggestComponent]) {}

    fn build_suggester(&self, _: &str, _: &str) -> Result<()> {
        self.state().suggesters_built += 1;
        Ok(())
    }

    fn suggest(&self, _: &SuggestPlan) -> Result<Vec<Suggestion>> {
        Ok(vec![])
    }

    fn suggesters_number(&self) -> u64 {
        self.state().suggesters_built
    }

    fn spell(&self, _: &SpellPlan, _: &Meters) -> Result<Vec<SpellFinding>> {
        Ok(vec![])
    }

    fn document_at(&self, place: u64, fields: &FieldSelection) -> Result<Option<(String, Document)>> {
        let (state, place) = (self.state(), usize::try_from(place).unwrap_or(usize::MAX));
        Ok(state.visible.get(place).map(|(id, document)| (id.clone(), select(document, fields))))
    }

    fn explain_other(
        &self,
        _: &SearchPlan,
        _: &Query,
        _: usize,
        _: &Meters,
    ) -> Result<Vec<(String, Explanation)>> {
        Ok(vec![])
    }

    fn versions(&self, limit: usize) -> Result<Vec<Version>> {
        let state = self.state();
        let versions =
            state.documents.iter().rev().filter_map(|(_, document)| match document.first("_version_") {
                Some(Value::Long(version)) => Some(*version),
                _ => None,
            });
        Ok(versions.take(limit).collect())
    }

    fn segments(&self) -> Vec<SegmentStats> {
        let max_doc = self.state().visible.len() as u64;
        vec![SegmentStats { max_doc, ..SegmentStats::default() }]
    }

    fn snapshot_number(&self) -> u64 {
        self.state().snapshots
    }

    fn caches(&self) -> Vec<(&'static str, CacheStats)> {
        vec![]
    }

    fn export(&self, _visit: &mut Visit<'_>) -> Result<Watermark> {
        Err(Error::internal("a shard in memory is not rebuilt"))
    }

    fn export_since(&self, _after: Watermark, _visit: &mut Visit<'_>) -> Result<Watermark> {
        Err(Error::internal("a shard in memory is not rebuilt"))
    }

    fn end_export(&self) {}

    fn import(&self, _record: &[u8], _wanted: Option<&dyn Fn(&str) -> bool>) -> Result<()> {
        Err(Error::internal("a shard in memory is not rebuilt"))
    }

    fn capture(&self) -> Result<ShardImage> {
        Ok(ShardImage { manifest: b"{}".to_vec(), files: vec![] })
    }

    fn close(&self) -> Result<()> {
        Ok(())
    }
}

/// The name of a schema that a shard in memory refuses.
pub const REFUSED: &str = "refused";

fn select(document: &Document, fields: &FieldSelection) -> Document {
    let chosen = document.fields.iter().filter(|(name, _)| fields.contains(name));
    Document { fields: chosen.cloned().collect() }
}

fn matches(query: &Query, document: &Document) -> bool {
    match query {
        Query::All => true,
        Query::Term { field, value } => {
            let values = document.get(field).unwrap_or_default();
            values.iter().any(|known| known.to_text() == value.to_text())
        }
        Query::ConstantScore { query, .. } | Query::Boost { query, .. } => matches(query, document),
        _ => false,
    }
}
