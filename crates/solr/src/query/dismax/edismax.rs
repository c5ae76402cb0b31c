//! `edismax`: the full grammar over many fields, for text that people type. What does not parse is tried
//! again with all its syntax escaped, so that hardly any text is an error. In: the request's text and
//! parameters (`settings.rs`); out: a boolean query of what must match and what only adds to scores, with
//! notes for debug output. What a word means on one field is `fields.rs`; how the text is cut before any
//! grammar is `split.rs`.

use plan::{Clause, Function, Occur, Operator, Query, Result};

use super::LEVELS;
use super::boosts::{alternative, boost_functions, boost_queries, sent_boosts, should};
use super::field_list::{Weighted, weighted};
use super::fields::{ManyFields, cycle, is_magic};
use super::flatten::flattened;
use super::minimum::with_minimum;
use super::notes::NotedQuery;
use super::phrases::phrase_clauses;
use super::settings::{Extended, Settings};
use super::split::{Names, Part, as_written, escaped, has_operators, split};
use crate::function::{as_factor, check_number};
use crate::params::dismax as param;
use crate::query::budget::is_endless;
use crate::query::lucene::Grammar;
use crate::query::request::Request;
use crate::query::syntax::SyntaxError;

/// The query of `{!edismax}`; `None` when nothing is asked for.
pub(crate) fn edismax(request: &Request<'_>) -> Result<NotedQuery> {
    let parser = Parser::read(request)?;
    let mut notes = sent_boosts(request, true);
    notes.fields = parser.settings.fields.iter().map(|field| field.name.clone()).collect();
    let mut clauses = Vec::new();
    if request.text.trim().is_empty() {
        let Some(alternative) = alternative(request, &mut notes)? else { return Ok((None, notes)) };
        clauses.push(alternative);
    } else {
        clauses = parser.user_clauses()?;
    }
    notes.asked = clauses.first().map(|clause| clause.query.clone());
    notes.boosts = boost_queries(request)?;
    clauses.extend(notes.boosts.iter().cloned().chain(boost_functions(request)?).map(should));
    request.context.check_clauses(clauses.len())?;
    Ok((Some(multiplied(request, whole(clauses))?), notes))
}

/// All documents stand for themselves when nothing is added to their scores.
fn whole(clauses: Vec<Clause>) -> Query {
    match clauses.as_slice() {
        [Clause { query: Query::All, .. }] => Query::All,
        _ => Query::Boolean { clauses, minimum_should_match: 0 },
    }
}

/// The query with its scores multiplied by every `boost`.
fn multiplied(request: &Request<'_>, query: Query) -> Result<Query> {
    let mut factors = Vec::new();
    for text in request.all(&param::BOOST).into_iter().filter(|text| !text.is_empty()) {
        let factor = as_factor(
            request.context,
            request.nested_by(LEVELS, text, Some("func"))?.unwrap_or(Query::Nothing),
        );
        check_number(&factor)?;
        factors.push(factor);
    }
    let function = match (factors.len(), factors.pop()) {
        (_, None) => return Ok(query),
        (1, Some(only)) => only,
        (_, Some(last)) => {
            factors.push(last);
            Function::call(Operator::Product, factors)
        }
    };
    Ok(Query::FunctionBoost { query: Box::new(query), function: Box::new(function) })
}

struct Parser<'a> {
    request: &'a Request<'a>,
    settings: Settings,
    extended: Extended,
    aliases: Vec<(String, Vec<Weighted>)>,
}

impl<'a> Parser<'a> {
    fn read(request: &'a Request<'a>) -> Result<Self> {
        let (settings, extended) = (Settings::read(request)?, Extended::read(request)?);
        Ok(Self { request, settings, extended, aliases: aliases(request)? })
    }

    /// The text's own query, then what phrases add.
    fn user_clauses(&self) -> Result<Vec<Clause>> {
        for field in &self.settings.fields {
            // Before the text is read: a field of `qf` that is missing is an error even of a query that names
            // other fields.
            self.check_field(&field.name, &mut Vec::new())?;
        }
        let known = |name: &str| {
            is_magic(name)
                || self.request.context.find(name).is_some()
                || param::QF.sent_own(self.request.context.params, name).is_some()
        };
        let names = Names { user_fields: &self.extended.user_fields, known: &known };
        let parts = split(self.request.text, &names);
        // Twice, as in Solr: only where the text as written is no query are its marks taken for text, so a
        // lone quote or bracket finds what its words find.
        let query = match self.written_query(&parts)? {
            Some(query) => query,
            None => self.escaped_query(&parts)?,
        };
        let mut clauses = vec![Clause { occur: Occur::Must, query }];
        let fields = self.fields(false);
        clauses.extend(phrase_clauses(self.request, &parts, &self.extended.phrase_fields, &fields)?);
        Ok(clauses)
    }

