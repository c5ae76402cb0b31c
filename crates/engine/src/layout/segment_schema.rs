//! Tantivy's schema of the segments: three fields that every shard has (source, version, id), then those of
//! the slots, in the order of their numbers.
//!
//! In: the slots of a layout; out: the schema, and for each slot its tantivy fields. Slots are only ever
//! added, so a field of a segment means the same under every later schema (docs/adr/0001). Solr's names are
//! not in it.

use tantivy::schema::{
    BytesOptions, Field, IndexRecordOption, NumericOptions, Schema, SchemaBuilder, TextFieldIndexing,
    TextOptions,
};

use super::slot::{ColumnKind, InvertedKind, Slot};

/// Column of the version field.
pub(crate) const VERSION_COLUMN: &str = "_version";

/// Where a slot ended up.
pub(super) struct SlotPosition {
    pub(super) inverted: Option<Field>,
    pub(super) column: Option<Field>,
    pub(super) payloads: Option<Field>,
}

/// Tantivy reads dots in names as paths into objects, and Solr's names are full of them: numbers carry no
/// such risk.
pub(super) fn inverted_name(slot: usize) -> String {
    format!("f{slot}")
}

pub(super) fn column_name(slot: usize) -> String {
    format!("c{slot}")
}

pub(super) fn payload_name(slot: usize) -> String {
    format!("p{slot}")
}

/// The schema of all slots, and where each ended up.
pub(super) fn segment_schema(slots: &[Slot]) -> (Schema, Vec<SlotPosition>) {
    let mut builder = SchemaBuilder::new();
    builder.add_bytes_field("_source", BytesOptions::default().set_stored());
    builder.add_i64_field(VERSION_COLUMN, NumericOptions::default().set_fast());
    builder.add_text_field("_id", term_options(false));
    let places =
        slots.iter().enumerate().map(|(number, slot)| add_slot(&mut builder, number, slot)).collect();
    (builder.build(), places)
}

fn add_slot(builder: &mut SchemaBuilder, number: usize, slot: &Slot) -> SlotPosition {
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
    SlotPosition { inverted, column, payloads }
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
        ColumnKind::I64 | ColumnKind::Place | ColumnKind::DateSpans | ColumnKind::Vector => {
            builder.add_i64_field(name, numbers)
        }
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
