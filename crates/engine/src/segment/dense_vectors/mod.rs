//! The vectors of a segment in a file beside tantivy's: in one block, to be compared without decoding, with a
//! graph of neighbours for each field that wants one. Made from the columns when a large segment is written;
//! small segments are read from their columns, all of them, which is quick enough.
//!
//! Format, little endian: magic (u32), version (u32), number of fields (u64); for each (field u32, numbers in
//! a vector u32, vectors u32, links u32, bytes of the graph u64); then for each the documents (u32 each), the
//! vectors, the graph.

mod graph;
mod similarity;

use std::borrow::Cow;

use plan::{Error, FieldType, Result, Value, VectorType};
use tantivy::columnar::Column;
use tantivy::directory::OwnedBytes;
use tantivy::schema::Field;
use tantivy::{DocId, SegmentReader};

use self::graph::GraphBuilder;
pub(crate) use self::graph::{Graph, Near, Visited};
pub(crate) use self::similarity::{NUMBER, Target};
use crate::layout::{ColumnKind, FieldLayout, Layout};
use crate::segment::columns::AnyColumn;

/// What a field may put into the file, which is made in memory: past it, all are looked at in their column.
const BYTES_MAX: usize = 2 << 30;
/// With fewer, to look at all takes no longer, and to make a graph would hold up a commit.
const GRAPH_LEAST: usize = if cfg!(test) { 100 } else { 16_384 };

pub(crate) const EXTENSION: &str = "vectors";

const MAGIC: u32 = u32::from_le_bytes(*b"PHVE");
const VERSION: u32 = 1;
const HEADER: usize = 16;
const ENTRY: usize = 24;

/// The words of a column that a document's values make. As many as the type says, or a bad request.
pub(crate) fn of_values(values: &[Cow<'_, Value>], kind: &FieldType) -> Result<Vec<i64>> {
    let dimension = VectorType::of(kind)?.dimension;
    if values.len() != dimension {
        let found = values.len();
        return Err(Error::bad_request(format!("a vector of its type has {dimension} numbers, not {found}")));
    }
    let number = |value: &Cow<'_, Value>| match **value {
        Value::Int(number) => number as f32,
        Value::Float(number) => number,
        _ => 0.0,
    };
    let vector: Vec<f32> = values.iter().map(number).collect();
    Ok(words(&vector).collect())
}

/// A vector as the words of a column: two numbers in each.
fn words(vector: &[f32]) -> impl Iterator<Item = i64> + '_ {
    vector.chunks(2).map(|pair| {
        let bits = |at: usize| u64::from(pair.get(at).map_or(0, |number| number.to_bits()));
        (bits(0) | bits(1) << 32).cast_signed()
    })
}

/// Adds the vector of a document to `out`; whether there is one.
pub(crate) fn read(column: &Column<i64>, doc: DocId, dimension: usize, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    column.values_for_doc(doc).for_each(|word| out.extend(word.to_le_bytes()));
    let found = out.len() > start;
    out.resize(start + if found { dimension * NUMBER } else { 0 }, 0);
    found
}

/// The file's bytes, `None` when the segment has no vectors.
pub(crate) fn build(reader: &SegmentReader, layout: &Layout) -> Result<Option<Vec<u8>>> {
    let mut parts = Vec::new();
    for field in layout.fields() {
        parts.extend(part(reader, field)?);
    }
    if parts.is_empty() {
        return Ok(None);
    }
    let mut file = Vec::new();
    file.extend(MAGIC.to_le_bytes());
    file.extend(VERSION.to_le_bytes());
    file.extend((parts.len() as u64).to_le_bytes());
    for part in &parts {
        for number in
            [part.field.field_id(), part.dimension as u32, part.docs.len() as u32, part.links as u32]
        {
            file.extend(number.to_le_bytes());
        }
        file.extend((part.graph.len() as u64).to_le_bytes());
    }
    for part in &parts {
        part.docs.iter().for_each(|doc| file.extend(doc.to_le_bytes()));
        file.extend(&part.vectors);
        file.extend(&part.graph);
    }
    Ok(Some(file))
}

/// What one field puts into the file.
struct Part {
    field: Field,
    dimension: usize,
    docs: Vec<DocId>,
    vectors: Vec<u8>,
    /// 0 without a graph.
    links: usize,
    graph: Vec<u8>,
}

