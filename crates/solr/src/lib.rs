//! Solr's spellings: what its clients write becomes `plan`'s types here, and results become the bytes they
//! read. Nothing below this crate parses a parameter; nothing above it knows a wire format. No IO. In: names
//! and values, bodies, configsets; out: plans, commands, schemas, and nodes that become JSON, XML, javabin
//! and the other formats. So all that a client could see differ from Solr is decided here.

pub mod admin;
pub mod charset;
mod commands;
pub mod config;
pub mod date_math;
mod debug;
pub mod error;
mod facet;
pub mod field_analysis;
mod function;
mod java_expression;
mod javabin;
pub mod json_request;
pub mod limits;
pub mod params;
pub mod query;
pub mod query_log;
mod real_time_get;
mod redact;
mod redact_text;
pub mod response;
pub mod schema;
pub mod security;
pub mod select;
pub mod slow;
pub mod spell;
pub mod suggest;
pub mod terms;
pub mod update;
pub mod vectors;
pub mod why_not;
pub mod xml_tree;

pub use commands::EditError;
pub use params::{Params, parse_form};
pub use real_time_get::{Fetched, GetRequest, fingerprint_entry, versions_entry};
