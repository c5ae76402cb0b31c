//! A search request as text: its parameters read, its values checked as far as no schema is needed.
//! `resolve.rs` gives it its meaning. It borrows the parameters: texts are copied only where they become part
//! of a plan. Parameters that nobody here reads are refused before (`params/unsupported.rs`).

use plan::{Filter, Page, Result, SortBy, SortKey};

use super::response_plan::DebugFlags;
use crate::params::{Params, limits, paging, query, response, unsupported};
use crate::query::{ParsedQuery, cache_and_cost};

/// A search as asked for; queries are still text.
#[derive(Clone, Debug)]
pub struct SelectRequest<'a> {
    pub(super) params: &'a Params,
    pub(super) query: Option<&'a str>,
    pub(super) parser: &'a str,
    pub(super) filters: Vec<&'a str>,
    pub(super) sort: &'a str,
    pub(super) page: Page,
    pub(super) cursor_mark: Option<&'a str>,
    pub(super) debug: DebugFlags,
    pub(super) omit_header: bool,
    pub(super) terminates_early: bool,
}

impl<'a> SelectRequest<'a> {
    /// Reads parameters, those that the handler presets among them (see [`Params::with_handler`]). Bad values
    /// and parameters that are not supported yet are bad requests.
    pub fn parse(params: &'a Params) -> Result<Self> {
        unsupported::refuse_unsupported(params)?;
        Ok(Self {
            params,
            query: query::Q.sent(params),
            parser: query::DEF_TYPE.text(params),
            filters: query::FQ.sent_all(params).collect(),
            sort: query::SORT.sent(params).unwrap_or_default(),
            page: paging::page(params)?,
            cursor_mark: paging::CURSOR_MARK.sent(params),
            debug: DebugFlags::parse(params)?,
            omit_header: response::OMIT_HEADER.read(params)?,
            terminates_early: limits::SEGMENT_TERMINATE_EARLY.read(params)?,
        })
    }
}

pub(super) fn by_score() -> Vec<SortKey> {
    vec![SortKey { by: SortBy::Score, descending: true }]
}

/// A filter with its local parameters `cache`, `cost`, `tag`. A filter that matches nothing still filters.
pub(crate) fn as_filter(parsed: &ParsedQuery) -> Result<Filter> {
    let (cache, cost) = cache_and_cost(&parsed.local)?;
    Ok(Filter { query: parsed.executable(), cache, cost, tags: parsed.local.list("tag") })
}
