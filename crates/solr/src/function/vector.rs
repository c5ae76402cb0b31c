//! `vectorSimilarity(FLOAT32,COSINE,field,[1,2,3])`: how near two vectors are, each a field or written out;
//! encoding and measure are the field's own when left out. Messages are Solr's, recorded from 9.10.1.
//!
//! Solr differs: vectors of different lengths, and to sort by how near they are, are errors 500 there
//! (`compat/query/vectors.yaml`).

use plan::{
    Error, FieldClass, Function, VectorEncoding, VectorMeasure, VectorSide, VectorSimilarity, VectorType,
};

use super::failure::Failure;
use super::parse::FunctionSource;
use crate::query::vector;

/// One argument.
enum Side {
    Field(String, VectorType),
    Text(String),
}

pub(super) fn similarity(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let first = source.cursor.rest().split([',', ')']).next().unwrap_or_default().trim();
    let named = match VectorEncoding::named(first) {
        Some(encoding) => {
            source.cursor.identifier()?;
            source.cursor.delimiter()?;
            let measure = source.cursor.identifier()?;
            source.cursor.delimiter()?;
            Some((encoding, VectorMeasure::named(measure).ok_or_else(|| unknown(measure))?))
        }
        None => None,
    };
    let sides = [side(source)?, side(source)?];
    let kind = sides.iter().find_map(|side| match side {
        Side::Field(_, kind) => Some(*kind),
        Side::Text(_) => None,
    });
    let (encoding, measure) = match (named, kind) {
        (Some(named), _) => named,
        (None, Some(kind)) => (kind.encoding, kind.measure),
        (None, None) => {
            return Err(
                Error::bad_request("vectorSimilarity needs a field, or its encoding and measure").into()
            );
        }
    };
    let dimension = kind.map(|kind| kind.dimension);
    let [one, other] = sides;
    let sides = [vector_of(one, dimension, encoding)?, vector_of(other, dimension, encoding)?];
    if let [VectorSide::Constant(one), VectorSide::Constant(other)] = &sides
        && one.len() != other.len()
    {
        return Err(differ(one.len(), other.len()).into());
    }
    Ok(Function::VectorSimilarity(Box::new(VectorSimilarity { measure, encoding, sides })))
}

fn unknown(name: &str) -> Error {
    let names = VectorMeasure::NAMES.map(|(name, _)| name).join(", ");
    Error::bad_request(format!(
        "Invalid argument: {name} is not a valid VectorSimilarityFunction. Expected one of [{names}]"
    ))
}

fn differ(one: usize, other: usize) -> Error {
    Error::bad_request(format!("vector dimensions differ: {one}!={other}"))
}

fn side(source: &mut FunctionSource<'_>) -> Result<Side, Failure> {
    if source.cursor.peek() == Some('[') {
        let rest = source.cursor.rest();
        let end = rest.find(']').map_or(rest.len(), |at| at + 1);
        let text = rest.get(..end).unwrap_or_default().to_owned();
        source.cursor.skip(end);
        source.cursor.delimiter()?;
        return Ok(Side::Text(text));
    }
    let name = source.text("a field of vectors, or a vector such as `[1,2,3]`")?;
    if name.trim_start().starts_with('[') {
        return Ok(Side::Text(name));
    }
    let field = source.context.field_quoted(&name)?;
    if field.spec.class() != FieldClass::DenseVector {
        let kind = &field.spec.field_type.name;
        let message =
            format!("field `{name}` of type `{kind}` holds no vectors; use a field of DenseVectorField");
        return Err(Error::bad_request(message).into());
    }
    Ok(Side::Field(name, VectorType::of(&field.spec.field_type)?))
}

fn vector_of(side: Side, dimension: Option<usize>, encoding: VectorEncoding) -> Result<VectorSide, Failure> {
    let (side, own) = match side {
        Side::Field(name, kind) => (VectorSide::Field(name.into()), kind.dimension),
        Side::Text(text) => {
            let dimension = text.split(',').count();
            let kind = VectorType { dimension, measure: VectorMeasure::Cosine, encoding, graph: None };
            (VectorSide::Constant(vector(&text, &kind)?.into()), dimension)
        }
    };
    match dimension.filter(|dimension| *dimension != own) {
        Some(dimension) => Err(differ(dimension, own).into()),
        None => Ok(side),
    }
}
