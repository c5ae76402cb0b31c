//! How the fields of a Solr schema lie in tantivy's: which inverted field and which column a name has.
//!
//! A layout only grows. Field numbers are given once and never again, so that a segment written under an
//! older layout means the same under every later one; what grew is named by a generation. It starts from the
//! declared fields, gains the dynamic ones when a document first uses them, and is kept in the manifest as
//! its list of slots. What a field gets is `slot.rs`, how tantivy gets it `segment_schema.rs`; how values
//! become terms is `prepare`, how queries read them `search`.

pub(crate) mod analyzers;
pub(crate) mod bound_schema;
pub(crate) mod indexed_by;
#[cfg(test)]
mod indexed_by_tests;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use analysis::SchemaAnalyzers;
use plan::{FieldClass, FieldSpec, ROOT_FIELD, SchemaLineage};
use tantivy::schema::{Field, Schema};

use self::indexed_by::IndexedBy;
pub(crate) use self::segment_schema::VERSION_COLUMN;
use self::segment_schema::{SlotPosition, column_name, inverted_name, payload_name, segment_schema};
use self::slot::slot_of;
pub use self::slot::{ColumnKind, InvertedKind, Slot};

mod segment_schema;
mod slot;

/// Stored bytes: everything of a document that can be given back, in the encoding of `source_codec`.
pub(crate) const SOURCE_FIELD: Field = Field::from_field_id(0);
/// The version of each document, as an `i64` column, whether or not the schema declares `_version_`.
pub(crate) const VERSION_FIELD: Field = Field::from_field_id(1);
/// The unique key's text as one term, whatever the key's type.
pub(crate) const ID_FIELD: Field = Field::from_field_id(2);
/// Solr's name of the version.
pub const VERSION_NAME: &str = "_version_";

/// A column by the name it has in the segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnRef {
    /// The name for tantivy's `FastFieldReaders`.
    pub name: Arc<str>,
    pub kind: ColumnKind,
    pub field: Field,
    /// Of a column that is no part of the segments: what it is made of, `field` being the inverted one.
    pub words: Option<Words>,
}

/// Which words of a text field's documents make a column (`search::uninvert`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// The first in their order, by which Lucene sorts and groups.
    First,
    All,
}

/// A concrete field: its meaning in the schema and its places in the segments.
#[derive(Clone, Debug)]
pub struct FieldLayout {
    /// The concrete name, where `spec.name` may be a pattern.
    pub name: Arc<str>,
    pub spec: Arc<FieldSpec>,
    /// Its number in the document source.
    pub slot: u32,
    pub inverted: Option<Field>,
    /// What `inverted` holds.
    pub inverted_kind: Option<InvertedKind>,
    pub column: Option<ColumnRef>,
    /// Where the payloads of its words are, as whole numbers (`payloads`), if they have any.
    pub payloads: Option<ColumnRef>,
}

impl FieldLayout {
    pub fn class(&self) -> FieldClass {
        self.spec.class()
    }

    pub fn similarity(&self) -> plan::Similarity {
        self.spec.field_type.scored_by.similarity
    }

    /// Whether it tells how often a term stands in a document.
    pub fn has_frequencies(&self) -> bool {
        matches!(self.inverted_kind, Some(InvertedKind::Text { frequencies: true, .. }))
    }

    /// One value of each document, to sort and to group by: text only where it may be uninverted.
    pub(crate) fn single(&self) -> Option<ColumnRef> {
        let words = || self.words(Words::First).filter(|_| self.spec.properties.uninvertible);
        self.column.clone().or_else(words)
    }

    /// Words of a text field as a column.
    pub(crate) fn words(&self, words: Words) -> Option<ColumnRef> {
        let field = self.inverted.filter(|_| self.class() == FieldClass::Text)?;
        let name = format!("{}{}", if words == Words::First { 'o' } else { 'w' }, self.slot);
        Some(ColumnRef { name: name.into(), kind: ColumnKind::Str, field, words: Some(words) })
    }

    /// Whether the field keeps lengths; without them each counts as length 1.
    pub fn has_norms(&self) -> bool {
        match self.inverted_kind {
            Some(InvertedKind::Text { norms, .. } | InvertedKind::Term { norms }) => norms,
            _ => false,
        }
    }
}

