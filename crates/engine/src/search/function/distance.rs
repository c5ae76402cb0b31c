//! Distances between points: of vectors, and on a sphere. Formulas as Solr computes them, through spatial4j's
//! `DistanceUtils` (9.10.1), in double precision.
//!
//! In: readers of coordinates, or a column of codes of places; out: a batch of distances, or of scores of
//! boxes. Filters by distance use shapes (`search/spatial`) and none of this.

use plan::{BoxScore, EARTH_RADIUS_KM, Operator, Rect, central_angle};
use tantivy::{DocId, SegmentReader};

use super::batch::BatchBuffer;
use super::geohash;
use super::values::SingleValues;
use crate::search::columns::SegmentColumns;
use crate::search::spatial::cell_centre;
use crate::segment::columns::AnyColumn;

/// Metres, as Lucene's `SloppyMath` has it.
const EARTH_RADIUS_M: f64 = EARTH_RADIUS_KM * 1000.0;

/// Degrees of (latitude, longitude).
type LatLonDegrees = (f64, f64);

pub(super) fn distances<V: SingleValues>(
    operator: &Operator,
    arguments: &mut [V],
    docs: &[DocId],
    out: &mut [f64],
) {
    match (operator, arguments) {
        (Operator::Distance { order }, [one, other]) => {
            of_vectors(one, other, docs, out, Norm::of(f64::from(*order)));
        }
        (Operator::SquaredDistance, [one, other]) => of_vectors(one, other, docs, out, Norm::Squared),
        (Operator::Haversine { radius, degrees }, [one, other]) => {
            let unit = |place: LatLonDegrees| if *degrees { radians(place) } else { place };
            of_places(one, other, docs, out, |one, other| central_angle(unit(one), unit(other)) * radius);
        }
        (Operator::GeoDistance { latitude, longitude }, [other]) => {
            let centre = radians((*latitude, *longitude));
            let places = places(other, docs);
            let each = out.iter_mut().zip(places.0.all().iter().zip(places.1.all()));
            each.for_each(|(out, (latitude, longitude))| {
                *out = central_angle(centre, radians((*latitude, *longitude))) * EARTH_RADIUS_KM;
            });
        }
        (Operator::BoxScore(score), edges) => of_boxes(score, edges, docs, out),
        (Operator::GeohashDistance { radius }, [one, other]) => {
            one.remember(docs);
            other.remember(docs);
            for (out, doc) in out.iter_mut().zip(docs) {
                let place = |reader: &mut V| reader.text(*doc).and_then(|hash| geohash::decode(&hash));
                *out = match (place(one), place(other)) {
                    (Some(one), Some(other)) => central_angle(radians(one), radians(other)) * radius,
                    _ => 0.0,
                };
            }
        }
        _ => out.fill(0.0),
    }
}

#[derive(Clone, Copy)]
enum Norm {
    /// How many parts differ.
    Count,
    Sum,
    Euclidean,
    Squared,
    /// The greatest of all parts, not of their differences: so it is in spatial4j.
    Greatest,
    Order(f64),
}

impl Norm {
    fn of(order: f64) -> Self {
        match order {
            0.0 => Norm::Count,
            1.0 => Norm::Sum,
            2.0 => Norm::Euclidean,
            f64::INFINITY => Norm::Greatest,
            order => Norm::Order(order),
        }
    }

    fn add(self, so_far: f64, one: f64, other: f64) -> f64 {
        let difference = one - other;
        match self {
            Norm::Count => so_far + f64::from(u8::from(difference != 0.0)),
            Norm::Sum => so_far + difference.abs(),
            Norm::Euclidean | Norm::Squared => so_far + difference * difference,
            Norm::Greatest => so_far.max(one.max(other)),
            Norm::Order(order) => so_far + difference.powf(order),
        }
    }

    fn finish(self, sum: f64) -> f64 {
        match self {
            Norm::Euclidean => sum.sqrt(),
            Norm::Order(order) => sum.powf(1.0 / order),
            _ => sum,
        }
    }
}

