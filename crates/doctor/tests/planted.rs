//! Real causes, planted in real processes, each to be named right; and healthy processes, of which none may be called stuck.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr, reason = "what could not be tested here is said, never silent")]

#[path = "planted/causes.rs"]
mod causes;
#[path = "planted/frozen.rs"]
mod frozen;
#[path = "planted/fuse.rs"]
mod fuse;
#[path = "planted/healthy.rs"]
mod healthy;
#[path = "planted/planting.rs"]
mod planting;
#[path = "planted/postgres.rs"]
mod postgres;
#[path = "planted/report.rs"]
mod report;
