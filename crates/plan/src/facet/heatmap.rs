//! Facets over a map: a grid of cells over a part of the earth, and how many hits lie in each. Which cells
//! and how they are numbered is here; what a request says is read in `solr`, hits are counted in `engine`.
//! The rules are those of Lucene's `HeatmapFacetCounter` (10.3).

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, RootCause};
use crate::geo::area::{Area, Rect};
use crate::geo::spatial::Grid;

/// More rows times columns than this squared are a mistake in `maxCells`.
const SIDE_MAX: u64 = 46_340;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeatmapFacet {
    pub key: String,
    pub field: Arc<str>,
    pub map: HeatGrid,
    /// Only cells that it touches are counted; `None` where that is all of the map.
    pub area: Option<Area>,
    /// How far off the cells are by which the field keeps a shape, as a part of its size.
    pub error_part: f64,
    /// Levels of the field's grid.
    pub levels: u8,
    pub form: HeatmapForm,
    pub exclude_tags: Vec<String>,
}

/// How counts are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HeatmapForm {
    /// Rows of numbers, from the north.
    Numbers,
    /// A picture whose pixels are the numbers.
    Picture,
}

/// What was counted.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatmapResult {
    pub map: HeatGrid,
    pub form: HeatmapForm,
    /// Row by row from the south, from west to east; none where no cell has a hit.
    pub counts: Vec<u32>,
}

/// Cells of one level of geohashes, side by side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeatGrid {
    pub level: u8,
    pub columns: u32,
    pub rows: u32,
    /// The first cell, counted from the south-western corner of the earth.
    column_first: u32,
    row_first: u32,
}

impl HeatGrid {
    /// The cells around `bounds`. More than `cells_max` are an error, worded as Solr's.
    pub fn around(bounds: Rect, level: u8, cells_max: u64) -> Result<Self> {
        if cells_max > SIDE_MAX * SIDE_MAX {
            return Err(illegal(&format!("maxCells ({cells_max}) should be <= {SIDE_MAX}")));
        }
        let (width, height) = Grid::size(level);
        let (column_first, columns) = stretch(bounds.west + 180.0, bounds.width(), width, 360.0);
        let (row_first, rows) = stretch(bounds.south + 90.0, bounds.north - bounds.south, height, 180.0);
        if u64::from(columns) * u64::from(rows) > cells_max {
            let shape = Area::Rect(bounds);
            let shape = shape.shown();
            return Err(illegal(&format!(
                "Too many cells ({columns} x {rows}) for level {level} shape {shape}"
            )));
        }
        Ok(Self { level, columns, rows, column_first, row_first })
    }

    pub fn cells(&self) -> usize {
        self.columns as usize * self.rows as usize
    }

    /// What the cells cover.
    pub fn bounds(&self) -> Rect {
        let (width, height) = Grid::size(self.level);
        let west = f64::from(self.column_first) * width - 180.0;
        let south = f64::from(self.row_first) * height - 90.0;
        let (east, north) = (west + f64::from(self.columns) * width, south + f64::from(self.rows) * height);
        Rect { south, north: north.min(90.0), west, east: if east > 180.0 { east - 360.0 } else { east } }
    }

    /// The cell that a place lies in, if it is one of these.
    pub fn cell_of(&self, latitude: f64, longitude: f64) -> Option<usize> {
        let (width, height) = Grid::size(self.level);
        let around = cells(360.0, width);
        let column = at(longitude + 180.0, width, around);
        let row = at(latitude + 90.0, height, cells(180.0, height)).checked_sub(self.row_first)?;
        let column = (column + around - self.column_first) % around;
        self.place(column, row)
    }

    fn place(&self, column: u32, row: u32) -> Option<usize> {
        let inside = column < self.columns && row < self.rows;
        inside.then(|| row as usize * self.columns as usize + column as usize)
    }

    /// Of a cell the corner of the coarser cell of `level` that it lies in, or its own: (column, row) from
    /// the earth's corner.
    pub fn ancestor(&self, cell: usize, level: u8) -> (u32, u32) {
        let columns = self.columns.max(1) as usize;
        let (column, row) = ((cell % columns) as u32, (cell / columns) as u32);
        let (own, above) = (Grid::size(self.level), Grid::size(level.min(self.level)));
        let around = cells(360.0, own.0);
        let column = (self.column_first + column) % around;
        let times = |above: f64, own: f64| cells(above, own).max(1);
        (column / times(above.0, own.0), (self.row_first + row) / times(above.1, own.1))
    }

    pub fn rect(&self, cell: usize) -> Rect {
        Self::rect_of(self.level, self.ancestor(cell, self.level))
    }

    /// A cell by its place on the earth.
    pub fn rect_of(level: u8, (column, row): (u32, u32)) -> Rect {
        let (width, height) = Grid::size(level);
        let (west, south) = (f64::from(column) * width - 180.0, f64::from(row) * height - 90.0);
        Rect { south, north: south + height, west, east: west + width }
    }

    /// The rows of the cells of `level` that a span of latitudes meets.
    pub fn rows_between(&self, level: u8, south: f64, north: f64) -> Range<usize> {
        let axis =
            Axis { own: Grid::size(self.level).1, above: Grid::size(level.min(self.level)).1, whole: 180.0 };
        axis.met((south + 90.0, north + 90.0), (self.row_first, self.rows))
    }

