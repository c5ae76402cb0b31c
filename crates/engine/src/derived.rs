//! What we write beside tantivy's files when a segment is made: from its own postings and columns, never from documents, so
//! that a builder and a merge do the same.

use plan::Result;
use tantivy::SegmentReader;
use tantivy::index::SegmentId;

use crate::dense_terms::{self, DenseTerms};
use crate::directory::Files;
use crate::errors::from_tantivy;
use crate::layout::Layout;
use crate::segment::file_name;
use crate::value_order::{self, ValueOrders};

/// Below, everything is quick anyway. Tests have small segments and want the files.
const MAX_DOC_LEAST: u32 = if cfg!(test) { 8 } else { 16_384 };

pub(crate) const EXTENSIONS: [&str; 2] = [dense_terms::EXTENSION, value_order::EXTENSION];

/// The files of a segment just written, by name.
pub(crate) fn files(segment: &tantivy::Segment, layout: &Layout) -> Result<Vec<(String, Vec<u8>)>> {
    let id = segment.id();
    if segment.meta().max_doc() < MAX_DOC_LEAST {
        return Ok(Vec::new());
    }
    let reader = SegmentReader::open(segment).map_err(from_tantivy)?;
    let dense = dense_terms::build(&reader)?.map(|bytes| (file_name(id, dense_terms::EXTENSION), bytes));
    let order =
        value_order::build(&reader, layout)?.map(|bytes| (file_name(id, value_order::EXTENSION), bytes));
    Ok(dense.into_iter().chain(order).collect())
}

/// The derived files of a segment, opened; either may be missing.
pub(crate) struct Derived {
    pub(crate) dense_terms: Option<DenseTerms>,
    pub(crate) value_orders: Option<ValueOrders>,
}

impl Derived {
    pub(crate) fn open(files: &Files, id: SegmentId, max_doc: u32) -> Result<Self> {
        let file = |extension| files.get(std::path::Path::new(&file_name(id, extension)));
        let dense_terms = file(dense_terms::EXTENSION).map(|it| DenseTerms::open(it.clone(), max_doc));
        let value_orders = file(value_order::EXTENSION).map(|it| ValueOrders::open(it, max_doc));
        Ok(Self { dense_terms: dense_terms.transpose()?, value_orders: value_orders.transpose()? })
    }
}
