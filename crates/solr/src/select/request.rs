//! The two steps of a search request: `parse` (text to typed) and `resolve` (against a schema). Order of the checks follows
//! Solr where a request has two mistakes, as far as it is known.

use plan::{
    Collapse, Cursor, Error, Filter, GroupPlan, HighlightParts, Page, Query, Rerank, Result, Schema,
    SearchPlan, Shape, SortBy, SortKey,
};

use super::collapse::{parse_collapse, refuse_both, resolve_expand};
use super::cursor_mark::{mark_sent, parse_cursor};
use super::elevation::{Elevation, HandlerElevation};
use super::fields::FieldList;
use super::grouping::resolve_groups;
use super::highlight::{highlighted, resolve_highlight};
use super::more_like::Likes;
use super::rerank::parse_rerank;
use super::response_plan::{DebugFlags, DebugQuery, ExplainOther, ResponsePlan};
use super::sort::parse_sort;
use crate::date_math::DateMath;
use crate::debug::QueryPrinter;
use crate::facet::{Facets, resolve_facets};
use crate::params::{Params, dismax, grouping, paging, query, response, terms, unsupported};
use crate::query::{Budget, Others, ParsedQuery, QueryContext, SchemaAnalyzers, cache_and_cost, parse_query};
use crate::response::Entries;
use crate::terms::TermsRequest;

/// A search as asked for; queries are still text.
#[derive(Clone, Debug)]
pub struct SelectRequest<'a> {
    params: &'a Params,
    query: Option<&'a str>,
    parser: &'a str,
    filters: Vec<&'a str>,
    sort: &'a str,
    page: Page,
    cursor_mark: Option<&'a str>,
    debug: DebugFlags,
    omit_header: bool,
}

/// What a request is resolved against.
#[derive(Clone, Copy, Debug)]
pub struct ResolveContext<'a> {
    pub schema: &'a Schema,
    pub analyzers: &'a SchemaAnalyzers,
    /// The clock's milliseconds, unless the request sends `NOW`.
    pub now_ms: i64,
    /// [`plan::CollectionConfig::boolean_clauses_max`].
    pub boolean_clauses_max: usize,
    /// Other collections, where queries may ask for them.
    pub others: Option<&'a Others<'a>>,
    /// The name of the core, for `[core]`.
    pub core: &'a str,
    /// What is put first by hand.
    pub elevation: HandlerElevation<'a>,
    /// What snippets may be made by.
    pub highlight: &'a HighlightParts,
}

/// What to run, and how to show it.
#[derive(Debug)]
pub struct Resolved {
    pub plan: SearchPlan,
    pub response: ResponsePlan,
    /// For the response's header.
    pub warnings: Vec<String>,
    /// Why facets are not counted or other documents not explained, as was asked for: told beside the hits, as Solr does.
    pub late_failure: Option<Error>,
    /// The terms of fields to list beside the hits, or what is shown of them when that fails.
    pub terms: Result<Option<TermsRequest>, Entries>,
    /// Whether the same request is answered the same as long as nothing is refreshed or configured: it reads no clock, and
    /// does not ask to be answered afresh.
    pub repeatable: bool,
}

impl<'a> SelectRequest<'a> {
    /// Reads parameters, those that the handler presets among them (see [`Params::with_handler`]). Bad values and
    /// parameters that are not supported yet are bad requests.
    pub fn parse(params: &'a Params) -> Result<Self> {
        unsupported::refuse_unsupported(params)?;
        Ok(Self {
            params,
            query: params.get(query::Q.name).or_else(|| asks_alternative(params).then_some("")),
            parser: params.get(query::DEF_TYPE.name).unwrap_or("lucene"),
            filters: params.all(query::FQ.name).collect(),
            sort: params.get(query::SORT.name).unwrap_or_default(),
            page: paging::page(params)?,
            cursor_mark: params.get(paging::CURSOR_MARK.name),
            debug: DebugFlags::parse(params)?,
            omit_header: response::OMIT_HEADER.read(params)?.unwrap_or(false),
        })
    }