    fn check_field<'b>(&'b self, name: &'b str, trail: &mut Vec<&'b str>) -> Result<()> {
        let Some((_, list)) = self.aliases.iter().find(|(alias, _)| alias == name) else {
            return match self.request.context.find(name) {
                Some(_) => Ok(()),
                None => {
                    let message = format!("Query Field '{name}' is not a valid field name");
                    Err(SyntaxError::plain(message).into())
                }
            };
        };
        // An alias may name others; one that names itself on the way would be followed for ever.
        if trail.contains(&name) {
            return Err(cycle());
        }
        trail.push(name);
        list.iter().try_for_each(|field| self.check_field(&field.name, trail))?;
        trail.pop();
        Ok(())
    }

    /// The text as it stands; `None` when it cannot be read so. A query of nothing but stop words is read
    /// again with them.
    fn written_query(&self, parts: &[Part]) -> Result<Option<Query>> {
        let text = as_written(parts, self.extended.lowercase_operators);
        let fields = self.fields(true);
        let mut query = self.parsed(&fields, &text)?;
        // `to be or not to be`: of nothing but stop words something is searched all the same.
        if self.extended.stopwords && query.as_ref().is_some_and(is_empty) {
            query = self.parsed(&ManyFields { stop_words: true, ..fields }, &text)?;
        }
        let Some(query) = query else { return Ok(None) };
        let minimum = match has_operators(parts, self.extended.lowercase_operators) {
            // Written operators say themselves what must match; a minimum that only follows from `q.op` gives
            // way to them.
            true => self.settings.own_minimum.as_deref().unwrap_or("0%"),
            false => self.settings.minimum(),
        };
        with_minimum(query, minimum, self.settings.relax).map(Some)
    }

    fn parsed(&self, fields: &ManyFields<'_>, text: &str) -> Result<Option<Query>> {
        match self.grammar(fields).query(text, self.request.depth) {
            // Except for endless nesting, which escaping would repeat at each level around this one.
            Err(error) if !is_endless(&error) => Ok(None),
            other => other.map(Some),
        }
    }

    fn escaped_query(&self, parts: &[Part]) -> Result<Query> {
        let text = escaped(parts, &self.extended.user_fields);
        let query = self.grammar(&self.fields(false)).query(&text, self.request.depth)?;
        // Flattened on this way alone, as in Solr: without operators, groups are only words that analysis
        // made.
        with_minimum(flattened(query), self.settings.minimum(), self.settings.relax)
    }

    fn grammar<'b>(&self, fields: &'b ManyFields<'_>) -> Grammar<'b>
    where
        'a: 'b,
    {
        Grammar {
            context: self.request.context,
            leaves: fields,
            all_required: self.settings.all_required,
            split: self.extended.split,
        }
    }

    fn fields(&self, strict: bool) -> ManyFields<'_> {
        ManyFields {
            fields: &self.settings.fields,
            aliases: &self.aliases,
            tie: self.settings.tie,
            all_required: self.settings.all_required,
            split: self.extended.split,
            slop: self.settings.phrase_slop,
            minimum: self.settings.minimum(),
            stop_words: !self.extended.stopwords,
            phrases_only: false,
            nested: self.extended.user_fields.allows("_query_"),
            strict,
        }
    }
}

/// `f.<alias>.qf`.
fn aliases(request: &Request<'_>) -> Result<Vec<(String, Vec<Weighted>)>> {
    let mut aliases: Vec<(String, Vec<Weighted>)> = Vec::new();
    for (name, value) in request.local.pairs().iter().chain(request.context.params.pairs()) {
        // The first of a name counts, and local parameters come first in the chain.
        let Some(alias) =
            param::QF.field_of(name).filter(|alias| aliases.iter().all(|(known, _)| known != alias))
        else {
            continue;
        };
        let fields = weighted([value.as_str()])?;
        if !fields.is_empty() {
            aliases.push((alias.to_owned(), fields));
        }
    }
    Ok(aliases)
}

fn is_empty(query: &Query) -> bool {
    matches!(query, Query::Boolean { clauses, .. } if clauses.is_empty())
}
