//! What searches read: the segments and marks of one moment. A snapshot never changes; a refresh makes the
//! next one and readers hold on to theirs as long as they like.
//!
//! Tantivy's `Searcher` is not used to collect: each segment keeps its reader from snapshot to snapshot, and
//! only segments with new marks (or under a grown layout) are opened again, 4 µs each (2026-11).

pub(crate) mod field_stats;
pub(crate) mod global_ordinals;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, OnceLock};

use plan::{Document, FieldSelection, Result, Value, Version};
use serde::{Deserialize, Serialize};
use store::Watermark;
use tantivy::directory::OwnedBytes;
use tantivy::fastfield::Column;
use tantivy::postings::TermInfo;
use tantivy::schema::Field;
use tantivy::{DocId, SegmentReader, Term};

use crate::errors::from_tantivy;
use crate::layout::{ColumnRef, Layout, VERSION_NAME};
use crate::segment::Segment;
use crate::segment::alive::Dead;
use crate::segment::bits::Bits;
use crate::segment::columns::AnyColumn;
use crate::segment::columns::OpenColumns;
use crate::segment::dense_vectors::VectorSet;
use crate::segment::id_texts::IdTexts;
use crate::segment::postings::{PostingsFile, TermBlocks};
use crate::segment::source_codec;
use crate::segment::term_bits::TermBits;
use crate::segment::value_order::ValueOrder;
use field_stats::{KnownFields, KnownTerms};

/// The segments of one moment, in index order, under one layout.
pub struct Snapshot {
    number: u64,
    standing: Standing,
    layout: Arc<Layout>,
    segments: Views,
    known_fields: KnownFields,
    known_terms: KnownTerms,
}

/// Up to where a snapshot has what happened to its shard. What it shows may have come about a little earlier:
/// one that would show nothing else is not made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    /// The opening of the home that shows it.
    pub(crate) opening: u64,
    /// The last record in it.
    pub(crate) logged: Watermark,
    pub(crate) version_max: i64,
    pub(crate) modified_ms: i64,
}

/// The segments of a snapshot, for whoever meets only tantivy's reader of one.
#[derive(Clone)]
pub(crate) struct Views(Arc<[Arc<SegmentView>]>);

impl Views {
    /// The segment's number in the snapshot, and its view; `None` for a segment of another snapshot.
    pub(crate) fn of(&self, reader: &SegmentReader) -> Option<(usize, &SegmentView)> {
        let id = reader.segment_id();
        self.0.iter().enumerate().find(|(_, view)| view.id() == id).map(|(number, view)| (number, &**view))
    }
}

/// One segment as a snapshot sees it.
pub struct SegmentView {
    pub(crate) segment: Arc<Segment>,
    pub(crate) dead: Dead,
    generation: u64,
    reader: SegmentReader,
    postings: PostingsFile,
    columns: OpenColumns,
    /// Of `dead`, made when a search first asks: the view of another moment has its own, whichever is asked
    /// last.
    alive: OnceLock<Option<Arc<Bits>>>,
}

/// Where a snapshot stands among all that its shard has shown: one of a later opening of the home, or of the
/// same and with a higher number, shows at least as much (model `follow_leader`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SnapshotOrder {
    pub opening: u64,
    pub number: u64,
}

impl Standing {
    const NOWHERE: Self = Self { opening: 0, logged: Watermark::START, version_max: 0, modified_ms: 0 };
}

impl Snapshot {
    /// The snapshot after `previous`, of these segments with these marks. Views that did not change are taken
    /// over.
    pub(crate) fn build(
        previous: Option<&Snapshot>,
        layout: Arc<Layout>,
        segments: &[(Arc<Segment>, Dead)],
    ) -> Result<Self> {
        // Opened under an older layout, a reader would not know the fields that came.
        let same_layout = previous.filter(|it| it.layout.generation() == layout.generation());
        let views = segments.iter().map(|(segment, dead)| {
            let present =
                same_layout.and_then(|it| it.view_of(segment)).filter(|view| view.dead.same_as(dead));
            match present {
                Some(view) => Ok(view.clone()),
                None => SegmentView::open(segment.clone(), dead.clone(), &layout).map(Arc::new),
            }
        });
        let segments = Views(views.collect::<Result<_>>()?);
        Ok(Self {
            number: previous.map_or(1, |it| it.number + 1),
            standing: previous.map_or(Standing::NOWHERE, |it| it.standing),
            layout,
            segments,
            // Both are of all segments together, so those of the snapshot before are of no use.
            known_fields: KnownFields::default(),
            known_terms: KnownTerms::default(),
        })
    }

