//! How the fields of a Solr schema lie in tantivy's: which inverted field and which column a name has.
//!
//! A layout only grows. Field numbers are given once and never again, so that a segment written under an older layout
//! means the same under every later one; what grew is named by a generation. It starts from the declared fields, gains
//! the dynamic ones when a document first uses them, and is kept in the manifest as its list of slots.
//! How values become terms is `prepare.rs`; how queries read them is `search`.

use std::collections::HashMap;
use std::sync::Arc;

use analysis::SchemaAnalyzers;
use plan::{FieldClass, FieldSpec, PayloadKind, ROOT_FIELD};
use serde::{Deserialize, Serialize};
use tantivy::schema::{
    BytesOptions, Field, IndexRecordOption, NumericOptions, Schema, SchemaBuilder, TextFieldIndexing,
    TextOptions,
};

/// Stored bytes: everything of a document that can be given back, in the encoding of `source_codec`.
pub(crate) const SOURCE_FIELD: Field = Field::from_field_id(0);
/// The version of each document, as an `i64` column, whether or not the schema declares `_version_`.
pub(crate) const VERSION_FIELD: Field = Field::from_field_id(1);
/// The unique key's text as one term, whatever the key's type.
pub(crate) const ID_FIELD: Field = Field::from_field_id(2);
/// Column of [`VERSION_FIELD`].
pub(crate) const VERSION_COLUMN: &str = "_version";
/// Solr's name of the version.
pub const VERSION_NAME: &str = "_version_";

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ColumnKind {
    /// Ordinals into a sorted dictionary of strings.
    Str,
    /// Int, Long, and Date in milliseconds.
    I64,
    /// Float and Double.
    F64,
    Bool,
    /// Codes of places (`plan::Place::code`), in whole numbers.
    Place,
    /// Vectors as `dense_vectors::words`, in whole numbers.
    Vector,
}

/// What an inverted field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum InvertedKind {
    /// Analysed words.
    Text {
        frequencies: bool,
        positions: bool,
        norms: bool,
    },
    /// Each value as one term.
    Term {
        norms: bool,
    },
    /// The unique key: its terms are those of `ID_FIELD`.
    Key,
    /// Int, Long and Date as `i64` terms: of fields with several values, or without a column.
    I64,
    /// Float and Double as `f64` terms, likewise.
    F64,
    Bool,
}

/// One name with what it had when it was first used. Its place in the list is its number, for good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    pub name: Arc<str>,
    pub inverted: Option<InvertedKind>,
    pub column: Option<ColumnKind>,
    /// Whether its words carry payloads, which have a column of their own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub payloads: bool,
}

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
    unique_key: Option<Arc<str>>,
    /// How the schema's texts become terms.
    analyzers: Arc<SchemaAnalyzers>,
}

impl Layout {
    /// The layout of a new shard: the declared fields of `schema`.
    pub fn new(schema: &plan::Schema) -> Self {
        Self::restore(Vec::new(), 0, schema)
    }

