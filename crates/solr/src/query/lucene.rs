//! What a tree of the `lucene` syntax means: operators become occurrences by the rules of Lucene's classic
//! parser. What a leaf means on its fields is the parser's own: `leaf.rs` for `lucene`, `dismax/`
//! for the others of this grammar.

use plan::{Clause, Error, Occur, Query, Result, RootCause};

use super::context::QueryContext;
use super::leaf::{Bounds, LeafContext, LeafParser, LuceneLeafParser, LuceneOptions, QueryLeaf};
use super::negation::positive;
use super::request::Request;
use super::syntax::SyntaxError;
use super::syntax::escape::unescape;
use super::syntax::parse::{NESTING_MAX, parse};
use super::syntax::tree::{self, Body, Boost, ConjoinedClause, Conjunction, Modifier};
use super::term_sets::{self, Candidate, gather};
use crate::params::query as param;

/// Edits when `~` stands alone.
const EDITS_DEFAULT: f32 = 2.0;

/// A query of which analysis left nothing: it matches nothing, and shows as nothing.
const EMPTY: Query = Query::Boolean { clauses: Vec::new(), minimum_should_match: 0 };

/// The grammar, and who gives its leaves their meaning.
#[derive(Clone, Copy)]
pub(crate) struct Grammar<'a> {
    pub context: &'a QueryContext<'a>,
    pub leaves: &'a dyn LeafParser,
    /// Clauses without an operator must match.
    pub all_required: bool,
    /// Each word is a clause of its own.
    pub split: bool,
}

/// `{!lucene}`; `None` where there is no text.
pub(super) fn lucene(request: &Request<'_>) -> Result<Option<Query>> {
    if request.text.is_empty() {
        return Ok(None);
    }
    let options = LuceneOptions {
        default_field: request.sent(&param::DF),
        all_required: request.text_of(&param::Q_OP).eq_ignore_ascii_case("and"),
        // A value that is no flag counts as unset.
        split: matches!(request.near(&param::SOW), Ok(true)),
    };
    let (all_required, split) = (options.all_required, options.split);
    let leaves = &LuceneLeafParser { options: &options };
    let grammar = Grammar { context: request.context, leaves, all_required, split };
    grammar.query(request.text, request.depth).map(Some)
}