    /// As [`HeatGrid::rows_between`], the columns; all of them where the span or the map crosses the date
    /// line.
    pub fn columns_between(&self, level: u8, west: f64, east: f64) -> Range<usize> {
        let axis =
            Axis { own: Grid::size(self.level).0, above: Grid::size(level.min(self.level)).0, whole: 360.0 };
        if west > east || self.column_first + self.columns > cells(axis.whole, axis.own) {
            return 0..self.columns as usize;
        }
        axis.met((west + 180.0, east + 180.0), (self.column_first, self.columns))
    }
}

/// One direction of a map: degrees of its cells, of coarser ones above them, and of all of the earth.
struct Axis {
    own: f64,
    above: f64,
    whole: f64,
}

impl Axis {
    /// Of `count` cells from `start` on those in a coarser cell that the span meets, or in one beside it:
    /// what ends on an edge touches the next.
    fn met(&self, (from, to): (f64, f64), (start, count): (u32, u32)) -> Range<usize> {
        let (most, times) = (cells(self.whole, self.above), cells(self.above, self.own).max(1));
        let first = at(from, self.above, most).saturating_sub(1) * times;
        let behind = (at(to, self.above, most) + 2).saturating_mul(times);
        let within = |cell: u32| cell.saturating_sub(start).min(count) as usize;
        within(first)..within(behind)
    }
}

/// First cell, and how many, that a stretch of degrees takes.
fn stretch(from: f64, length: f64, cell: f64, whole: f64) -> (u32, u32) {
    let most = cells(whole, cell);
    let first = at(from, cell, most);
    let reach = length + (from - f64::from(first) * cell);
    let count = if reach <= 0.0 { 1.0 } else { (reach / cell).ceil() };
    (first, (count as u32).clamp(1, most))
}

/// The cell of a coordinate. One that lies between two cells belongs to the lower, as in a geohash of
/// spatial4j.
fn at(degrees: f64, cell: f64, most: u32) -> u32 {
    (((degrees / cell).ceil() - 1.0).max(0.0) as u32).min(most.saturating_sub(1))
}

fn cells(whole: f64, cell: f64) -> u32 {
    (whole / cell).round() as u32
}

fn illegal(message: &str) -> Error {
    Error::bad_request(format!("java.lang.IllegalArgumentException: {message}"))
        .with_root(RootCause::IllegalArgument)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARTH: Rect = Rect::EARTH;

    /// As Solr 9.10.1 lays them out.
    #[test]
    fn maps_cover_their_bounds() {
        let check = |bounds: [f64; 4], level: u8, size: (u32, u32), expected: [f64; 4]| {
            let [west, east, south, north] = bounds;
            let map = HeatGrid::around(Rect { south, north, west, east }, level, 100_000).unwrap();
            let Rect { south, north, west, east } = map.bounds();
            assert_eq!((map.columns, map.rows, [west, east, south, north]), (size.0, size.1, expected));
        };
        check([-180.0, 180.0, -90.0, 90.0], 2, (32, 32), [-180.0, 180.0, -90.0, 90.0]);
        check(
            [-100.0, -90.0, 40.0, 50.0],
            4,
            (29, 58),
            [-100.195_312_5, -90.0, 39.902_343_75, 50.097_656_25],
        );
        check([170.0, -170.0, -20.0, -10.0], 2, (2, 3), [168.75, -168.75, -22.5, -5.625]);
        check([-93.85, -93.85, 45.15, 45.15], 3, (1, 1), [-94.218_75, -92.812_5, 45.0, 46.406_25]);
    }

    #[test]
    fn cells_hold_their_places() {
        let map =
            HeatGrid::around(Rect { south: -20.0, north: -10.0, west: 170.0, east: -170.0 }, 2, 99).unwrap();
        assert_eq!(map.cell_of(-17.8, 179.9), Some(0));
        assert_eq!(map.cell_of(-13.8, -171.8), Some(3));
        assert_eq!(map.cell_of(0.0, 0.0), None);
        assert_eq!(map.cell_of(89.0, 179.0), None);
        assert_eq!(HeatGrid::around(EARTH, 1, 32).unwrap().cell_of(90.0, 180.0), Some(31));
        let (column, row) = map.ancestor(3, 1);
        assert_eq!(
            HeatGrid::rect_of(1, (column, row)),
            Rect { south: -45.0, north: 0.0, west: -180.0, east: -135.0 }
        );
    }

    #[test]
    fn shapes_meet_the_cells_around_them() {
        let map = HeatGrid::around(EARTH, 1, 32).unwrap();
        assert_eq!((map.rows_between(1, 1.0, 2.0), map.columns_between(1, 1.0, 2.0)), (1..4, 3..6));
        assert_eq!((map.rows_between(1, -90.0, 90.0), map.columns_between(1, 170.0, -170.0)), (0..4, 0..8));
        assert_eq!(map.columns_between(1, -180.0, -179.0), 0..2);
        let fine = HeatGrid::around(EARTH, 2, 1024).unwrap();
        assert_eq!(fine.columns_between(1, -180.0, -179.0), 0..8);
    }

    #[test]
    fn too_many_cells_are_an_error() {
        assert!(HeatGrid::around(EARTH, 6, 100_000).is_err());
        assert!(HeatGrid::around(EARTH, 1, 31).is_err());
        assert!(HeatGrid::around(EARTH, 1, u64::MAX).is_err());
        assert!(HeatGrid::around(EARTH, 12, 100_000).is_err());
    }
}
