//! How much of a box another box is, and how large a box is: what a field of boxes (Solr's `BBoxField`) is
//! scored by. The formulas are those of Lucene's `BBoxOverlapRatioValueSource` and of spatial4j's areas. In:
//! the edges of two boxes in degrees; out: a number. The engine calls it document by document; what a request
//! may ask for is checked in `crates/solr/src/query/spatial/boxes.rs`.

use serde::{Deserialize, Serialize};

use crate::geo::area::Rect;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum BoxScore {
    Overlap {
        /// The box asked for.
        asked: Rect,
        /// How much of the score its own share is, from 0 to 1; the rest is that of the document's box.
        asked_share: f64,
        /// Shorter sides count as this long, in degrees.
        side_min: f64,
    },
    /// In squares of a unit, by how many of it make a degree; on a sphere if `round`.
    Area { per_degree: f64, round: bool },
}

/// Four numbers say where a box is.
impl Rect {
    /// From west, east, south and north.
    pub fn of_edges([west, east, south, north]: [f64; 4]) -> Self {
        Self { south, north, west, east }
    }

    pub fn edges(self) -> [f64; 4] {
        [self.west, self.east, self.south, self.north]
    }

    /// Whether it crosses the date line.
    pub fn crosses(self) -> bool {
        self.west > self.east
    }

    fn height(self) -> f64 {
        self.north - self.south
    }
}

impl BoxScore {
    /// Of a document's box.
    pub fn of(&self, found: Rect) -> f64 {
        match *self {
            BoxScore::Overlap { asked, asked_share, side_min } => {
                overlap(asked, found, asked_share, side_min).unwrap_or(0.0)
            }
            BoxScore::Area { per_degree, round } => {
                let square = if round { round_area(found) } else { found.width() * found.height() };
                square * per_degree * per_degree
            }
        }
    }
}

/// In square degrees.
fn round_area(found: Rect) -> f64 {
    let [south, north] = [found.south, found.north].map(|latitude| latitude.to_radians().sin());
    (north - south).abs() * found.width() * 1f64.to_degrees()
}

/// `None` where they have nothing in common.
fn overlap(asked: Rect, found: Rect, asked_share: f64, side_min: f64) -> Option<f64> {
    let height = asked.north.min(found.north) - asked.south.max(found.south);
    let width = common_width(asked, found).filter(|_| height >= 0.0)?;
    let area = |width: f64, height: f64| width.max(side_min) * height.max(side_min);
    let common = area(width, height);
    let share = |of: Rect| match of {
        of if area(of.width(), of.height()) > 0.0 => common / area(of.width(), of.height()),
        of if of.height() > 0.0 => height / of.height(),
        of if of.width() > 0.0 => width / of.width(),
        // A point that the other box holds.
        _ => 1.0,
    };
    Some(share(asked) * asked_share + share(found) * (1.0 - asked_share))
}

/// Degrees from west to east that both have.
fn common_width(one: Rect, other: Rect) -> Option<f64> {
    let (west, east) = (one.west.max(other.west), one.east.min(other.east));
    match (one.crosses(), other.crosses()) {
        (true, true) => Some(east - west + 360.0),
        (false, false) if west <= east => Some(east - west),
        (false, false) => {
            let at_date_line = |rect: Rect| rect.west == -180.0 || rect.east == 180.0;
            (at_date_line(one) && at_date_line(other)).then_some(0.0)
        }
        (crosses, _) => {
            let (around, plain) = if crosses { (one, other) } else { (other, one) };
            let before = plain.east - around.west.max(plain.west);
            let behind = around.east.min(plain.east) - plain.west;
            (before >= 0.0 || behind >= 0.0).then(|| before.max(0.0) + behind.max(0.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(west: f64, east: f64, north: f64, south: f64) -> Rect {
        Rect { south, north, west, east }
    }

    /// Recorded from Solr 9.10.1 (`compat/query/boxes.yaml`).
    #[test]
    fn boxes_are_scored_as_lucene_scores_them() {
        let check = |asked: Rect, asked_share: f64, side_min: f64, found: Rect, expected: f64| {
            let score = BoxScore::Overlap { asked, asked_share, side_min }.of(found);
            assert!((score - expected).abs() < 1e-6, "{asked:?} {found:?}: {score}");
        };
        let asked = rect(-94.5, -92.5, 46.0, 44.5);
        check(asked, 0.25, 0.0, rect(-94.0, -93.0, 46.0, 45.0), 0.833_333_3);
        check(asked, 0.75, 0.0, rect(-95.0, -92.0, 47.0, 44.0), 0.833_333_3);
        check(asked, 0.25, 1.5, rect(-94.0, -93.0, 46.0, 45.0), 0.9375);
        check(asked, 0.25, 0.0, rect(20.0, 30.0, 60.0, 50.0), 0.0);
        check(rect(172.0, -175.0, 5.0, -5.0), 0.25, 0.0, rect(175.0, 180.0, 5.0, -5.0), 0.846_153_86);
        check(rect(172.0, -175.0, 5.0, -5.0), 0.25, 0.0, rect(170.0, -170.0, 10.0, -10.0), 0.493_75);
        check(rect(-180.0, 180.0, 90.0, -90.0), 0.25, 0.0, rect(5.0, 5.0, 10.0, 0.0), 0.75);
        check(rect(5.0, 5.0, 20.0, 5.0), 0.25, 0.0, rect(5.0, 5.0, 10.0, 0.0), 0.458_333_34);
    }

    #[test]
    fn areas_are_round_or_flat() {
        let check = |round: bool, expected: f64| {
            let area = BoxScore::Area { per_degree: 111.195_079_734, round };
            let found = area.of(rect(-94.0, -93.0, 46.0, 45.0));
            assert!((found - expected).abs() < expected * 1e-6, "{found}");
        };
        check(true, 8666.175);
        check(false, 12_364.346);
    }
}
