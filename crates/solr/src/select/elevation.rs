//! What is put first by hand, and what is hidden: the query, the sort and the filters that a search becomes
//! by it. Behaviour as recorded from Solr 9.10.1. Rules come from the collection's configuration, ids also
//! from the request; documents are met by their key, so nothing here looks at an index. In: the query, sort
//! and filters as parsed; out: the same with what is elevated in them.

use std::sync::Arc;

use plan::{
    Clause, Collapse, ElevationComponent, Error, Filter, Function, Occur, Operator, Query, Result, SortBy,
    SortKey, Value,
};

use crate::params::{elevation, query};
use crate::query::{QueryContext, split_local_params};

/// Whether a handler puts documents first by hand.
#[derive(Clone, Copy, Debug, Default)]
pub enum HandlerElevation<'a> {
    /// No handler of the collection does.
    #[default]
    Nowhere,
    /// Another does: marks are known here too.
    Elsewhere,
    Here(&'a ElevationComponent),
}

/// What one request elevates and hides.
pub(super) struct Elevation {
    elevated: Vec<Query>,
    excluded: Vec<Query>,
    exclusive: bool,
    marks: bool,
    only_matching: bool,
    configured_order: bool,
    force: bool,
    exclude_tags: Vec<String>,
    keeps_in_groups: bool,
}

/// Ids to elevate and ids to hide.
type Ids = (Vec<String>, Vec<String>);

impl Elevation {
    /// `None` when there is nothing to elevate or hide.
    pub(super) fn of(context: &QueryContext<'_>, handler: HandlerElevation<'_>) -> Result<Option<Self>> {
        let HandlerElevation::Here(component) = handler else { return Ok(None) };
        let params = context.params;
        if !elevation::ENABLE.read(params)? {
            return Ok(None);
        }
        let (elevated, excluded) = match named(context)? {
            Some(ids) => ids,
            None => ruled(context, component)?,
        };
        if elevated.is_empty() && excluded.is_empty() {
            return Ok(None);
        }
        let most = context.boolean_clauses_max;
        if elevated.len().max(excluded.len()) > most {
            return Err(Error::bad_request(format!(
                "more than {most} ids are put first or hidden by hand; name fewer"
            )));
        }
        let key: Arc<str> = context.schema.unique_key.clone().unwrap_or_else(|| "id".into());
        let one = |id: String| Query::Term { field: key.clone(), value: Value::Str(id) };
        let reaches_all = hits_looked_at_again(context)?.is_some_and(|hits| hits >= elevated.len());
        let tags = elevation::EXCLUDE_TAGS.read(params)?.unwrap_or_default();
        Ok(Some(Self {
            elevated: elevated.into_iter().map(one).collect(),
            excluded: excluded.into_iter().map(one).collect(),
            exclusive: elevation::EXCLUSIVE.read(params)?,
            marks: elevation::MARK_EXCLUDES.read(params)?,
            only_matching: elevation::ONLY_MATCHING.read(params)?,
            configured_order: elevation::CONFIGURED_ORDER.read(params)? || reaches_all,
            force: elevation::FORCE.read(params)?.unwrap_or(component.force),
            // As they are, blanks too: those of filters are not trimmed either.
            exclude_tags: tags.split(',').map(str::to_owned).collect(),
            keeps_in_groups: elevation::COLLECT_WHEN_COLLAPSING.read(params)?,
        }))
    }

    pub(super) fn query(&self, main: Query) -> Query {
        // Found by it, not scored by it: among what is elevated the order is the sort's.
        let elevated = || Query::Boost { query: Box::new(any(&self.elevated)), boost: 0.0 };
        if self.exclusive {
            return elevated();
        }
        let mut clauses = vec![Clause { occur: Occur::Should, query: main }];
        if !self.only_matching && !self.elevated.is_empty() {
            clauses.push(Clause { occur: Occur::Should, query: elevated() });
        }
        // `markExcludes` shows what would be hidden, to those who edit the rules.
        let hidden = self.excluded.iter().filter(|_| !self.marks);
        clauses.extend(hidden.map(|query| Clause { occur: Occur::MustNot, query: query.clone() }));
        Query::Boolean { clauses, minimum_should_match: 0 }
    }

    fn first_key(&self) -> SortKey {
        SortKey { by: SortBy::Function(self.order()), descending: true }
    }

    /// Whether [`Elevation::sort`] puts a key of its own before all of `keys`.
    pub(super) fn leads(&self, keys: &[SortKey]) -> bool {
        self.force || keys.first().is_some_and(|key| key.by == SortBy::Score)
    }

    /// What is elevated is the best of its group, and stays where there are several in it.
    pub(super) fn collapse(&self, collapse: Collapse) -> Result<Collapse> {
        if collapse.has_tag(&self.exclude_tags) {
            return Err(Error::bad_request("collapse filter cannot be tagged for exclusion"));
        }
        if !self.keeps_in_groups || self.elevated.is_empty() {
            return Ok(collapse);
        }
        let best = std::iter::once(self.first_key()).chain(collapse.best).collect();
        Ok(Collapse { best, keep: Some(any(&self.elevated)), ..collapse })
    }

