//! Facets over a map, classic and of JSON: the part of the earth, how fine its cells are, the form of the
//! counts. Messages are Solr's, recorded from 9.10.1. In: parameters or a facet's JSON as `HeatmapRequest`;
//! out: `plan::HeatmapFacet`, with a grid that fits the map. The counts are the engine's, their picture
//! `response/picture.rs`'s.

use std::sync::Arc;

use plan::{Area, Error, FieldClass, GeoPoint, Grid, HeatGrid, HeatmapFacet, HeatmapForm, Rect, Result};

use super::target::Target;
use crate::params::facet as param;
use crate::query::{Measure, QueryContext, checked_parts};

/// What a request says of one.
pub(super) struct HeatmapRequest {
    pub(super) geometry: Option<String>,
    pub(super) level: Option<i64>,
    /// In the field's unit.
    pub(super) error: Option<f64>,
    pub(super) error_part: f64,
    pub(super) cells_max: i64,
    pub(super) form: String,
}

/// A classic one.
pub(super) fn resolve(context: &QueryContext<'_>, text: &str) -> Result<HeatmapFacet> {
    let target = Target::parse(context, text)?;
    let Target { local, field, .. } = &target;
    let params = context.params;
    let asked = HeatmapRequest {
        geometry: param::HEATMAP_GEOMETRY.read_for(params, local, field)?,
        level: param::HEATMAP_LEVEL.read_for(params, local, field)?.map(i64::from),
        error: param::HEATMAP_ERROR.read_for(params, local, field)?,
        error_part: param::HEATMAP_ERROR_PART.read_for(params, local, field)?,
        cells_max: param::HEATMAP_CELLS_MAX.read_for(params, local, field)?.into(),
        form: param::HEATMAP_FORM.read_for(params, local, field)?,
    };
    // Solr reads the classic parameters as JSON facets, and its messages show that path.
    let error = |message: &str| Error::bad_request(format!("{message} , path=facet/"));
    let facet = asked.resolve(context, field, &error)?;
    Ok(HeatmapFacet { key: target.key.clone(), exclude_tags: local.list("ex"), ..facet })
}

impl HeatmapRequest {
    /// `error` says where in the request it is found.
    pub(super) fn resolve(
        &self,
        context: &QueryContext<'_>,
        name: &str,
        error: &dyn Fn(&str) -> Error,
    ) -> Result<HeatmapFacet> {
        let field = context.field_quoted(name)?;
        let measure = match field.spec.class() {
            FieldClass::SpatialPrefixTree => Some(Measure::of(&field.spec)?),
            _ => None,
        };
        let Some((measure, levels)) = measure.and_then(|measure| Some((measure, measure.grid?))) else {
            return Err(error(
                "heatmap field needs to be of type class org.apache.solr.schema.SpatialRecursivePrefixTreeFieldType or class org.apache.solr.schema.RptWithGeometrySpatialField",
            ));
        };
        let area = self.geometry.as_deref().map_or(Ok(Area::Rect(Rect::EARTH)), geometry)?;
        let bounds = area.bounds().ok_or_else(|| error("the map's `geom` has no size; name a place"))?;
        let level = self.level(&area, &measure, levels, error)?;
        let form = match self.form.as_str() {
            "ints2D" => HeatmapForm::Numbers,
            "png" => HeatmapForm::Picture,
            _ => return Err(error("format should be ints2D or png")),
        };
        let cells_max = u64::try_from(self.cells_max).unwrap_or(0);
        Ok(HeatmapFacet {
            key: name.to_owned(),
            field: Arc::clone(&field.name),
            map: HeatGrid::around(bounds, level, cells_max)?,
            // The map is cut to the box already; only other shapes have to be held against each cell.
            area: Some(area).filter(|area| !matches!(area, Area::Rect(_))),
            error_part: measure.error_part,
            levels,
            form,
            exclude_tags: Vec::new(),
        })
    }

    /// As said, or by how far off cells may be. Solr differs: a `distErrPct` beyond 0.5 is its error 500
    /// (`compat/facet/heatmaps.yaml`).
    fn level(&self, area: &Area, measure: &Measure, levels: u8, error: &dyn Fn(&str) -> Error) -> Result<u8> {
        if let Some(level) = self.level {
            let level = u8::try_from(level).ok().filter(|level| (1..=levels).contains(level));
            return level.ok_or_else(|| error(&format!("gridLevel should be > 0 and <= {levels}")));
        }
        let part = self.error_part;
        if !(0.0..=0.5).contains(&part) {
            let part = plan::Value::Double(part).to_text();
            return Err(Error::bad_request(format!("distErrPct {part} must be between [0 to 0.5]")));
        }
        let degrees = self.error.map_or_else(|| area.reach() * part, |distance| measure.degrees(distance));
        // A place without size has no error to derive a level from.
        if degrees.is_nan() || degrees <= 0.0 {
            return Err(error(&format!(
                "distErrPct or distErr should be > 0 or instead provide gridLevel={levels} if you insist on maximum detail"
            )));
        }
        Ok(Grid::of_error(degrees, levels).detail)
    }
}

/// `["west south" TO "east north"]`, or a shape.
fn geometry(text: &str) -> Result<Area> {
    let wrong = |error: Error| {
        // Less what queries say before it.
        let cause = error.message.split_once(" because ").map_or(error.message.as_str(), |(_, cause)| cause);
        let message = format!("Expecting WKT or '[minPoint TO maxPoint]': {cause}");
        Error::bad_request(message)
    };
    let inside = text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let Some(inside) = inside else {
        let area = Area::parse(text).map_err(wrong)?;
        return checked_parts(area);
    };
    let corners = inside.split_once(" TO ").ok_or_else(|| {
        Error::bad_request(format!(
            "cannot parse `{text}`; write a map as `[\"west south\" TO \"east north\"]`"
        ))
    })?;
    let corner = |text: &str| GeoPoint::parse(text.trim().trim_matches('"'));
    Ok(Area::Rect(plan::rect(corner(corners.0)?, corner(corners.1)?)?))
}