    /// The same, standing there.
    pub(crate) fn at(self, standing: Standing) -> Self {
        Self { standing, ..self }
    }

    pub(crate) fn order(&self) -> SnapshotOrder {
        SnapshotOrder { opening: self.standing.opening, number: self.number }
    }

    pub(crate) fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Counts up with each refresh.
    pub fn number(&self) -> u64 {
        self.number
    }

    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Whether what was resolved against a version of the schema may be lowered here. Errors:
    /// `SchemaChanged`. A snapshot shows an edit with its own refresh: until then, plans of before it are the
    /// ones that fit.
    pub(crate) fn check_schema(&self, resolved: Option<u64>) -> Result<()> {
        self.layout.lineage().check(resolved)
    }

    pub fn segments(&self) -> &[Arc<SegmentView>] {
        &self.segments.0
    }

    pub(crate) fn views(&self) -> &Views {
        &self.segments
    }

    pub(crate) fn known_fields(&self) -> &KnownFields {
        &self.known_fields
    }

    pub(crate) fn known_terms(&self) -> &KnownTerms {
        &self.known_terms
    }

    pub fn num_docs(&self) -> u64 {
        self.segments.0.iter().map(|view| u64::from(view.reader.num_docs())).sum()
    }

    /// Documents, dead ones included.
    pub fn max_doc(&self) -> u64 {
        self.segments.0.iter().map(|view| u64::from(view.reader.max_doc())).sum()
    }

    /// The greatest versions of living documents, at least the greatest `limit`, in no order.
    pub(crate) fn versions(&self, limit: usize) -> Result<Vec<Version>> {
        let mut greatest = BinaryHeap::new();
        for view in self.segments.0.iter() {
            let column = view.versions()?;
            for doc in view.reader.doc_ids_alive() {
                greatest.extend(column.first(doc).map(Reverse));
                if greatest.len() > limit {
                    greatest.pop();
                }
            }
        }
        Ok(greatest.into_iter().map(|Reverse(version)| version).collect())
    }

    /// Whether the next snapshot would be no other.
    pub(crate) fn shows(&self, segments: &[(Arc<Segment>, Dead)], layout: &Arc<Layout>) -> bool {
        let same = |(view, (segment, dead)): (&Arc<SegmentView>, &(Arc<Segment>, Dead))| {
            view.segment.id == segment.id && view.dead.same_as(dead)
        };
        let all_same =
            self.segments.0.len() == segments.len() && self.segments.0.iter().zip(segments).all(same);
        all_same && Arc::ptr_eq(&self.layout, layout)
    }

    pub(crate) fn view_of(&self, segment: &Arc<Segment>) -> Option<&Arc<SegmentView>> {
        self.segments.0.iter().find(|view| view.segment.id == segment.id)
    }
}

impl SegmentView {
    fn open(segment: Arc<Segment>, dead: Dead, layout: &Layout) -> Result<Self> {
        let opened = segment.tantivy_segment(layout)?;
        let alive = dead.to_alive(segment.max_doc);
        let reader = SegmentReader::open_with_custom_alive_set(&opened, alive).map_err(from_tantivy)?;
        let postings = PostingsFile::open(&reader)?;
        Ok(Self {
            segment,
            dead,
            generation: layout.generation(),
            reader,
            postings,
            columns: OpenColumns::default(),
            alive: OnceLock::new(),
        })
    }

    /// The living documents; `None` when all live.
    pub(crate) fn alive(&self) -> Option<Arc<Bits>> {
        let of = |dead: &Dead| {
            let mut bits = Bits::all(self.segment.max_doc);
            bits.subtract(&Bits::from_docs(self.segment.max_doc, dead.iter()));
            Arc::new(bits)
        };
        self.alive.get_or_init(|| (self.dead.count() > 0).then(|| of(&self.dead))).clone()
    }

    pub(crate) fn postings(&self) -> &PostingsFile {
        &self.postings
    }

    /// Where a term's postings are, if any document has it.
    pub(crate) fn term_info(&self, term: &Term) -> Result<Option<TermInfo>> {
        let inverted = self.reader.inverted_index(term.field()).map_err(from_tantivy)?;
        inverted.get_term_info(term).map_err(from_tantivy)
    }

