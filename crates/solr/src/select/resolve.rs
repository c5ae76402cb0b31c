//! A search request against a schema: fields, queries and dates get their meaning. First what a mistake in
//! fails the whole request, in the order in which Solr finds out; then what components add beside the hits,
//! where the first mistake is reported after them and what comes later is left out.

use std::sync::Arc;

use plan::{
    Collapse, Component, Cursor, Error, ExpandPlan, Filter, GroupPlan, HighlightPlan, Query, Rerank, Result,
    Schema, SearchPlan, Shape, SortBy, SortKey,
};

use super::collapse::{parse_collapse, refuse_both, resolve_expand};
use super::cursor_mark::{mark_sent, parse_cursor};
use super::elevation::Elevation;
use super::fields::FieldList;
use super::grouping::{GroupView, resolve_groups};
use super::highlight::{highlighted, resolve_highlight};
use super::request::{SelectRequest, as_filter, by_score};
use super::rerank::parse_rerank;
use super::resolve_context::ResolveContext;
use super::response_plan::{DebugFlags, DebugQuery, ExplainOther, ResponsePlan};
use super::sort::parse_sort;
use crate::debug::{QueryPrinter, collapsing};
use crate::facet::{Facets, resolve_facets};
use crate::params::{dismax, grouping, query, response};
use crate::query::{
    Budget, Others, ParsedQuery, QueryContext, cache_and_cost, known_name, parse_query, split_local_params,
};

/// What to run, and how to show it. Both are large and handed on often: of the instructions of a look-up by
/// id a tenth copied bytes, about half of that these two on their way (callgrind, 2026-11). So neither lies
/// in the structs and futures that carry it.
#[derive(Debug)]
pub struct Resolved {
    pub plan: Arc<SearchPlan>,
    pub response: Box<ResponsePlan>,
    /// For the response's header.
    pub warnings: Vec<String>,
    /// Why facets are not counted or other documents not explained, as was asked for: reported behind the
    /// sections up to that of the component that failed, as Solr does.
    pub late_failure: Option<(Component, Error)>,
    /// Whether the same request is answered the same as long as nothing is refreshed or configured: it reads
    /// no clock, and does not ask to be answered afresh.
    pub repeatable: bool,
}

/// What is searched: all that a mistake in fails the request.
struct Searched {
    fields: FieldList,
    main: Option<ParsedQuery>,
    sort: Vec<SortKey>,
    elevation: Option<Elevation>,
    filters: Vec<ParsedQuery>,
    collapses: Vec<Collapse>,
    /// Where among the filters one collapses.
    collapsing: Vec<usize>,
    /// What snippets mark, where they are asked for.
    marked: Option<Query>,
    groups: Option<(GroupPlan, GroupView)>,
    cursor: Option<Cursor>,
    rerank: Option<Rerank>,
}

/// What components add beside the hits.
struct SideSections {
    facets: Facets,
    highlight: Option<HighlightPlan>,
    expand: Option<ExpandPlan>,
    explain_other: Option<ExplainOther>,
    /// The first mistake in any of them.
    failure: Option<(Component, Error)>,
}