    /// Takes up the slots of a manifest under `schema`, which may have changed since.
    pub fn restore(slots: Vec<Slot>, generation: u64, schema: &plan::Schema) -> Self {
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
    pub fn rebound(&self, schema: &plan::Schema) -> Self {
        Self::restore(self.slots.clone(), self.generation, schema)
    }

    /// With `names` added; `None` when all that the schema knows of them are in already.
    pub fn grown(&self, names: &[Arc<str>], schema: &plan::Schema) -> Option<Self> {
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
        schema: &plan::Schema,
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
        let (tantivy, places) = tantivy_schema(&slots);
        let fields = bound
            .into_iter()
            .filter_map(|(name, (number, spec))| {
                let (slot, place) = (slots.get(number)?, places.get(number)?);
                let layout = bind(slot, number, place, spec);
                Some((name, Arc::new(layout)))
            })
            .collect();
        Self { generation: 0, slots, fields, tantivy, unique_key: schema.unique_key.clone(), analyzers }
    }

    /// The field of this concrete name, if any document or the schema has named it.
    pub fn field(&self, name: &str) -> Option<&Arc<FieldLayout>> {
        self.fields.get(name)
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

    /// The schema's unique key.
    pub fn unique_key(&self) -> Option<&Arc<str>> {
        self.unique_key.as_ref()
    }
}

/// Where a slot ended up.
struct Place {
    inverted: Option<Field>,
    column: Option<Field>,
    payloads: Option<Field>,
}

fn bind(slot: &Slot, number: usize, place: &Place, spec: Arc<FieldSpec>) -> FieldLayout {
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

fn column_of(slot: &Slot, number: usize, place: &Place) -> Option<ColumnRef> {
    let shared = place.column == place.inverted;
    let name = if shared { inverted_name(number) } else { column_name(number) };
    Some(ColumnRef { name: name.into(), kind: slot.column?, field: place.column?, words: None })
}

/// Tantivy reads dots in names as paths into objects, and Solr's names are full of them: numbers carry no such risk.
fn inverted_name(slot: usize) -> String {
    format!("f{slot}")
}

fn column_name(slot: usize) -> String {
    format!("c{slot}")
}

fn payload_name(slot: usize) -> String {
    format!("p{slot}")
}

/// What the segments keep of a field, by its class and properties.
fn slot_of(name: &Arc<str>, spec: &FieldSpec, is_key: bool) -> Slot {
    let properties = &spec.properties;
    let inverted = match properties.indexed.then(|| inverted_kind(spec)).flatten() {
        Some(InvertedKind::Term { .. }) if is_key => Some(InvertedKind::Key),
        other => other,
    };
    let uninverted = properties.indexed && properties.uninvertible && !spec.class().is_text();
    let searched =
        spec.class().is_place() || matches!(spec.class(), FieldClass::DenseVector | FieldClass::Rank);
    let column = (properties.doc_values || uninverted || properties.indexed && searched)
        .then(|| column_kind(spec.class()))
        .flatten();
    // One number a document is found by its column and `value_order`: terms, nearly all of them of one document, would
    // be a seventh of what indexing and merging cost (docs/adr/0005).
    let ordered = spec.class().is_point() && column.is_some() && !properties.multi_valued;
    let inverted = inverted.filter(|_| !ordered);
    let payloads = matches!(inverted, Some(InvertedKind::Text { positions: true, .. }))
        && PayloadKind::of(&spec.field_type).is_some();
    Slot { name: name.clone(), inverted, column, payloads }
}

fn inverted_kind(spec: &FieldSpec) -> Option<InvertedKind> {
    let properties = &spec.properties;
    let norms = !properties.omit_norms;
    Some(match spec.class() {
        FieldClass::Text | FieldClass::SortableText => {
            let frequencies = !properties.omit_term_freq_and_positions;
            InvertedKind::Text { frequencies, positions: frequencies && !properties.omit_positions, norms }
        }
        FieldClass::Str
        | FieldClass::Uuid
        | FieldClass::Enum
        | FieldClass::NestPath
        | FieldClass::Collation => InvertedKind::Term { norms },
        // Of shapes that are no points.
        FieldClass::SpatialPrefixTree => InvertedKind::Term { norms: false },
        FieldClass::Int | FieldClass::Long | FieldClass::Date => InvertedKind::I64,
        FieldClass::Float | FieldClass::Double => InvertedKind::F64,
        FieldClass::Bool => InvertedKind::Bool,
        _ => return None,
    })
}

fn column_kind(class: FieldClass) -> Option<ColumnKind> {
    Some(match class {
        FieldClass::Str | FieldClass::Uuid | FieldClass::Enum | FieldClass::NestPath => ColumnKind::Str,
        FieldClass::SortableText | FieldClass::Collation => ColumnKind::Str,
        FieldClass::Int | FieldClass::Long | FieldClass::Date => ColumnKind::I64,
        FieldClass::Float | FieldClass::Double | FieldClass::Rank => ColumnKind::F64,
        FieldClass::Bool => ColumnKind::Bool,
        FieldClass::LatLon | FieldClass::SpatialPrefixTree => ColumnKind::Place,
        FieldClass::DenseVector => ColumnKind::Vector,
        _ => return None,
    })
}

fn tantivy_schema(slots: &[Slot]) -> (Schema, Vec<Place>) {
    let mut builder = SchemaBuilder::new();
    builder.add_bytes_field("_source", BytesOptions::default().set_stored());
    builder.add_i64_field(VERSION_COLUMN, NumericOptions::default().set_fast());
    builder.add_text_field("_id", term_options(false));
    let places =
        slots.iter().enumerate().map(|(number, slot)| add_slot(&mut builder, number, slot)).collect();
    (builder.build(), places)
}

fn add_slot(builder: &mut SchemaBuilder, number: usize, slot: &Slot) -> Place {
    let apart = match slot.inverted {
        Some(InvertedKind::Text { .. } | InvertedKind::Key) => true,
        Some(InvertedKind::Term { .. }) => slot.column != Some(ColumnKind::Str),
        _ => false,
    };
    let together = slot.column.is_some() && !apart;
    let inverted =
        slot.inverted.and_then(|kind| add_inverted(builder, &inverted_name(number), kind, together));
    let column = slot.column.map(|kind| match inverted {
        Some(field) if together => field,
        _ => add_column(builder, &column_name(number), kind),
    });
    let payloads = slot.payloads.then(|| add_column(builder, &payload_name(number), ColumnKind::I64));
    Place { inverted, column, payloads }
}

fn add_inverted(builder: &mut SchemaBuilder, name: &str, kind: InvertedKind, fast: bool) -> Option<Field> {
    Some(match kind {
        InvertedKind::Key => return None,
        InvertedKind::Text { frequencies, positions, norms } => {
            builder.add_text_field(name, text_options(frequencies, positions, norms))
        }
        InvertedKind::Term { norms } if fast => {
            builder.add_text_field(name, term_options(norms).set_fast("raw"))
        }
        InvertedKind::Term { norms } => builder.add_text_field(name, term_options(norms)),
        InvertedKind::I64 => builder.add_i64_field(name, number_options(fast)),
        InvertedKind::F64 => builder.add_f64_field(name, number_options(fast)),
        InvertedKind::Bool => builder.add_bool_field(name, number_options(fast)),
    })
}

fn add_column(builder: &mut SchemaBuilder, name: &str, kind: ColumnKind) -> Field {
    let numbers = NumericOptions::default().set_fast();
    match kind {
        ColumnKind::Str => builder.add_text_field(name, TextOptions::default().set_fast("raw")),
        ColumnKind::I64 | ColumnKind::Place | ColumnKind::Vector => builder.add_i64_field(name, numbers),
        ColumnKind::F64 => builder.add_f64_field(name, numbers),
        ColumnKind::Bool => builder.add_bool_field(name, numbers),
    }
}

fn text_options(frequencies: bool, positions: bool, norms: bool) -> TextOptions {
    let record = match (frequencies, positions) {
        (true, true) => IndexRecordOption::WithFreqsAndPositions,
        (true, false) => IndexRecordOption::WithFreqs,
        (false, _) => IndexRecordOption::Basic,
    };
    // Tantivy tokenizes nothing: `postings_builder` gives it postings.
    let indexing = TextFieldIndexing::default().set_tokenizer("raw").set_index_option(record);
    TextOptions::default().set_indexing_options(indexing.set_fieldnorms(norms))
}

fn term_options(norms: bool) -> TextOptions {
    let indexing =
        TextFieldIndexing::default().set_tokenizer("raw").set_index_option(IndexRecordOption::Basic);
    TextOptions::default().set_indexing_options(indexing.set_fieldnorms(norms))
}

fn number_options(fast: bool) -> NumericOptions {
    let indexed = NumericOptions::default().set_indexed();
    if fast { indexed.set_fast() } else { indexed }
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
        let schema = schema();
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
        let schema = schema();
        let layout = Layout::new(&schema);
        assert!(layout.grown(&["id".into(), "unheard of".into()], &schema).is_none());
        assert!(layout.grown(&["x_s".into()], &schema).is_some());
    }

    #[test]
    fn classes_have_their_places() {
        let schema = schema();
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
