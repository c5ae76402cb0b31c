//! Queries by where documents are: `{!geofilt}` and `{!bbox}`, ranges between two corners, `Intersects(…)`
//! and its kin as the text of a spatial field, and distances as scores. Fields of the classes
//! LatLonPointSpatialField and SpatialRecursivePrefixTreeFieldType; `coordinates.rs` is PointType. Messages
//! are Solr's, recorded from 9.10.1.
//!
//! Solr differs: much of what a request gets wrong here is an error 500 there; here it is the client's
//! (`compat/query/spatial_errors.yaml`).

mod arguments;
mod boxes;
mod coordinates;
mod measure;

use plan::{
    Area, Circle, Clause, Error, FieldClass, Function, GeoPoint, Grid, Occur, Operator, PointDistance, Query,
    Relation, Result, Spatial,
};

pub(crate) use self::arguments::checked_parts;
use self::arguments::{Arguments, BoxRelation, restricts};
use self::boxes::{scored_box_text, scored_boxes};
pub(crate) use self::coordinates::{check_coordinates, sub_fields};
pub(crate) use self::measure::Measure;
use self::measure::{PER_METRE_DEGREES, PER_METRE_KM, PER_METRE_MILES};
use super::context::{Field, QueryContext};
use super::field::RangeText;
use super::request::Request;
use crate::params::query;

/// `{!geofilt sfield= pt= d= sphere_radius= score= filter=}`: a circle.
pub(super) fn geofilt(request: &Request<'_>) -> Result<Option<Query>> {
    around(request, false)
}

/// `{!bbox …}`: the box around that circle.
pub(super) fn bbox(request: &Request<'_>) -> Result<Option<Query>> {
    around(request, true)
}

fn around(request: &Request<'_>, boxed: bool) -> Result<Option<Query>> {
    let name = request.near(&query::SFIELD)?;
    let name = name.ok_or_else(|| Error::bad_request(" missing sfield for spatial request"))?;
    let field = request.context.field_quoted(&name)?;
    let point = request.near(&query::PT)?.ok_or_else(|| Error::bad_request("pt missing."))?;
    let distance = request.near(&query::D)?.filter(|distance| *distance >= 0.0);
    let distance = distance.ok_or_else(|| Error::bad_request("d must be >= 0"))?;
    let radius = request.near(&query::SPHERE_RADIUS)?;
    let area = |measure: &Measure| {
        let degrees =
            radius.map_or_else(|| measure.degrees(distance), |radius| (distance / radius).to_degrees());
        circle(&point, degrees, boxed)
    };
    match field.spec.class() {
        FieldClass::Point => request.context.box_query(&field, &point, distance).map(Some),
        FieldClass::BBox => {
            let area = area(&Measure::of(&field.spec)?)?;
            scored_boxes(request, &field, BoxRelation::Intersects, &area).map(Some)
        }
        class if class.is_place() => {
            let measure = Measure::of(&field.spec)?;
            let area = area(&measure)?;
            let spatial = spatial(&field, &measure, Relation::Intersects, area, None);
            let wish = Scored::read(request)?;
            Ok(Some(wish.query(spatial, &measure)))
        }
        _ => Err(Error::bad_request(format!("The field {name} does not support spatial filtering"))),
    }
}

/// A circle, or the box around it.
fn circle(centre: &str, degrees: f64, boxed: bool) -> Result<Area> {
    let centre = GeoPoint::parse(centre)?;
    if degrees < 0.0 {
        return Err(Error::bad_request(format!("distance must be >= 0; got {degrees}")));
    }
    // Half way round the world is everywhere; a greater circle would come back from the other side.
    let area = Area::Circle(Circle { centre, degrees: degrees.min(180.0) });
    Ok(if boxed { area.bounds().map_or(area, Area::Rect) } else { area })
}

/// `{!field f=…}Intersects(…)`, which may ask for scores.
pub(super) fn scored_text(request: &Request<'_>, field: &Field) -> Result<Query> {
    if field.spec.class() == FieldClass::BBox {
        return scored_box_text(request, field);
    }
    let measure = Measure::of(&field.spec)?;
    let spatial = read(field, &measure, request.text)?;
    Ok(Scored::read(request)?.query(spatial, &measure))
}

fn read(field: &Field, measure: &Measure, text: &str) -> Result<Spatial> {
    let Arguments { relation, area, error } = Arguments::parse(text, measure)?;
    // Solr differs: it answers 500 (`compat/query/lines.yaml`).
    if measure.grid.is_none() && matches!(area, Area::Line(_)) {
        return Err(Error::bad_request(format!(
            "field `{}` of type `{}` is not searched by lines; use a field on a grid, or `BUFFER(POINT(…), …)`",
            field.name, field.spec.field_type.name
        )));
    }
    if measure.grid.is_none() && relation != Relation::Intersects {
        return Err(Error::bad_request(format!(
            "field `{}` of type `{}` knows no relation but `Intersects`",
            field.name, field.spec.field_type.name
        )));
    }
    Ok(spatial(field, measure, relation, area, error))
}