/// The fields known so far and the tantivy schema that holds them. Immutable: growing makes another.
#[derive(Debug)]
pub struct Layout {
    generation: u64,
    slots: Vec<Slot>,
    fields: HashMap<Arc<str>, Arc<FieldLayout>>,
    tantivy: Schema,
    /// What the names mean, those of fields that no document has named yet too, and which plans may be
    /// lowered by it.
    schema: Arc<plan::Schema>,
    /// How the schema's texts become terms.
    analyzers: Arc<SchemaAnalyzers>,
    /// What documents are indexed by under it, once somebody has asked.
    indexed_by: OnceLock<IndexedBy>,
}

impl Layout {
    /// The layout of a new shard: the declared fields of `schema`.
    pub fn new(schema: &Arc<plan::Schema>) -> Self {
        Self::restore(Vec::new(), 0, schema)
    }

    /// Takes up the slots of a manifest under `schema`, which may have changed since.
    pub fn restore(slots: Vec<Slot>, generation: u64, schema: &Arc<plan::Schema>) -> Self {
        let known = slots.len();
        let mut names: Vec<Arc<str>> = slots.iter().map(|slot| slot.name.clone()).collect();
        names.extend(schema.fields().map(|spec| spec.name.clone()));
        let copied: Vec<_> = names.iter().flat_map(|name| schema.copies(name)).collect();
        names.extend(copied.into_iter().map(|(dest, _)| Arc::from(dest)));
        let mut layout = Self::assemble(slots, names, schema, SchemaAnalyzers::new(schema));
        layout.generation = generation + u64::from(layout.slots.len() > known);
        layout
    }

    /// The same under another schema: names that now mean something else get new slots.
    pub fn rebound(&self, schema: &Arc<plan::Schema>) -> Self {
        Self::restore(self.slots.clone(), self.generation, schema)
    }

    /// With `names` added; `None` when all that the schema knows of them are in already.
    pub fn grown(&self, names: &[Arc<str>], schema: &Arc<plan::Schema>) -> Option<Self> {
        let new = |name: &&Arc<str>| !self.fields.contains_key(&***name) && schema.field(name).is_some();
        if !names.iter().any(|name| new(&name)) {
            return None;
        }
        let mut all: Vec<Arc<str>> = self.fields.keys().cloned().collect();
        all.extend(names.iter().filter(new).cloned());
        let mut layout = Self::assemble(self.slots.clone(), all, schema, self.analyzers.clone());
        layout.generation = self.generation + 1;
        Some(layout)
    }

    fn assemble(
        mut slots: Vec<Slot>,
        names: Vec<Arc<str>>,
        schema: &Arc<plan::Schema>,
        analyzers: Arc<SchemaAnalyzers>,
    ) -> Self {
        let mut latest: HashMap<Arc<str>, usize> =
            slots.iter().enumerate().map(|(number, slot)| (slot.name.clone(), number)).collect();
        let mut bound: HashMap<Arc<str>, (usize, Arc<FieldSpec>)> = HashMap::new();
        for name in names {
            let Some(spec) = schema.field(&name) else { continue };
            let wanted = slot_of(&name, spec, schema.unique_key.as_ref() == Some(&name));
            let number = match latest.get(&name) {
                Some(number) if slots.get(*number) == Some(&wanted) => *number,
                _ => {
                    slots.push(wanted);
                    slots.len() - 1
                }
            };
            latest.insert(name.clone(), number);
            bound.insert(name, (number, spec.clone()));
        }
        let (tantivy, places) = segment_schema(&slots);
        let fields = bound
            .into_iter()
            .filter_map(|(name, (number, spec))| {
                let (slot, place) = (slots.get(number)?, places.get(number)?);
                let layout = bind(slot, number, place, spec);
                Some((name, Arc::new(layout)))
            })
            .collect();
        Self {
            generation: 0,
            slots,
            fields,
            tantivy,
            schema: schema.clone(),
            analyzers,
            indexed_by: OnceLock::new(),
        }
    }

