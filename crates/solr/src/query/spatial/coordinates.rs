//! PointType: a place of any space as one number a dimension, each in a field of its own. A query on the
//! whole is one on each of those. Messages are Solr's, recorded from 9.10.1. It is a flat space: distances
//! are Euclid's and corners no angles. The sub fields are declared by the schema (`dynamicField` of
//! `subFieldSuffix`) and written when a document is converted.

use plan::{Clause, Error, FieldSpec, Occur, Query, Result};

use crate::query::context::{Field, QueryContext};
use crate::query::field::RangeText;
use crate::query::java_float;

/// The fields of its coordinates.
pub(crate) fn sub_fields(context: &QueryContext<'_>, field: &Field) -> Result<Vec<Field>> {
    let names = field.spec.field_type.sub_fields(&field.name);
    names.iter().map(|name| context.field(name)).collect()
}

/// Whether a document's text has a coordinate for each dimension.
pub(crate) fn check_coordinates(text: &str, spec: &FieldSpec) -> Result<()> {
    coordinates(text, spec).map(|_| ())
}

/// The coordinates of a text, at least one a dimension.
fn coordinates(text: &str, spec: &FieldSpec) -> Result<Vec<String>> {
    let (parts, dimension): (Vec<_>, _) = (text.split(',').collect(), spec.field_type.dimension());
    if parts.len() < dimension {
        // Solr's parser has found none while it has not met the first comma, and says so.
        let found = if parts.len() == 1 { 0 } else { parts.len() };
        return Err(Error::bad_request(format!(
            "incompatible dimension ({dimension}) and values ({text}).  Only {found} values specified"
        )));
    }
    Ok(parts.into_iter().take(dimension).map(|part| part.trim().to_owned()).collect())
}

impl QueryContext<'_> {
    /// This very place.
    pub(in crate::query) fn coordinates_query(&self, field: &Field, text: &str) -> Result<Query> {
        let texts = coordinates(text, &field.spec)?;
        self.each(field, |at, sub| self.value_query(sub, texts.get(at).map_or("", String::as_str)))
    }

    pub(in crate::query) fn coordinates_range(&self, field: &Field, range: &RangeText<'_>) -> Result<Query> {
        let end = |text: Option<&str>| text.map(|text| coordinates(text, &field.spec)).transpose();
        let (lower, upper) = (end(range.lower)?, end(range.upper)?);
        let at =
            |texts: &Option<Vec<String>>, at: usize| texts.as_ref().and_then(|texts| texts.get(at).cloned());
        self.each(field, |number, sub| {
            let (lower, upper) = (at(&lower, number), at(&upper, number));
            self.range_query(sub, &RangeText { lower: lower.as_deref(), upper: upper.as_deref(), ..*range })
        })
    }

    /// The box whose corners are so far from its middle, as Solr takes any distance from such a place.
    pub(super) fn box_query(&self, field: &Field, middle: &str, distance: f64) -> Result<Query> {
        let texts = coordinates(middle, &field.spec)?;
        let half = distance * std::f64::consts::FRAC_1_SQRT_2;
        self.each(field, |at, sub| {
            let text = texts.get(at).map_or("", String::as_str);
            let middle: f64 = java_float(text)
                .ok_or_else(|| Error::bad_request(format!("For input string: \"{text}\"")))?;
            let (lower, upper) = ((middle - half).to_string(), (middle + half).to_string());
            let (lower, upper) = (Some(lower.as_str()), Some(upper.as_str()));
            self.range_query(sub, &RangeText { lower, upper, lower_inclusive: true, upper_inclusive: true })
        })
    }

    fn each(&self, field: &Field, query: impl Fn(usize, &Field) -> Result<Query>) -> Result<Query> {
        let subs = sub_fields(self, field)?;
        let clauses = subs
            .iter()
            .enumerate()
            .map(|(at, sub)| Ok(Clause { occur: Occur::Must, query: query(at, sub)? }));
        Ok(Query::Boolean { clauses: clauses.collect::<Result<_>>()?, minimum_should_match: 0 })
    }
}
