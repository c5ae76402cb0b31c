//! From `plan::Function` to what a segment can open: columns and terms resolved, statistics taken, extremes
//! for `scale` and common numbers for `ord` computed once for the whole snapshot.
//!
//! In: a typed function and the search's context; out: `LoweredFunction`, which `reader` opens in each
//! segment. What is the same for all documents is a constant from here on.

use std::sync::Arc;

use plan::partial::{Extremes, Merge as _};
use plan::{FieldClass, Function, IndexTerm, Operator, Pick, Result, Statistic, Value};
use tantivy::Term;

use super::arithmetic::Scale;
use super::column::ColumnSource;
use super::currency::LoweredCurrency;
use super::lowered::LoweredFunction;
use super::payload::LoweredPayload;
use super::reader::FunctionReader;
use super::values::FunctionValues as _;
use super::{DOC_BATCH, batch::BatchBuffer};
use crate::layout::FieldLayout;
use crate::search::columns::SegmentColumns;
use crate::search::context::SearchContext;
use crate::search::index_term::term_of;
use crate::search::nearest::LoweredSimilarity;
use crate::search::stats::total_term_freq;

pub(crate) fn lower(context: &SearchContext<'_>, function: &Function) -> Result<LoweredFunction> {
    let label = || function.to_string();
    Ok(match function {
        Function::Constant(value) => {
            LoweredFunction::Constant { value: value.clone(), shown: shown(function, value) }
        }
        Function::Field { field, class, pick } => {
            LoweredFunction::Column(column_source(context, field, *class, *pick, label())?)
        }
        Function::Ordinal { field, reversed } => ordinal(context, field, *reversed, label())?,
        Function::Score { query, missing, label: _ } => LoweredFunction::Score {
            query: context.queries.scored(context, query)?,
            missing: *missing,
            label: label(),
        },
        Function::TermFrequency(term) => {
            let found = indexed(context, term);
            let counted = found.as_ref().is_some_and(|(layout, _)| layout.has_frequencies());
            LoweredFunction::TermFrequency { term: found.map(|(_, term)| term), counted, label: label() }
        }
        Function::Statistic(statistic) => {
            let value = statistic_value(context, statistic)?;
            LoweredFunction::Constant { shown: format!("{}={}", label(), value.to_text()), value }
        }
        Function::JoinFrequency { field, among } => join_frequency(context, field, among, label())?,
        Function::PointDistance(distance) => LoweredFunction::PointDistance {
            columns: columns_of(context, &distance.field)?,
            distance: distance.clone(),
            label: label(),
        },
        Function::VectorSimilarity(similarity) => LoweredFunction::VectorSimilarity {
            similarity: Box::new(LoweredSimilarity::new(context, similarity)?),
            label: label(),
        },
        Function::Currency(money) => LoweredFunction::Currency {
            currency: Box::new(LoweredCurrency {
                amounts: columns_of(context, &money.amount)?,
                codes: columns_of(context, &money.code)?,
                money: (**money).clone(),
            }),
            label: label(),
        },
        Function::Payload(payload) => LoweredFunction::Payload {
            payload: Box::new(LoweredPayload {
                term: indexed(context, &payload.term).map(|(_, term)| term),
                views: context.views.clone(),
                columns: payload_columns(context, &payload.term.field)?,
                decoder: payload.decoder,
                how: payload.how,
            }),
            missing: Box::new(lower(context, &payload.missing)?),
            label: label(),
        },
        Function::Call { operator, arguments } => {
            let lowered = arguments.iter().map(|argument| lower(context, argument));
            call(context, operator, (arguments, lowered.collect::<Result<Vec<_>>>()?))?
        }
    })
}

/// Where the payloads of a field are; `None` when it keeps none.
fn payload_columns(context: &SearchContext<'_>, field: &str) -> Result<Option<SegmentColumns>> {
    let column = context.layout.field(field).and_then(|layout| layout.payloads.as_ref());
    column.map(|column| SegmentColumns::of(context, column)).transpose()
}

/// A constant as explanations show it.
fn shown(function: &Function, value: &Value) -> String {
    match value {
        Value::Str(text) => text.clone(),
        Value::Bool(flag) => format!("{function}={flag}"),
        _ => function.to_string(),
    }
}

/// `None` when no document has the field.
fn columns_of(context: &SearchContext<'_>, field: &str) -> Result<Option<SegmentColumns>> {
    let column = context.layout.field(field).and_then(|layout| layout.column.as_ref());
    column.map(|column| SegmentColumns::of(context, column)).transpose()
}

fn column_source(
    context: &SearchContext<'_>,
    field: &str,
    class: FieldClass,
    pick: Option<Pick>,
    label: String,
) -> Result<ColumnSource> {
    let columns = columns_of(context, field)?;
    Ok(ColumnSource { columns, class, pick, label })
}

