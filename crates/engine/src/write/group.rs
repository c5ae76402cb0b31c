//! The part of an update that needs no lock: cutting a batch into groups, making room in the layout for the
//! fields they name, and preparing each operation: defaults, atomic edits merged onto the current document,
//! analysis, the log's encoding.
//!
//! In: `plan::Operation`; out: [`Pending`], which `apply.rs` applies.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use plan::{
    Add, Conditions, Document, Error, Expect, Modify, Nested, NestedField, Operation, Query, Refusal,
    RefusalKind, Result, Schema, Value, Version, coerce,
};

use crate::core::Core;
use crate::indexing::prepare::Preparer;
use crate::indexing::prepare::prepared::Prepared;
use crate::layout::bound_schema::BoundSchema;
use crate::lock::lock;
use crate::segment::id_filter;
use crate::write::atomic;
use crate::write::block;
use crate::write::log_codec::{Body, encode_body};
use crate::write::update_context::EditSteps;

/// A group ends after this many operations or bytes of documents: what a refresh may have to wait for.
const GROUP_OPERATIONS_MAX: usize = 1_000;
const GROUP_BYTES_MAX: usize = 1 << 20;

/// An operation on its way through a group.
pub(crate) struct Pending {
    /// Its number in the batch, from 0.
    pub(crate) ordinal: u32,
    pub(crate) id: String,
    pub(crate) hash: u64,
    pub(crate) expect: Expect,
    pub(crate) conditions: Option<Box<Conditions>>,
    pub(crate) commit_within_ms: Option<u64>,
    pub(crate) work: Work,
}

impl Pending {
    /// Whether it edits a document instead of replacing it.
    pub(crate) fn is_atomic(&self) -> bool {
        matches!(&self.work, Work::Put(put) if put.edit.is_some())
    }

    pub(crate) fn refusal(&self, error: Error) -> Refusal {
        let kind = match self.work {
            Work::Put(_) => RefusalKind::Add,
            Work::Delete => RefusalKind::Delete,
        };
        Refusal { kind, of: self.id.clone(), error }
    }
}

pub(crate) enum Work {
    Put(Box<Put>),
    Delete,
}

pub(crate) struct Put {
    pub(crate) prepared: Prepared,
    /// The documents below it, in index order.
    pub(crate) children: Vec<PreparedChild>,
    /// The document, or its block, as the log keeps it.
    pub(crate) body: Body,
    pub(crate) overwrite: bool,
    pub(crate) edit: Option<Edit>,
}

pub(crate) struct PreparedChild {
    pub(crate) id: String,
    pub(crate) hash: u64,
    pub(crate) prepared: Prepared,
}

/// The atomic update that a document came from, to be made again if the document changed meanwhile.
pub(crate) struct Edit {
    pub(crate) modify: Modify,
    /// Version of the document that was edited; `None` when there was none.
    pub(crate) base: Option<Version>,
}

/// Why an operation is not prepared.
pub(crate) enum Unprepared {
    Failed(Error),
    /// The layout has grown since the preparer was taken; a newer one may do it.
    Outgrown(Box<Operation>),
}