    /// Gives fields, queries and dates their meaning.
    pub fn resolve(&self, context: &ResolveContext<'_>) -> Result<Resolved> {
        let (now, zone) = (self.params.get(query::NOW.name), self.params.get(query::TZ.name));
        let dates = DateMath::of_request(now, zone, context.now_ms)?;
        let (core, by_hand, parts) = (context.core, context.elevation, context.highlight);
        let context = QueryContext {
            schema: context.schema,
            analyzers: context.analyzers,
            params: self.params,
            dates: &dates,
            budget: &Budget::of(self.params),
            boolean_clauses_max: context.boolean_clauses_max,
            others: context.others,
            filtering: false,
        };
        let mut fields = FieldList::parse(self.params, Some(&context))?;
        fields.name_core(core);
        let mut main = self.query.map(|text| parse_query(&context, text, self.parser)).transpose()?;
        let sort = parse_sort(&context, self.sort)?;
        let mut sort = if sort.is_empty() { by_score() } else { sort };
        let elevation = Elevation::of(&context, by_hand)?;
        fields.mark_elevated(elevation.as_ref(), by_hand);
        let marked = highlighted(&context, main.as_ref());
        if let (Some(elevation), Some(main)) = (&elevation, &mut main) {
            main.query = Some(elevation.query(main.executable()));
            sort = elevation.sort(sort);
        }
        let (filters, collapses) = self.filters(&context)?;
        refuse_both(self.params)?;
        let marked = marked?;
        let (groups, group_view) = resolve_groups(&context, self.page, &sort)?.unzip();
        let (expand, expand_failure) = or_late(resolve_expand(&context, &collapses));
        let cursor = self.cursor(context.schema, &sort)?;
        let rerank = rerank(&context, cursor.as_ref(), groups.as_ref())?;
        let shape = Shape { cursor, expand, collapses, groups, rerank };
        let debug_query = self.debug.query.then(|| self.debug_query(&context, main.as_ref(), &filters));
        let Facets { plan: facets, warnings, failure: facet_failure } = resolve_facets(&context)?;
        let highlight = marked.map(|query| resolve_highlight(&context, parts, main.as_ref(), query));
        let (highlight, highlight_failure) = or_late(highlight.transpose());
        let plan = SearchPlan {
            children: fields.children(&context)?,
            query: main.as_ref().map_or(Query::Nothing, ParsedQuery::executable),
            filters: filters
                .iter()
                .map(|filter| restriction(filter, elevation.as_ref()))
                .collect::<Result<_>>()?,
            sort,
            page: self.page,
            fields: fields.selection(),
            functions: fields.functions.clone(),
            scores: fields.scores(),
            facets,
            explain: self.debug.results || fields.explains(),
            count_enough: query::MIN_EXACT_COUNT
                .read(self.params)?
                .and_then(|count| u64::try_from(count).ok()),
            shape,
            highlight,
            // What another collection says may change at any time.
            cache: main.as_ref().map_or(Ok((true, 0)), |main| cache_and_cost(&main.local))?.0
                && !context.others.is_some_and(Others::were_asked),
        };
        let key = context.schema.unique_key.as_ref();
        let likes = Likes::of_hits(self.params, key, self.page.rows, context.boolean_clauses_max);
        let (likes, likes_failure) = or_late(likes);
        let (explain_other, other_failure) = self.explain_other(&context);
        let (terms, terms_failure) = match terms_beside(self.params, context.schema) {
            Ok(terms) => (Ok(terms), None),
            Err((error, shown)) => (Err(shown), Some(error)),
        };
        let late_failure = facet_failure.or(likes_failure).or(highlight_failure).or(expand_failure);
        let late_failure = late_failure.or(terms_failure).or(other_failure);
        // Debug comes last: what failed before leaves it out.
        let (debug, debug_query) =
            if late_failure.is_none() { (self.debug, debug_query) } else { (DebugFlags::default(), None) };
        let response = ResponsePlan {
            explain_other,
            likes,
            start: self.page.start,
            cursor_mark: plan.shape.cursor.as_ref().map(mark_sent),
            groups: group_view,
            expands: plan.shape.expand.is_some(),
            highlights: plan.highlight.is_some(),
            fields,
            omit_header: self.omit_header,
            debug,
            debug_query,
        };
        // What its columns search may change without it.
        let alone = response.fields.subqueries.is_empty() && !context.others.is_some_and(Others::were_asked);
        let repeatable = plan.cache && !debug.timing && !dates.depends_on_time() && alone;
        Ok(Resolved { plan, response, warnings, late_failure, terms, repeatable })
    }