fn ordinal(
    context: &SearchContext<'_>,
    field: &str,
    reversed: bool,
    label: String,
) -> Result<LoweredFunction> {
    let Some(column) = context.layout.field(field).and_then(|layout| layout.column.clone()) else {
        return Ok(LoweredFunction::Constant { value: Value::Int(-1), shown: format!("{label}=-1") });
    };
    let ordinals = crate::search::facet::ordinals(context, &column)?;
    let segments = context.segments.iter().map(|segment| segment.view.id()).collect();
    Ok(LoweredFunction::Ordinal { column, ordinals, segments, reversed, label })
}

fn indexed<'a>(context: &SearchContext<'a>, term: &IndexTerm) -> Option<(&'a Arc<FieldLayout>, Term)> {
    let layout = context.layout.field(&term.field)?;
    let term = term_of(layout, layout.inverted?, term.value.as_ref()?)?;
    Some((layout, term))
}

fn statistic_value(context: &SearchContext<'_>, statistic: &Statistic) -> Result<Value> {
    let int = |number: u64| Value::Int(i32::try_from(number).unwrap_or(i32::MAX));
    let long = |number: u64| Value::Long(i64::try_from(number).unwrap_or(i64::MAX));
    Ok(match statistic {
        Statistic::DocFrequency(term) => match indexed(context, term) {
            Some((layout, term)) => int(context.doc_freq(layout, &term)?),
            None => Value::Int(0),
        },
        Statistic::TotalTermFrequency(term) => match indexed(context, term) {
            Some((layout, term)) => {
                let own = || total_term_freq(context, &term, layout.has_frequencies());
                long(context.counted_by.occurrences(layout, &term, own)?)
            }
            None => Value::Long(0),
        },
        Statistic::SumTotalTermFrequency { field } => {
            let layout = context.layout.field(field).filter(|layout| !layout.class().is_point());
            match layout.and_then(|layout| Some((layout, layout.inverted?))) {
                Some((layout, inverted)) => long(context.field_stats(layout, inverted)?.0.total_term_freq),
                None => Value::Long(0),
            }
        }
        Statistic::Living => int(context.all_documents().1),
        Statistic::All => int(context.all_documents().0),
    })
}

fn join_frequency(
    context: &SearchContext<'_>,
    field: &str,
    among: &str,
    label: String,
) -> Result<LoweredFunction> {
    let column = column_source(context, field, FieldClass::Str, None, String::new())?;
    Ok(match context.layout.field(among).and_then(|layout| layout.inverted) {
        Some(among) => {
            let readers = context.segments.iter().map(|segment| segment.reader.clone()).collect();
            LoweredFunction::JoinFrequency { column, among, readers, label }
        }
        None => LoweredFunction::Constant { value: Value::Int(0), shown: format!("{label}=0") },
    })
}

fn call(
    context: &SearchContext<'_>,
    operator: &Operator,
    (arguments, mut lowered): (&[Function], Vec<LoweredFunction>),
) -> Result<LoweredFunction> {
    match (operator, arguments) {
        (Operator::Scale { min, max }, [function]) => {
            let of = lowered.remove(0);
            let known = context.counted_by.extremes(function, || extremes(context, &of))?;
            // Without a number anywhere everything is scaled from nothing to nothing.
            let Extremes { least, greatest } =
                if known.least.is_finite() { known } else { Extremes { least: 0.0, greatest: 0.0 } };
            let scale = Scale { min: *min, max: *max, least, greatest };
            Ok(LoweredFunction::Scaled { of: Box::new(of), scale })
        }
        _ => Ok(LoweredFunction::Call { operator: operator.clone(), arguments: lowered }),
    }
}

/// Over all documents, the dead ones included as in Lucene.
fn extremes(context: &SearchContext<'_>, of: &LoweredFunction) -> Result<Extremes> {
    let mut extremes = Extremes::default();
    for segment in &context.segments {
        let mut reader = FunctionReader::open(of, segment.reader)?;
        let max_doc = segment.max_doc();
        for start in (0..max_doc).step_by(DOC_BATCH) {
            let docs: Vec<u32> = (start..max_doc.min(start + DOC_BATCH as u32)).collect();
            let (mut values, mut present) = (BatchBuffer::<f32>::of(&docs), BatchBuffer::<bool>::of(&docs));
            reader.floats(&docs, values.all_mut());
            reader.present(&docs, present.all_mut());
            for (value, present) in values.all().iter().zip(present.all()) {
                if *present && value.is_finite() {
                    extremes = extremes.merge(Extremes { least: *value, greatest: *value });
                }
            }
        }
    }
    Ok(extremes)
}
