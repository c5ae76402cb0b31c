//! What goes back: one tree of typed values (`node`), the envelope around it (`header`), and one writer for
//! each format. Results come from `cluster` as `plan`'s types; bytes go to `http`. Layout and spelling are
//! Solr 9.10's, and the tests hold bytes recorded from one.

mod buckets;
mod cbor;
mod columns;
mod csv;
mod documents;
mod explain;
mod facets;
mod format;
mod groups;
mod header;
mod heatmap;
mod javabin;
mod json;
mod more_like;
mod named_lists;
mod node;
mod number;
mod php_serialized;
mod picture;
mod read_javabin;
mod script_spelling;
mod scripts;
mod select;
mod shapes;
mod shards_info;
mod stats;
mod update;
mod xml;

pub(crate) use cbor::numbered_bytes_min;
pub use csv::CsvStyle;
pub use documents::{doc_list, document, found};
pub use facets::facet_counts;
pub use format::Format;
pub use header::{Echo, Header};
pub use json::{JsonStyle, write_json, write_string};
pub use more_like::{FoundAlike, LikesOf, likes, likes_explained, more_like};
pub use named_lists::NamedListStyle;
pub use node::{DocList, DocumentNode, Entries, FieldNode, Name, Node};
pub use read_javabin::read_javabin;
pub use select::{Found, in_order, select};
pub use shards_info::{AskedShard, shards_info};
pub use update::{add_refusals, echoed, replication_factor, tolerated, versions};
pub use xml::write_xml;

/// Bytes as text, as Solr shows binary fields.
pub(crate) fn base64(bytes: &[u8]) -> String {
    plan::Value::Bytes(bytes.to_vec()).to_text()
}
