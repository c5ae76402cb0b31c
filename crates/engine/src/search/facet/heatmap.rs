//! Facets over a map: how many hits lie in each cell. Points are found by their codes, all other shapes by
//! the cells that the field keeps of them, each distinct shape once in a segment. A hit counts once in a
//! cell, whatever it has there.
//!
//! Solr differs: at the edge of a circle it counts cells that the box around it touches
//! (`compat/facet/heatmaps.yaml`).

use std::collections::BTreeMap;

use plan::{Area, GeoPoint, Grid, HeatGrid, HeatmapFacet, Result};
use tantivy::DocId;
use tantivy::columnar::Column;

use super::room::BucketBudget;
use crate::errors::from_tantivy;
use crate::layout::FieldLayout;
use crate::search::context::{SearchContext, SearchSegment};
use crate::search::facet::domain::Domain;
use crate::search::spatial::{CellRelation, Shape};
use crate::segment::bits::Bits;
use crate::segment::columns::AnyColumn;

/// By cell; none where no cell has a hit.
pub(super) fn count(
    context: &SearchContext<'_>,
    room: &BucketBudget,
    facet: &HeatmapFacet,
    domain: &Domain,
) -> Result<Vec<u32>> {
    let map = &facet.map;
    let Some(layout) = context.layout.field(&facet.field) else { return Ok(Vec::new()) };
    room.reserve(map.cells(), 1)?;
    let mut counts = vec![0; map.cells()];
    let of = Counted { facet, layout };
    for (segment, hits) in context.segments.iter().zip(domain) {
        if context.allowance.is_used_up() {
            break;
        }
        of.count(segment, hits, &mut counts)?;
    }
    if let Some(area) = &facet.area {
        let shape = Shape::new(area);
        let cells = counts.iter_mut().enumerate().filter(|(_, count)| **count > 0);
        let outside = cells
            .filter(|(cell, _)| shape.relate(&map.rect(*cell)) == CellRelation::Outside)
            .map(|(_, count)| count);
        outside.for_each(|count| *count = 0);
    }
    Ok(if counts.iter().all(|count| *count == 0) { Vec::new() } else { counts })
}

/// A map and the field whose places are on it.
#[derive(Clone, Copy)]
struct Counted<'a> {
    facet: &'a HeatmapFacet,
    layout: &'a FieldLayout,
}

impl Counted<'_> {
    fn count(&self, segment: &SearchSegment<'_>, hits: &Bits, counts: &mut [u32]) -> Result<()> {
        let mut tally = Tally { counts, cells: Vec::new() };
        let column = self.layout.column.as_ref().map(|column| segment.view.column(column)).transpose()?;
        let points = match column.flatten() {
            Some(AnyColumn::I64(points)) => Some(points),
            _ => None,
        };
        let shapes = Shapes::read(self, segment, hits, points.as_ref())?;
        for (area, docs) in shapes.areas.iter().zip(&shapes.alone) {
            if *docs > 0 && !segment.allowance.is_used_up() {
                self.cells(area, |cell| tally.add(cell, *docs));
            }
        }
        let looks = (0..).zip(hits.iter());
        for (at, doc) in looks {
            if at & 0xfff == 0 && segment.allowance.is_used_up() {
                return Ok(());
            }
            for code in points.iter().flat_map(|points| points.values_for_doc(doc)) {
                let GeoPoint { latitude, longitude } = GeoPoint::of_code(code);
                tally.cells.extend(self.facet.map.cell_of(latitude, longitude));
            }
            for area in shapes.several.get(&doc).into_iter().flatten().filter_map(|at| shapes.areas.get(*at))
            {
                self.cells(area, |cell| tally.cells.push(cell));
            }
            tally.end_of_hit();
        }
        Ok(())
    }

    /// Calls `take` with the cells of the map that the field keeps of a shape.
    fn cells(&self, area: &Area, mut take: impl FnMut(usize)) {
        let HeatmapFacet { map, levels, error_part, .. } = self.facet;
        let Some(bounds) = area.bounds() else { return };
        let detail = Grid::of_error(area.reach() * error_part, *levels).detail.min(map.level);
        let shape = Shape::new(area);
        let width = map.columns as usize;
        let columns = map.columns_between(detail, bounds.west, bounds.east);
        for row in map.rows_between(detail, bounds.south, bounds.north) {
            let mut known = None;
            for cell in columns.clone().map(|column| row * width + column) {
                let above = map.ancestor(cell, detail);
                let meets = match known {
                    Some((of, meets)) if of == above => meets,
                    _ => shape.relate(&HeatGrid::rect_of(detail, above)) != CellRelation::Outside,
                };
                known = Some((above, meets));
                if meets {
                    take(cell);
                }
            }
        }
    }
}

/// Counts, and the cells of one hit.
struct Tally<'t> {
    counts: &'t mut [u32],
    cells: Vec<usize>,
}

impl Tally<'_> {
    fn add(&mut self, cell: usize, hits: u32) {
        if let Some(count) = self.counts.get_mut(cell) {
            *count += hits;
        }
    }

    fn end_of_hit(&mut self) {
        let mut cells = std::mem::take(&mut self.cells);
        if cells.len() > 1 {
            cells.sort_unstable();
            cells.dedup();
        }
        cells.drain(..).for_each(|cell| self.add(cell, 1));
        self.cells = cells;
    }
}

/// The distinct shapes of a segment that are no points, and which hits have them.
#[derive(Default)]
struct Shapes {
    areas: Vec<Area>,
    /// By shape, how many hits have it and nothing else.
    alone: Vec<u32>,
    /// The shapes of hits that have more.
    several: BTreeMap<DocId, Vec<usize>>,
}

impl Shapes {
    fn read(
        of: &Counted<'_>,
        segment: &SearchSegment<'_>,
        hits: &Bits,
        points: Option<&Column<i64>>,
    ) -> Result<Self> {
        let mut shapes = Self::default();
        let Some(field) = of.layout.inverted else { return Ok(shapes) };
        let mut held: Vec<(DocId, usize)> = Vec::new();
        let inverted = segment.reader.inverted_index(field).map_err(from_tantivy)?;
        let mut terms = inverted.terms().stream().map_err(from_tantivy)?;
        // A segment of before the field was known has no postings of it.
        if inverted.terms().num_terms() == 0 {
            return Ok(shapes);
        }
        let postings = segment.view.postings().field(segment.reader, field)?;
        while terms.advance() && !segment.allowance.is_used_up() {
            let area = std::str::from_utf8(terms.key()).ok().and_then(|text| Area::parse(text).ok());
            let Some(area) = area else { continue };
            let number = shapes.areas.len();
            postings.for_each_doc(terms.value(), |doc| {
                if hits.contains(doc) {
                    held.push((doc, number));
                }
            })?;
            shapes.areas.push(area);
        }
        held.sort_unstable();
        shapes.alone.resize(shapes.areas.len(), 0);
        for of_doc in held.chunk_by(|(left, _), (right, _)| left == right) {
            let has_points = |doc: &DocId| points.is_some_and(|points| points.first(*doc).is_some());
            match of_doc {
                [(doc, shape)] if !has_points(doc) => {
                    shapes.alone.get_mut(*shape).into_iter().for_each(|count| *count += 1);
                }
                [(doc, _), ..] => {
                    shapes.several.insert(*doc, of_doc.iter().map(|(_, shape)| *shape).collect());
                }
                [] => {}
            }
        }
        Ok(shapes)
    }
}