    /// The field of this concrete name, if any document or the schema has named it.
    pub fn field(&self, name: &str) -> Option<&Arc<FieldLayout>> {
        self.fields.get(name)
    }

    /// A field of the schema that no document of the shard has named, and what its column of one value a
    /// document would hold if one did ([`FieldLayout::single`]): documents of other shards may have, and what
    /// has no value must mean the same in all.
    pub(crate) fn unmet_field(&self, name: &str) -> Option<(&Arc<FieldSpec>, ColumnKind)> {
        let spec = self.schema.field(name).filter(|_| !self.fields.contains_key(name))?;
        let slot = slot_of(&name.into(), spec, self.unique_key().is_some_and(|key| **key == *name));
        let is_text = spec.class() == FieldClass::Text && spec.properties.uninvertible;
        let words = slot.inverted.filter(|_| is_text).map(|_| ColumnKind::Str);
        Some((spec, slot.column.or(words)?))
    }

    /// All concrete fields, in no order.
    pub fn fields(&self) -> impl Iterator<Item = &Arc<FieldLayout>> {
        self.fields.values()
    }

    /// The name behind a number of the document source.
    pub(crate) fn slot_name(&self, slot: u32) -> Option<&Arc<str>> {
        self.slots.get(slot as usize).map(|slot| &slot.name)
    }

    /// Counts additions; equal generations of one shard are equal layouts.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// What the manifest keeps.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The schema under which segments are written, opened and merged.
    pub fn tantivy(&self) -> &Schema {
        &self.tantivy
    }

    /// Where the roots of blocks are named, if the schema has blocks.
    pub(crate) fn root_field(&self) -> Option<Field> {
        self.field(ROOT_FIELD)?.inverted
    }

    /// The analyzers of the schema.
    pub(crate) fn analyzers(&self) -> &Arc<SchemaAnalyzers> {
        &self.analyzers
    }

    /// What documents are indexed by under this layout. Worked out once.
    pub(crate) fn indexed_by(&self) -> &IndexedBy {
        self.indexed_by.get_or_init(|| self.first_indexed_by(&self.slots))
    }

    /// Whether documents that were indexed so would be indexed the same now.
    pub(crate) fn indexes_alike(&self, before: &IndexedBy) -> bool {
        match self.slots.get(..before.slots as usize) {
            Some(slots) if slots.len() == self.slots.len() => self.indexed_by() == before,
            Some(slots) => self.first_indexed_by(slots) == *before,
            None => false,
        }
    }

    fn first_indexed_by(&self, slots: &[Slot]) -> IndexedBy {
        let field = |(number, slot): (usize, &Slot)| {
            self.field(&slot.name).filter(|field| field.slot as usize == number).map(|field| &*field.spec)
        };
        IndexedBy::of(&self.schema, slots.iter().enumerate().map(|it| (it.1, field(it))))
    }

    /// What its names mean.
    pub(crate) fn schema(&self) -> &Arc<plan::Schema> {
        &self.schema
    }

    /// Which versions of the collection's schema it stands for.
    pub(crate) fn lineage(&self) -> SchemaLineage {
        self.schema.lineage
    }

    /// The schema's unique key.
    pub fn unique_key(&self) -> Option<&Arc<str>> {
        self.schema.unique_key.as_ref()
    }
}

fn bind(slot: &Slot, number: usize, place: &SlotPosition, spec: Arc<FieldSpec>) -> FieldLayout {
    let is_version = &*slot.name == VERSION_NAME && slot.column.is_some();
    let column = if is_version { Some(version_column()) } else { column_of(slot, number, place) };
    let inverted = if slot.inverted == Some(InvertedKind::Key) { Some(ID_FIELD) } else { place.inverted };
    FieldLayout {
        name: slot.name.clone(),
        spec,
        slot: u32::try_from(number).unwrap_or(u32::MAX),
        inverted,
        inverted_kind: slot.inverted,
        column,
        payloads: place.payloads.map(|field| payload_column(number, field)),
    }
}

fn version_column() -> ColumnRef {
    ColumnRef { name: VERSION_COLUMN.into(), kind: ColumnKind::I64, field: VERSION_FIELD, words: None }
}

