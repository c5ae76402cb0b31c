//! Parsers that read payloads: `{!payload_score}` scores words by what was stored with them,
//! `{!payload_check}` finds those with which the right things were stored. Which payloads a field has, its
//! type says. Messages are Solr's, recorded from 9.10.1.

use analysis::payload_kind;
use plan::{
    Error, PayloadDecoder, PayloadFunction, PayloadKind, PayloadOperation, PayloadUse, Query, Result, Span,
    SpanQuery, Value,
};

use super::context::Field;
use super::request::Request;
use super::syntax::SyntaxError;
use super::value::parse_value;
use crate::params::{float_value, integer, switch_value};

/// Words of one query; Solr differs: it has no bound.
const WORDS_MAX: usize = 1024;

/// `{!payload_score f=… func=… operator=… includeSpanScore=…}`.
pub(super) fn payload_score(request: &Request<'_>) -> Result<Option<Query>> {
    let field = field(request)?;
    let name = request.local.get("func");
    let times_score = request.local.get("includeSpanScore").map_or(Ok(false), switch_value)?;
    let operator = request.local.get("operator").unwrap_or("phrase");
    let joined = match operator.to_ascii_lowercase().as_str() {
        "phrase" => neighbours,
        "or" => Span::Any,
        _ => return Err(Error::bad_request("Supported operators are : or , phrase")),
    };
    let span = words(request, &field, joined)?;
    // After the words, since Solr complains of those first.
    let how = name
        .and_then(payload_function)
        .ok_or_else(|| SyntaxError::plain(format!("Unknown payload function: {}", name.unwrap_or("null"))))?;
    let decoder = decoder(&field)?;
    Ok(Some(span_query(field, span, PayloadUse::Score { decoder, how, times_score })))
}

/// `{!payload_check f=… payloads='…' op=…}`.
pub(super) fn payload_check(request: &Request<'_>) -> Result<Option<Query>> {
    let field = field(request)?;
    let payloads = request.local.get("payloads");
    let payloads = payloads.ok_or_else(|| Error::bad_request("'payloads' not specified"))?;
    let span = words(request, &field, neighbours)?;
    let kind = field
        .spec
        .field_type
        .index_analyzer
        .as_ref()
        .and_then(payload_kind)
        .ok_or_else(|| Error::bad_request(format!("invalid encoder: null for field: {}", field.name)))?;
    let payloads = payloads.split_whitespace().map(|text| payload(kind, text)).collect::<Result<_>>()?;
    let operation = operation(request.local.get("op").unwrap_or("eq"))?;
    Ok(Some(span_query(field, span, PayloadUse::Check { kind, operation, payloads })))
}

/// How the field's payloads become numbers.
pub(crate) fn decoder(field: &Field) -> Result<PayloadDecoder> {
    let kind = field.spec.field_type.index_analyzer.as_ref().and_then(payload_kind);
    kind.and_then(PayloadKind::decoder)
        .ok_or_else(|| Error::bad_request(format!("No payload decoder found for field: {}", field.name)))
}

/// By its name, which is in small letters.
pub(crate) fn payload_function(name: &str) -> Option<PayloadFunction> {
    PayloadFunction::NAMES.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
}

fn span_query(field: Field, span: Span, payload: PayloadUse) -> Query {
    Query::Span(Box::new(SpanQuery { field: field.name, span, payload: Some(payload), text: None }))
}

fn field(request: &Request<'_>) -> Result<Field> {
    let name = request.local.get("f").ok_or_else(|| Error::bad_request("'f' not specified"))?;
    request.context.field(name)
}

fn neighbours(spans: Vec<Span>) -> Span {
    Span::Near { spans, slop: 0, in_order: true }
}

/// The words of the text as the field's analyzer reads them.
fn words(request: &Request<'_>, field: &Field, joined: fn(Vec<Span>) -> Span) -> Result<Span> {
    let kind = &field.spec.field_type;
    let mut words: Vec<Span> = match field.spec.class().is_text() {
        true => {
            let tokens = request.context.analyzers.tokens(kind, request.text)?;
            tokens.into_iter().map(|token| Span::Word(token.text)).collect()
        }
        false => {
            parse_value(&field.spec, &field.name, request.text, request.context.dates)
                .map_err(|_| Error::bad_request(format!("Invalid Number: {}", request.text)))?;
            vec![Span::Word(request.text.to_owned())]
        }
    };
    if words.len() > WORDS_MAX {
        return Err(Error::bad_request(format!("more than {WORDS_MAX} words with payloads; use fewer")));
    }
    match words.len() {
        0 => Err(Error::bad_request("SpanQuery is null")),
        1 => Ok(words.remove(0)),
        _ => Ok(joined(words)),
    }
}

/// Solr differs: what is no number is an error 500 there (`compat/query/payloads.yaml`).
fn payload(kind: PayloadKind, text: &str) -> Result<Value> {
    match kind {
        PayloadKind::Float => float_value(text).map(Value::Float),
        PayloadKind::Integer => integer(text).map(Value::Int),
        PayloadKind::Text => Ok(Value::Str(text.to_owned())),
    }
}

/// Solr differs: another name is an error 500 there (`compat/query/payloads.yaml`).
fn operation(name: &str) -> Result<PayloadOperation> {
    let same = |(known, _): &&(&str, _)| known.eq_ignore_ascii_case(name);
    PayloadOperation::NAMES.iter().find(same).map(|(_, operation)| *operation).ok_or_else(|| {
        Error::bad_request(format!("`op` of `{{!payload_check}}` is `{name}`; use eq, gt, gte, lt or lte"))
    })
}