    /// A cursor over the postings of a term, if any document has it.
    pub(crate) fn term_blocks(&self, term: &Term) -> Result<Option<TermBlocks>> {
        let info = self.term_info(term)?;
        info.map(|info| self.postings.blocks(&self.reader, term.field(), &info)).transpose()
    }

    /// The documents of a term as bits, where the segment keeps them so.
    pub(crate) fn term_bits(&self, field: Field, info: &TermInfo) -> Option<TermBits> {
        self.segment.derived().dense_terms.as_ref()?.get(field, info.postings_range.start)
    }

    /// Tantivy's reader, which leaves dead documents out where tantivy does.
    pub fn reader(&self) -> &SegmentReader {
        &self.reader
    }

    /// Identifies the segment for caches. Its documents never change under one id.
    pub fn id(&self) -> tantivy::index::SegmentId {
        self.segment.id
    }

    /// The generation of the layout it is opened under.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// A column of the segment, opened once.
    pub(crate) fn column(&self, column: &ColumnRef) -> Result<Option<AnyColumn>> {
        self.columns.get(&self.reader, column)
    }

    /// The documents in the order of a column's values, where the segment keeps it.
    pub(crate) fn value_order(&self, column: &ColumnRef) -> Option<&ValueOrder> {
        self.segment.derived().value_orders.as_ref()?.get(column.field)
    }

    /// The vectors of a column, where the segment keeps them in a block.
    pub(crate) fn vectors(&self, column: &ColumnRef) -> Option<&VectorSet> {
        self.segment.derived().vectors.as_ref()?.get(column.field)
    }

    /// The ids of the documents, where the segment keeps them so.
    pub(crate) fn ids(&self) -> Option<&IdTexts> {
        self.segment.derived().ids.as_ref()
    }

    /// The same, read from their terms where it does not; `None` where they take four gigabytes or more.
    pub(crate) fn all_ids(&self) -> Result<Option<&IdTexts>> {
        self.segment.all_ids()
    }

    /// The encoded source of a document, to be read by [`read_source`].
    pub fn source(&self, doc: DocId) -> Result<OwnedBytes> {
        self.segment.source(doc)
    }

    /// Compressed bytes of a source, on average over the segment.
    pub fn source_bytes_mean(&self) -> u64 {
        self.segment.source_bytes_mean()
    }

    /// The version column.
    pub fn versions(&self) -> Result<Column<i64>> {
        self.reader.fast_fields().i64(crate::layout::VERSION_COLUMN).map_err(from_tantivy)
    }
}

/// The document in `source`, with the fields that `selection` names: in stored order, `_version_` last. Also
/// its id.
///
/// `*` leaves out columns that the schema does not use as stored; asked for by name, they come.
pub fn read_source(source: &[u8], layout: &Layout, selection: &FieldSelection) -> Result<(String, Document)> {
    let mut document = Document::default();
    let mut id = String::new();
    let is_key = |slot| layout.slot_name(slot).is_some_and(|name| Some(name) == layout.unique_key());
    source_codec::fields(
        source,
        |slot| is_key(slot) || layout.slot_name(slot).is_some_and(|name| selected(name, layout, selection)),
        |slot, values| {
            if is_key(slot) {
                id = values.first().map(Value::to_text).unwrap_or_default();
            }
            if let Some(name) = layout.slot_name(slot).filter(|name| selected(name, layout, selection)) {
                document.fields.push((name.clone(), values));
            }
        },
    )?;
    if selected(VERSION_NAME, layout, selection) && layout.field(VERSION_NAME).is_some() {
        let version = source_codec::version(source)?;
        document.fields.push((VERSION_NAME.into(), vec![Value::Long(version)]));
    }
    Ok((id, document))
}

