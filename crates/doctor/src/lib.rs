//! Why a process hangs, why it is slow, what of its host will hurt next: observations of `/proc` and netlink
//! become typed facts ([`facts`]), pure functions turn facts into verdicts ([`verdict`]), and text is made of
//! both at the very end ([`render`]).
//!
//! Nothing is attached to, nothing is stopped, no signal is sent but where one is asked for by name (a JVM's
//! thread dump). What could not be seen is a fact like any other, with its reason. Linux only. The clock is
//! handed in.
#![cfg(target_os = "linux")]

mod bundle;
pub mod cluster;
pub mod facts;
pub mod fuzzing;
pub mod host;
mod jvm;
mod observe;
mod own;
mod postgres;
mod pseudonyms;
mod recent_log;
mod redact;
pub mod render;
mod slow;
mod slow_log;
mod stuck;
pub mod verdict;

pub use bundle::Bundle;
pub use jvm::{JavaDump, JavaThread, thread_dump};
pub use observe::{Error, Machine, ObserveOptions, add_stacks, hidden_processes};
pub use own::look_at_self;
pub use postgres::{Backend, ask as ask_postgres};
pub use pseudonyms::Pseudonyms;
pub use slow::{SlowPart, SlowVerdict, SlowWhy, judge_slow};
pub use slow_log::{OwnSlowLog, OwnSlowRequest, ask_own_slow_log};
pub use stuck::{Diagnosis, StuckOptions, diagnose, diagnose_all};
