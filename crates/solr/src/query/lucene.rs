//! What a tree of the `lucene` syntax means: operators become occurrences by the rules of Lucene's classic parser, pieces
//! of text become queries of their fields. Syntax is `syntax/`, fields are `field.rs`, nested parsers `parsers.rs`.

use plan::{Clause, Error, Occur, Query, Result, RootCause};

use super::context::QueryContext;
use super::field::{RangeText, TextStyle, positive};
use super::parsers::subquery;
use super::syntax::SyntaxError;
use super::syntax::escape::unescape;
use super::syntax::parse::{NESTING_MAX, parse};
use super::syntax::tree::{self, Body, Boost, Conjunction, Endpoint, Item, Modifier};
use super::term_sets::{Candidate, gather};

/// Edits when `~` stands alone.
const EDITS_DEFAULT: f32 = 2.0;

/// A query of which analysis left nothing: it matches nothing, and shows as nothing.
const EMPTY: Query = Query::Boolean { clauses: Vec::new(), minimum_should_match: 0 };

/// How the parser was asked to read.
pub(crate) struct LuceneOptions<'a> {
    pub default_field: Option<&'a str>,
    /// `q.op=AND`.
    pub all_required: bool,
    /// `sow=true`.
    pub split: bool,
}

/// The query of `text`, which is not empty. `depth` counts the nesting so far.
pub(crate) fn lucene_query(
    context: &QueryContext<'_>,
    options: &LuceneOptions<'_>,
    text: &str,
    depth: usize,
) -> Result<Option<Query>> {
    let resolver = Resolver { context: *context, options, text, values: true };
    match parse(text, options.split) {
        Ok(items) => Ok(Some(resolver.query(&items, None, depth)?.unwrap_or(EMPTY))),
        Err(failure) => {
            let values = failure.ended;
            Resolver { values, ..resolver }.query(&failure.before, None, depth)?;
            Err(failure.error.into())
        }
    }
}

#[derive(Clone, Copy)]
struct Resolver<'a> {
    context: QueryContext<'a>,
    options: &'a LuceneOptions<'a>,
    text: &'a str,
    /// Whether to read plain values. Solr puts that off, so that a syntax error comes first.
    values: bool,
}

