//! Vectors in a search: which documents are nearest to a target, over all segments, and how near one is. In a
//! segment with a file of vectors the graph finds them, unless so few documents are allowed that looking at
//! each is less work; elsewhere all are looked at.

use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use plan::{Nearest, Query, Result, VectorEncoding, VectorMeasure, VectorSide, VectorSimilarity, VectorType};
use tantivy::columnar::Column;
use tantivy::index::SegmentId;
use tantivy::{DocId, SegmentReader};

use crate::layout::FieldLayout;
use crate::search::columns::SegmentColumns;
use crate::search::context::{SearchContext, SearchSegment};
use crate::segment::bits::Bits;
use crate::segment::columns::AnyColumn;
use crate::segment::dense_vectors::{self, Near, Target, VectorSet, Visited};

/// Candidates on the way through a graph, at least.
const BEAM_LEAST: usize = 64;
/// Documents between looks at the allowance.
const DOCS_A_LOOK: u32 = 1024;
/// Vectors compared for each candidate of a beam, about.
const COMPARED_PER_CANDIDATE: usize = 8;

/// The vectors of a field in one segment.
pub(crate) struct VectorReader {
    set: Option<VectorSet>,
    column: Option<Column<i64>>,
    dimension: usize,
    room: Vec<u8>,
}

impl VectorReader {
    /// Little endian; `None` where the document has none.
    fn vector(&mut self, doc: DocId) -> Option<&[u8]> {
        if let Some(set) = &self.set {
            return set.of_doc(doc);
        }
        self.room.clear();
        let found = dense_vectors::read(self.column.as_ref()?, doc, self.dimension, &mut self.room);
        found.then_some(&self.room)
    }
}

/// A field that holds vectors, with the files of the segments that have one.
pub(crate) struct VectorSource {
    columns: SegmentColumns,
    sets: HashMap<SegmentId, VectorSet>,
    kind: VectorType,
}

impl VectorSource {
    /// `None` when no document has the field.
    fn of(context: &SearchContext<'_>, field: &str) -> Result<Option<Self>> {
        let layout: Option<&Arc<FieldLayout>> = context.layout.field(field);
        let Some((layout, column)) = layout.and_then(|it| Some((it, it.column.as_ref()?))) else {
            return Ok(None);
        };
        let kind = VectorType::of(&layout.spec.field_type)?;
        let set =
            |segment: &SearchSegment<'_>| Some((segment.view.id(), segment.view.vectors(column)?.clone()));
        let sets = context.segments.iter().filter_map(set).collect();
        Ok(Some(Self { columns: SegmentColumns::of(context, column)?, sets, kind }))
    }

    fn reader(&self, segment: SegmentId) -> VectorReader {
        let column = match self.columns.values(segment) {
            Some(AnyColumn::I64(column)) => Some(column.clone()),
            _ => None,
        };
        let set = self.sets.get(&segment).cloned();
        VectorReader { set, column, dimension: self.kind.dimension, room: Vec::new() }
    }
}

/// The nearest documents, by segment.
pub(crate) fn nearest(context: &SearchContext<'_>, query: &Nearest) -> Result<HashMap<SegmentId, Arc<Bits>>> {
    let Some(source) = VectorSource::of(context, &query.field)? else { return Ok(HashMap::new()) };
    let VectorType { measure, encoding, .. } = source.kind;
    let target = Target::new(&query.target, measure, encoding);
    let allowed = allowed(context, &query.among)?;
    let mut best: BinaryHeap<std::cmp::Reverse<(Near, usize)>> = BinaryHeap::new();
    for (number, segment) in context.segments.iter().enumerate() {
        let allowed = allowed.as_ref().and_then(|allowed| allowed.get(number));
        let allowed = allowed.or(segment.alive.as_deref());
        for near in in_segment(segment, &source, &target, query, allowed) {
            // Of two as near, the one earlier in the index.
            best.push(std::cmp::Reverse((near, usize::MAX - number)));
            if best.len() > query.count {
                best.pop();
            }
        }
    }
    let mut found: HashMap<SegmentId, Bits> = HashMap::new();
    for std::cmp::Reverse((near, number)) in best {
        let Some(segment) = context.segments.get(usize::MAX - number) else { continue };
        let none = || Bits::none(segment.max_doc());
        found.entry(segment.view.id()).or_insert_with(none).insert(near.node);
    }
    Ok(found.into_iter().map(|(id, bits)| (id, Arc::new(bits))).collect())
}

/// The living documents that pass, segment by segment; `None` is all that live.
fn allowed(context: &SearchContext<'_>, among: &[Query]) -> Result<Option<Vec<Bits>>> {
    if among.is_empty() {
        return Ok(None);
    }
    let clauses = among.iter().map(|query| plan::Clause { occur: plan::Occur::Must, query: query.clone() });
    let query = Query::Boolean { clauses: clauses.collect(), minimum_should_match: 0 };
    let mut allowed: Vec<Bits> =
        context.segments.iter().map(|segment| Bits::none(segment.max_doc())).collect();
    for (number, docs) in context.matching_docs(&query)? {
        if let Some(bits) = allowed.get_mut(number) {
            docs.into_iter().for_each(|doc| bits.insert(doc));
        }
    }
    Ok(Some(allowed))
}

