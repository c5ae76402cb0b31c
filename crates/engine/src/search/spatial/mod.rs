//! Documents by where they are: points by ranges of their codes, in segments that keep documents in the order
//! of those, else by the column; other shapes of a grid field by looking at each distinct one.
//!
//! Lucene tells by cells as well for what a grid field holds besides points; here those shapes are looked at
//! exactly. Solr differs: near a shape's edge, by as much as the field's `distErrPct` allows
//! (`compat/query/spatial_shapes.yaml`).

mod cover;
mod relation;
mod shape;
mod strip;

use std::sync::Arc;

use plan::{Area, GeoPoint, Relation, Result, Spatial};
use tantivy::columnar::Column;
use tantivy::schema::Field;

use self::cover::{Cover, cell_of};
pub(crate) use self::relation::CellRelation;
pub(crate) use self::shape::Shape;
use super::sets::add_postings;
use crate::errors::from_tantivy;
use crate::layout::ColumnRef;
use crate::segment::bits::Bits;
use crate::segment::columns::AnyColumn;
use crate::segment::value_order::ValueOrder;
use crate::snapshot::SegmentView;

/// Bits that a character of a geohash stands for.
const CHARACTER_BITS: u32 = 5;

/// A spatial query made ready for any segment.
pub(crate) struct SpatialSearch {
    relation: Relation,
    shape: Shape,
    cover: Cover,
    detail: Option<u32>,
}

impl SpatialSearch {
    pub(crate) fn new(query: &Spatial) -> Arc<Self> {
        let shape = Shape::new(&query.area);
        let detail = query.grid.map(|grid| u32::from(grid.detail) * CHARACTER_BITS);
        let cover = Cover::of(&shape, detail);
        Arc::new(Self { relation: query.relation, shape, cover, detail })
    }

    /// Documents with a matching point. A point contains an area only if the area is a point itself.
    pub(crate) fn points(&self, view: &SegmentView, column: &ColumnRef) -> Result<Bits> {
        let (max_doc, order) = (view.reader().max_doc(), view.value_order(column));
        let Some(AnyColumn::I64(column)) = view.column(column)? else {
            return Ok(Bits::none(max_doc));
        };
        Ok(match order {
            Some(order) => self.points_in_order(&column, order, max_doc),
            None => {
                let matches = |doc: &u32| column.values_for_doc(*doc).any(|code| self.matches(code));
                Bits::from_docs(max_doc, (0..max_doc).filter(matches))
            }
        })
    }

    fn points_in_order(&self, column: &Column<i64>, order: &ValueOrder, max_doc: u32) -> Bits {
        let mut bits = Bits::none(max_doc);
        for codes in &self.cover.inside {
            let ranks = order.ranks(column, codes);
            if ranks.len() < max_doc as usize / 64 {
                ranks.for_each(|rank| bits.insert(order.doc(rank)));
            } else {
                bits.union(&order.bits(ranks));
            }
        }
        for codes in &self.cover.across {
            let docs = order.ranks(column, codes).map(|rank| order.doc(rank));
            let matches = |doc: &u32| column.first(*doc).is_some_and(|code| self.matches(code));
            docs.filter(matches).for_each(|doc| bits.insert(doc));
        }
        bits
    }

    fn matches(&self, code: i64) -> bool {
        match self.detail {
            Some(length) => self.shape.relate(&cell_of(code, length)) != CellRelation::Outside,
            None => self.shape.contains(GeoPoint::of_code(code)),
        }
    }

    /// Adds the documents with a matching shape that is no point.
    pub(crate) fn add_shapes(&self, view: &SegmentView, field: Field, bits: &mut Bits) -> Result<()> {
        let inverted = view.reader().inverted_index(field).map_err(from_tantivy)?;
        let mut terms = inverted.terms().stream().map_err(from_tantivy)?;
        while terms.advance() {
            let area = std::str::from_utf8(terms.key()).ok().and_then(|text| Area::parse(text).ok());
            if area.is_some_and(|area| self.relates(&Shape::new(&area))) {
                add_postings(view, field, terms.value(), bits)?;
            }
        }
        Ok(())
    }

    fn relates(&self, shape: &Shape) -> bool {
        match self.relation {
            Relation::Intersects => shape.meets(&self.shape),
            Relation::Within => shape.lies_in(&self.shape),
            Relation::Contains => self.shape.lies_in(shape),
        }
    }

    /// Whether points can match at all.
    pub(crate) fn finds_points(&self) -> bool {
        self.relation != Relation::Contains || self.shape.is_point()
    }
}

/// The middle of the cell that a code lies in.
pub(crate) fn cell_centre(code: i64, characters: u8) -> GeoPoint {
    cell_of(code, u32::from(characters) * CHARACTER_BITS).centre()
}