fn part(reader: &SegmentReader, field: &FieldLayout) -> Result<Option<Part>> {
    let Some(column) = field.column.as_ref().filter(|column| column.kind == ColumnKind::Vector) else {
        return Ok(None);
    };
    let Ok(kind) = VectorType::of(&field.spec.field_type) else { return Ok(None) };
    let Some(AnyColumn::I64(values)) = AnyColumn::open(reader, column)? else { return Ok(None) };
    let (mut docs, mut vectors) = (Vec::new(), Vec::new());
    for doc in 0..reader.max_doc() {
        if read(&values, doc, kind.dimension, &mut vectors) {
            docs.push(doc);
        }
        if vectors.len() > BYTES_MAX {
            return Ok(None);
        }
    }
    let mut graph = Vec::new();
    if let Some(shape) = kind.graph.filter(|_| docs.len() >= GRAPH_LEAST) {
        let mut target = Target::new(&[], kind.measure, kind.encoding);
        GraphBuilder::build(&vectors, kind.dimension * NUMBER, shape, &mut target).write(&mut graph);
    }
    let links = kind.graph.filter(|_| !graph.is_empty()).map_or(0, |shape| shape.links);
    let dimension = kind.dimension;
    Ok((!docs.is_empty()).then_some(Part { field: column.field, dimension, docs, vectors, links, graph }))
}

/// The vectors of a segment.
pub(crate) struct Vectors {
    fields: Vec<(Field, VectorSet)>,
}

/// The vectors of one field, numbered in the order of their documents.
#[derive(Clone)]
pub(crate) struct VectorSet {
    docs: OwnedBytes,
    vectors: OwnedBytes,
    /// Bytes of a vector.
    size: usize,
    pub(crate) graph: Option<Graph>,
}

impl Vectors {
    pub(crate) fn open(file: &OwnedBytes) -> Result<Self> {
        Self::parse(file).ok_or_else(|| {
            Error::internal("a segment's file of vectors is damaged or of a newer release; restore the shard")
        })
    }

    fn parse(file: &OwnedBytes) -> Option<Self> {
        let small = |at: usize| -> Option<u32> {
            Some(u32::from_le_bytes(file.as_slice().get(at..at + 4)?.try_into().ok()?))
        };
        let large = |at: usize| -> Option<usize> {
            let bytes = file.as_slice().get(at..at + 8)?.try_into().ok()?;
            usize::try_from(u64::from_le_bytes(bytes)).ok()
        };
        let count = large(8).filter(|_| small(0) == Some(MAGIC) && small(4) == Some(VERSION))?;
        let mut start = HEADER.checked_add(count.checked_mul(ENTRY)?)?;
        let mut part = |bytes: usize| {
            let end = start.checked_add(bytes).filter(|end| *end <= file.len())?;
            let part = file.slice(start..end);
            start = end;
            Some(part)
        };
        let mut fields = Vec::new();
        for entry in (0..count).map(|at| HEADER + at * ENTRY) {
            let field = Field::from_field_id(small(entry)?);
            let (size, len) = (small(entry + 4)? as usize * NUMBER, small(entry + 8)? as usize);
            let (docs, vectors) = (part(len.checked_mul(4)?)?, part(len.checked_mul(size)?)?);
            let (links, graph) = (small(entry + 12)? as usize, part(large(entry + 16)?)?);
            let graph = if links > 0 { Some(Graph::open(&graph, len, links)?) } else { None };
            fields.push((field, VectorSet { docs, vectors, size, graph }));
        }
        Some(Self { fields })
    }

    pub(crate) fn get(&self, field: Field) -> Option<&VectorSet> {
        self.fields.iter().find(|(own, _)| *own == field).map(|(_, set)| set)
    }
}

impl VectorSet {
    pub(crate) fn len(&self) -> usize {
        self.docs.len() / 4
    }

    /// The document of a vector.
    pub(crate) fn doc(&self, node: u32) -> DocId {
        let at = node as usize * 4;
        let bytes = self.docs.as_slice().get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(DocId::MAX, u32::from_le_bytes)
    }

    pub(crate) fn vector(&self, node: u32) -> &[u8] {
        let start = node as usize * self.size;
        self.vectors.as_slice().get(start..start + self.size).unwrap_or_default()
    }