impl From<Error> for Unprepared {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// A document that edits have made of one of this version.
struct MergedEdits {
    put: Box<Put>,
    base: Option<Version>,
}

impl MergedEdits {
    fn of(self, modify: Modify) -> Work {
        let Self { mut put, base } = self;
        put.edit = Some(Edit { modify, base });
        Work::Put(put)
    }
}

/// Operations of one batch that are prepared together.
#[derive(Default)]
pub(crate) struct UpdateGroup {
    pub(crate) operations: Vec<Operation>,
    /// The number of the first in the batch.
    pub(crate) first: u32,
    /// A failure found while preparing, with its operation's number; the operations behind it are left.
    pub(crate) failure: Option<(u32, Refusal)>,
    /// What is done to documents that edits have made.
    pub(crate) edit_steps: Option<Arc<dyn EditSteps>>,
}

impl UpdateGroup {
    /// The documents that its only one replaces besides those of its id.
    pub(crate) fn replaced(&self) -> Option<Query> {
        self.operations.first().and_then(replaced).cloned()
    }
}

fn replaced(operation: &Operation) -> Option<&Query> {
    match operation {
        Operation::Add(Add { conditions, .. }) | Operation::Modify(Modify { conditions, .. }) => {
            conditions.as_ref()?.replaced.as_ref()
        }
        _ => None,
    }
}

impl Core {
    /// A preparer for the newest layout, which is grown by what the group names.
    pub(crate) fn take_preparer(&self, group: &UpdateGroup) -> Result<Preparer> {
        // By the schema that the layout is grown under: what another copies to may be fields that nobody has
        // met.
        let mut known = self.bound.load_full();
        let bound = loop {
            let bound = self.grow(&names_of(group, &known));
            if Arc::ptr_eq(&bound.schema, &known.schema) {
                break bound;
            }
            known = bound;
        };
        let mut idle = lock(&self.preparers);
        // A preparer of another layout may not know where the newest fields go.
        idle.retain(|it| Arc::ptr_eq(it.layout(), &bound.layout));
        let fresh = || Preparer::new(bound.layout.clone(), bound.schema.clone(), bound.analyzers.clone());
        let mut preparer = idle.pop().unwrap_or_else(fresh);
        preparer.start_group();
        Ok(preparer)
    }

    pub(crate) fn prepare_group(
        &self,
        preparer: &mut Preparer,
        group: &mut UpdateGroup,
    ) -> VecDeque<Pending> {
        let mut pending = VecDeque::with_capacity(group.operations.len());
        let mut operations = VecDeque::from(std::mem::take(&mut group.operations));
        let mut ordinals = group.first..;
        while let (Some(operation), Some(ordinal)) = (operations.pop_front(), ordinals.next()) {
            if !Arc::ptr_eq(preparer.schema(), &self.bound.load().schema) {
                // A schema with more fields has come: what it adds by itself, defaults and copies, this
                // preparer cannot place. The rest is another group, with another preparer.
                operations.push_front(operation);
                break;
            }
            let named = match &operation {
                Operation::Delete { id, .. } => (RefusalKind::Delete, id.clone()),
                Operation::Add(Add { id, .. }) | Operation::Modify(Modify { id, .. }) => {
                    (RefusalKind::Add, id.clone())
                }
                _ => (RefusalKind::Add, String::new()),
            };
            match self.prepare(preparer, operation, group.edit_steps.as_deref()) {
                Ok(prepared) => pending.push_back(Pending { ordinal, ..prepared }),
                Err(Unprepared::Outgrown(operation)) => {
                    operations.push_front(*operation);
                    break;
                }
                Err(Unprepared::Failed(error)) => {
                    group.failure = Some((ordinal, Refusal { kind: named.0, of: named.1, error }));
                    break;
                }
            }
        }
        group.operations = operations.into();
        pending
    }

    fn prepare(
        &self,
        preparer: &mut Preparer,
        operation: Operation,
        edit_steps: Option<&dyn EditSteps>,
    ) -> std::result::Result<Pending, Unprepared> {
        match operation {
            Operation::Add(Add {
                id,
                document,
                children,
                expect,
                overwrite,
                conditions,
                commit_within_ms,
            }) => {
                let nested = Nested { id: id.clone(), document, children };
                let work = Work::Put(self.put(preparer, nested, overwrite)?);
                let hash = id_filter::hash(&id);
                Ok(Pending { ordinal: 0, hash, id, expect, conditions, commit_within_ms, work })
            }
            Operation::Modify(modify) => {
                let id = modify.root.clone().unwrap_or_else(|| modify.id.clone());
                let (hash, expect) = (id_filter::hash(&id), modify.expect);
                let (conditions, commit_within_ms) = (modify.conditions.clone(), modify.commit_within_ms);
                let work = self.edited(preparer, (&id, hash), modify, edit_steps)?;
                Ok(Pending { ordinal: 0, id, hash, expect, conditions, commit_within_ms, work })
            }
            Operation::Delete { id, route: _, expect, commit_within_ms } => {
                let (hash, conditions) = (id_filter::hash(&id), None);
                Ok(Pending { ordinal: 0, hash, id, expect, conditions, commit_within_ms, work: Work::Delete })
            }
            _ => Err(Error::internal("an operation that is not of one id cannot be in a group").into()),
        }
    }

