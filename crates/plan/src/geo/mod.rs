//! The earth: places and the numbers an index keeps them as, areas and how they are written, boxes, and what
//! a search asks of them. Formulas are spatial4j's and Lucene's, so that hits and distances come out as
//! Solr's.

pub(crate) mod area;
pub(crate) mod box_score;
pub(crate) mod edge;
pub(crate) mod point;
pub(crate) mod spatial;
pub(crate) mod wkt;