impl Grammar<'_> {
    /// The query of `text`, with no clauses when analysis leaves nothing.
    pub(crate) fn query(&self, text: &str, depth: usize) -> Result<Query> {
        let resolver = Resolver { context: *self.context, grammar: self, text, values: true };
        match parse(text, self.split) {
            Ok(items) => Ok(resolver.query(&items, None, depth)?.unwrap_or(EMPTY)),
            Err(failure) => {
                let values = failure.ended;
                // For its errors alone: an unknown field before the place of a syntax error is reported
                // first.
                Resolver { values, ..resolver }.query(&failure.before, None, depth)?;
                Err(failure.error.into())
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Resolver<'a> {
    context: QueryContext<'a>,
    grammar: &'a Grammar<'a>,
    text: &'a str,
    /// Whether to read plain values. Solr puts that off, so that a syntax error comes first.
    values: bool,
}

impl Resolver<'_> {
    /// `None` when analysis leaves nothing. `field` is the one that parentheses stand behind.
    fn query(
        &self,
        items: &[ConjoinedClause<'_>],
        field: Option<&str>,
        depth: usize,
    ) -> Result<Option<Query>> {
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
                // Values are read last in Solr, so another clause's error comes first even if it stands
                // behind.
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
        let count = term_sets::count(&candidates, self.context.filtering);
        let mut clauses = self.gathered(candidates);
        self.check_count(count.max(clauses.len()), &clauses)?;
        match (clauses.len(), clauses.pop()) {
            (_, None) => Ok(None),
            // One optional clause is the clause itself; one that excludes or is required keeps its boolean
            // query.
            (1, Some(Clause { occur: Occur::Should, query })) => Ok(Some(query)),
            (_, Some(last)) => {
                clauses.push(last);
                Ok(Some(self.grammar.leaves.combined(clauses)))
            }
        }
    }

    fn gathered(&self, candidates: Vec<Candidate>) -> Vec<Clause> {
        if self.context.filtering {
            return gather(candidates, self.context.schema);
        }
        candidates.into_iter().map(|candidate| candidate.clause).collect()
    }

    /// Bounds the clauses of this query, which are `count` as Solr counts them, and those of words in a row,
    /// which do not count as written.
    fn check_count(&self, count: usize, clauses: &[Clause]) -> Result<()> {
        let longest = clauses.iter().map(|clause| match &clause.query {
            Query::Boolean { clauses, .. } => clauses.len(),
            _ => 1,
        });
        // `maxBooleanClauses` counts what was written; words in a row are clauses only after analysis, which
        // Lucene bounds.
        let most = self.context.boolean_clauses_max.max(ANALYSED_CLAUSES_MAX);
        if count > most || longest.max().unwrap_or(0) > most {
            return Err(SyntaxError::parsing(self.text, "too many boolean clauses").into());
        }
        self.context.check_clauses(count)
    }

    /// Whether the clause is nothing but values. Solr reads those last, and in filters makes sets of them.
    fn is_plain(&self, clause: &tree::Clause<'_>, outer: Option<&str>) -> bool {
        clause.boost.is_none()
            && matches!(clause.body, Body::Terms(_))
            && self.grammar.leaves.is_plain(&self.context, clause.field.or(outer))
    }

    /// Adds a clause, `plain` or not, and, as the classic parser does, lets its operator change the clause
    /// before it.
    fn add(
        &self,
        clauses: &mut Vec<Candidate>,
        item: &ConjoinedClause<'_>,
        query: Option<Query>,
        plain: bool,
    ) {
        let and = self.grammar.all_required;
        let before = clauses.last_mut().map(|before| &mut before.clause);
        if let Some(before) = before.filter(|before| before.occur != Occur::MustNot) {
            match item.conjunction {
                // `a AND b` is `+a +b` whatever stood before a: the operator is read behind the clause it
                // changes.
                Conjunction::And => before.occur = Occur::Must,
                Conjunction::Or if and => before.occur = Occur::Should,
                _ => {}
            }
        }
        let Some(query) = query else { return };
        let required = match item.conjunction {
            Conjunction::And => true,
            // Under `q.op=AND` an explicit OR makes the clause optional, even with a plus before it, as in
            // Lucene's classic parser.
            Conjunction::Or => !and && item.modifier == Modifier::Required,
            Conjunction::None => and || item.modifier == Modifier::Required,
        };
        let occur = match (item.modifier, required) {
            (Modifier::Prohibited, _) => Occur::MustNot,
            (_, true) => Occur::Must,
            (_, false) => Occur::Should,
        };
        let row = matches!(&item.clause.body, Body::Terms(words) if words.len() > 1);
        let queries = if row { self.grammar.leaves.words_of_row(query) } else { vec![query] };
        clauses.extend(queries.into_iter().map(|query| Candidate { clause: Clause { occur, query }, plain }));
    }

    fn clause(&self, clause: &tree::Clause<'_>, outer: Option<&str>, depth: usize) -> Result<Option<Query>> {
        let own = clause.field.map(|name| if name == "*" { Ok("*".to_owned()) } else { unescape(name) });
        let own = own.transpose()?;
        let field = own.as_deref().or(outer);
        // A factor makes a value a query at once in Solr, so its error is not put off.
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
            other => {
                let place = LeafContext { context: &self.context, field, depth, values: self.values };
                self.grammar.leaves.read(&leaf(other)?, place)
            }
        }
    }
}

/// What is no parentheses, without its escapes.
pub(crate) fn leaf<'a>(body: &Body<'a>) -> Result<QueryLeaf<'a>> {
    Ok(match body {
        Body::Terms(terms) => {
            QueryLeaf::Words(terms.iter().map(|term| unescape(term)).collect::<Result<_, _>>()?)
        }
        Body::Quoted { text, slop } => {
            // The grammar allows `~1.5` behind a phrase, and Solr cuts it.
            let slop = slop.and_then(|slop| slop.parse::<f32>().ok()).map(|slop| slop as u32);
            QueryLeaf::Quoted { text: unescape(text)?, slop }
        }
        Body::Range(range) => QueryLeaf::Range(Bounds::read(range)?),
        Body::Prefix(text) => QueryLeaf::Prefix(unescape(text)?),
        Body::Wildcard(pattern) => QueryLeaf::Wildcard(pattern),
        Body::Regex(pattern) => QueryLeaf::Regex(pattern),
        Body::Fuzzy { term, distance } => {
            let distance = distance.parse::<f32>().unwrap_or(EDITS_DEFAULT);
            // Below 1 the number is a similarity, as before Lucene 4; from 1 on it counts edits, of which
            // there are no halves.
            if distance >= 1.0 && distance.fract() != 0.0 {
                return Err(SyntaxError::plain("Fractional edit distances are not allowed!").into());
            }
            QueryLeaf::Fuzzy { term: unescape(term)?, distance }
        }
        Body::LocalParams(text) => QueryLeaf::Nested(text),
        Body::Group(_) | Body::Unfinished { .. } | Body::Filter(_) => {
            return Err(Error::internal("parentheses are no piece of text"));
        }
    })
}

/// Solr's `filter(…)`: matches, and adds nothing to the score (tried on 9.10.1).
pub(crate) fn filtered(query: Query) -> Query {
    Query::ConstantScore { query: Box::new(query), score: 0.0 }
}

/// Most clauses that analysis may make of words in a row, whatever the collection allows in a query: Lucene's
/// own bound.
pub(super) const ANALYSED_CLAUSES_MAX: usize = 1024;

fn boosted(query: Query, boost: Boost<'_>) -> Result<Query> {
    let factor = boost_factor(boost.number.parse::<f32>().unwrap_or(f32::NAN))?;
    let query = match boost.constant {
        // `^=` gives just that score: 1 times the factor.
        true => Query::ConstantScore { query: Box::new(query), score: 1.0 },
        false => query,
    };
    Ok(Query::Boost { query: Box::new(query), boost: factor })
}

/// The factor if Lucene takes it for a boost.
pub(crate) fn boost_factor(factor: f32) -> Result<f32> {
    if factor.is_finite() && factor >= 0.0 {
        return Ok(factor);
    }
    let shown = plan::Value::Float(factor).to_text();
    Err(Error::bad_request(format!("boost must be a positive float, got {shown}"))
        .with_root(RootCause::IllegalArgument))
}