    /// What is elevated goes before a leading score, or before all keys. Only there, as in Solr: who sorts by
    /// price has said what comes first, unless `forceElevation` is on. Where the worst come first, what is
    /// elevated is last.
    pub(super) fn sort(&self, keys: Vec<SortKey>) -> Vec<SortKey> {
        let first = match keys.first() {
            Some(key) if key.by == SortBy::Score => {
                Some(SortKey { descending: key.descending, ..self.first_key() })
            }
            _ => self.force.then(|| self.first_key()),
        };
        first.into_iter().chain(keys).collect()
    }

    /// Filters with certain tags let pass what is elevated.
    pub(super) fn filter(&self, filter: Filter) -> Filter {
        if !filter.tags.iter().any(|tag| self.exclude_tags.contains(tag)) {
            return filter;
        }
        let clauses = [filter.query, any(&self.elevated)];
        let clauses = clauses.map(|query| Clause { occur: Occur::Should, query }).to_vec();
        Filter { query: Query::Boolean { clauses, minimum_should_match: 0 }, ..filter }
    }

    /// Whether a document is elevated.
    pub(super) fn is_elevated(&self) -> Function {
        exists(any(&self.elevated))
    }

    /// Whether a document is hidden, or would be.
    pub(super) fn is_excluded(&self) -> Function {
        exists(any(&self.excluded))
    }

    /// The greater the earlier; 0 for all others.
    fn order(&self) -> Function {
        let count = self.elevated.len();
        let scored = self.elevated.iter().enumerate().map(|(at, query)| {
            // Different scores keep the order of the rule; equal ones leave it to the keys behind.
            let score = if self.configured_order { (count - at) as f32 } else { 1.0 };
            Query::ConstantScore { query: Box::new(query.clone()), score }
        });
        let query = Query::DisjunctionMax { queries: scored.collect(), tie_breaker: 0.0 };
        Function::Score { query: Box::new(query), missing: 0.0, label: "_elevate_".to_owned() }
    }
}

fn any(queries: &[Query]) -> Query {
    let clauses = queries.iter().map(|query| Clause { occur: Occur::Should, query: query.clone() });
    Query::Boolean { clauses: clauses.collect(), minimum_should_match: 0 }
}

fn exists(query: Query) -> Function {
    let score = Function::Score { query: Box::new(query), missing: 0.0, label: "_elevate_".to_owned() };
    Function::call(Operator::Exists, vec![score])
}

fn split(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// At how many hits `rq` looks again. Where it reaches all that is elevated they keep the order of their
/// rule, whatever the request says of that, as in Solr.
fn hits_looked_at_again(context: &QueryContext<'_>) -> Result<Option<usize>> {
    const USUAL: usize = 200;
    let Some(text) = query::RQ.sent(context.params) else { return Ok(None) };
    let (local, _) = split_local_params(text, context.params)?;
    Ok(Some(local.get("reRankDocs").map_or(USUAL, |hits| hits.parse().unwrap_or(1))))
}

/// What the request itself names.
fn named(context: &QueryContext<'_>) -> Result<Option<Ids>> {
    let elevated = elevation::ELEVATE_IDS.read(context.params)?;
    let excluded = elevation::EXCLUDE_IDS.read(context.params)?;
    let named = elevated.is_some() || excluded.is_some();
    let list = |ids: Option<String>| split(&ids.unwrap_or_default());
    Ok(named.then(|| (list(elevated), list(excluded))))
}

/// What the rules have for the query's text.
fn ruled(context: &QueryContext<'_>, component: &ElevationComponent) -> Result<Ids> {
    let (mut elevated, mut excluded) = Ids::default();
    let Some(text) = query::Q.sent(context.params) else { return Ok((elevated, excluded)) };
    let (local, rest) = split_local_params(text, context.params)?;
    let text = local.get("v").unwrap_or(rest);
    let asked = words(context, component, text)?;
    for rule in &component.rules {
        let words = words(context, component, &rule.text)?;
        let applies = match rule.subset {
            true => words.iter().all(|word| asked.contains(word)),
            // Joined, as in Solr: rules meet texts that the analyzer cuts at other places.
            false => words.concat() == asked.concat(),
        };
        if applies {
            elevated.extend(rule.elevated.iter().cloned());
            excluded.extend(rule.excluded.iter().cloned());
        }
    }
    Ok((elevated, excluded))
}

fn words(context: &QueryContext<'_>, component: &ElevationComponent, text: &str) -> Result<Vec<String>> {
    let kind = component.query_type.as_ref().and_then(|name| context.schema.field_type(name));
    let Some(kind) = kind else { return Ok(vec![text.to_owned()]) };
    if kind.query_analyzer.is_none() {
        return Ok(vec![text.to_owned()]);
    }
    let tokens = context.analyzers.tokens(kind, text)?;
    Ok(tokens.into_iter().map(|token| token.text).collect())
}