    /// The vector of a document.
    pub(crate) fn of_doc(&self, doc: DocId) -> Option<&[u8]> {
        let (mut low, mut high) = (0, self.len() as u32);
        while low < high {
            let middle = u32::midpoint(low, high);
            if self.doc(middle) < doc { low = middle + 1 } else { high = middle }
        }
        ((low as usize) < self.len() && self.doc(low) == doc).then(|| self.vector(low))
    }
}

#[cfg(test)]
mod tests {
    use plan::{GraphShape, VectorEncoding, VectorMeasure};

    use super::similarity::numbers;
    use super::*;

    const DIMENSION: usize = if cfg!(debug_assertions) { 16 } else { 64 };
    /// Without optimisation a fraction takes as long; all of them are for
    /// `cargo --config profile.dev.package.engine.opt-level=3 --config
    /// profile.dev.package.engine.debug-assertions=false test -p engine --lib dense_vectors`.
    const COUNT: usize = if cfg!(debug_assertions) { 400 } else { 20_000 };

    /// Numbers that look random, around one of some centres.
    fn vectors(count: usize, seed: u64) -> Vec<Vec<f32>> {
        let mut state = seed;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 24) as f32 - 0.5
        };
        let centres: Vec<Vec<f32>> =
            (0..50).map(|_| (0..DIMENSION).map(|_| next() * 4.0).collect()).collect();
        let mut around = |number: usize| -> Vec<f32> {
            let centre = centres.get(number * 7919 % centres.len()).unwrap();
            centre.iter().map(|number| number + next()).collect()
        };
        (0..count).map(&mut around).collect()
    }

    fn bytes(vectors: &[Vec<f32>]) -> Vec<u8> {
        vectors.iter().flatten().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn a_graph_finds_the_nearest() {
        let (stored, asked) = (vectors(COUNT, 7), vectors(20, 7));
        let (matrix, size) = (bytes(&stored), DIMENSION * NUMBER);
        for measure in [VectorMeasure::Euclidean, VectorMeasure::Cosine] {
            let shape = GraphShape { links: 16, beam: 100 };
            let mut target = Target::new(&[], measure, VectorEncoding::Float32);
            let mut file = Vec::new();
            GraphBuilder::build(&matrix, size, shape, &mut target).write(&mut file);
            let graph = Graph::open(&OwnedBytes::new(file), COUNT, shape.links).unwrap();
            let mut visited = Visited::of(COUNT);
            let mut found = 0;
            for vector in &asked {
                target.set(vector.iter().copied());
                let score = |node: u32| target.score(&matrix[node as usize * size..][..size]);
                let mut all: Vec<Near> =
                    (0..COUNT as u32).map(|node| Near { score: score(node), node }).collect();
                all.sort_unstable();
                let nearest = &all[COUNT - 10..];
                let beam = graph.search(64, &mut visited, score, |_| true);
                found += nearest.iter().filter(|near| beam.contains(near)).count();
                let odd = graph.search(64, &mut visited, score, |node| node % 2 == 1);
                assert!(odd.iter().all(|near| near.node % 2 == 1) && odd.len() >= 10);
            }
            let recall = found as f64 / (asked.len() * 10) as f64;
            assert!(recall >= 0.95, "{measure:?}: {recall}");
        }
    }

    #[test]
    fn a_cut_file_is_no_graph() {
        let stored = bytes(&vectors(100, 3));
        let shape = GraphShape { links: 4, beam: 20 };
        let mut target = Target::new(&[], VectorMeasure::Euclidean, VectorEncoding::Float32);
        let mut file = Vec::new();
        GraphBuilder::build(&stored, DIMENSION * NUMBER, shape, &mut target).write(&mut file);
        assert!(Graph::open(&OwnedBytes::new(file.clone()), 100, 4).is_some());
        for length in [0, 3, 8, 100, file.len() - 1] {
            let cut = OwnedBytes::new(file.get(..length).unwrap().to_vec());
            assert!(Graph::open(&cut, 100, 4).is_none(), "{length}");
        }
    }

    #[test]
    fn words_hold_pairs() {
        let words: Vec<i64> = words(&[1.0, -2.0, 0.5]).collect();
        let back: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(numbers(&back).collect::<Vec<_>>(), [1.0, -2.0, 0.5, 0.0]);
    }
}