fn selected(name: &str, layout: &Layout, selection: &FieldSelection) -> bool {
    if !selection.contains(name) {
        return false;
    }
    let by_name = selection.names.iter().any(|wanted| &**wanted == name);
    layout.field(name).is_none_or(|field| {
        let properties = &field.spec.properties;
        properties.retrievable() || by_name && properties.doc_values
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::id_filter;
    use crate::testing::{document, schema, snapshot, text};
    use tantivy::collector::{Collector, Count};
    use tantivy::query::{EnableScoring, Query, TermQuery};
    use tantivy::schema::IndexRecordOption;
    use tantivy::{DocSet, Term};

    fn count(snapshot: &Snapshot, field: &str, word: &str) -> usize {
        let field = snapshot.layout().field(field).unwrap().inverted.unwrap();
        let query = TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::Basic);
        let weight = query.weight(EnableScoring::disabled_from_schema(snapshot.layout().tantivy())).unwrap();
        let fruits =
            snapshot.segments().iter().map(|view| Count.collect_segment(&*weight, 0, view.reader()).unwrap());
        fruits.sum()
    }

    #[test]
    fn documents_are_found_and_given_back() {
        let schema = Arc::new(schema());
        let films = document(&[
            ("id", vec![text("1")]),
            ("title_t", vec![text("Der Rote Kakadu"), text("rote Rosen")]),
            ("tags_dv", vec![text("b"), text("a"), text("b")]),
            ("year_i", vec![Value::Int(2006)]),
            ("name_s", vec![text("kakadu")]),
        ]);
        let other = document(&[("id", vec![text("2")]), ("title_t", vec![text("kakadu")])]);
        let snapshot = snapshot(&schema, &[vec![films], vec![other]]);
        assert_eq!(count(&snapshot, "title_t", "kakadu"), 2);
        assert_eq!(count(&snapshot, "title_t", "rote"), 1);
        assert_eq!(count(&snapshot, "everything", "rosen"), 1);
        assert_eq!(count(&snapshot, "copied", "kak"), 1);
        assert_eq!(count(&snapshot, "id", "2"), 1);
        let source = snapshot.segments()[0].source(0).unwrap();
        let (id, found) = read_source(&source, snapshot.layout(), &FieldSelection::everything()).unwrap();
        assert_eq!(id, "1");
        let names: Vec<&str> = found.fields.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["id", "title_t", "tags_dv", "year_i", "name_s", "copied", "_version_"]);
        assert_eq!(found.get("tags_dv").unwrap(), [text("a"), text("b")]);
        assert_eq!(found.get("_version_").unwrap(), [Value::Long(1)]);
    }

    #[test]
    fn values_stand_a_gap_apart() {
        let schema = Arc::new(schema());
        let words = document(&[("id", vec![text("1")]), ("a_t", vec![text("x y"), text("z")])]);
        let snapshot = snapshot(&schema, &[vec![words]]);
        let field = snapshot.layout().field("a_t").unwrap().inverted.unwrap();
        let index = snapshot.segments()[0].reader().inverted_index(field).unwrap();
        let position = |word: &str| {
            let term = Term::from_field_text(field, word);
            let option = IndexRecordOption::WithFreqsAndPositions;
            let mut postings = index.read_postings(&term, option).unwrap().unwrap();
            let mut positions = Vec::new();
            tantivy::postings::Postings::positions(&mut postings, &mut positions);
            assert_eq!(postings.doc(), 0);
            positions
        };
        assert_eq!((position("y"), position("z")), (vec![1], vec![102]));
    }

    #[test]
    fn the_dead_are_not_counted_and_views_are_kept() {
        let schema = Arc::new(schema());
        let doc = |id: &str| document(&[("id", vec![text(id)]), ("a_t", vec![text("x")])]);
        let first = snapshot(&schema, &[vec![doc("1"), doc("2")], vec![doc("3")]]);
        let segments: Vec<_> = first.segments().iter().map(|view| view.segment.clone()).collect();
        assert_eq!(segments[0].find("2", id_filter::hash("2")).unwrap(), [1]);
        segments[0].marks.mark(1);
        assert!(segments[0].find("2", id_filter::hash("2")).unwrap().is_empty());
        let marked: Vec<_> =
            segments.iter().map(|segment| (segment.clone(), segment.marks.current())).collect();
        let second = Snapshot::build(Some(&first), first.layout().clone(), &marked).unwrap();
        assert_eq!((count(&first, "a_t", "x"), count(&second, "a_t", "x")), (3, 2));
        assert!(!Arc::ptr_eq(&first.segments()[0], &second.segments()[0]));
        assert!(Arc::ptr_eq(&first.segments()[1], &second.segments()[1]));
        assert_eq!((second.num_docs(), second.max_doc(), second.number()), (2, 3, 2));
        let alive = |snapshot: &Snapshot| snapshot.segments()[0].alive();
        let (known, before) = (alive(&second).unwrap(), alive(&first));
        assert!(known.contains(0) && !known.contains(1) && before.is_none());
        assert!(Arc::ptr_eq(&known, &alive(&second).unwrap()));
    }
}
