//! Functions of a term or of a field's terms: how often, in how many documents. The term is analysed as a
//! query's is, and shown as it was given. Out: statistics that the engine looks up once for a search, or a
//! frequency that it reads document by document.

use std::sync::Arc;

use plan::{Error, Function, IndexTerm, Query, Result, Similarity, Statistic, Value};

use super::failure::Failure;
use super::parse::FunctionSource;
use crate::query::{QueryContext, TextStyle, joinable};

pub(super) fn frequency(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    Ok(Function::TermFrequency(term(source)?))
}

pub(super) fn doc_frequency(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    Ok(Function::Statistic(Statistic::DocFrequency(term(source)?)))
}

pub(super) fn total_frequency(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    Ok(Function::Statistic(Statistic::TotalTermFrequency(term(source)?)))
}

pub(super) fn sum_total_frequency(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let field = source.text("a field")?.into();
    Ok(Function::Statistic(Statistic::SumTotalTermFrequency { field }))
}

/// `joindf(field,among)`.
pub(super) fn join_frequency(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let (field, among): (Arc<str>, Arc<str>) =
        (source.text("a field")?.into(), source.text("a field")?.into());
    for name in [&field, &among] {
        source.context.find(name).map(joinable).transpose()?;
    }
    Ok(Function::JoinFrequency { field, among })
}

/// `tf`, `idf` and `norm` are those of the TF-IDF similarity, which fields do not have by default.
///
/// Solr differs: it answers 500; here what cannot be answered is the client's
/// (`compat/query/functions.yaml`).
///
/// Solr differs: where a field has that similarity, it answers (`compat/query/similarity_of_all.yaml`).
pub(super) fn of_another_similarity(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let name = source.text("a field")?;
    while source.cursor.has_more() {
        source.argument()?;
    }
    let field = source.context.find(&name);
    if field.is_some_and(|field| field.spec.field_type.scored_by.similarity == Similarity::Classic) {
        let message = format!(
            "`tf`, `idf` and `norm` of field `{name}` are not supported; use the score of a query, `query(…)`"
        );
        return Err(Error::bad_request(message).into());
    }
    Err(Error::bad_request("requires a TFIDFSimilarity (such as ClassicSimilarity)").into())
}

/// A field, and a term of it as its queries read one.
pub(super) fn term(source: &mut FunctionSource<'_>) -> Result<IndexTerm, Failure> {
    let (field, text) = (source.text("a field")?, source.text("a term")?);
    let value = indexed(source.context, &field, &text)?;
    Ok(IndexTerm { field: field.into(), text, value })
}

/// The value as the field indexes it. Points index no terms; a text of several words is one that no document
/// has.
fn indexed(context: &QueryContext<'_>, name: &str, text: &str) -> Result<Option<Value>> {
    let Some(field) = context.find(name) else { return Ok(None) };
    if field.spec.class().is_point() {
        return Ok(None);
    }
    let style = TextStyle { quoted: true, ..TextStyle::default() };
    Ok(match context.text_query(&field, text, style)? {
        Some(Query::Term { value, .. }) => Some(value),
        // Several words are no term: kept as written, it is found in no document and counts zero, as in Solr.
        _ => Some(Value::Str(text.to_owned())),
    })
}
