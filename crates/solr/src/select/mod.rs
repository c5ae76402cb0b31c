//! A search request: parameters become a typed request without a schema, and against one the plan that lower
//! layers run together with what the response needs. Parameters are defined in `params/`, queries read in
//! `query/`, facets in `facet/`.

mod children;
mod collapse;
mod cursor_mark;
mod elevation;
mod field_list;
mod fields;
mod grouping;
mod highlight;
mod highlight_fast_vector;
mod highlight_options;
mod highlight_parts;
mod more_like;
mod request;
mod rerank;
mod resolve;
mod resolve_context;
mod response_plan;
mod sort;
mod subquery;

#[cfg(test)]
mod tests;

pub(crate) use cursor_mark::write_mark;
pub use elevation::HandlerElevation;
pub use fields::{ExplainStyle, FieldItem, FieldList, ShapeForm, ShardNames};
pub use grouping::{GroupForm, GroupTitle, GroupView};
pub(crate) use more_like::names;
pub use more_like::{Likes, TermsShown};
pub use request::SelectRequest;
pub(crate) use request::as_filter;
pub use resolve::Resolved;
pub use resolve_context::ResolveContext;
pub use response_plan::{Alternative, DebugFlags, DebugQuery, DismaxNotes, ExplainOther, ResponsePlan};
pub use subquery::{SUBQUERIES_MAX, Subquery};