fn payload_column(number: usize, field: Field) -> ColumnRef {
    ColumnRef { name: payload_name(number).into(), kind: ColumnKind::I64, field, words: None }
}

fn column_of(slot: &Slot, number: usize, place: &SlotPosition) -> Option<ColumnRef> {
    let shared = place.column == place.inverted;
    let name = if shared { inverted_name(number) } else { column_name(number) };
    Some(ColumnRef { name: name.into(), kind: slot.column?, field: place.column?, words: None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::schema;

    fn names(layout: &Layout) -> Vec<&str> {
        layout.slots().iter().map(|slot| &*slot.name).collect()
    }

    #[test]
    fn numbers_are_given_once() {
        let schema = Arc::new(schema());
        let first = Layout::new(&schema);
        let second = first.grown(&["a_s".into(), "b_i".into()], &schema).unwrap();
        assert_eq!(second.generation(), first.generation() + 1);
        assert!(names(&second).starts_with(&names(&first)));
        let fields =
            |layout: &Layout| layout.tantivy().fields().map(|(_, entry)| entry.clone()).collect::<Vec<_>>();
        assert!(fields(&second).starts_with(&fields(&first)));
        let restored = Layout::restore(second.slots().to_vec(), second.generation(), &schema);
        assert_eq!(restored.tantivy(), second.tantivy());
        assert_eq!(restored.generation(), second.generation());
    }

    #[test]
    fn only_names_of_the_schema_grow_it() {
        let schema = Arc::new(schema());
        let layout = Layout::new(&schema);
        assert!(layout.grown(&["id".into(), "unheard of".into()], &schema).is_none());
        assert!(layout.grown(&["x_s".into()], &schema).is_some());
    }

    #[test]
    fn a_field_is_before_it_is_met_what_it_is_then() {
        let schema = Arc::new(schema());
        let layout = Layout::new(&schema);
        for name in ["a_s", "a_i", "a_is", "a_d", "a_b", "a_dt", "a_t", "a_sort", "a_p"] {
            let grown = layout.grown(&[name.into()], &schema).unwrap();
            let met = grown.field(name).unwrap();
            let (spec, kind) = layout.unmet_field(name).unzip();
            assert_eq!(kind, met.single().map(|column| column.kind), "{name}");
            assert!(
                spec.is_none_or(|spec| Arc::ptr_eq(spec, &met.spec)) && grown.unmet_field(name).is_none()
            );
        }
        assert!(layout.unmet_field("id").is_none() && layout.unmet_field("unheard of").is_none());
    }

    #[test]
    fn classes_have_their_places() {
        let schema = Arc::new(schema());
        let wanted: Vec<Arc<str>> =
            ["a_s", "a_i", "a_is", "a_d", "a_b", "a_dt", "a_t", "a_sort"].map(Arc::from).to_vec();
        let layout = Layout::new(&schema).grown(&wanted, &schema).unwrap();
        let check = |name: &str, inverted: bool, column: Option<ColumnKind>| {
            let field = layout.field(name).unwrap();
            assert_eq!(field.inverted.is_some(), inverted, "{name}");
            assert_eq!(field.column.as_ref().map(|column| column.kind), column, "{name}");
            for field in field.inverted.iter().chain(field.column.iter().map(|column| &column.field)) {
                assert!((field.field_id() as usize) < layout.tantivy().num_fields(), "{name}");
            }
        };
        check("id", true, Some(ColumnKind::Str));
        check("_version_", false, Some(ColumnKind::I64));
        check("a_s", true, Some(ColumnKind::Str));
        check("a_i", false, Some(ColumnKind::I64));
        check("a_d", false, Some(ColumnKind::F64));
        check("a_is", true, Some(ColumnKind::I64));
        check("a_b", true, Some(ColumnKind::Bool));
        check("a_dt", false, Some(ColumnKind::I64));
        check("a_t", true, None);
        check("a_sort", true, Some(ColumnKind::Str));
        assert_eq!(layout.field("id").unwrap().inverted, Some(ID_FIELD));
        assert_eq!(layout.field("_version_").unwrap().column.as_ref().unwrap().field, VERSION_FIELD);
    }
}
