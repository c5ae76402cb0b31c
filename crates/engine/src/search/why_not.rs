//! Why a document is no hit: the plan's filters and its query, evaluated against this one document, down to
//! the clause that decides. Clauses that combine others are decided here; only the others are lowered, each
//! once.

use std::sync::Arc;

use plan::{
    Absent, Clause, FieldSelection, Miss, MissKind, Occur, Query, Result, SearchPlan, StringMeasure, Value,
    WhyNot,
};
use tantivy::DocId;

use super::evaluate::Evaluator;
use super::function::alike;
use super::lower::lower_unscored;
use crate::layout::FieldLayout;
use crate::search::context::{SearchContext, SearchSegment};
use crate::snapshot::read_source;

/// Terms and values that are shown of a field.
const SHOWN_MAX: usize = 50;

/// Terms of a field that are compared with those asked for.
const COMPARED_MAX: usize = 10_000;

/// Edits that make one term of the other.
const EDITS_MAX: f32 = 2.0;

pub(super) fn why_not(context: &SearchContext<'_>, plan: &SearchPlan, id: &str) -> Result<WhyNot> {
    let Some((segment, doc)) = context.doc_with_id(id)? else { return Ok(WhyNot::default()) };
    let place = DocAddress { context, segment, doc };
    let mut found = WhyNot { visible: true, ..WhyNot::default() };
    for (at, filter) in plan.filters.iter().enumerate() {
        found.filters.extend(place.miss(&filter.query)?.map(|miss| (at, miss)));
    }
    found.query = place.miss(&plan.query)?;
    Ok(found)
}

struct DocAddress<'a> {
    context: &'a SearchContext<'a>,
    segment: &'a SearchSegment<'a>,
    doc: DocId,
}

impl DocAddress<'_> {
    /// `None` when the document matches.
    fn miss(&self, query: &Query) -> Result<Option<Miss>> {
        match query {
            Query::Boolean { clauses, minimum_should_match } => {
                self.boolean(query, clauses, *minimum_should_match)
            }
            Query::DisjunctionMax { queries, .. } => self.none_of(query, queries),
            Query::Boost { query, .. }
            | Query::ConstantScore { query, .. }
            | Query::FunctionBoost { query, .. } => self.miss(query),
            leaf => self.leaf(leaf),
        }
    }

    fn boolean(&self, whole: &Query, clauses: &[Clause], minimum: usize) -> Result<Option<Miss>> {
        let (mut optional, mut missing, mut required) = (0, Vec::new(), false);
        for Clause { occur, query } in clauses {
            let miss = self.miss(query)?;
            match (occur, miss) {
                (Occur::Must | Occur::Filter, Some(miss)) => return Ok(Some(miss)),
                (Occur::Must | Occur::Filter, None) => required = true,
                (Occur::MustNot, None) => {
                    return Ok(Some(Miss { clause: query.clone(), kind: MissKind::Prohibited }));
                }
                (Occur::MustNot, Some(_)) => {}
                (Occur::Should, miss) => {
                    optional += 1;
                    missing.extend(miss);
                }
            }
        }
        let minimum = if required { minimum } else { minimum.max(1) };
        let matched = optional - missing.len();
        if matched >= minimum {
            return Ok(None);
        }
        let kind = match (optional, minimum) {
            (0, _) => MissKind::Other,
            (1, 1) => return Ok(missing.pop()),
            _ => MissKind::TooFew { matched, minimum, missing },
        };
        Ok(Some(Miss { clause: whole.clone(), kind }))
    }

    fn none_of(&self, whole: &Query, queries: &[Query]) -> Result<Option<Miss>> {
        let mut misses = Vec::with_capacity(queries.len());
        for query in queries {
            let Some(miss) = self.miss(query)? else { return Ok(None) };
            misses.push(miss);
        }
        Ok(Some(match (misses.len(), misses.pop()) {
            (1, Some(only)) => only,
            (_, last) => {
                misses.extend(last);
                Miss { clause: whole.clone(), kind: MissKind::NoneOf(misses) }
            }
        }))
    }

    fn leaf(&self, query: &Query) -> Result<Option<Miss>> {
        let node = lower_unscored(self.context, query)?;
        let mut evaluator = Evaluator::open(self.context.layout.tantivy(), &node, self.segment.reader)?;
        if evaluator.score(self.doc).is_some() {
            return Ok(None);
        }
        let (field, wanted) = asked_for(query);
        let Some(field) = field else {
            return Ok(Some(Miss { clause: query.clone(), kind: MissKind::Other }));
        };
        let mut absent = Absent { field: Some(field.clone()), wanted, ..Absent::default() };
        if let Some(layout) = self.context.layout.field(field) {
            let has = self.terms(layout)?;
            absent.nearest = has.as_deref().and_then(|has| nearest(&absent.wanted, has));
            absent.has = has.map(|mut has| {
                has.truncate(SHOWN_MAX);
                has
            });
        }
        Ok(Some(Miss { clause: query.clone(), kind: MissKind::Absent(absent) }))
    }

    /// The terms of a text, the values of any other field; `None` where the source has neither.
    fn terms(&self, layout: &FieldLayout) -> Result<Option<Vec<Value>>> {
        let properties = layout.spec.properties;
        if !properties.stored && !properties.doc_values {
            return Ok(None);
        }
        let selection = FieldSelection { names: vec![layout.name.clone()], ..FieldSelection::default() };
        let source = self.segment.view.source(self.doc)?;
        let (_, document) = read_source(&source, self.context.layout, &selection)?;
        let values = document.get(&layout.name).unwrap_or_default();
        if !layout.class().is_text() {
            return Ok(Some(values.to_vec()));
        }
        let Some(analyzer) = self.context.layout.analyzers().index(&layout.spec.field_type)? else {
            return Ok(Some(values.to_vec()));
        };
        let mut terms = Vec::new();
        let mut stream = analyzer.stream();
        for value in values {
            let text = value.to_text();
            let mut tokens = stream.start(&text);
            while terms.len() < COMPARED_MAX && tokens.advance() {
                terms.push(Value::Str(tokens.token().text.clone()));
            }
        }
        Ok(Some(terms))
    }
}

