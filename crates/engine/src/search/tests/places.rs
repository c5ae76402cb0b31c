//! Areas and distances against a plain look at every place: circles and boxes at poles and on the date line,
//! in segments with and without an order of places, one place or several in a document, on a grid and
//! exactly.

use std::sync::Arc;

use plan::{
    Area, Circle, Function, GeoPoint, Grid, Line, PointDistance, Query, Rect, Relation, SearchPlan, SortBy,
    SortKey, Spatial, Value,
};

use super::build::{plan, search};
use crate::search::SearchCaches;
use crate::snapshot::Snapshot;
use crate::testing::{document, schema, snapshot, text};

const DOCUMENTS: u32 = 600;

/// Places in clusters, and some anywhere.
fn place(number: u32) -> GeoPoint {
    let part = |by: u32| f64::from(number.wrapping_mul(by) >> 8) / f64::from(1 << 24);
    let (up, right) = (part(2_654_435_761), part(40_503_001));
    match number % 4 {
        0 => GeoPoint::new(45.0 + up, -94.0 + right),
        1 => GeoPoint::new(-20.0 + up * 10.0, wrapped(175.0 + right * 10.0)),
        2 => GeoPoint::new(88.0 + up * 2.0, right * 360.0 - 180.0),
        _ => GeoPoint::new(up * 180.0 - 90.0, right * 360.0 - 180.0),
    }
}

fn wrapped(longitude: f64) -> f64 {
    if longitude > 180.0 { longitude - 360.0 } else { longitude }
}

fn shown(place: GeoPoint) -> Value {
    text(&format!("{},{}", place.latitude, place.longitude))
}

fn indexed() -> Snapshot {
    let schema = Arc::new(schema());
    let documents = (0..DOCUMENTS).map(|number| {
        let mut fields = vec![("id", vec![text(&number.to_string())])];
        if number % 7 != 0 {
            let places = vec![shown(place(number)), shown(place(number + DOCUMENTS))];
            fields.push(("at_p", vec![shown(place(number))]));
            fields.push(("at_ps", places));
            fields.push(("at_srpt", vec![shown(place(number))]));
        }
        document(&fields)
    });
    let all: Vec<_> = documents.collect();
    // The second segment is too small for an order.
    let (many, few) = all.split_at(595);
    snapshot(&schema, &[many.to_vec(), few.to_vec()])
}

fn areas() -> Vec<Area> {
    let circle = |latitude, longitude, degrees| {
        Area::Circle(Circle { centre: GeoPoint::new(latitude, longitude), degrees })
    };
    let rect = |south, north, west, east| Area::Rect(Rect { south, north, west, east });
    let places = [(45.2, -93.9), (45.8, -93.1), (45.1, -93.0)];
    let places = places.map(|(latitude, longitude)| GeoPoint::new(latitude, longitude)).to_vec();
    vec![
        Area::Line(Line { places, degrees: 0.05 }),
        circle(45.5, -93.5, 0.3),
        circle(-15.0, 180.0, 4.0),
        circle(89.5, 0.0, 1.0),
        circle(0.0, 0.0, 100.0),
        circle(0.0, 0.0, 180.0),
        rect(45.2, 45.8, -93.9, -93.1),
        rect(-18.0, -12.0, 178.0, -178.0),
        rect(-90.0, 90.0, -180.0, 180.0),
        Area::Many(vec![circle(45.5, -93.5, 0.1), rect(45.0, 45.3, -94.0, -93.0)]),
    ]
}

fn found(snapshot: &Snapshot, field: &str, area: &Area, grid: Option<Grid>) -> Vec<u32> {
    let query = Spatial { field: field.into(), relation: Relation::Intersects, area: area.clone(), grid };
    ids(snapshot, plan(Query::Spatial(Box::new(query))))
}

fn ids(snapshot: &Snapshot, mut plan: SearchPlan) -> Vec<u32> {
    plan.page.rows = DOCUMENTS as usize;
    plan.sort = if plan.sort.iter().any(|key| key.by != SortBy::Score) { plan.sort } else { Vec::new() };
    let result = search(snapshot, &plan, &SearchCaches::default()).unwrap();
    result.hits.iter().map(|hit| hit.id.parse().unwrap()).collect()
}

fn within(area: &Area, place: GeoPoint) -> bool {
    let place = GeoPoint::of_code(place.code());
    match area {
        Area::Point(_) => false,
        Area::Circle(circle) => circle.centre.degrees_to(place) <= circle.degrees,
        Area::Rect(rect) => rect.sides().any(|rect| {
            (rect.south..=rect.north).contains(&place.latitude)
                && (rect.west..=rect.east).contains(&place.longitude)
        }),
        Area::Line(line) => {
            let mut pieces = line.places.iter().zip(line.places.iter().skip(1));
            pieces.any(|(from, to)| off_line(*from, *to, place) <= line.degrees)
        }
        Area::Many(areas) => areas.iter().any(|area| within(area, place)),
    }
}

/// Degrees on a flat map, by going along the line in small steps.
fn off_line(from: GeoPoint, to: GeoPoint, place: GeoPoint) -> f64 {
    let step = |step: u32| f64::from(step) / 10_000.0;
    let along = |share: f64| {
        let north = from.latitude + (to.latitude - from.latitude) * share - place.latitude;
        north.hypot(from.longitude + (to.longitude - from.longitude) * share - place.longitude)
    };
    (0..=10_000).map(|at| along(step(at))).fold(f64::INFINITY, f64::min)
}

#[test]
fn areas_hold_what_lies_in_them() {
    let snapshot = indexed();
    for area in areas() {
        let model = |several: bool| -> Vec<u32> {
            let matches = |number: u32| {
                within(&area, place(number)) || several && within(&area, place(number + DOCUMENTS))
            };
            (0..DOCUMENTS).filter(|number| number % 7 != 0 && matches(*number)).collect()
        };
        let sorted = |mut ids: Vec<u32>| {
            ids.sort_unstable();
            ids
        };
        assert_eq!(sorted(found(&snapshot, "at_p", &area, None)), model(false), "{area}");
        assert_eq!(sorted(found(&snapshot, "at_ps", &area, None)), model(true), "{area}");
        let coarse = sorted(found(&snapshot, "at_srpt", &area, Some(Grid { detail: 4, most: 11 })));
        let fine = sorted(found(&snapshot, "at_srpt", &area, Some(Grid { detail: 11, most: 11 })));
        assert!(model(false).iter().all(|id| coarse.contains(id) && fine.contains(id)), "{area}");
        assert!(fine.iter().all(|id| coarse.contains(id)), "{area}");
        assert!(fine.len() <= model(false).len() + 1, "{area}");
    }
}

#[test]
fn the_nearest_come_first() {
    let snapshot = indexed();
    let from = GeoPoint::new(45.15, -93.85);
    let distance = PointDistance { field: "at_p".into(), from, per_metre: 0.001, detail: None };
    let key = SortKey { by: SortBy::Function(Function::PointDistance(distance)), descending: false };
    let mut plan = plan(Query::All);
    plan.sort = vec![key];
    let order = ids(&snapshot, plan);
    let mut model: Vec<u32> = (0..DOCUMENTS).filter(|number| number % 7 != 0).collect();
    model.sort_by(|one, other| {
        from.degrees_to(place(*one)).total_cmp(&from.degrees_to(place(*other))).then(one.cmp(other))
    });
    assert_eq!(order.get(..50), model.get(..50));
    assert!(order.iter().rev().take(80).all(|id| id % 7 == 0), "those without a place come last");
}