impl Resolver<'_> {
    /// `None` when analysis leaves nothing. `field` is the one that parentheses stand behind.
    fn query(&self, items: &[Item<'_>], field: Option<&str>, depth: usize) -> Result<Option<Query>> {
        if depth > NESTING_MAX {
            return Err(Error::bad_request(format!(
                "query nests deeper than {NESTING_MAX} levels; use fewer parentheses and nested queries"
            )));
        }
        let mut candidates = Vec::with_capacity(items.len());
        let mut put_off = None;
        for item in items {
            let plain = self.is_plain(&item.clause, field);
            let query = match self.clause(&item.clause, field, depth) {
                Err(error) if plain => {
                    put_off = put_off.or(Some(error));
                    None
                }
                other => other?,
            };
            self.add(&mut candidates, item, query, plain);
        }
        if let Some(error) = put_off {
            return Err(error);
        }
        let mut clauses = self.gathered(candidates);
        self.check_count(&clauses)?;
        match (clauses.len(), clauses.pop()) {
            (_, None) => Ok(None),
            (1, Some(Clause { occur: Occur::Should, query })) => Ok(Some(query)),
            (_, Some(last)) => {
                clauses.push(last);
                Ok(Some(Query::Boolean { clauses, minimum_should_match: 0 }))
            }
        }
    }

    fn gathered(&self, candidates: Vec<Candidate>) -> Vec<Clause> {
        if self.context.filtering {
            return gather(candidates, self.context.schema);
        }
        candidates.into_iter().map(|candidate| candidate.clause).collect()
    }

    /// Bounds the clauses of this query, and those of words in a row, which do not count as written.
    fn check_count(&self, clauses: &[Clause]) -> Result<()> {
        let longest = clauses.iter().map(|clause| match &clause.query {
            Query::Boolean { clauses, .. } => clauses.len(),
            _ => 1,
        });
        let analysed_max = self.context.boolean_clauses_max.max(ANALYSED_CLAUSES_MAX);
        if clauses.len() > self.context.boolean_clauses_max || longest.max().unwrap_or(0) > analysed_max {
            return Err(SyntaxError::parsing(self.text, "too many boolean clauses").into());
        }
        Ok(())
    }

    /// Whether the clause is nothing but values. Solr reads those last, and in filters makes sets of them.
    fn is_plain(&self, clause: &tree::Clause<'_>, outer: Option<&str>) -> bool {
        let name = clause.field.or(outer).or(self.options.default_field);
        let field = name.and_then(|name| self.context.find(name));
        clause.boost.is_none()
            && matches!(clause.body, Body::Terms(_))
            && field.is_some_and(|field| !field.spec.class().is_text())
    }

    /// Adds a clause, `plain` or not, and, as the classic parser does, lets its operator change the clause before it.
    fn add(&self, clauses: &mut Vec<Candidate>, item: &Item<'_>, query: Option<Query>, plain: bool) {
        let and = self.options.all_required;
        let before = clauses.last_mut().map(|before| &mut before.clause);
        if let Some(before) = before.filter(|before| before.occur != Occur::MustNot) {
            match item.conjunction {
                Conjunction::And => before.occur = Occur::Must,
                Conjunction::Or if and => before.occur = Occur::Should,
                _ => {}
            }
        }
        let Some(query) = query else { return };
        let required = match item.conjunction {
            Conjunction::And => true,
            Conjunction::Or => !and && item.modifier == Modifier::Required,
            Conjunction::None => and || item.modifier == Modifier::Required,
        };
        let occur = match (item.modifier, required) {
            (Modifier::Prohibited, _) => Occur::MustNot,
            (_, true) => Occur::Must,
            (_, false) => Occur::Should,
        };
        clauses.push(Candidate { clause: Clause { occur, query }, plain });
    }

    fn clause(&self, clause: &tree::Clause<'_>, outer: Option<&str>, depth: usize) -> Result<Option<Query>> {
        let own = clause.field.map(|name| if name == "*" { Ok("*".to_owned()) } else { unescape(name) });
        let own = own.transpose()?;
        let field = own.as_deref().or(outer);
        let reader = Resolver { values: self.values || clause.boost.is_some(), ..*self };
        let query = reader.body(&clause.body, field, depth)?;
        match (query, clause.boost) {
            (Some(query), Some(boost)) => boosted(query, boost).map(Some),
            (query, _) => Ok(query),
        }
    }

    fn body(&self, body: &Body<'_>, field: Option<&str>, depth: usize) -> Result<Option<Query>> {
        match body {
            Body::Group(items) => Resolver { values: true, ..*self }.query(items, field, depth + 1),
            Body::Unfinished { items, ended } => {
                Resolver { values: *ended, ..*self }.query(items, field, depth + 1)
            }
            Body::Filter(items) => {
                let context = QueryContext { filtering: true, ..self.context };
                let inner = Resolver { context, values: true, ..*self }.query(items, field, depth + 1)?;
                Ok(inner.map(|query| filtered(positive(query))))
            }
            Body::LocalParams(text) => subquery(&self.context, text, None, depth + 1),
            Body::Terms(terms) => self.terms(terms, field, depth),
            Body::Quoted { text, slop } => self.quoted(text, *slop, field, depth),
            Body::Range(range) => self.range(range, field).map(Some),
            Body::Prefix(text) => {
                let field = self.context.field(self.name(field)?)?;
                self.context.prefix_query(&field, &unescape(text)?).map(Some)
            }
            Body::Wildcard(pattern) => self.wildcard(pattern, field).map(Some),
            Body::Regex(pattern) => {
                let field = self.context.field(self.name(field)?)?;
                self.context.regex_query(&field, pattern).map(Some)
            }
            Body::Fuzzy { term, distance } => self.fuzzy(term, distance, field).map(Some),
        }
    }

    fn name<'a>(&'a self, field: Option<&'a str>) -> Result<&'a str> {
        field.or(self.options.default_field).ok_or_else(|| {
            Error::bad_request("no field name specified in query and no default specified via 'df' param")
        })
    }

    fn style(&self, quoted: bool, slop: u32) -> TextStyle {
        let occur = if self.options.all_required { Occur::Must } else { Occur::Should };
        TextStyle { occur, quoted, auto_phrase: self.options.split, slop }
    }

    fn terms(&self, terms: &[&str], field: Option<&str>, depth: usize) -> Result<Option<Query>> {
        let name = self.name(field)?;
        let words = terms.iter().map(|term| unescape(term)).collect::<Result<Vec<_>, _>>()?;
        if let Some(nested) = self.magic(name, &words.join(" "), depth)? {
            return Ok(nested);
        }
        let field = self.context.field(name)?;
        if !self.values && !field.spec.class().is_text() {
            return Ok(None);
        }
        self.context.row_query(&field, &words, self.style(false, 0))
    }

    fn quoted(
        &self,
        text: &str,
        slop: Option<&str>,
        field: Option<&str>,
        depth: usize,
    ) -> Result<Option<Query>> {
        let name = self.name(field)?;
        let text = unescape(text)?;
        if let Some(nested) = self.magic(name, &text, depth)? {
            return Ok(nested);
        }
        let slop = slop.and_then(|slop| slop.parse::<f32>().ok()).unwrap_or(0.0);
        self.context.text_query(&self.context.field(name)?, &text, self.style(true, slop as u32))
    }

    /// `_query_` holds a query of any syntax, `_val_` a function.
    fn magic(&self, field: &str, text: &str, depth: usize) -> Result<Option<Option<Query>>> {
        match field {
            "_query_" => subquery(&self.context, text, None, depth + 1).map(Some),
            "_val_" => subquery(&self.context, text, Some("func"), depth + 1).map(Some),
            _ => Ok(None),
        }
    }

    fn wildcard(&self, pattern: &str, field: Option<&str>) -> Result<Query> {
        match (pattern, field) {
            ("*", None | Some("*")) => Ok(Query::All),
            ("*", Some(name)) => Ok(self.context.exists_query(&self.context.field_quoted(name)?)),
            _ => self.context.wildcard_query(&self.context.field(self.name(field)?)?, pattern),
        }
    }

    fn fuzzy(&self, term: &str, distance: &str, field: Option<&str>) -> Result<Query> {
        let distance = distance.parse::<f32>().unwrap_or(EDITS_DEFAULT);
        if distance >= 1.0 && distance.fract() != 0.0 {
            return Err(SyntaxError::plain("Fractional edit distances are not allowed!").into());
        }
        let field = self.context.field(self.name(field)?)?;
        self.context.fuzzy_query(&field, &unescape(term)?, distance)
    }

    fn range(&self, range: &tree::Range<'_>, field: Option<&str>) -> Result<Query> {
        let field = self.context.field_quoted(self.name(field)?)?;
        let (lower, upper) = (endpoint(&range.lower)?, endpoint(&range.upper)?);
        let text = RangeText {
            lower: lower.as_deref(),
            upper: upper.as_deref(),
            lower_inclusive: range.lower_inclusive,
            upper_inclusive: range.upper_inclusive,
        };
        self.context.range_query(&field, &text)
    }
}

