//! What a hit shows of its document: its stored fields as selected, and its id.
//!
//! Sources come whole: who asks for the id of a document of ten megabytes would wait for all of them (11 ms,
//! 2026-11). So where every field asked for has a column, the columns answer if that is less work: for ids
//! and numbers it always is, for other strings where sources are large.

use std::sync::Arc;

use plan::partial::HitRef;
use plan::{Document, Error, FieldClass, FieldSelection, Hit, Result, Value};
use tantivy::DocId;

use crate::errors::from_tantivy;
use crate::layout::{ColumnKind, ColumnRef, FieldLayout, Layout};
use crate::search::context::{SearchContext, SearchSegment};
use crate::segment::columns::AnyColumn;
use crate::segment::columns::{integer_value, real_value};
use crate::snapshot::read_source;

/// Below this mean, reading a source takes no longer than looking up the strings of a few columns.
const SOURCE_BYTES_LARGE: u64 = 1024;

/// Longer sources are not kept.
const SOURCE_BYTES_KEPT: usize = 64 << 10;

/// What a field of a loaded document and each of its values take, besides their texts.
const FIELD_BYTES: usize = 64;
const VALUE_BYTES: usize = 64;

/// A hit with its document and nothing else.
pub(super) fn hit(context: &SearchContext<'_>, found: &HitRef, fields: &FieldSelection) -> Result<Hit> {
    let segment = context
        .segments
        .get(found.segment_number())
        .ok_or_else(|| Error::internal("a hit names a segment that the snapshot does not have"))?;
    let place = segment.base + u64::from(found.doc);
    let columns = columns_of(context.layout, fields);
    let (id, document) = match columns.filter(|(key, columns)| are_cheaper(segment, key, columns)) {
        Some((key, columns)) => read_columns(segment, found.doc, &key, &columns)?,
        None => read_stored(context, segment, found.doc, fields)?,
    };
    context.allowance.take_bytes(size_of::<Hit>() + bytes_of(&document));
    let (children, values) = (Vec::new(), Vec::new());
    Ok(Hit { id, document, shard: 0, place, score: None, children, values, explanation: None })
}

/// What a loaded document takes, about.
fn bytes_of(document: &Document) -> usize {
    let value = |value: &Value| match value {
        Value::Str(text) => VALUE_BYTES + text.len(),
        _ => VALUE_BYTES,
    };
    let field = |values: &[Value]| FIELD_BYTES + values.iter().map(value).sum::<usize>();
    document.fields.iter().map(|(_, values)| field(values)).sum()
}

/// From the cache where it is there. Large ones would push out many others, and take long to decode anyway.
pub(in crate::search) fn read_stored(
    context: &SearchContext<'_>,
    segment: &SearchSegment<'_>,
    doc: DocId,
    fields: &FieldSelection,
) -> Result<(String, Document)> {
    let (documents, key) = (&context.caches.documents, (segment.view.id(), doc));
    if let Some(source) = documents.get(&key) {
        return read_source(&source, context.layout, fields);
    }
    let source = segment.view.source(doc)?;
    if documents.is_on() && source.len() <= SOURCE_BYTES_KEPT {
        documents.insert(key, Arc::from(source.as_slice()), source.len() as u64);
    }
    read_source(&source, context.layout, fields)
}

/// The document of a hit: id and fields.
pub(crate) fn stored_document(
    context: &SearchContext<'_>,
    hit: &HitRef,
    fields: &FieldSelection,
) -> Result<Option<(String, Document)>> {
    let segment = context.segments.get(hit.segment_number());
    segment.map(|segment| read_stored(context, segment, hit.doc, fields)).transpose()
}

/// The living document with this number in the snapshot: id and fields.
pub(crate) fn document_at(
    context: &SearchContext<'_>,
    place: u64,
    fields: &FieldSelection,
) -> Result<Option<(String, Document)>> {
    let holds = |segment: &&SearchSegment<'_>| {
        (segment.base..segment.base + u64::from(segment.max_doc())).contains(&place)
    };
    let Some(segment) = context.segments.iter().find(holds) else { return Ok(None) };
    let doc = DocId::try_from(place - segment.base).unwrap_or(DocId::MAX);
    if segment.alive.as_ref().is_some_and(|alive| !alive.contains(doc)) {
        return Ok(None);
    }
    read_stored(context, segment, doc, fields).map(Some)
}

/// A field that a column can give back exactly.
struct Field<'a> {
    name: &'a Arc<str>,
    class: FieldClass,
    column: &'a ColumnRef,
}

impl<'a> Field<'a> {
    fn of(name: &'a Arc<str>, layout: &'a FieldLayout) -> Option<Self> {
        let (class, properties) = (layout.spec.class(), layout.spec.properties);
        let exact = class.is_point() || matches!(class, FieldClass::Str | FieldClass::Bool);
        // A column that stands for Solr's uninversion is for sorting; it gives nothing back.
        let shown = properties.stored || properties.doc_values;
        let column = layout.column.as_ref().filter(|_| exact && shown && !properties.multi_valued)?;
        Some(Self { name, class, column })
    }
}

/// Whether the columns give a document back with less work than its source does.
fn are_cheaper(segment: &SearchSegment<'_>, key: &Field<'_>, columns: &[Field<'_>]) -> bool {
    let is_quick = |field: &Field<'_>| {
        if field.name == key.name {
            segment.view.ids().is_some()
        } else {
            field.column.kind != ColumnKind::Str
        }
    };
    segment.view.source_bytes_mean() >= SOURCE_BYTES_LARGE || is_quick(key) && columns.iter().all(is_quick)
}

