//! In which unit a spatial field's distances count, and how fine its grid is: from the attributes of its
//! type. Numbers are spatial4j's. In: a `FieldSpec`; out: a `Measure`, with which degrees, the unit of all
//! geometry below, become the field's unit and back. A flat world (`geo="false"`) is refused here.

use plan::{DEGREES_PER_KM, EARTH_RADIUS_KM, Error, FieldClass, FieldSpec, Grid, Result};

pub(super) const PER_METRE_KM: f64 = 0.001;
pub(super) const PER_METRE_MILES: f64 = 6.213_711_92e-4;
pub(super) const PER_METRE_DEGREES: f64 = DEGREES_PER_KM / 1000.0;

/// Solr's names of units: by how many of each make a metre.
const UNITS: &[(&str, f64)] =
    &[("kilometers", PER_METRE_KM), ("miles", PER_METRE_MILES), ("degrees", PER_METRE_DEGREES)];

/// A metre, in kilometres.
const ERROR_MOST_KM: f64 = 0.001;
/// Of the way from an area's middle to its corner.
const ERROR_PART: f64 = 0.025;
/// As long as geohashes can be.
const CHARACTERS_MOST: u8 = 12;

/// How a field measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measure {
    pub per_metre: f64,
    /// Characters of the finest geohash, for a field on a grid.
    pub grid: Option<u8>,
    /// How far off cells may be, as a part of an area's size.
    pub error_part: f64,
}

impl Measure {
    /// Refuses what a type asks for and has no form here: a flat world.
    pub(crate) fn of(spec: &FieldSpec) -> Result<Self> {
        let kind = &spec.field_type;
        let number = |name: &str| kind.argument(name).and_then(|text| text.parse::<f64>().ok());
        if kind.argument("geo") == Some("false") {
            return Err(Error::bad_request(format!(
                "type `{}` has `geo=\"false\"`, which is not supported yet; use PointType",
                kind.name
            )));
        }
        let unit = kind.argument("distanceUnits").unwrap_or("kilometers");
        let unit = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(|| {
            let names: Vec<_> = UNITS.iter().map(|(name, _)| *name).collect();
            Error::bad_request(format!(
                "type `{}` has unknown `distanceUnits` `{unit}`; use one of {}",
                kind.name,
                names.join(", ")
            ))
        })?;
        let mut measure =
            Self { per_metre: unit.1, grid: None, error_part: number("distErrPct").unwrap_or(ERROR_PART) };
        if spec.class() == FieldClass::SpatialPrefixTree {
            let error = number("maxDistErr").map_or(ERROR_MOST_KM * DEGREES_PER_KM, |it| measure.degrees(it));
            let levels = number("maxLevels").map(|levels| levels.clamp(1.0, CHARACTERS_MOST.into()) as u8);
            // `maxLevels` is given in characters and wins; else the error decides how long geohashes have to
            // be.
            measure.grid = Some(levels.unwrap_or_else(|| Grid::of_error(error, CHARACTERS_MOST).detail));
        }
        Ok(measure)
    }

    /// How many of the field's unit make a degree of a great circle.
    pub(crate) fn per_degree(&self) -> f64 {
        match self.per_metre {
            PER_METRE_DEGREES => 1.0,
            per_metre => EARTH_RADIUS_KM * (per_metre * 1000.0) * 1f64.to_radians(),
        }
    }

    /// A distance in the field's unit, as degrees of a great circle.
    pub(crate) fn degrees(&self, distance: f64) -> f64 {
        match self.per_metre {
            PER_METRE_DEGREES => distance,
            per_metre => (distance / (EARTH_RADIUS_KM * (per_metre * 1000.0))).to_degrees(),
        }
    }
}
