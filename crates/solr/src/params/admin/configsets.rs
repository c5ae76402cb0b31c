//! What `/admin/configs` reads, and `/api/configsets` of the same. Definitions only, each with its spelling,
//! sentence, default and parser (`spec.rs`); read by `crates/http/src/handlers/configsets.rs`, and to know
//! who may ask.

use crate::params::spec::{is_true, text};
use crate::params::{Family, NoDefault, Param, ParamDoc, Preset, Support};

pub const ACTION: Preset<String> = Param::new("action", text, "LIST", "What to do.");
pub const NAME: Param<String> = Param::new("name", text, NoDefault, "Which one.");
pub const BASE: Preset<String> =
    Param::new("baseConfigSet", text, "_default", "With `CREATE`: what it is a copy of.");
pub const FILE_PATH: Param<String> =
    Param::new("filePath", text, NoDefault, "With `UPLOAD`: the one file that the body is, not an archive.");
pub const OVERWRITE: Preset<bool> =
    Param::new("overwrite", is_true, "true", "With `UPLOAD`: whether it may be there.");
pub const CLEAN_UP: Preset<bool> =
    Param::new("cleanup", is_true, "false", "With `UPLOAD`: files that the archive lacks go.");
pub const PROPERTY: Family =
    Family { name: "configSetProp.<name>", about: "With `CREATE`: a property of the configset." };

pub const DOCS: &[ParamDoc] = &[
    ACTION.doc().one_of(&["LIST", "CREATE", "UPLOAD", "DELETE"]),
    NAME.doc(),
    BASE.doc(),
    FILE_PATH.doc(),
    OVERWRITE.doc(),
    CLEAN_UP.doc(),
    ParamDoc { support: Support::No, ..PROPERTY.doc() },
];
