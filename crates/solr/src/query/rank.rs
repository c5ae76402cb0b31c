//! `{!rank f=… function=… weight=…}`: documents by a number that they were given to rank them. Messages are
//! Solr's, recorded from 9.10.1. In: local parameters; out: `plan::RankQuery`, whose curves and scores are
//! `plan`'s and the engine's. What is out of bounds is refused here, before anything is searched.

use plan::{Error, FieldClass, Query, RankCurve, RankQuery, Result};

use super::lucene::boost_factor;
use super::request::Request;
use super::syntax::SyntaxError;
use crate::params::float_value;

/// Lucene's greatest weight.
const WEIGHT_MAX: f32 = 64.0;

pub(super) fn rank(request: &Request<'_>) -> Result<Option<Query>> {
    let name = request.local.get("f").filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| refused("Field can't be empty in rank queries"))?;
    let field = request.context.find(name).ok_or_else(|| refused(format!("Field \"{name}\" not found")))?;
    if field.spec.class() != FieldClass::Rank {
        return Err(refused(format!("Field \"{name}\" is not a RankField")));
    }
    let weight = number(request, "weight")?;
    let curve = curve(request, weight)?;
    let weight = weight.unwrap_or(1.0);
    // The linear curve takes any weight in Solr 9.10.1.
    if !(weight > 0.0 && weight <= WEIGHT_MAX) && curve != RankCurve::Linear {
        return Err(refused(format!("weight must be in (0, {WEIGHT_MAX:.0}], got: {weight:?}")));
    }
    let weight = boost_factor(weight)?;
    Ok(Some(Query::Rank(Box::new(RankQuery { field: field.name, curve, weight }))))
}

fn curve(request: &Request<'_>, weight: Option<f32>) -> Result<RankCurve> {
    let name = request.local.get("function").unwrap_or("satu").to_ascii_lowercase();
    let pivot = number(request, "pivot")?;
    let given = |what: &str, number: Option<f32>| {
        let missing = || refused(format!("A{what} value needs to be provided when using \"sigm\" function"));
        number.ok_or_else(missing)
    };
    Ok(match name.as_str() {
        "log" => {
            let scaling = number(request, "scalingFactor")?.unwrap_or(1.0);
            if scaling < 1.0 || !scaling.is_finite() {
                return Err(refused(format!("scalingFactor must be >= 1, got: {scaling:?}")));
            }
            RankCurve::Log { scaling }
        }
        "satu" => {
            // Without a pivot Lucene takes one from the field's statistics, in a form that has no place for a
            // weight.
            if pivot.is_none() && weight.is_some_and(|weight| weight != 1.0) {
                return Err(refused(
                    "A pivot value needs to be provided if the weight is not 1 on \"satu\" function",
                ));
            }
            RankCurve::Saturation { pivot: pivot.map(|pivot| positive("pivot", pivot)).transpose()? }
        }
        "sigm" => RankCurve::Sigmoid {
            pivot: positive("pivot", given(" pivot", pivot)?)?,
            exponent: positive("exp", given("n exponent", number(request, "exponent")?)?)?,
        },
        "linear" => RankCurve::Linear,
        _ => return Err(refused(format!("Unknown function in rank query: \"{name}\""))),
    })
}

fn number(request: &Request<'_>, name: &str) -> Result<Option<f32>> {
    request.local.get(name).map(float_value).transpose()
}

fn positive(name: &str, number: f32) -> Result<f32> {
    if number > 0.0 && number.is_finite() {
        return Ok(number);
    }
    Err(refused(format!("{name} must be > 0, got: {number:?}")))
}

fn refused(message: impl Into<String>) -> Error {
    SyntaxError::plain(message).into()
}
