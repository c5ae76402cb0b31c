//! Real causes, planted in real processes, each to be named right; and healthy processes, of which none may
//! be called stuck.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr, reason = "what could not be tested here is said, never silent")]

#[path = "planted/causes.rs"]
mod causes;
#[path = "planted/fixtures.rs"]
mod fixtures;
#[path = "planted/frozen.rs"]
mod frozen;
#[path = "planted/fuse.rs"]
mod fuse;
#[path = "planted/healthy.rs"]
mod healthy;
#[path = "planted/hostile.rs"]
mod hostile;
#[path = "planted/jvm.rs"]
mod jvm;
#[path = "planted/planting.rs"]
mod planting;
#[path = "planted/postgres.rs"]
mod postgres;
#[path = "planted/report.rs"]
mod report;
#[path = "planted/thrash.rs"]
mod thrash;

/// The crate's own troublemaker.
fn plant_program() -> std::path::PathBuf {
    env!("CARGO_BIN_EXE_doctor-plant").into()
}
