//! Every function by its name in a request. A line says how the arguments are read; what the function does is
//! `plan::Operator`'s. Names and arguments as Solr's `ValueSourceParser` registers them in 9.10.1. Another
//! function is a line here and, where it computes something new, an operator there. Names that Solr has and
//! this server refuses stand at the end.

use std::f64::consts;

use plan::{Comparison, Function, Operator as O, PayloadOf, Statistic, StringMeasure, Value};

use super::failure::Failure;
use super::parse::{Call, FunctionSource};
use super::{date, field, geo, term, vector};
use crate::query::{decoder, payload_function};

/// How the function of this name reads its arguments.
pub(super) fn find(name: &str) -> Option<&'static Call> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, call)| call)
}

const FUNCTIONS: &[(&str, Call)] = &[
    ("abs", Call::One(O::Absolute)),
    ("acos", Call::One(O::ArcCosine)),
    ("add", Call::Many(O::Sum)),
    ("and", Call::Many(O::And)),
    ("asin", Call::One(O::ArcSine)),
    ("atan", Call::One(O::ArcTangent)),
    ("atan2", Call::Two(O::ArcTangent2)),
    ("boost", Call::Own(|source| source.boosted())),
    ("cbrt", Call::One(O::CubeRoot)),
    ("ceil", Call::One(O::Ceiling)),
    ("childfield", Call::Own(of_children)),
    ("concat", Call::Many(O::Concatenate)),
    ("cos", Call::One(O::Cosine)),
    ("cosh", Call::One(O::HyperbolicCosine)),
    ("currency", Call::Own(field::currency)),
    ("def", Call::Many(O::Default)),
    ("deg", Call::One(O::Degrees)),
    ("dist", Call::Own(geo::distance)),
    ("div", Call::Two(O::Divide)),
    ("docfreq", Call::Own(term::doc_frequency)),
    ("e", Call::Constant(Value::Double(consts::E))),
    ("eq", Call::Two(O::Equal)),
    ("exists", Call::One(O::Exists)),
    ("exp", Call::One(O::Exponential)),
    ("false", Call::Constant(Value::Bool(false))),
    ("field", Call::Own(field::field)),
    ("floor", Call::One(O::Floor)),
    ("geodist", Call::Own(geo::geodist)),
    ("geohash", Call::Two(O::Geohash)),
    ("ghhsin", Call::Own(geo::geohash_distance)),
    ("gt", Call::Two(O::Compare(Comparison::Greater))),
    ("gte", Call::Two(O::Compare(Comparison::GreaterOrEqual))),
    ("hsin", Call::Own(geo::haversine)),
    ("hypot", Call::Two(O::Hypotenuse)),
    ("idf", Call::Own(term::of_another_similarity)),
    ("if", Call::Three(O::If)),
    ("isnan", Call::One(O::IsNan)),
    ("joindf", Call::Own(term::join_frequency)),
    ("linear", Call::Own(linear)),
    ("literal", Call::Own(literal)),
    ("ln", Call::One(O::NaturalLog)),
    ("log", Call::One(O::Log10)),
    ("lt", Call::Two(O::Compare(Comparison::Less))),
    ("lte", Call::Two(O::Compare(Comparison::LessOrEqual))),
    ("map", Call::Own(map)),
    ("max", Call::Many(O::Max)),
    ("maxdoc", Call::Own(|_| Ok(Function::Statistic(Statistic::All)))),
    ("min", Call::Many(O::Min)),
    ("mod", Call::Two(O::Modulo)),
    ("ms", Call::Own(date::milliseconds)),
    ("mul", Call::Many(O::Product)),
    ("norm", Call::Own(term::of_another_similarity)),
    ("not", Call::One(O::Not)),
    ("numdocs", Call::Own(|_| Ok(Function::Statistic(Statistic::Living)))),
    ("or", Call::Many(O::Or)),
    ("ord", Call::Own(|source| field::ordinal(source, false))),
    ("payload", Call::Own(payload)),
    ("pi", Call::Constant(Value::Double(consts::PI))),
    ("pow", Call::Two(O::Power)),
    ("product", Call::Many(O::Product)),
    ("query", Call::Own(|source| source.score())),
    ("rad", Call::One(O::Radians)),
    ("recip", Call::Own(reciprocal)),
    ("rint", Call::One(O::Round)),
    ("rord", Call::Own(|source| field::ordinal(source, true))),
    ("scale", Call::Own(scale)),
    ("sin", Call::One(O::Sine)),
    ("sinh", Call::One(O::HyperbolicSine)),
    ("sqedist", Call::Own(geo::squared_distance)),
    ("sqrt", Call::One(O::SquareRoot)),
    ("strdist", Call::Own(string_distance)),
    ("sttf", Call::Own(term::sum_total_frequency)),
    ("sub", Call::Two(O::Subtract)),
    ("sum", Call::Many(O::Sum)),
    ("sumtotaltermfreq", Call::Own(term::sum_total_frequency)),
    ("tan", Call::One(O::Tangent)),
    ("tanh", Call::One(O::HyperbolicTangent)),
    ("termfreq", Call::Own(term::frequency)),
    ("tf", Call::Own(term::of_another_similarity)),
    ("top", Call::Own(|source| source.function())),
    ("totaltermfreq", Call::Own(term::total_frequency)),
    ("true", Call::Constant(Value::Bool(true))),
    ("ttf", Call::Own(term::total_frequency)),
    ("vector", Call::Many(O::Vector)),
    ("vectorSimilarity", Call::Own(vector::similarity)),
    ("xor", Call::Many(O::ExclusiveOr)),
    ("agg", Call::Unsupported("agg")),
    ("cscore", Call::Unsupported("cscore")),
    // Solr differs: it answers these three, which only try the server (`compat/query/childfield.yaml`).
    ("sleep", Call::Unsupported("sleep")),
    ("testfunc", Call::Unsupported("testfunc")),
    ("threadid", Call::Unsupported("threadid")),
];

