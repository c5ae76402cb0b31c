//! What the paths beside searches and updates read, path by path: cores, collections, configsets, and what a
//! collection shows of itself. The same name often means another thing at another path, so each path has its
//! own definitions. The handlers of `http` read them; its description of the paths lists them.

pub mod collections;
pub mod config;
pub mod configsets;
pub mod cores;
pub mod files;
pub mod get;
pub mod luke;
pub mod metrics;
pub mod node;
pub mod ping;
pub mod replication;
pub mod schema;
pub mod segments;
mod values;

use super::ParamDoc;

/// All of them, by path.
pub(super) const GROUPS: &[(&str, &[ParamDoc])] = &[
    ("Documents by id (`/get`)", get::DOCS),
    ("Cores (`/admin/cores`)", cores::DOCS),
    ("Collections (`/admin/collections`)", collections::DOCS),
    ("Configsets (`/admin/configs`)", configsets::DOCS),
    ("Figures (`/admin/metrics`)", metrics::DOCS),
    ("Properties (`/admin/info/properties`)", node::PROPERTIES),
    ("What is logged (`/admin/info/logging`)", node::LOGGING),
    ("The last lines of the log (`/api/node/logging/messages`)", node::MESSAGES),
    ("Any path of a collection", collections::ANY),
    ("The schema (`/schema`)", schema::DOCS),
    ("What is copied into what (`/schema/copyfields`)", schema::COPIES),
    ("The configuration (`/config`)", config::DOCS),
    ("What is in the index (`/admin/luke`)", luke::DOCS),
    ("The segments (`/admin/segments`)", segments::DOCS),
    ("Files (`/admin/file`)", files::DOCS),
    ("Health (`/admin/ping`)", ping::DOCS),
    ("The index as others may copy it (`/replication`)", replication::DOCS),
];
