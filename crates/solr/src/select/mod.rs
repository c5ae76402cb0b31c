//! A search request: parameters become a typed request without a schema, and against one the plan that lower layers run
//! together with what the response needs. Parameters are defined in `params/`, queries read in `query/`, facets in `facet/`.

mod children;
mod collapse;
mod cursor_mark;
mod field_list;
mod fields;
mod grouping;
mod request;
mod response_plan;
mod sort;

#[cfg(test)]
mod tests;

pub(crate) use cursor_mark::write_mark;
pub use fields::{ExplainStyle, FieldItem, FieldList};
pub use grouping::{GroupForm, GroupTitle, GroupView};
pub(crate) use request::as_filter;
pub use request::{ResolveContext, Resolved, SelectRequest};
pub use response_plan::{Alternative, DebugFlags, DebugQuery, DismaxNotes, ExplainOther, ResponsePlan};
