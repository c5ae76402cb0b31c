//! `{!knn f=… topK=…}[1,2,3]`: the nearest vectors, and `{!vectorSimilarity f=… minReturn=…}[1,2,3]`: all
//! that are near enough. The nearest are sought among what the request's filters let pass, or what the
//! parser's own do. Messages are Solr's, recorded from 9.10.1.

use std::ops::Bound;
use std::sync::Arc;

use plan::{
    Clause, Error, FieldClass, Function, FunctionRange, Nearest, Occur, Query, Result, Value, VectorEncoding,
    VectorSide, VectorSimilarity, VectorType,
};

use super::context::{Field, QueryContext};
use super::java_float;
use super::local_params::split_local_params;
use super::negation::positive;
use super::request::Request;
use crate::params::query;

const COUNT_DEFAULT: i32 = 10;
/// As Solr bounds a page.
const COUNT_MAX: usize = 100_000;
const EFFORT_MAX: f32 = 100.0;

/// What both parsers are given.
struct VectorOptions {
    field: Field,
    kind: VectorType,
    target: Arc<[f32]>,
    among: Vec<Query>,
}

impl VectorOptions {
    fn read(request: &Request<'_>) -> Result<Self> {
        let missing = || Error::bad_request("the Dense Vector field 'f' is missing");
        let name = request.local.get("f").filter(|name| !name.is_empty()).ok_or_else(missing)?;
        if request.text.is_empty() {
            return Err(Error::bad_request("the Dense Vector value 'v' to search is missing"));
        }
        let field = request.context.field_quoted(name)?;
        if field.spec.class() != FieldClass::DenseVector {
            let message = "only DenseVectorField is compatible with Vector Query Parsers";
            return Err(Error::bad_request(message));
        }
        let kind = VectorType::of(&field.spec.field_type)?;
        let target = vector(request.text, &kind)?.into();
        Ok(Self { field, kind, target, among: among(request)? })
    }

    fn similarity(&self) -> Function {
        let sides = [VectorSide::Constant(self.target.clone()), VectorSide::Field(self.field.name.clone())];
        let VectorType { measure, encoding, .. } = self.kind;
        Function::VectorSimilarity(Box::new(VectorSimilarity { measure, encoding, sides }))
    }
}

/// Solr differs: a `topK` below 1 is an error 500 there (`compat/query/vectors.yaml`).
pub(super) fn knn(request: &Request<'_>) -> Result<Option<Query>> {
    let asked = VectorOptions::read(request)?;
    let count = request.local.get("topK").map(crate::params::integer).transpose()?.unwrap_or(COUNT_DEFAULT);
    let count = usize::try_from(count).ok().filter(|count| *count > 0);
    let count = count.ok_or_else(|| {
        let given = request.local.get("topK").unwrap_or_default();
        Error::bad_request(format!("k must be at least 1, got: {given}"))
    })?;
    let effort = request.local.get("efSearchScaleFactor").map(crate::params::float_value).transpose()?;
    Ok(Some(Query::Nearest(Box::new(Nearest {
        field: asked.field.name,
        target: asked.target,
        count: count.min(COUNT_MAX),
        effort: effort.unwrap_or(1.0).clamp(1.0, EFFORT_MAX),
        among: asked.among,
    }))))
}

/// All are compared: `minTraverse`, which bounds a walk through the graph, is read for its form.
pub(super) fn vector_similarity(request: &Request<'_>) -> Result<Option<Query>> {
    let asked = VectorOptions::read(request)?;
    let number = |name: &str| request.local.get(name).map(crate::params::float_value).transpose();
    let least = number("minReturn")?
        .ok_or_else(|| Error::bad_request("minReturn is required to use Vector Similarity QParser"))?;
    if number("minTraverse")?.is_some_and(|traverse| traverse > least) {
        return Err(Error::bad_request("traversalSimilarity should be <= resultSimilarity"));
    }
    let function = asked.similarity();
    let lower = Bound::Included(Value::Float(least));
    let range = FunctionRange { function: function.clone(), lower, upper: Bound::Unbounded };
    let mut clauses = vec![
        Clause { occur: Occur::Must, query: Query::Function(Box::new(function)) },
        Clause { occur: Occur::Filter, query: Query::Exists { field: asked.field.name } },
        Clause { occur: Occur::Filter, query: Query::FunctionRange(Box::new(range)) },
    ];
    clauses.extend(asked.among.into_iter().map(|query| Clause { occur: Occur::Filter, query }));
    Ok(Some(Query::Boolean { clauses, minimum_should_match: 0 }))
}

/// `[1,2.5,-3]`.
pub(crate) fn vector(text: &str, kind: &VectorType) -> Result<Vec<f32>> {
    let form = match kind.encoding {
        VectorEncoding::Float32 => "[f1,f2..f3]' where each element f is a float",
        VectorEncoding::Byte => "[b1,b2..b3]' where each element b is a byte (-128 to 127)",
    };
    let inside = text.trim().strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let inside = inside.ok_or_else(|| {
        Error::bad_request(format!("incorrect vector format. The expected format is:'{form}"))
    })?;
    let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
    if parts.len() != kind.dimension {
        return Err(Error::bad_request(format!(
            "incorrect vector dimension. The vector value has size {} while it is expected a vector with size {}",
            parts.len(),
            kind.dimension
        )));
    }
    let number = |text: &&str| {
        let number = match kind.encoding {
            VectorEncoding::Float32 => java_float::<f32>(text).filter(|number| number.is_finite()),
            VectorEncoding::Byte => text.parse::<i8>().ok().map(f32::from),
        };
        number.ok_or_else(|| {
            let message = format!("incorrect vector element: '{text}'. The expected format is:'{form}");
            Error::bad_request(message)
        })
    };
    parts.iter().map(number).collect()
}

/// What documents have to match to be looked at: `preFilter`, or the request's filters, chosen by their tags.
fn among(request: &Request<'_>) -> Result<Vec<Query>> {
    let local = request.local;
    let tags = |name: &str| -> Vec<String> { local.list(name) };
    let (included, excluded) = (tags("includeTags"), tags("excludeTags"));
    let own: Vec<&str> = local.all("preFilter").collect();
    if !own.is_empty() {
        if !included.is_empty() || !excluded.is_empty() {
            let message = "Knn Query Parser does not support combining preFilter localparam with either includeTags or excludeTags localparams";
            return Err(Error::bad_request(message));
        }
        return own.iter().filter(|text| !text.is_empty()).map(|text| passed(request, text)).collect();
    }
    // As a filter itself it must not be restricted by the filters, or it would restrict itself.
    if request.context.filtering {
        return Ok(Vec::new());
    }
    let mut among = Vec::new();
    for text in query::FQ.sent_all(request.context.params).filter(|text| !text.trim().is_empty()) {
        let (filter, _) = split_local_params(text, request.context.params)?;
        let tagged = |tags: &[String]| filter.list("tag").iter().any(|tag| tags.contains(tag));
        // The nearest among what passes, not what passes among the nearest: else a strict filter would leave
        // fewer than `topK`.
        if (included.is_empty() || tagged(&included)) && !tagged(&excluded) {
            among.push(passed(request, text)?);
        }
    }
    Ok(among)
}

fn passed(request: &Request<'_>, text: &str) -> Result<Query> {
    let context = QueryContext { filtering: true, ..*request.context };
    let query = context.subquery(text, None, request.depth + 1)?;
    Ok(query.map_or(Query::Nothing, positive))
}
