//! `{!complexphrase}`: the grammar of `lucene`, in whose phrases a place may be a pattern, a range or
//! alternatives: `"(john jon) sm*th"~2`, in order or not (`inOrder`). A phrase's text is a query of its own,
//! whose clauses are the places and whose operators mean nothing, but for what must not stand there. What may
//! stand in one is Lucene's rule, recorded from Solr 9.10.1.

use plan::{Clause, Error, NamedPart, Occur, Query, Result, Span, SpanQuery};

use super::context::{Field, QueryContext};
use super::leaf::{LeafContext, LeafParser, LuceneLeafParser, LuceneOptions, QueryLeaf};
use super::lucene::{ANALYSED_CLAUSES_MAX, Grammar};
use super::request::Request;
use super::syntax::SyntaxError;
use crate::params::query::{DF, Q_OP};
use crate::params::switch_value;

/// Places of one phrase; Solr differs: it has no bound.
const PLACES_MAX: usize = 64;

pub(super) fn complex_phrase(request: &Request<'_>) -> Result<Option<Query>> {
    if request.text.is_empty() {
        return Ok(None);
    }
    let own = || NamedPart::find(&request.context.names.own.parsers, request.name)?.setting("inOrder");
    let in_order = request.local.get("inOrder").or_else(own).map_or(Ok(true), switch_value)?;
    let options = LuceneOptions {
        default_field: request.sent(&DF),
        all_required: request.text_of(&Q_OP).eq_ignore_ascii_case("and"),
        split: true,
    };
    let leaves = PatternLeafParser { lucene: LuceneLeafParser { options: &options }, in_order };
    let all_required = options.all_required;
    // Lucene's bound: its parser knows nothing of the collection's.
    let boolean_clauses_max = request.context.boolean_clauses_max.max(ANALYSED_CLAUSES_MAX);
    let context = &QueryContext { boolean_clauses_max, ..*request.context };
    let grammar = Grammar { context, leaves: &leaves, all_required, split: true };
    grammar.query(request.text, request.depth).map(Some)
}

/// Those of `lucene`, but for phrases.
struct PatternLeafParser<'a> {
    lucene: LuceneLeafParser<'a>,
    in_order: bool,
}

impl LeafParser for PatternLeafParser<'_> {
    fn read(&self, leaf: &QueryLeaf<'_>, place: LeafContext<'_>) -> Result<Option<Query>> {
        let QueryLeaf::Quoted { text, slop } = leaf else { return self.lucene.read(leaf, place) };
        let field = place.context.field(self.lucene.name(place.field)?)?;
        if !field.spec.class().is_text() {
            return self.lucene.read(leaf, place);
        }
        let Some(span) = self.phrase(text, slop.unwrap_or(0), &field, place)? else { return Ok(None) };
        let shown = slop.filter(|slop| *slop > 0).map_or_else(String::new, |slop| format!("~{slop}"));
        let text = Some(format!("{}:\"{text}\"{shown}", field.name));
        Ok(Some(Query::Span(Box::new(SpanQuery { field: field.name, span, payload: None, text }))))
    }

    fn is_plain(&self, context: &QueryContext<'_>, field: Option<&str>) -> bool {
        self.lucene.is_plain(context, field)
    }
}