/// `payload(field,term,missing,how)`.
fn payload(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let term = term::term(source)?;
    let missing = match source.cursor.has_more() {
        true => source.function()?,
        false => Function::Constant(Value::Float(0.0)),
    };
    let name =
        if source.cursor.has_more() { source.text("a payload function")? } else { "average".to_owned() };
    let how = payload_function(&name);
    // `first` is no way to combine, it takes the first occurrence alone.
    if how.is_none() && name != "first" {
        return Err(plan::Error::bad_request(format!("Invalid payload function: {name}")).into());
    }
    let field = source.context.field(&term.field)?;
    if field.spec.class().is_point() {
        return Err(plan::Error::bad_request(format!("Invalid Number: {}", term.text)).into());
    }
    let decoder = decoder(&field)?;
    Ok(Function::Payload(Box::new(PayloadOf { term, decoder, how, missing })))
}

/// `childfield` is a sort key (`select/sort.rs`), and no value. Solr differs: it answers 500
/// (`compat/query/childfield.yaml`).
fn of_children(_: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    Err(plan::Error::bad_request("`childfield` is only for sorting; sort by it").into())
}

fn linear(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let of = source.function()?;
    let operator = O::Linear { slope: source.float()?, intercept: source.float()? };
    Ok(Function::call(operator, vec![of]))
}

fn reciprocal(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let of = source.function()?;
    let operator = O::Reciprocal { m: source.float()?, a: source.float()?, b: source.float()? };
    Ok(Function::call(operator, vec![of]))
}

fn scale(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let of = source.function()?;
    let operator = O::Scale { min: source.float()?, max: source.float()? };
    Ok(Function::call(operator, vec![of]))
}

/// `map(x,min,max,target)`, and a fifth argument for what lies outside.
fn map(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let of = source.function()?;
    let operator = O::Map { min: source.float()?, max: source.float()? };
    let mut arguments = vec![of, source.function()?];
    if source.cursor.has_more() {
        arguments.push(source.function()?);
    }
    Ok(Function::call(operator, arguments))
}

fn literal(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    Ok(Function::Constant(Value::Str(source.text("a text")?)))
}

/// Comparing takes time by the product of the lengths, and the text of a field may be of 32,766 bytes.
/// Solr differs: it compares on.
const COMPARED_BYTES_MAX: usize = 1024;

fn is_immense(text: &Function) -> bool {
    matches!(text, Function::Constant(Value::Str(text)) if text.len() > COMPARED_BYTES_MAX)
}

/// `strdist(a,b,jw)`, with `edit` or `ngram`, which may be followed by its length.
fn string_distance(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let texts = vec![source.function()?, source.function()?];
    if texts.iter().any(is_immense) {
        return Err(plan::Error::bad_request(format!(
            "a text of `strdist` is longer than {COMPARED_BYTES_MAX} bytes; use a shorter one"
        ))
        .into());
    }
    let name = source.text("`jw`, `edit` or `ngram`")?;
    let measure = match name.to_ascii_lowercase().as_str() {
        "jw" => StringMeasure::JaroWinkler,
        "edit" => StringMeasure::Levenshtein,
        "ngram" => StringMeasure::NGram(ngram_length(source)?),
        _ => {
            return Err(plan::Error::bad_request(format!(
                "`{name}` is no distance of texts; use `jw`, `edit` or `ngram`"
            ))
            .into());
        }
    };
    Ok(Function::call(O::StringDistance(measure), texts))
}

fn ngram_length(source: &mut FunctionSource<'_>) -> Result<usize, Failure> {
    const LENGTH_MAX: f64 = 1000.0;
    if !source.cursor.has_more() {
        return Ok(2);
    }
    let length: f64 = source.number("integer")?;
    Ok(length.clamp(1.0, LENGTH_MAX) as usize)
}
