//! Rebuilding: what a shard holds goes, as records of its log, into an empty shard under another schema.
//! First all living documents of a moment, then the log since; updates go on meanwhile. The one that is read
//! keeps its log until it is told that nobody reads on. What is given back is what the stored sources hold:
//! copies are made anew, under the schema of the shard that takes them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use plan::{Document, Error, ErrorKind, FieldClass, Result, Schema, Value, Version, coerce};
use store::{ContentDigest, Watermark};

use crate::core::Core;
use crate::core::batches::Origin;
use crate::errors::from_store;
use crate::layout::Layout;
use crate::lock::lock;
use crate::segment::Segment;
use crate::segment::alive::Dead;
use crate::segment::nesting::nested_position;
use crate::segment::source_codec;
use crate::shard::Shard;
use crate::write::atomic;
use crate::write::block::Member;
use crate::write::log_codec::{Logged, Record, decode, encode_body};

/// A record of an export is about this large.
const RECORD_BYTES: usize = 1 << 20;

/// Takes records in order.
pub type Visit<'a> = dyn FnMut(&[u8]) -> Result<()> + 'a;

/// Takes a document, with those of its block.
type Put<'a> = dyn FnMut(Version, &Member, &[Member]) -> Result<()> + 'a;

impl Shard {
    /// What all living documents come to, however they lie in segments: an owner's with what is in its log
    /// alone, a reader's as of the manifest that it took up. Two shards with the same documents, versions
    /// included, have the same one; so have a shard and what was rebuilt of it.
    pub fn content_digest(&self) -> Result<ContentDigest> {
        self.core().content_digest()
    }

    /// Visits records that make all documents of this moment; returns the place in the log from which
    /// [`Shard::export_since`] goes on. From here on the log is kept, until [`Shard::end_export`].
    pub fn export(&self, visit: &mut Visit<'_>) -> Result<Watermark> {
        self.core().export(visit)
    }

    /// Visits the log's records above a place, which are durable then; returns the place reached.
    pub fn export_since(&self, after: Watermark, visit: &mut Visit<'_>) -> Result<Watermark> {
        // Of a request that is under way the log may have pieces that nobody has waited for yet.
        self.core().settle()?;
        let mut reached = after;
        let mut failure = None;
        let mut each = |at: Watermark, record: &[u8]| {
            reached = at;
            visit(record).map_err(|error| {
                let told = store::Error::new(store::ErrorKind::Failed, error.message.clone());
                failure = Some(error);
                told
            })
        };
        let read = self.core().log.replay(Some(after), &mut each);
        read.map_err(|error| failure.unwrap_or_else(|| from_store(error)))?;
        Ok(reached)
    }

    /// The log need not be kept any longer for one that began an export: once for each.
    pub fn end_export(&self) {
        self.core().log_kept.fetch_sub(1, Ordering::AcqRel);
    }

    /// Takes another shard's record as it is, or those of its documents whose id, or whose root's, is
    /// `wanted`, in place of those that are here with their ids. It is not logged: durable from the next
    /// flush on, visible from the next refresh on. Values are turned into what this schema has; fields that
    /// it does not know are left out. Errors: `BadRequest` for a value that it cannot hold, `Unavailable`
    /// where no flush could make it durable.
    pub fn import(&self, record: &[u8], wanted: Option<&dyn Fn(&str) -> bool>) -> Result<()> {
        self.core().state().check_writable()?;
        let damaged = || Error::new(ErrorKind::DataLoss, "a record of the shard to rebuild cannot be read");
        let (_, mut operations) = decode(record).ok_or_else(damaged)?;
        let schema = self.core().bound.load().schema.clone();
        if let Some(wanted) = wanted {
            operations.retain(|operation| operation.root().is_none_or(wanted));
        }
        for operation in &mut operations {
            let Logged::Put { id, document, children, overwrite, .. } = operation else { continue };
            *overwrite |= wanted.is_some();
            fit(id, document, &schema)?;
            children.iter_mut().try_for_each(|(id, document)| fit(id, document, &schema))?;
        }
        self.core().import(operations)
    }
}

impl Core {
    fn export(&self, visit: &mut Visit<'_>) -> Result<Watermark> {
        // Before the lock is asked for: a flush that comes behind this one trims nothing.
        self.log_kept.fetch_add(1, Ordering::AcqRel);
        self.losses.load().check_none()?;
        let cut = {
            // No flush is on its way that would still trim the log.
            let _flushing = lock(&self.flushing);
            let _maintenance = self.maintenance();
            self.cut()?
        };
        let schema = self.bound.load().schema.clone();
        for (segment, dead) in &cut.segments {
            Exported { segment, layout: &cut.layout, schema: &schema }.visit(dead, visit)?;
        }
        Ok(cut.logged)
    }