    /// Empty filters filter nothing; those that collapse come after all others.
    fn filters(&self, context: &QueryContext<'_>) -> Result<(Vec<ParsedQuery>, Vec<Collapse>)> {
        let (mut filters, mut collapses) = (Vec::new(), Vec::new());
        let context = QueryContext { filtering: true, ..*context };
        for text in self.filters.iter().filter(|text| !text.trim().is_empty()) {
            match parse_collapse(&context, text)? {
                Some(collapse) => collapses.push(collapse),
                None => filters.push(parse_query(&context, text, "lucene")?),
            }
        }
        Ok((filters, collapses))
    }

    fn cursor(&self, schema: &Schema, sort: &[SortKey]) -> Result<Option<Cursor>> {
        if self.cursor_mark.is_some() && grouping::GROUP.read(self.params)? == Some(true) {
            return Err(Error::bad_request("Can not use Grouping with cursorMark"));
        }
        let cursor = |mark| parse_cursor(mark, schema, sort, self.page.start);
        self.cursor_mark.map(cursor).transpose()
    }

    /// What `explainOther` asks for, or why that cannot be read.
    fn explain_other(&self, context: &QueryContext<'_>) -> (Option<ExplainOther>, Option<Error>) {
        let text = self.params.get(response::EXPLAIN_OTHER.name).filter(|text| !text.is_empty());
        let Some(text) = text.filter(|_| self.debug.results) else { return (None, None) };
        match parse_query(context, text, "lucene") {
            Ok(parsed) => (Some(ExplainOther { text: text.to_owned(), query: parsed.executable() }), None),
            Err(_) => (None, Some(Error::bad_request(format!("Error parsing query: {text}")))),
        }
    }

    fn debug_query(
        &self,
        context: &QueryContext<'_>,
        main: Option<&ParsedQuery>,
        filters: &[ParsedQuery],
    ) -> DebugQuery {
        let printer = QueryPrinter::new(context.schema);
        DebugQuery {
            json: self.params.json().cloned(),
            text: self.params.get(query::Q.name).map(str::to_owned),
            parsed: main.map(|main| printer.parsed(main)),
            parsed_to_string: main.map(|main| printer.parsed_to_string(main)),
            parser: main.map(|main| main.parser),
            notes: main.and_then(|main| main.notes.as_ref()).map(|notes| printer.notes(notes)),
            filters: self.filters.iter().map(|text| (*text).to_owned()).collect(),
            parsed_filters: filters.iter().map(|filter| printer.parsed(filter)).collect(),
        }
    }
}

/// What is asked for beside the hits; a failure is told after them.
fn or_late<T>(found: Result<Option<T>>) -> (Option<T>, Option<Error>) {
    match found {
        Ok(found) => (found, None),
        Err(error) => (None, Some(error)),
    }
}

/// A second opinion, for which Solr does not ask on groups.
fn rerank(
    context: &QueryContext<'_>,
    cursor: Option<&Cursor>,
    groups: Option<&GroupPlan>,
) -> Result<Option<Rerank>> {
    let rerank = parse_rerank(context)?;
    if rerank.is_some() && cursor.is_some() {
        return Err(Error::bad_request("`rq` and `cursorMark` do not go together; leave one out"));
    }
    Ok(rerank.filter(|_| groups.is_none()))
}

fn restriction(filter: &ParsedQuery, elevation: Option<&Elevation>) -> Result<Filter> {
    let filter = as_filter(filter)?;
    Ok(match elevation {
        Some(elevation) => elevation.filter(filter),
        None => filter,
    })
}

/// What `terms=true` asks for.
fn terms_beside(params: &Params, schema: &Schema) -> Result<Option<TermsRequest>, (Error, Entries)> {
    let asked = terms::TERMS.read(params).map_err(|error| (error, vec![]))? == Some(true);
    asked.then(|| TermsRequest::parse(params, schema)).transpose()
}

/// Whether `q.alt` is what to search in a request without `q`.
fn asks_alternative(params: &Params) -> bool {
    let parser = params.get(query::DEF_TYPE.name);
    matches!(parser, Some("dismax" | "edismax")) && params.get(dismax::Q_ALT.name).is_some()
}

pub(super) fn by_score() -> Vec<SortKey> {
    vec![SortKey { by: SortBy::Score, descending: true }]
}

/// A filter with its local parameters `cache`, `cost`, `tag`. A filter that matches nothing still filters.
pub(crate) fn as_filter(parsed: &ParsedQuery) -> Result<Filter> {
    let (cache, cost) = cache_and_cost(&parsed.local)?;
    Ok(Filter { query: parsed.executable(), cache, cost, tags: parsed.local.list("tag") })
}