/// Solr keeps the backslash of an escaped or quoted star, so that it stands for itself.
fn endpoint(end: &Endpoint<'_>) -> Result<Option<String>> {
    if end.text == "*" && !end.quoted {
        return Ok(None);
    }
    let text = unescape(end.text)?;
    Ok(Some(if text == "*" { "\\*".to_owned() } else { text }))
}

/// Solr's `filter(…)`: matches, and adds nothing to the score (tried on 9.10.1).
pub(crate) fn filtered(query: Query) -> Query {
    Query::ConstantScore { query: Box::new(query), score: 0.0 }
}

/// Most clauses that analysis may make of words in a row, whatever the collection allows in a query: Lucene's own bound.
const ANALYSED_CLAUSES_MAX: usize = 1024;

fn boosted(query: Query, boost: Boost<'_>) -> Result<Query> {
    let factor = boost.number.parse::<f32>().unwrap_or(f32::NAN);
    if !(factor.is_finite() && factor >= 0.0) {
        let shown = plan::Value::Float(factor).to_text();
        return Err(Error::bad_request(format!("boost must be a positive float, got {shown}"))
            .with_root(RootCause::IllegalArgument));
    }
    let query = match boost.constant {
        true => Query::ConstantScore { query: Box::new(query), score: 1.0 },
        false => query,
    };
    Ok(Query::Boost { query: Box::new(query), boost: factor })
}