/// The nearest of a segment, by their documents; more than are wanted, perhaps.
fn in_segment(
    segment: &SearchSegment<'_>,
    source: &VectorSource,
    target: &Target,
    query: &Nearest,
    allowed: Option<&Bits>,
) -> Vec<Near> {
    let accepts = |doc: DocId| allowed.is_none_or(|allowed| allowed.contains(doc));
    let set = source.sets.get(&segment.view.id());
    if let Some((set, graph)) = set.and_then(|set| Some((set, set.graph.as_ref()?))) {
        let beam = ((query.count as f32 * query.effort.max(1.0)) as usize)
            .clamp(BEAM_LEAST, set.len().max(BEAM_LEAST));
        let passing = allowed.map_or(set.len(), |allowed| allowed.count() as usize);
        let worthwhile = passing.saturating_mul(passing) > beam * COMPARED_PER_CANDIDATE * set.len();
        if worthwhile && beam < set.len() {
            let score = |node: u32| target.score(set.vector(node));
            let accept = |node: u32| accepts(set.doc(node));
            let found = graph.search(beam, &mut Visited::of(set.len()), score, accept);
            let by_doc = |near: Near| Near { node: set.doc(near.node), ..near };
            return found.into_iter().map(by_doc).collect();
        }
    }
    let mut reader = source.reader(segment.view.id());
    let mut best: BinaryHeap<std::cmp::Reverse<Near>> = BinaryHeap::new();
    for doc in (0..segment.max_doc()).filter(|doc| accepts(*doc)) {
        if doc % DOCS_A_LOOK == DOCS_A_LOOK - 1 && segment.allowance.is_used_up() {
            break;
        }
        let Some(score) = reader.vector(doc).map(|vector| target.score(vector)) else { continue };
        best.push(std::cmp::Reverse(Near { score, node: doc }));
        if best.len() > query.count {
            best.pop();
        }
    }
    best.into_iter().map(|std::cmp::Reverse(near)| near).collect()
}

/// A similarity ready to be opened in any segment.
pub(crate) struct LoweredSimilarity {
    measure: VectorMeasure,
    encoding: VectorEncoding,
    sides: [LoweredSide; 2],
}

enum LoweredSide {
    Field(Option<VectorSource>),
    Constant(Arc<[f32]>),
}

impl LoweredSimilarity {
    pub(crate) fn new(context: &SearchContext<'_>, similarity: &VectorSimilarity) -> Result<Self> {
        let side = |side: &VectorSide| {
            Ok(match side {
                VectorSide::Field(field) => LoweredSide::Field(VectorSource::of(context, field)?),
                VectorSide::Constant(values) => LoweredSide::Constant(values.clone()),
            })
        };
        let [one, other] = &similarity.sides;
        let sides = [side(one)?, side(other)?];
        Ok(Self { measure: similarity.measure, encoding: similarity.encoding, sides })
    }
}

/// How near two vectors of a document are.
pub(crate) struct SimilarityReader {
    target: Target,
    sides: [ReaderSide; 2],
    label: String,
}

enum ReaderSide {
    Field(Box<VectorReader>),
    Constant(Vec<u8>),
    Nothing,
}

impl ReaderSide {
    fn vector(&mut self, doc: DocId) -> Option<&[u8]> {
        match self {
            ReaderSide::Field(reader) => reader.vector(doc),
            ReaderSide::Constant(bytes) => Some(bytes),
            ReaderSide::Nothing => None,
        }
    }
}

impl SimilarityReader {
    pub(crate) fn open(lowered: &LoweredSimilarity, label: &str, segment: &SegmentReader) -> Self {
        let side = |side: &LoweredSide| match side {
            LoweredSide::Field(Some(source)) => {
                ReaderSide::Field(Box::new(source.reader(segment.segment_id())))
            }
            LoweredSide::Field(None) => ReaderSide::Nothing,
            LoweredSide::Constant(values) => {
                ReaderSide::Constant(values.iter().flat_map(|number| number.to_le_bytes()).collect())
            }
        };
        let [one, other] = &lowered.sides;
        let target = Target::new(&[], lowered.measure, lowered.encoding);
        Self { target, sides: [side(one), side(other)], label: label.to_owned() }
    }

    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// 0 where a vector is missing, as in Lucene.
    pub(crate) fn floats(&mut self, docs: &[DocId], out: &mut [f32]) {
        for (out, doc) in out.iter_mut().zip(docs) {
            *out = self.score(*doc).unwrap_or(0.0);
        }
    }

    fn score(&mut self, doc: DocId) -> Option<f32> {
        let [one, other] = &mut self.sides;
        self.target.set_bytes(one.vector(doc)?);
        Some(self.target.score(other.vector(doc)?))
    }
}
