//! What we write beside tantivy's files when a segment is made: from its own postings and columns, never from
//! documents, so that a builder and a merge do the same. Any of the files may be missing: older segments lack
//! them and are searched the plain way. What each holds, and how it is read, is its own file's.

use plan::Result;
use tantivy::SegmentReader;
use tantivy::index::SegmentId;

use crate::errors::from_tantivy;
use crate::layout::Layout;
use crate::segment::dense_terms::{self, DenseTerms};
use crate::segment::dense_vectors::{self, Vectors};
use crate::segment::directory::{Files, file_name};
use crate::segment::id_texts::{self, IdTexts};
use crate::segment::value_order::{self, ValueOrders};

/// Below, everything is quick anyway. Tests have small segments and want the files.
const MAX_DOC_LEAST: u32 = if cfg!(test) { 8 } else { 512 };

pub(crate) const EXTENSIONS: [&str; 4] =
    [dense_terms::EXTENSION, value_order::EXTENSION, id_texts::EXTENSION, dense_vectors::EXTENSION];

/// The files of a segment just written, by name.
pub(crate) fn files(segment: &tantivy::Segment, layout: &Layout) -> Result<Vec<(String, Vec<u8>)>> {
    let id = segment.id();
    if segment.meta().max_doc() < MAX_DOC_LEAST {
        return Ok(Vec::new());
    }
    let reader = SegmentReader::open(segment).map_err(from_tantivy)?;
    let built = [
        (dense_terms::EXTENSION, dense_terms::build(&reader)?),
        (value_order::EXTENSION, value_order::build(&reader, layout)?),
        (id_texts::EXTENSION, id_texts::build(&reader)?),
        (dense_vectors::EXTENSION, dense_vectors::build(&reader, layout)?),
    ];
    Ok(built.into_iter().filter_map(|(kind, bytes)| Some((file_name(id, kind), bytes?))).collect())
}

/// The derived files of a segment, opened; any may be missing.
pub(crate) struct Derived {
    pub(crate) dense_terms: Option<DenseTerms>,
    pub(crate) value_orders: Option<ValueOrders>,
    pub(crate) ids: Option<IdTexts>,
    pub(crate) vectors: Option<Vectors>,
}

impl Derived {
    pub(crate) fn open(files: &Files, id: SegmentId, max_doc: u32) -> Result<Self> {
        let file = |extension| files.get(std::path::Path::new(&file_name(id, extension)));
        let dense_terms = file(dense_terms::EXTENSION).map(|it| DenseTerms::open(it.clone(), max_doc));
        let value_orders = file(value_order::EXTENSION).map(|it| ValueOrders::open(it, max_doc));
        let ids = file(id_texts::EXTENSION).map(|it| IdTexts::open(it.clone(), max_doc));
        let vectors = file(dense_vectors::EXTENSION).map(Vectors::open);
        Ok(Self {
            dense_terms: dense_terms.transpose()?,
            value_orders: value_orders.transpose()?,
            ids: ids.transpose()?,
            vectors: vectors.transpose()?,
        })
    }
}
