//! What `/replication` is asked for. Where its backups lie is read as it is for collections. Definitions
//! only, each with its spelling, sentence, default and parser (`spec.rs`); read by
//! `crates/http/src/handlers/replication.rs`, and to know who may ask.

use super::collections::LOCATION;
use crate::params::spec::text;
use crate::params::{NoDefault, Param, ParamDoc};

pub const COMMAND: Param<String> = Param::new("command", text, NoDefault, "What to tell or to do.");

pub const DOCS: &[ParamDoc] = &[
    COMMAND.doc().one_of(&["details", "indexversion", "backup", "deletebackup", "restorestatus"]),
    ParamDoc { about: "The name of the backup.", ..super::collections::NAME.doc() },
    ParamDoc { about: "The folder of the backup, below the one for backups.", ..LOCATION.doc() },
];