/// The field that a clause looks into, and the terms it looks for.
fn asked_for(query: &Query) -> (Option<&Arc<str>>, Vec<String>) {
    match query {
        Query::Term { field, value } => (Some(field), vec![value.to_text()]),
        Query::Synonym { field, terms } => {
            (Some(field), terms.iter().map(|(term, _)| term.clone()).collect())
        }
        Query::TermSet { field, values } => {
            (Some(field), values.iter().take(SHOWN_MAX).map(Value::to_text).collect())
        }
        Query::Phrase(phrase) => {
            let terms = phrase.positions.iter().flat_map(|position| position.terms.iter().cloned());
            (Some(&phrase.field), terms.collect())
        }
        Query::Span(span) => (Some(&span.field), span.span.words()),
        Query::Prefix { field, .. } | Query::Wildcard { field, .. } | Query::Regex { field, .. } => {
            (Some(field), vec![])
        }
        Query::Fuzzy(fuzzy) => (Some(&fuzzy.field), vec![fuzzy.term.clone()]),
        Query::Range(range) => (Some(&range.field), vec![]),
        Query::DateRange(query) => (Some(&query.field), vec![query.span.to_string()]),
        Query::Exists { field } => (Some(field), vec![]),
        _ => (None, vec![]),
    }
}

/// The first term asked for that the document lacks and has something like: an edit or two away.
fn nearest(wanted: &[String], has: &[Value]) -> Option<(String, String)> {
    let texts =
        || has.iter().filter_map(|value| if let Value::Str(text) = value { Some(text) } else { None });
    // What is longer by more is further away.
    let may_be_near = |one: &str, other: &str| {
        let units = |text: &str| text.encode_utf16().count();
        units(one).abs_diff(units(other)) as f32 <= EDITS_MAX
    };
    wanted.iter().filter(|wanted| !texts().any(|text| text == *wanted)).find_map(|wanted| {
        let edits = |text: &String| {
            let length = wanted.encode_utf16().count().max(text.encode_utf16().count()) as f32;
            ((1.0 - alike(StringMeasure::Levenshtein, wanted, text)) * length).round()
        };
        let close = texts().filter(|text| may_be_near(wanted, text)).map(|text| (edits(text), text));
        let close = close.filter(|(edits, text)| *edits <= EDITS_MAX && *edits < text.chars().count() as f32);
        let (_, text) = close.min_by(|(one, _), (other, _)| one.total_cmp(other))?;
        Some((wanted.clone(), text.clone()))
    })
}