    fn content_digest(&self) -> Result<ContentDigest> {
        self.losses.load().check_none()?;
        let cut = {
            let _maintenance = self.maintenance();
            self.cut()?
        };
        let schema = self.bound.load().schema.clone();
        let mut digest = ContentDigest::default();
        for (segment, dead) in &cut.segments {
            let exported = Exported { segment, layout: &cut.layout, schema: &schema };
            exported.each(dead, &mut |version, root, members| {
                let (id, document) = in_order(root);
                let members: Vec<Member> = members.iter().map(in_order).collect();
                let mut record = Record::begin(&Origin::default(), 0);
                record.put(version, &encode_body(&id, &document, &members), false);
                digest.add(&[record.as_bytes()], 1 + members.len() as u64);
                Ok(())
            })?;
        }
        Ok(digest)
    }

    fn import(&self, operations: Vec<Logged>) -> Result<()> {
        {
            let _applying = self.apply_shared();
            self.apply_group(operations)?;
        }
        self.after_group()
    }
}

/// Fields by name: in which order they came is kept, and means nothing.
fn in_order((id, document): &Member) -> Member {
    let mut document = document.clone();
    document.fields.sort_by(|(one, _), (other, _)| one.cmp(other));
    (id.clone(), document)
}

/// A segment that is read from its first document to its last.
struct Exported<'a> {
    segment: &'a Segment,
    layout: &'a Arc<Layout>,
    schema: &'a Schema,
}

impl Exported<'_> {
    /// As records of about one size.
    fn visit(&self, dead: &Dead, visit: &mut Visit<'_>) -> Result<()> {
        let mut record = Record::begin(&Origin::default(), RECORD_BYTES);
        self.each(dead, &mut |version, (id, document), members| {
            // Replaces nothing: only living documents are read, and several may have one id
            // (`overwrite=false`).
            record.put(version, &encode_body(id, document, members), false);
            if record.as_bytes().len() < RECORD_BYTES {
                return Ok(());
            }
            visit(record.as_bytes())?;
            record = Record::begin(&Origin::default(), RECORD_BYTES);
            Ok(())
        })?;
        visit(record.as_bytes())
    }

    /// Every living document, with those of its block.
    fn each(&self, dead: &Dead, put: &mut Put<'_>) -> Result<()> {
        let mut block = Block::default();
        for doc in (0..self.segment.max_doc).filter(|doc| !dead.contains(*doc)) {
            let source = self.segment.source(doc)?;
            let version = source_codec::version(&source)?;
            let document = atomic::base_document(&source, self.layout, self.schema)?;
            let key = self.layout.unique_key().and_then(|key| document.first(key));
            let id = key.map(Value::to_text).unwrap_or_default();
            let root = nested_position(&source, self.layout)?.root.filter(|root| *root != id);
            if block.root != *root.as_ref().unwrap_or(&id) {
                block.put_strays(put)?;
            }
            match root {
                Some(root) => block.push(root, version, (id, document)),
                None => {
                    put(version, &(id, document), &block.members)?;
                    block.members.clear();
                }
            }
        }
        block.put_strays(put)
    }
}

/// The documents of a block so far.
#[derive(Default)]
struct Block {
    root: String,
    version: Version,
    members: Vec<Member>,
}

impl Block {
    fn push(&mut self, root: String, version: Version, member: Member) {
        (self.root, self.version) = (root, version);
        self.members.push(member);
    }

    /// Of a block whose root is gone, each document is one of its own.
    fn put_strays(&mut self, put: &mut Put<'_>) -> Result<()> {
        self.members.drain(..).try_for_each(|member| put(self.version, &member, &[]))
    }
}

/// Makes a document what a schema can hold.
fn fit(id: &str, document: &mut Document, schema: &Schema) -> Result<()> {
    document.fields.retain(|(name, _)| schema.field(name).is_some());
    for (name, values) in &mut document.fields {
        let Some(field) = schema.field(name) else { continue };
        for value in values.iter_mut() {
            let fitted = coerce(value, field.class());
            *value = fitted.map_err(|error| {
                error.context(format!("document `{id}` cannot be rebuilt: field `{name}`: "))
            })?;
        }
        // A vector is one value of many numbers.
        let takes_many = field.properties.multi_valued || field.class() == FieldClass::DenseVector;
        if !takes_many && values.len() > 1 {
            return Err(Error::bad_request(format!(
                "document `{id}` cannot be rebuilt: field `{name}` has `{}` values and is to have one",
                values.len()
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{document, text};

    #[test]
    fn documents_become_what_a_schema_holds() {
        let schema = crate::testing::schema();
        let mut fitting = document(&[
            ("id", vec![text("1")]),
            ("year_i", vec![text("1972")]),
            ("unknown", vec![text("x")]),
        ]);
        fit("1", &mut fitting, &schema).unwrap();
        assert_eq!(fitting, document(&[("id", vec![text("1")]), ("year_i", vec![Value::Int(1972)])]));
        let check = |field: &str, values: Vec<Value>, expected: &str| {
            let mut document = document(&[("id", vec![text("1")]), (field, values)]);
            let message = fit("1", &mut document, &schema).unwrap_err().message;
            assert!(message.contains(expected), "{message}");
        };
        check("year_i", vec![text("old")], "document `1` cannot be rebuilt: field `year_i`");
        check("year_i", vec![Value::Int(1), Value::Int(2)], "has `2` values");
    }
}
