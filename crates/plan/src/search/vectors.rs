//! The terms of documents, field by field (Solr's term vectors): which documents and fields, what is shown of
//! each term. Terms are read from the document's own text again, by its analyzer, since no vectors are
//! stored; what is shown of each is the request's choice.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::search::hit::HitAddress;

/// Whose terms to tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VectorsPlan {
    /// Of the schema it was resolved against.
    pub schema_version: Option<u64>,
    /// Where they are; a shard is asked for its own.
    pub places: Vec<HitAddress>,
    /// `None` is every field of the schema that keeps vectors. With whether documents of each term are
    /// counted.
    pub fields: Option<Vec<(Arc<str>, bool)>>,
    /// Whether documents of each term are counted where all fields are shown.
    pub count_documents: bool,
}

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct DocumentVectors {
    pub id: String,
    pub fields: Vec<FieldVector>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldVector {
    pub field: Arc<str>,
    /// In order of their bytes.
    pub terms: Vec<VectorTerm>,
}

#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct VectorTerm {
    pub term: String,
    pub positions: Vec<u32>,
    /// Beginning and end of each occurrence, in UTF-16 units over all values of the field.
    pub offsets: Vec<(u32, u32)>,
    /// What stands with the term, of those occurrences that have something.
    pub payloads: Vec<Vec<u8>>,
    /// Documents with the term, the dead ones included.
    pub documents: Option<u64>,
}
