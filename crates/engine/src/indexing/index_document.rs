//! A document in the form tantivy's columns and document store take: numbered fields and leaf values, all
//! text of it in one string. Made by `prepare`, consumed once by a RAM segment. The document source is its
//! one stored value; `stored_source.rs` reads it back.

use std::iter::Empty;
use std::ops::Range;
use std::sync::Arc;

use tantivy::schema::document::{ReferenceValue, ReferenceValueLeaf};
use tantivy::schema::{Field, Value};

use crate::layout::{SOURCE_FIELD, VERSION_FIELD};
use crate::segment::source_codec;

/// One value for one tantivy field.
#[derive(Clone, Debug)]
pub(crate) enum Leaf {
    /// A part of the document's text.
    Text(Range<usize>),
    I64(i64),
    F64(f64),
    Bool(bool),
    /// The document source.
    Source,
}

/// All values of one document that columns hold, and what is stored of it.
#[derive(Debug)]
pub(crate) struct IndexDocument {
    pub(crate) text: String,
    pub(crate) leaves: Vec<(Field, Leaf)>,
    /// Shared with the id map, which answers real-time gets from it.
    pub(crate) source: Arc<[u8]>,
}

impl IndexDocument {
    /// Completes the document with its version.
    pub(crate) fn set_version(&mut self, version: i64) {
        source_codec::set_version(Arc::make_mut(&mut self.source), version);
        self.leaves.push((VERSION_FIELD, Leaf::I64(version)));
        self.leaves.push((SOURCE_FIELD, Leaf::Source));
    }
}

/// A leaf with the document it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeafRef<'a> {
    document: &'a IndexDocument,
    leaf: &'a Leaf,
}

impl<'a> Value<'a> for LeafRef<'a> {
    type ArrayIter = Empty<Self>;
    type ObjectIter = Empty<(&'a str, Self)>;

    #[inline]
    fn as_value(&self) -> ReferenceValue<'a, Self> {
        ReferenceValue::Leaf(match self.leaf {
            Leaf::Text(range) => {
                ReferenceValueLeaf::Str(self.document.text.get(range.clone()).unwrap_or_default())
            }
            Leaf::I64(number) => ReferenceValueLeaf::I64(*number),
            Leaf::F64(number) => ReferenceValueLeaf::F64(*number),
            Leaf::Bool(flag) => ReferenceValueLeaf::Bool(*flag),
            Leaf::Source => ReferenceValueLeaf::Bytes(&self.document.source),
        })
    }
}

pub(crate) struct Leaves<'a> {
    document: &'a IndexDocument,
    rest: std::slice::Iter<'a, (Field, Leaf)>,
}

impl<'a> Iterator for Leaves<'a> {
    type Item = (Field, LeafRef<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (field, leaf) = self.rest.next()?;
        Some((*field, LeafRef { document: self.document, leaf }))
    }
}

impl tantivy::Document for IndexDocument {
    type Value<'a> = LeafRef<'a>;
    type FieldsValuesIter<'a> = Leaves<'a>;

    fn iter_fields_and_values(&self) -> Leaves<'_> {
        Leaves { document: self, rest: self.leaves.iter() }
    }
}
