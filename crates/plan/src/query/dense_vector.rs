//! Vectors: what a field of them holds, and how two are compared. Scores are Lucene's, higher for nearer;
//! they are worked out in `engine`. What a type of such a field declares is checked here, once, with the
//! schema; a query's numbers are read by `crates/solr/src/query/vector.rs` against it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::schema::field::FieldType;

/// How two vectors are compared, by the names of Solr's `similarityFunction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum VectorMeasure {
    Euclidean,
    /// Of vectors of length 1.
    DotProduct,
    Cosine,
    /// As the dot product, of any length.
    MaximumInnerProduct,
}

impl VectorMeasure {
    /// Solr's names.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("EUCLIDEAN", Self::Euclidean),
        ("DOT_PRODUCT", Self::DotProduct),
        ("COSINE", Self::Cosine),
        ("MAXIMUM_INNER_PRODUCT", Self::MaximumInnerProduct),
    ];

    /// By name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, measure)| *measure)
    }
}

/// What the numbers of a vector are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum VectorEncoding {
    Float32,
    /// Whole numbers from -128 to 127.
    Byte,
}

impl VectorEncoding {
    /// By Solr's name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        let known = [("FLOAT32", Self::Float32), ("BYTE", Self::Byte)];
        known.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, encoding)| encoding)
    }
}

/// What a type of the class `DenseVector` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorType {
    pub dimension: usize,
    pub measure: VectorMeasure,
    pub encoding: VectorEncoding,
    /// `None` for a field that is always looked through.
    pub graph: Option<GraphShape>,
}

/// Of a graph of neighbours (Malkov and Yashunin, 2016).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphShape {
    /// Links of a vector in the upper layers; the lowest has twice as many.
    pub links: usize,
    /// Candidates that are looked at for the links of a new vector.
    pub beam: usize,
}

impl VectorType {
    /// Solr's bound.
    const DIMENSION_MAX: usize = 16_384;
    const LINKS: GraphShape = GraphShape { links: 16, beam: 100 };
    const LINKS_MAX: usize = 512;
    const BEAM_MAX: usize = 3200;

    /// Reads the attributes of a type. Errors name the one that cannot be.
    pub fn of(kind: &FieldType) -> Result<Self> {
        let number = |names: [&str; 2]| {
            let text = names.iter().find_map(|name| kind.argument(name));
            text.map(|text| text.parse::<usize>().map_err(|_| wrong(kind, names[0], text))).transpose()
        };
        let word = |name: &str| kind.argument(name).unwrap_or_default();
        let dimension = number(["vectorDimension", ""])?.unwrap_or_default();
        if dimension == 0 || dimension > Self::DIMENSION_MAX {
            return Err(wrong(kind, "vectorDimension", word("vectorDimension")));
        }
        let measure = match word("similarityFunction") {
            "" => VectorMeasure::Euclidean,
            name => VectorMeasure::named(name).ok_or_else(|| wrong(kind, "similarityFunction", name))?,
        };
        let encoding = match word("vectorEncoding") {
            "" => VectorEncoding::Float32,
            name => VectorEncoding::named(name).ok_or_else(|| wrong(kind, "vectorEncoding", name))?,
        };
        let links = number(["hnswMaxConnections", "hnswM"])?.unwrap_or(Self::LINKS.links);
        let beam = number(["hnswBeamWidth", "hnswEfConstruction"])?.unwrap_or(Self::LINKS.beam);
        let links = links.clamp(2, Self::LINKS_MAX);
        let graph = (word("knnAlgorithm") != "flat")
            .then_some(GraphShape { links, beam: beam.clamp(links, Self::BEAM_MAX) });
        Ok(Self { dimension, measure, encoding, graph })
    }
}

fn wrong(kind: &FieldType, name: &str, text: &str) -> Error {
    Error::bad_request(format!(
        "type `{}`: `{name}` is `{text}`, which is none of its values; see the reference",
        kind.name
    ))
}

/// How near the vectors of two sides are; 0 where a document lacks one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VectorSimilarity {
    pub measure: VectorMeasure,
    pub encoding: VectorEncoding,
    pub sides: [VectorSide; 2],
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum VectorSide {
    Field(Arc<str>),
    Constant(Arc<[f32]>),
}