impl SelectRequest<'_> {
    /// Gives fields, queries and dates their meaning.
    pub fn resolve(&self, context: &ResolveContext<'_>) -> Result<Resolved> {
        let (dates, budget) = (context.dates(self.params)?, Budget::of(self.params));
        let queries = context.queries(self.params, &dates, &budget);
        let searched = self.searched(context, &queries)?;
        let mut beside = self.beside(context, &queries, &searched)?;
        let debug_query = self.debug.query.then(|| self.debug_query(&queries, &searched));
        // Debug comes last: what failed before leaves it out.
        let (debug, debug_query) = match beside.failure {
            None => (self.debug, debug_query),
            Some(_) => (DebugFlags::default(), None),
        };
        let warnings = std::mem::take(&mut beside.facets.warnings);
        let late_failure = beside.failure.take();
        let (plan, response) = self.plan(&queries, searched, beside)?;
        let response = Box::new(ResponsePlan { debug, debug_query, ..response });
        // What is found in other collections changes without this one, and no snapshot of it says when.
        let asks_others = queries.others.is_some_and(Others::were_asked);
        let plan = Arc::new(SearchPlan { cache: plan.cache && !asks_others, ..plan });
        // What its columns search may change without it.
        let alone = response.fields.subqueries.is_empty() && !asks_others;
        // Only such answers are kept whole (ADR 6); each of these could change without a new snapshot.
        let repeatable = plan.cache && !debug.timing && !dates.depends_on_time() && alone;
        Ok(Resolved { plan, response, warnings, late_failure, repeatable })
    }

    /// Whether `q.alt` is what to search in a request without `q`.
    fn asks_alternative(&self, queries: &QueryContext<'_>) -> bool {
        let parser = known_name(&queries.names.own.parsers, self.parser);
        matches!(parser, "dismax" | "edismax") && dismax::Q_ALT.sent(self.params).is_some()
    }

    /// Order of the checks follows Solr where a request has two mistakes, as far as it is known.
    fn searched(&self, context: &ResolveContext<'_>, queries: &QueryContext<'_>) -> Result<Searched> {
        let mut fields = FieldList::parse(self.params, queries)?;
        // Of several the hits themselves say where they are from.
        if !context.names.is_gathered() {
            fields.name_core(context.core);
        }
        let text = self.query.or_else(|| self.asks_alternative(queries).then_some(""));
        let mut main = text.map(|text| parse_query(queries, text, self.parser)).transpose()?;
        let sort = parse_sort(queries, self.sort)?;
        let mut sort = if sort.is_empty() { by_score() } else { sort };
        let elevation = Elevation::of(queries, context.elevation)?;
        fields.mark_elevated(elevation.as_ref(), context.elevation);
        // Snippets know nothing of what is put first by hand.
        let marked = highlighted(queries, main.as_ref());
        let mut after_first_key = false;
        if let (Some(elevation), Some(main)) = (&elevation, &mut main) {
            main.query = Some(elevation.query(main.executable()));
            after_first_key = elevation.leads(&sort);
            sort = elevation.sort(sort);
        }
        let (filters, mut collapses, collapsing) = self.filters(queries)?;
        if let Some(elevation) = &elevation {
            collapses = collapses.into_iter().map(|it| elevation.collapse(it)).collect::<Result<_>>()?;
        }
        refuse_both(self.params)?;
        let marked = marked?;
        let mut groups = resolve_groups(queries, self.page, &sort)?;
        if let (Some(elevation), Some((plan, _)), true) =
            (&elevation, &mut groups, grouping::SORT.is_sent(self.params))
        {
            plan.sort = elevation.sort(std::mem::take(&mut plan.sort));
        }
        // Against the sort with what is elevated in it: marks hold a value for each key, that one too.
        let cursor = self.cursor(queries.schema, &sort)?;
        let rerank = rerank(queries, cursor.as_ref(), groups.is_some())?;
        let rerank = rerank.map(|rerank| Rerank { after_first_key, ..rerank });
        Ok(Searched {
            fields,
            main,
            sort,
            elevation,
            filters,
            collapses,
            collapsing,
            marked,
            groups,
            cursor,
            rerank,
        })
    }

    fn beside(
        &self,
        context: &ResolveContext<'_>,
        queries: &QueryContext<'_>,
        searched: &Searched,
    ) -> Result<SideSections> {
        let mut facets = resolve_facets(queries, context.components)?;
        let mut failure = facets.failure.take().map(|error| (Component::Facet, error));
        let (marked, parts) = (searched.marked.clone(), context.highlight);
        let highlight = marked.map(|query| resolve_highlight(queries, parts, searched.main.as_ref(), query));
        Ok(SideSections {
            // In the order in which Solr's components run, so that the first failure is the one it would
            // report.
            highlight: or_later(Component::Highlight, highlight.transpose(), &mut failure),
            expand: or_later(Component::Expand, resolve_expand(queries, &searched.collapses), &mut failure),
            explain_other: or_later(Component::Debug, self.explain_other(queries), &mut failure),
            facets,
            failure,
        })
    }

    /// The plan, and what the response needs to know besides but for its debug section.
    fn plan(
        &self,
        queries: &QueryContext<'_>,
        searched: Searched,
        beside: SideSections,
    ) -> Result<(SearchPlan, ResponsePlan)> {
        let Searched { fields, main, sort, elevation, filters, collapses, groups, cursor, rerank, .. } =
            searched;
        let SideSections { facets, highlight, expand, explain_other, .. } = beside;
        let (groups, group_view) = groups.unzip();
        let restrict = |filter| restriction(filter, elevation.as_ref());
        // Over shards Solr shows the greatest score wherever hits are ordered by theirs.
        let by_score =
            self.page.rows > 0 && (sort.is_empty() || sort.iter().any(|key| key.by == SortBy::Score));
        let plan = SearchPlan {
            schema_version: Some(queries.schema.lineage.version),
            children: fields.children(queries)?,
            query: main.as_ref().map_or(Query::Nothing, ParsedQuery::executable),
            query_tags: main.as_ref().map(|main| main.local.list("tag")).unwrap_or_default(),
            filters: filters.iter().map(restrict).collect::<Result<_>>()?,
            sort,
            page: self.page,
            fields: fields.selection(),
            functions: fields.functions.clone(),
            scores: fields.scores() || (queries.names.is_gathered() && by_score),
            facets: facets.plan,
            explain: self.debug.results || fields.explains(),
            count_enough: self.count_enough()?,
            shape: Shape { cursor, expand, collapses, groups, rerank },
            highlight,
            // What another collection says may change at any time.
            cache: main.as_ref().map_or(Ok((true, 0)), |main| cache_and_cost(&main.local))?.0
                && !queries.others.is_some_and(Others::were_asked),
            score_statistics: queries.names.score_statistics,
            statistics: None,
            heads: Vec::new(),
        };
        let response = ResponsePlan {
            explain_other,
            start: self.page.start,
            cursor_mark: plan.shape.cursor.as_ref().map(mark_sent),
            groups: group_view,
            expands: plan.shape.expand.is_some(),
            highlights: plan.highlight.is_some(),
            fields,
            omit_header: self.omit_header,
            terminates_early: self.terminates_early,
            debug: DebugFlags::default(),
            debug_query: None,
        };
        Ok((plan, response))
    }

    fn count_enough(&self) -> Result<Option<u64>> {
        let enough = query::MIN_EXACT_COUNT.read(self.params)?;
        Ok(enough.and_then(|count| u64::try_from(count).ok()))
    }

    /// Empty filters filter nothing; those that collapse come after all others, and are counted by where they
    /// stood.
    fn filters(&self, context: &QueryContext<'_>) -> Result<(Vec<ParsedQuery>, Vec<Collapse>, Vec<usize>)> {
        let (mut filters, mut collapses, mut places) = (Vec::new(), Vec::new(), Vec::new());
        // Filters score nothing, so long lists of values may become sets.
        let context = QueryContext { filtering: true, ..*context };
        for text in self.restrictions() {
            match parse_collapse(&context, text)? {
                Some(collapse) => {
                    places.push(filters.len() + collapses.len());
                    collapses.push(collapse);
                }
                None => filters.push(parse_query(&context, text, "lucene")?),
            }
        }
        Ok((filters, collapses, places))
    }

    /// The filters that say something.
    fn restrictions(&self) -> impl Iterator<Item = &str> {
        self.filters.iter().copied().filter(|text| !text.trim().is_empty())
    }

    fn cursor(&self, schema: &Schema, sort: &[SortKey]) -> Result<Option<Cursor>> {
        if self.cursor_mark.is_some() && grouping::GROUP.read(self.params)? {
            return Err(Error::bad_request("Can not use Grouping with cursorMark"));
        }
        let cursor = |mark| parse_cursor(mark, schema, sort, self.page.start);
        self.cursor_mark.map(cursor).transpose()
    }

    /// What `explainOther` asks for, or why that cannot be read.
    fn explain_other(&self, context: &QueryContext<'_>) -> Result<Option<ExplainOther>> {
        let text = response::EXPLAIN_OTHER.sent(self.params).filter(|text| !text.is_empty());
        let Some(text) = text.filter(|_| self.debug.results) else { return Ok(None) };
        let parsed = parse_query(context, text, "lucene")
            .map_err(|_| Error::bad_request(format!("Error parsing query: {text}")))?;
        Ok(Some(ExplainOther { text: text.to_owned(), query: parsed.executable() }))
    }

    fn debug_query(&self, context: &QueryContext<'_>, searched: &Searched) -> DebugQuery {
        let printer = QueryPrinter::new(context.schema);
        let nothing = ParsedQuery::NOTHING;
        let main = searched.main.as_ref().unwrap_or(&nothing);
        let (parsed, parsed_to_string) = match &searched.rerank {
            Some(rerank) => printer.reranked(main, rerank),
            None => (printer.parsed(main), printer.parsed_to_string(main)),
        };
        let mut parsed_filters: Vec<_> =
            searched.filters.iter().map(|filter| printer.parsed(filter)).collect();
        for place in &searched.collapsing {
            let text = self.restrictions().nth(*place).unwrap_or_default();
            let local = split_local_params(text, context.params).unwrap_or_default().0;
            parsed_filters.insert((*place).min(parsed_filters.len()), collapsing(&local));
        }
        DebugQuery {
            json: self.params.json().cloned(),
            text: query::Q.sent(self.params).map(str::to_owned),
            parsed,
            parsed_to_string,
            parser: main.parser,
            notes: main.notes.as_ref().map(|notes| printer.notes(notes)),
            filters: self.filters.iter().map(|text| (*text).to_owned()).collect(),
            parsed_filters,
        }
    }
}

/// What is asked for beside the hits; the first failure is kept.
fn or_later<T>(
    of: Component,
    found: Result<Option<T>>,
    failure: &mut Option<(Component, Error)>,
) -> Option<T> {
    found.unwrap_or_else(|error| {
        failure.get_or_insert((of, error));
        None
    })
}

/// A second opinion, for which Solr does not ask on groups.
fn rerank(context: &QueryContext<'_>, cursor: Option<&Cursor>, grouped: bool) -> Result<Option<Rerank>> {
    let rerank = parse_rerank(context)?;
    if rerank.is_some() && cursor.is_some() {
        return Err(Error::bad_request("`rq` and `cursorMark` do not go together; leave one out"));
    }
    // Accepted and without effect on groups, as in Solr.
    Ok(rerank.filter(|_| !grouped))
}

fn restriction(filter: &ParsedQuery, elevation: Option<&Elevation>) -> Result<Filter> {
    let filter = as_filter(filter)?;
    Ok(match elevation {
        Some(elevation) => elevation.filter(filter),
        None => filter,
    })
}
