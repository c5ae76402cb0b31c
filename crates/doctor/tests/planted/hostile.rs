//! Processes that choose hostile names, and processes that vanish while they are looked at: neither may forge
//! a line of the output, drive a terminal, or end the doctor.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use doctor::render::{self, Extent};
use doctor::verdict::Cause;
use doctor::{Machine, ObserveOptions, diagnose_all};

use super::planting::{Planted, now_ms, options};

#[test]
fn names_that_would_drive_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let planted = Planted::start("hostile", folder.path().to_str().unwrap());
    let found = planted.eventually(Cause::Sleeps);
    assert_eq!(found.facts.label.name, ") R 1\u{fffd}[2J\u{fffd}(x");
    let name = "lock:\u{fffd}1: FLOCK\u{fffd}]0;x\u{fffd} (deleted)";
    let text = render::diagnosis(&found, Extent::Full);
    let driving = |c: char| c.is_control() && c != '\n';
    assert!(!text.contains(driving), "{text:?}");
    // The name's own line break is none: the whole name stands in the one line of its file.
    assert!(text.lines().any(|line| line.contains(name) && line.contains("/a\u{fffd}")), "{text}");
    assert!(text.lines().any(|line| line.contains("unix") && line.contains("/s\u{fffd}0000: 1 2")), "{text}");
    assert!(!render::line(&found).contains(char::is_control));
}

/// A machine on which processes and threads come and go at every moment of the look.
#[test]
fn processes_that_vanish_while_they_are_looked_at() {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let churn = || {
            while !over.load(Ordering::Relaxed) {
                let mut child = std::process::Command::new("true").spawn().expect("every system has it");
                std::thread::scope(|inner| {
                    inner.spawn(|| drop(std::fs::File::open("/dev/null")));
                });
                child.wait().expect("it ends");
            }
        };
        for _ in 0..3 {
            scope.spawn(churn);
        }
        for _ in 0..15 {
            let observe = ObserveOptions { period: Duration::from_millis(3), samples: 2, now_ms: now_ms() };
            let machine = Machine::observe().expect("there is a /proc");
            let own = std::process::id().cast_signed();
            let _ = machine.process(own, &observe).expect("this one lives");
            for one in diagnose_all(&machine, &doctor::StuckOptions { observe, ..options() }) {
                assert!(!one.verdict.sentence.is_empty());
            }
        }
        over.store(true, Ordering::Relaxed);
    });
}