fn of_vectors<V: SingleValues>(one: &mut V, other: &mut V, docs: &[DocId], out: &mut [f64], norm: Norm) {
    out.fill(0.0);
    for (one, other) in one.parts().iter_mut().zip(other.parts()) {
        let (mut left, mut right) = (BatchBuffer::<f64>::of(docs), BatchBuffer::<f64>::of(docs));
        one.doubles(docs, left.all_mut());
        other.doubles(docs, right.all_mut());
        for (sum, (left, right)) in out.iter_mut().zip(left.all().iter().zip(right.all())) {
            *sum = norm.add(*sum, *left, *right);
        }
    }
    out.iter_mut().for_each(|sum| *sum = norm.finish(*sum));
}

/// The two coordinates of a vector for each document.
fn places<V: SingleValues>(reader: &mut V, docs: &[DocId]) -> (BatchBuffer<f64>, BatchBuffer<f64>) {
    let (mut latitudes, mut longitudes) = (BatchBuffer::of(docs), BatchBuffer::of(docs));
    if let [latitude, longitude] = reader.parts() {
        latitude.doubles(docs, latitudes.all_mut());
        longitude.doubles(docs, longitudes.all_mut());
    }
    (latitudes, longitudes)
}

fn of_places<V: SingleValues>(
    one: &mut V,
    other: &mut V,
    docs: &[DocId],
    out: &mut [f64],
    distance: impl Fn(LatLonDegrees, LatLonDegrees) -> f64,
) {
    let (one, other) = (places(one, docs), places(other, docs));
    let ones = one.0.all().iter().zip(one.1.all());
    let others = other.0.all().iter().zip(other.1.all());
    for (out, ((lat, lon), (other_lat, other_lon))) in out.iter_mut().zip(ones.zip(others)) {
        *out = distance((*lat, *lon), (*other_lat, *other_lon));
    }
}

/// 0 where there is no box.
fn of_boxes<V: SingleValues>(score: &BoxScore, edges: &mut [V], docs: &[DocId], out: &mut [f64]) {
    let mut rooms = [(); 4].map(|()| BatchBuffer::<f64>::of(docs));
    let mut present = BatchBuffer::<bool>::of(docs);
    for (reader, room) in edges.iter_mut().zip(&mut rooms) {
        reader.doubles(docs, room.all_mut());
        reader.present(docs, present.all_mut());
    }
    for (at, (out, present)) in out.iter_mut().zip(present.all()).enumerate() {
        let edges = rooms.each_ref().map(|room| room.all().get(at).copied().unwrap_or(0.0));
        *out = if *present { score.of(Rect::of_edges(edges)) } else { 0.0 };
    }
}

fn radians((latitude, longitude): LatLonDegrees) -> LatLonDegrees {
    (latitude.to_radians(), longitude.to_radians())
}

/// How far the nearest place of a field is. Where there is none, infinitely, and on a grid half around the
/// earth, as in Lucene.
pub(crate) struct PointDistance {
    column: Option<AnyColumn>,
    distance: plan::PointDistance,
    label: String,
}

impl PointDistance {
    pub(super) fn open(
        columns: Option<&SegmentColumns>,
        distance: &plan::PointDistance,
        label: &str,
        segment: &SegmentReader,
    ) -> Self {
        let column = columns.and_then(|columns| columns.values(segment.segment_id())).cloned();
        Self { column, distance: distance.clone(), label: label.to_owned() }
    }

    pub(super) fn label(&self) -> &str {
        &self.label
    }

    pub(super) fn floats(&self, docs: &[DocId], out: &mut [f32]) {
        for (out, doc) in out.iter_mut().zip(docs) {
            let nearest = match &self.column {
                Some(AnyColumn::I64(column)) => {
                    column.values_for_doc(*doc).map(|code| self.angle(code)).reduce(f64::min)
                }
                _ => None,
            };
            *out = (nearest.unwrap_or(self.missing()) * EARTH_RADIUS_M * self.distance.per_metre) as f32;
        }
    }

    fn angle(&self, code: i64) -> f64 {
        let from = self.distance.from;
        let to = match self.distance.detail {
            Some(characters) => cell_centre(code, characters),
            None => plan::GeoPoint::of_code(code),
        };
        central_angle(radians((from.latitude, from.longitude)), radians((to.latitude, to.longitude)))
    }

    fn missing(&self) -> f64 {
        if self.distance.detail.is_some() { std::f64::consts::PI } else { f64::INFINITY }
    }
}