impl PatternLeafParser<'_> {
    /// `None` when analysis leaves nothing.
    fn phrase(&self, text: &str, slop: u32, field: &Field, place: LeafContext<'_>) -> Result<Option<Span>> {
        let options = LuceneOptions { default_field: Some(&field.name), ..*self.lucene.options };
        let leaves = PositionLeafParser { lucene: LuceneLeafParser { options: &options }, field, text };
        let (context, all_required) = (place.context, options.all_required);
        let grammar = Grammar { context, leaves: &leaves, all_required, split: true };
        let query = grammar.query(text, place.depth + 1)?;
        let Query::Boolean { clauses, .. } = unboosted(&query) else { return span_of(&query, text) };
        if clauses.is_empty() {
            return Ok(None);
        }
        if clauses.len() > PLACES_MAX {
            return Err(Error::bad_request(format!(
                "a phrase of `{{!complexphrase}}` has more than {PLACES_MAX} places; use fewer words"
            )));
        }
        self.places(clauses, text, slop).map(Some)
    }

    fn places(&self, clauses: &[Clause], text: &str, slop: u32) -> Result<Span> {
        let mut spans = Vec::with_capacity(clauses.len());
        for clause in clauses {
            spans.push(span_of(&clause.query, text)?.unwrap_or(Span::Any(Vec::new())));
        }
        let kept = spans.iter().zip(clauses).filter(|(_, clause)| clause.occur != Occur::MustNot);
        let mut kept: Vec<Span> = kept.map(|(span, _)| span.clone()).collect();
        let excluded = u32::try_from(spans.len() - kept.len()).unwrap_or(u32::MAX);
        let near = |spans, slop| Span::Near { spans, slop, in_order: self.in_order };
        // A clause that must not stand there is no place: the others are counted without it.
        if excluded == 0 {
            return Ok(near(spans, slop));
        }
        // What is left out makes room for what else may stand there.
        let found = if kept.len() == 1 { kept.remove(0) } else { near(kept, slop.saturating_add(excluded)) };
        Ok(Span::Without(Box::new([found, near(spans, slop)])))
    }
}

/// Leaves inside of a phrase, all on its field.
struct PositionLeafParser<'a> {
    lucene: LuceneLeafParser<'a>,
    field: &'a Field,
    /// The phrase's.
    text: &'a str,
}

impl LeafParser for PositionLeafParser<'_> {
    fn read(&self, leaf: &QueryLeaf<'_>, place: LeafContext<'_>) -> Result<Option<Query>> {
        if let Some(other) = place.field.filter(|name| **name != *self.field.name) {
            let message = format!(
                "Cannot have clause for field \"{other}\" nested in phrase  for field \"{}\"",
                self.field.name
            );
            let class = "org.apache.lucene.queryparser.classic.ParseException";
            return Err(
                SyntaxError::plain(format!("{class}: Cannot parse '{}': {message}", self.text)).into()
            );
        }
        if matches!(leaf, QueryLeaf::Nested(_) | QueryLeaf::Quoted { .. }) {
            return Err(Error::bad_request(
                "a phrase of `{!complexphrase}` holds another phrase or query; use words, patterns and ranges",
            ));
        }
        self.lucene.read(leaf, place)
    }
}

fn unboosted(query: &Query) -> &Query {
    match query {
        Query::Boost { query, .. } => unboosted(query),
        other => other,
    }
}

/// What may stand at one place; `None` where nothing is asked for.
fn span_of(query: &Query, text: &str) -> Result<Option<Span>> {
    Ok(Some(match query {
        Query::Boost { query, .. } => return span_of(query, text),
        Query::Term { value, .. } => Span::Word(value.to_text()),
        Query::Synonym { terms, .. } => {
            Span::Any(terms.iter().map(|(term, _)| Span::Word(term.clone())).collect())
        }
        Query::Boolean { clauses, .. } => return alternatives(clauses, text),
        Query::Prefix { .. } | Query::Wildcard { .. } | Query::Regex { .. } => pattern(query),
        Query::Fuzzy(_) | Query::Range(_) => pattern(query),
        // Any of nothing: the place is there and no word can stand at it, so the phrase matches nothing.
        Query::Nothing => Span::Any(Vec::new()),
        // Solr differs: most of these are an error 500 there (`compat/query/complex_phrase_near.yaml`).
        _ => {
            return Err(Error::bad_request(format!(
                "Unknown query type found in phrase query string \"{text}\"; use words, patterns and ranges"
            )));
        }
    }))
}

fn pattern(query: &Query) -> Span {
    Span::Pattern(Box::new(query.clone()))
}

/// Any of the clauses, but for where those stand that must not.
fn alternatives(clauses: &[Clause], text: &str) -> Result<Option<Span>> {
    let (mut any, mut none) = (Vec::new(), Vec::new());
    for Clause { occur, query } in clauses {
        let list = if *occur == Occur::MustNot { &mut none } else { &mut any };
        list.extend(span_of(query, text)?);
    }
    if any.is_empty() {
        return Ok(None);
    }
    let any = Span::Any(any);
    Ok(Some(match none.is_empty() {
        true => any,
        false => Span::Without(Box::new([any, Span::Any(none)])),
    }))
}
