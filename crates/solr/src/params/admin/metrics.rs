//! Which figures `/admin/metrics` shows. Lists have commas between; that a name is none is the handler's to
//! say. The figures themselves are named in `http` (`crates/http/src/handlers/metrics.rs`), and chosen from
//! and written by `crates/solr/src/admin`.

use crate::params::spec::{not_false, text};
use crate::params::{NoDefault, Param, ParamDoc, Preset};

const fn plain(name: &'static str, about: &'static str) -> Param<String> {
    Param::new(name, text, NoDefault, about)
}

pub const GROUP: Param<String> =
    plain("group", "Only these, with commas between: `core`, `node`. May repeat.");
pub const REGISTRY: Param<String> = plain("registry", "Only these, with commas between. May repeat.");
pub const PREFIX: Param<String> = plain("prefix", "Only figures whose names begin so. May repeat.");
pub const REGEX: Param<String> = plain("regex", "Only figures whose names match. May repeat.");
pub const PROPERTY: Param<String> = plain("property", "Only these values of each. May repeat.");
pub const TYPE: Param<String> = plain("type", "Only figures of this type.");
pub const KEY: Param<String> =
    plain("key", "Just these: `registry:name`, `registry:name:property`. May repeat.");
pub const EXPRESSION: Param<String> = plain(
    "expr",
    "Just these, each part a regular expression: `registry:name`, `registry:name:property`. May repeat.",
);
pub const COMPACT: Preset<bool> =
    Param::new("compact", not_false, "true", "Values alone, where there is one.");

pub const DOCS: &[ParamDoc] = &[
    GROUP.doc(),
    REGISTRY.doc(),
    PREFIX.doc(),
    REGEX.doc(),
    PROPERTY.doc(),
    TYPE.doc().one_of(&["all", "gauge", "counter", "timer", "meter", "histogram"]),
    KEY.doc(),
    EXPRESSION.doc(),
    COMPACT.doc(),
];
