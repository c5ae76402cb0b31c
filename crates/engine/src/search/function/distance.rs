//! Distances between points: of vectors, and on a sphere. Formulas as Solr computes them, through spatial4j's
//! `DistanceUtils` (9.10.1), in double precision.

use plan::Operator;
use tantivy::DocId;

use super::block::Room;
use super::geohash;
use super::reader::Reader;

/// Kilometres, as spatial4j has it.
const EARTH_RADIUS_KM: f64 = 6_371.008_771_4;
/// Metres, as Lucene's `SloppyMath` has it.
const EARTH_RADIUS_M: f64 = 6_371_008.771_4;

/// Degrees of (latitude, longitude).
type Place = (f64, f64);

pub(super) fn distances(operator: &Operator, arguments: &mut [Reader], docs: &[DocId], out: &mut [f64]) {
    match (operator, arguments) {
        (Operator::Distance { order }, [one, other]) => {
            of_vectors(one, other, docs, out, Norm::of(f64::from(*order)));
        }
        (Operator::SquaredDistance, [one, other]) => of_vectors(one, other, docs, out, Norm::Squared),
        (Operator::Haversine { radius, degrees }, [one, other]) => {
            let unit = |place: Place| if *degrees { radians(place) } else { place };
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
        (Operator::GeohashDistance { radius }, [one, other]) => {
            one.remember(docs);
            other.remember(docs);
            for (out, doc) in out.iter_mut().zip(docs) {
                let place = |reader: &mut Reader| reader.text(*doc).and_then(|hash| geohash::decode(&hash));
                *out = match (place(one), place(other)) {
                    (Some(one), Some(other)) => central_angle(radians(one), radians(other)) * radius,
                    _ => 0.0,
                };
            }
        }
        _ => out.fill(0.0),
    }
}

/// The parts of a vector; a number is a vector of one.
fn parts(reader: &mut Reader) -> &mut [Reader] {
    match reader {
        Reader::Call { operator: Operator::Vector, arguments } => arguments,
        other => std::slice::from_mut(other),
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

fn of_vectors(one: &mut Reader, other: &mut Reader, docs: &[DocId], out: &mut [f64], norm: Norm) {
    out.fill(0.0);
    for (one, other) in parts(one).iter_mut().zip(parts(other)) {
        let (mut left, mut right) = (Room::<f64>::of(docs), Room::<f64>::of(docs));
        one.doubles(docs, left.all_mut());
        other.doubles(docs, right.all_mut());
        for (sum, (left, right)) in out.iter_mut().zip(left.all().iter().zip(right.all())) {
            *sum = norm.add(*sum, *left, *right);
        }
    }
    out.iter_mut().for_each(|sum| *sum = norm.finish(*sum));
}

/// The two coordinates of a vector for each document.
fn places(reader: &mut Reader, docs: &[DocId]) -> (Room<f64>, Room<f64>) {
    let (mut latitudes, mut longitudes) = (Room::of(docs), Room::of(docs));
    if let [latitude, longitude] = parts(reader) {
        latitude.doubles(docs, latitudes.all_mut());
        longitude.doubles(docs, longitudes.all_mut());
    }
    (latitudes, longitudes)
}

fn of_places(
    one: &mut Reader,
    other: &mut Reader,
    docs: &[DocId],
    out: &mut [f64],
    distance: impl Fn(Place, Place) -> f64,
) {
    let (one, other) = (places(one, docs), places(other, docs));
    let ones = one.0.all().iter().zip(one.1.all());
    let others = other.0.all().iter().zip(other.1.all());
    for (out, ((lat, lon), (other_lat, other_lon))) in out.iter_mut().zip(ones.zip(others)) {
        *out = distance((*lat, *lon), (*other_lat, *other_lon));
    }
}

fn radians((latitude, longitude): Place) -> Place {
    (latitude.to_radians(), longitude.to_radians())
}

/// The angle between two places, both in radians, by the haversine formula.
fn central_angle(one: Place, other: Place) -> f64 {
    if one == other {
        return 0.0;
    }
    let half_sine = |angle: f64| (angle * 0.5).sin();
    let (north, east) = (half_sine(one.0 - other.0), half_sine(one.1 - other.1));
    let h = (north * north + one.0.cos() * other.0.cos() * east * east).min(1.0);
    2.0 * h.sqrt().atan2((1.0 - h).sqrt())
}

/// Metres between two places in degrees.
pub(super) fn haversine_metres(one: Place, other: Place) -> f64 {
    central_angle(radians(one), radians(other)) * EARTH_RADIUS_M
}