/// The unique key and the selected fields, when each has such a column. Names that no document bears ask for
/// nothing.
fn columns_of<'a>(layout: &'a Layout, fields: &'a FieldSelection) -> Option<(Field<'a>, Vec<Field<'a>>)> {
    if fields.all || !fields.globs.is_empty() {
        return None;
    }
    let key = layout.unique_key()?;
    let key = Field::of(key, layout.field(key)?)?;
    let known = fields.names.iter().filter_map(|name| Some((name, layout.field(name)?)));
    let columns = known.map(|(name, field)| Field::of(name, field)).collect::<Option<Vec<_>>>()?;
    Some((key, columns))
}

fn read_columns(
    segment: &SearchSegment<'_>,
    doc: DocId,
    key: &Field<'_>,
    columns: &[Field<'_>],
) -> Result<(String, Document)> {
    let id = match segment.view.ids().and_then(|ids| ids.get(doc)) {
        Some(id) => id.to_owned(),
        None => read(segment, doc, key)?.map(|value| value.to_text()).unwrap_or_default(),
    };
    let mut document = Document::default();
    for field in columns {
        let value = match field.class {
            FieldClass::Str if field.name == key.name => Some(Value::Str(id.clone())),
            _ => read(segment, doc, field)?,
        };
        if let Some(value) = value {
            document.fields.push((field.name.clone(), vec![value]));
        }
    }
    Ok((id, document))
}

fn read(segment: &SearchSegment<'_>, doc: DocId, field: &Field<'_>) -> Result<Option<Value>> {
    let Some(column) = segment.view.column(field.column)? else { return Ok(None) };
    Ok(match column {
        AnyColumn::I64(column) => column.first(doc).map(|number| integer_value(field.class, number)),
        AnyColumn::F64(column) => column.first(doc).map(|number| real_value(field.class, number)),
        AnyColumn::Bool(column) => column.first(doc).map(Value::Bool),
        AnyColumn::Str(column) => match column.term_ords(doc).next() {
            Some(ordinal) => {
                let mut text = String::new();
                column.ord_to_str(ordinal, &mut text).map_err(from_tantivy)?;
                Some(Value::Str(text))
            }
            None => None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use meter::Meters;

    use crate::search::SearchCaches;
    use crate::testing::{document, schema, snapshot, text};

    /// Text that does not compress.
    fn noise() -> String {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            format!("{state:08x} ")
        };
        (0..1000).map(|_| next()).collect()
    }

    #[test]
    fn documents_have_places() {
        let schema = Arc::new(schema());
        let doc = |id: &str, name: &str| document(&[("id", vec![text(id)]), ("name_s", vec![text(name)])]);
        let snapshot = snapshot(&schema, &[vec![doc("1", "a"), doc("2", "b")], vec![doc("3", "b")]]);
        let caches = SearchCaches::default();
        let context = crate::search::context_of(&snapshot, &caches);
        let at = |place| document_at(&context, place, &FieldSelection::default()).unwrap().map(|(id, _)| id);
        assert_eq!([at(0), at(2), at(3)], [Some("1".to_owned()), Some("3".to_owned()), None]);
        let found = hit(&context, &HitRef::at(1, 0), &FieldSelection::default());
        assert_eq!(found.unwrap().place, 2);
        let mut versions = snapshot.versions(2).unwrap();
        versions.sort_unstable();
        assert_eq!(versions.len(), 2);
        let query = |name: &str| plan::Query::Term { field: "name_s".into(), value: text(name) };
        let others = crate::search::explain_other(
            &snapshot,
            &plan::SearchPlan::count(query("a")),
            &query("b"),
            1,
            &Meters::default(),
        )
        .unwrap();
        let shown: Vec<_> = others.iter().map(|(id, why)| (id.as_str(), why.description.as_str())).collect();
        assert_eq!(shown, [("2", "no matching term")]);
    }

    #[test]
    fn columns_answer_as_sources_do() {
        let schema = Arc::new(schema());
        let large = document(&[
            ("id", vec![text("one")]),
            ("title_t", vec![text(&noise())]),
            ("year_i", vec![Value::Int(1972)]),
            ("name_s", vec![text("kelvin")]),
        ]);
        let bare = document(&[("id", vec![text("two")]), ("title_t", vec![text(&noise())])]);
        let snapshot = snapshot(&schema, &[vec![large, bare]]);
        let caches = SearchCaches::default();
        let context = crate::search::context_of(&snapshot, &caches);
        assert!(context.segments[0].view.source_bytes_mean() >= SOURCE_BYTES_LARGE);
        let names = ["name_s", "year_i", "nowhere"].map(Arc::from).to_vec();
        let fields = FieldSelection { names, ..FieldSelection::default() };
        assert!(columns_of(context.layout, &fields).is_some());
        for (doc, id) in [(0, "one"), (1, "two")] {
            let shown = hit(&context, &HitRef::at(0, doc), &fields).unwrap();
            let source = context.segments[0].view.source(doc).unwrap();
            let (_, mut expected) = read_source(&source, context.layout, &fields).unwrap();
            expected.fields.sort_by(|left, right| left.0.cmp(&right.0));
            assert_eq!((shown.id.as_str(), shown.document), (id, expected));
        }
        let with_text = FieldSelection { names: vec!["title_t".into()], ..FieldSelection::default() };
        assert!(columns_of(context.layout, &with_text).is_none());
    }
}