    pub(crate) fn prepare_again(
        &self,
        preparer: &mut Preparer,
        stale: &mut Pending,
        edit_steps: Option<&dyn EditSteps>,
    ) -> std::result::Result<(), Unprepared> {
        if let Work::Put(put) = &mut stale.work
            && let Some(edit) = put.edit.take()
        {
            stale.work = self.edited(preparer, (&stale.id, stale.hash), edit.modify, edit_steps)?;
        }
        Ok(())
    }

    fn edited(
        &self,
        preparer: &mut Preparer,
        root: (&str, u64),
        modify: Modify,
        edit_steps: Option<&dyn EditSteps>,
    ) -> std::result::Result<Work, Unprepared> {
        match self.merge_edits(preparer, root, &modify, edit_steps) {
            Ok(merged) => Ok(merged.of(modify)),
            // The document may have got fields since that this preparer has not met.
            Err(_) if !Arc::ptr_eq(preparer.layout(), &self.layout()) => {
                Err(Unprepared::Outgrown(Box::new(Operation::Modify(modify))))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The atomic update made on the document as it stands now, or on its block, whose root is named `root`.
    fn merge_edits(
        &self,
        preparer: &mut Preparer,
        (root, hash): (&str, u64),
        modify: &Modify,
        edit_steps: Option<&dyn EditSteps>,
    ) -> Result<MergedEdits> {
        // Only looked up under the lock. Whether the document is still the same is asked again when the
        // result gets its place (`apply.rs`).
        let (current, is_child) = {
            let state = self.state();
            let current = state.current_block(root, hash)?;
            let is_child = current.is_none() && modify.root.is_none() && state.child(root, hash)?.is_some();
            (current, is_child)
        };
        if is_child {
            return Err(block::root_unknown());
        }
        let (base, mut nested) = match current {
            Some(found) => {
                // The newest, which knows all that a document may have.
                let bound = self.bound.load_full();
                (Some(found.version), block::assemble(&found.sources, &bound.layout, &bound.schema)?)
            }
            None if modify.id != root => return Err(block::no_root(root)),
            None => (None, Nested { id: root.to_owned(), ..Nested::default() }),
        };
        nested.id = root.to_owned();
        if base.is_none() && modify.conditions.as_ref().is_some_and(|it| it.in_place) {
            return Err(not_in_place(root));
        }
        let edited = block::find(&mut nested, &modify.id);
        let edited = edited.ok_or_else(|| block::no_child(&modify.id, root))?;
        let document = std::mem::take(&mut edited.document);
        edited.document = atomic::apply(document, &modify.edits, preparer.schema())?;
        modify.nested.iter().try_for_each(|edit| block::edit(&mut edited.children, edit))?;
        if let Some(steps) = edit_steps {
            self.complete(preparer.schema(), root, &mut nested.document)?;
            nested.document = steps.take(root, std::mem::take(&mut nested.document))?;
        }
        Ok(MergedEdits { put: self.put(preparer, nested, true)?, base })
    }

    /// A document made ready with those below it.
    fn put(&self, preparer: &mut Preparer, nested: Nested, overwrite: bool) -> Result<Box<Put>> {
        let Nested { id, document, children } = nested;
        let mut root = (id, document);
        let mut below = block::flatten(&mut root, children, preparer.schema());
        for (id, document) in below.iter_mut().chain([&mut root]) {
            self.complete(preparer.schema(), id, document)?;
        }
        let children = below.iter().map(|(id, document)| {
            let prepared = preparer.prepare(id, document)?;
            Ok(PreparedChild { id: id.clone(), hash: id_filter::hash(id), prepared })
        });
        let children = children.collect::<Result<_>>()?;
        let prepared = preparer.prepare(&root.0, &root.1)?;
        let body = encode_body(&root.0, &root.1, &below);
        Ok(Box::new(Put { prepared, children, body, overwrite, edit: None }))
    }

    /// Gives the unique key and fields with a default their values.
    fn complete(&self, schema: &Schema, id: &str, document: &mut Document) -> Result<()> {
        if let Some(key) = schema.unique_key.as_ref().filter(|key| document.get(key).is_none()) {
            document.fields.insert(0, (key.clone(), vec![Value::Str(id.to_owned())]));
        }
        for spec in schema.fields() {
            let Some(default) = spec.default.as_ref().filter(|_| document.get(&spec.name).is_none()) else {
                continue;
            };
            let value = match default.as_str() {
                // Resolved here and not at a replay, which has to make the same document.
                "NOW" if spec.class() == plan::FieldClass::Date => Value::Date(self.clock.now_ms()),
                // Likewise, and as one is shown.
                "NOW" if spec.class() == plan::FieldClass::DateRange => {
                    Value::Str(plan::format_instant(self.clock.now_ms()))
                }
                text => coerce(&Value::Str(text.to_owned()), spec.class())?,
            };
            document.fields.push((spec.name.clone(), vec![value]));
        }
        Ok(())
    }
}

/// The next operations that go together: each id once, none that concerns more than one id.
pub(crate) fn take_group(operations: &mut VecDeque<Operation>) -> UpdateGroup {
    let mut group = UpdateGroup::default();
    let mut ids = HashSet::new();
    let mut bytes = 0;
    while let Some(next) = operations.front() {
        let (id, size) = match next {
            Operation::Add(add) => (&add.id, size_of_document(&add.document) + size_of(&add.children)),
            Operation::Modify(modify) => (modify.root.as_ref().unwrap_or(&modify.id), 256),
            Operation::Delete { id, .. } => (id, 64),
            _ => break,
        };
        // What other documents give way to goes alone: `apply` asks for those once, before the group, and
        // holds all other updates up while it does.
        let enough = group.operations.len() >= GROUP_OPERATIONS_MAX
            || bytes > GROUP_BYTES_MAX
            || !group.operations.is_empty() && replaced(next).is_some()
            || group.replaced().is_some();
        // Each id once: all of a group is judged before any of it is noted, so a second operation would not
        // see the first.
        if enough || !ids.insert(id.clone()) {
            break;
        }
        bytes += size;
        group.operations.extend(operations.pop_front());
    }
    group
}

/// Solr's error for an edit of columns of a document that is not there.
fn not_in_place(id: &str) -> Error {
    Error::bad_request(format!(
        "Can not satisfy 'update.partial.requireInPlace'; Unable to update doc in-place: {id}"
    ))
}

fn size_of(fields: &[NestedField]) -> usize {
    let documents = fields.iter().flat_map(|field| &field.documents);
    documents.map(|it| size_of_document(&it.document) + size_of(&it.children)).sum()
}

fn size_of_document(document: &Document) -> usize {
    let text = |value: &Value| match value {
        Value::Str(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        _ => 8,
    };
    document.fields.iter().flat_map(|(_, values)| values).map(text).sum()
}

/// Every field that a group may write to.
fn names_of(group: &UpdateGroup, bound: &BoundSchema) -> Vec<Arc<str>> {
    let mut names: Vec<Arc<str>> = Vec::new();
    let mut seen: HashSet<Arc<str>> = HashSet::new();
    let mut add = |name: &Arc<str>| {
        if seen.contains(name) {
            return;
        }
        seen.insert(name.clone());
        names.push(name.clone());
        names.extend(bound.schema.copies(name).map(|(dest, _)| Arc::from(dest)));
    };
    for operation in &group.operations {
        match operation {
            Operation::Add(it) => {
                it.document.fields.iter().for_each(|(name, _)| add(name));
                each_name(&it.children, &mut add);
            }
            Operation::Modify(it) => {
                it.edits.iter().for_each(|edit| add(&edit.field));
                let documents = it.nested.iter().flat_map(|edit| &edit.documents);
                documents.for_each(|nested| each_name_of(nested, &mut add));
            }
            _ => {}
        }
    }
    names
}

fn each_name(fields: &[NestedField], add: &mut impl FnMut(&Arc<str>)) {
    fields.iter().flat_map(|field| &field.documents).for_each(|nested| each_name_of(nested, add));
}

fn each_name_of(nested: &Nested, add: &mut impl FnMut(&Arc<str>)) {
    nested.document.fields.iter().for_each(|(name, _)| add(name));
    each_name(&nested.children, add);
}