/// `error` is how far off cells may be, in degrees; by the field's own `distErrPct` if none is given.
fn spatial(field: &Field, measure: &Measure, relation: Relation, area: Area, error: Option<f64>) -> Spatial {
    let error = error.unwrap_or_else(|| area.reach() * measure.error_part);
    let grid = measure.grid.map(|most| match area {
        Area::Point(_) => Grid { detail: most, most },
        _ => Grid::of_error(error, most),
    });
    Spatial { field: field.name.clone(), relation, area, grid }
}

impl QueryContext<'_> {
    /// The text of a spatial field.
    pub(super) fn shape_query(&self, field: &Field, text: &str) -> Result<Query> {
        let spatial = read(field, &Measure::of(&field.spec)?, text)?;
        Ok(Query::Spatial(Box::new(spatial)))
    }

    /// `[south,west TO north,east]`.
    pub(super) fn corners_query(&self, field: &Field, range: &RangeText<'_>) -> Result<Query> {
        if !(range.lower_inclusive && range.upper_inclusive) {
            let message = format!("Both sides of spatial range query must be inclusive: {}", field.name);
            return Err(Error::bad_request(message));
        }
        let (Some(lower), Some(upper)) = (range.lower, range.upper) else {
            return Err(Error::bad_request(format!(
                "a range of places of field `{}` has one end; give two corners, `[south,west TO north,east]`",
                field.name
            )));
        };
        let measure = Measure::of(&field.spec)?;
        let area = Area::Rect(plan::rect(GeoPoint::parse(lower)?, GeoPoint::parse(upper)?)?);
        if field.spec.class() == FieldClass::BBox {
            return self.boxes_query(field, BoxRelation::Intersects, &area);
        }
        Ok(Query::Spatial(Box::new(spatial(field, &measure, Relation::Intersects, area, None))))
    }
}

/// What scores tell, and whether the area restricts.
struct Scored {
    score: Score,
    filter: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Score {
    None,
    /// In the field's own unit.
    Distance,
    PerMetre(f64),
    /// Falls from 1, to 1/2 at a tenth of the area's half diagonal.
    Reciprocal,
}

const SCORES: &[(&str, Score)] = &[
    ("degrees", Score::PerMetre(PER_METRE_DEGREES)),
    ("distance", Score::Distance),
    ("kilometers", Score::PerMetre(PER_METRE_KM)),
    ("miles", Score::PerMetre(PER_METRE_MILES)),
    ("none", Score::None),
    ("recipDistance", Score::Reciprocal),
];

impl Scored {
    fn read(request: &Request<'_>) -> Result<Self> {
        let filter = restricts(request)?;
        let score = match request.local.get("score") {
            None | Some("") => Score::None,
            Some(name) => {
                SCORES.iter().find(|(known, _)| *known == name).map(|(_, score)| *score).ok_or_else(|| {
                    let names: Vec<_> = SCORES.iter().map(|(name, _)| *name).collect();
                    Error::bad_request(format!(
                        "'score' local-param must be one of [{}], it was: {name}",
                        names.join(", ")
                    ))
                })?
            }
        };
        Ok(Self { score, filter })
    }

    fn query(&self, spatial: Spatial, measure: &Measure) -> Query {
        let per_metre = match self.score {
            Score::None => return Query::Spatial(Box::new(spatial)),
            Score::Distance => measure.per_metre,
            Score::PerMetre(per_metre) => per_metre,
            Score::Reciprocal => PER_METRE_DEGREES,
        };
        let (field, from) = (spatial.field.clone(), spatial.area.centre());
        let distance =
            Function::PointDistance(PointDistance { field, from, per_metre, detail: measure.grid });
        let function = match self.score {
            Score::Reciprocal => {
                // So Solr scales `recipDistance` by the area asked for: near means near for a city and for a
                // country.
                let part = spatial.area.half_diagonal() as f32 * 0.1;
                Function::call(Operator::Reciprocal { m: 1.0, a: part, b: part }, vec![distance])
            }
            _ => distance,
        };
        let score = Query::Function(Box::new(function));
        if !self.filter {
            return score;
        }
        let clauses = vec![
            Clause { occur: Occur::Must, query: score },
            Clause { occur: Occur::Filter, query: Query::Spatial(Box::new(spatial)) },
        ];
        Query::Boolean { clauses, minimum_should_match: 0 }
    }
}
