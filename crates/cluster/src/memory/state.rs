//! The documents of a shard in memory: versions, what is visible since the last commit, and what a query
//! finds, one document at a time. One lock of the shard is around it; nothing here blocks. It is what the
//! tests of `cluster` and `http` hold against the engine's shard, so it is simple before it is quick: no
//! index, no log, no files, and only the kinds of query that those tests ask.

use std::sync::Arc;

use plan::partial::{IndexFingerprint, IndexedField, IndexedFields, Merge};
use plan::{
    Commit, Document, Error, ErrorKind, Expect, FieldSelection, Operation, Query, Result, Schema,
    UpdateOutcome, Value, Version,
};

use crate::shard::GetRead;

pub(super) struct State {
    pub(super) schema: Arc<Schema>,
    version: i64,
    pub(super) documents: Vec<(String, Document)>,
    pub(super) visible: Arc<Vec<(String, Document)>>,
    pub(super) snapshots: u64,
    pub(super) suggesters_built: u64,
}

impl State {
    /// Without any document.
    pub(super) fn of(schema: Arc<Schema>) -> Self {
        Self {
            schema,
            version: 0,
            documents: vec![],
            visible: Arc::default(),
            snapshots: 0,
            suggesters_built: 0,
        }
    }

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

    pub(super) fn apply(
        &mut self,
        operation: Operation,
        now_ms: i64,
        outcome: &mut UpdateOutcome,
    ) -> Result<()> {
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

    pub(super) fn commit(&mut self, commit: &Commit) {
        if commit.open_searcher {
            self.visible = Arc::new(self.documents.clone());
            self.snapshots += 1;
        }
    }

    pub(super) fn get(&self, request: &GetRead<'_>) -> Vec<Option<Document>> {
        let found = |id: &String| Some(select(&self.documents[self.position(id)?].1, request.fields));
        request.ids.iter().map(found).collect()
    }

    pub(super) fn fields(&self) -> IndexedFields {
        let names = self.visible.iter().flat_map(|(_, document)| &document.fields);
        let field = |(name, _): &(Arc<str>, _)| {
            let field = IndexedField { name: name.to_string(), docs: 1, distinct: None, in_index: true };
            IndexedFields(vec![field])
        };
        names.map(field).fold(IndexedFields::default(), Merge::merge)
    }

    pub(super) fn fingerprint(&self, up_to: Version) -> IndexFingerprint {
        let mut made =
            IndexFingerprint { max_doc: self.documents.len() as u64, ..IndexFingerprint::default() };
        self.versions(usize::MAX).into_iter().for_each(|version| made.add(version, up_to));
        made
    }

    pub(super) fn versions(&self, limit: usize) -> Vec<Version> {
        let versions =
            self.documents.iter().rev().filter_map(|(_, document)| match document.first("_version_") {
                Some(Value::Long(version)) => Some(*version),
                _ => None,
            });
        versions.take(limit).collect()
    }
}

pub(super) fn select(document: &Document, fields: &FieldSelection) -> Document {
    let chosen = document.fields.iter().filter(|(name, _)| fields.contains(name));
    Document { fields: chosen.cloned().collect() }
}

pub(super) fn matches(query: &Query, document: &Document) -> bool {
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
