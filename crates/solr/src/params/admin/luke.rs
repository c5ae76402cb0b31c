//! What `/admin/luke` is to show of an index. Definitions only, each with its spelling, sentence, default and
//! parser (`spec.rs`); read by `crates/http/src/handlers/luke.rs`.

use super::values::size;
use crate::params::spec::{integer, text};
use crate::params::{NoDefault, Param, ParamDoc, Preset};

pub const SHOW: Preset<String> = Param::new("show", text, "all", "What of it.");
pub const FIELDS: Param<String> =
    Param::new("fl", text, NoDefault, "Fields whose terms are shown too; `*` for all.");
pub const TERMS: Preset<usize> = Param::new("numTerms", size, "10", "How many terms of each.");
pub const ID: Param<String> = Param::new("id", text, NoDefault, "A document to take apart, by its id.");
/// Wins over `id`.
pub const DOC_ID: Param<i32> =
    Param::new("docId", integer, NoDefault, "A document to take apart, by its number.");

pub const DOCS: &[ParamDoc] = &[
    SHOW.doc().one_of(&["all", "index", "schema", "doc"]),
    FIELDS.doc(),
    TERMS.doc(),
    ID.doc(),
    DOC_ID.doc(),
];
