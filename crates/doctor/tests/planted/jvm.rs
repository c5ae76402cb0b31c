//! A deadlock that the kernel cannot see and the JVM can: a small Java program, compiled here, whose threads
//! take two monitors in two orders; the thread dump comes by the attach socket. Needs a JDK; says so where
//! there is none.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use doctor::thread_dump;
use doctor::verdict::{Cause, Standing};

use super::fixtures::{Fixture, Witness};
use super::planting::{Planted, plant_source};

/// The JVM leaves its attach socket behind when it is killed.
struct AttachSocket(PathBuf);

impl Drop for AttachSocket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Errors: where there is no JDK.
pub fn deadlock() -> Result<Fixture, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut compiler = Command::new("javac");
    compiler.arg("-d").arg(folder.path()).arg(plant_source("Deadlock.java")).stderr(Stdio::inherit());
    let done = compiler.status().map_err(|error| format!("no JDK: javac: {error}"))?;
    assert!(done.success(), "javac refuses the program");
    let mut command = Command::new("java");
    command.args(["-Xmx32m", "-XX:+UseSerialGC", "-cp"]).arg(folder.path()).arg("Deadlock");
    // The request to open the attach socket is a file where the JVM was started.
    let planted = Planted::start_command(command.current_dir(folder.path()));
    let socket = AttachSocket(PathBuf::from(format!("/tmp/.java_pid{}", planted.pid())));
    let fixture = Fixture::new(Cause::Deadlock, planted).upon(socket).upon(folder);
    Ok(Fixture { witness: Witness::Jvm, ..fixture })
}

#[test]
fn a_deadlock_that_the_jvm_knows_of() {
    let fixture = match deadlock() {
        Ok(fixture) => fixture,
        Err(why) => return eprintln!("not tested: {why}"),
    };
    let found = fixture.eventually();
    assert_eq!(found.verdict.standing, Standing::Stuck);
    for word in ["the JVM found a deadlock", "\"first\"", "\"second\"", "waiting to lock monitor"] {
        assert!(found.verdict.sentence.contains(word), "`{word}` is not in `{}`", found.verdict.sentence);
    }

    let dump = thread_dump(&found.facts, Duration::from_secs(20)).unwrap();
    for name in ["first", "second"] {
        let thread = dump.threads.iter().find(|thread| thread.name == name).expect("it is in the dump");
        assert_eq!(thread.state, "BLOCKED (on object monitor)");
        assert!(thread.frames[0].starts_with("Deadlock.takeBoth(Deadlock.java:"), "{:?}", thread.frames);
        assert!(
            thread.frames.iter().any(|frame| frame.starts_with("waiting to lock <")),
            "{:?}",
            thread.frames
        );
        // The kernel's facts and the JVM's meet by the thread's number.
        assert!(found.facts.thread(thread.tid).is_some());
    }
    let main = dump.threads.iter().find(|thread| thread.name == "main").expect("it is in the dump");
    assert_eq!(main.state, "WAITING (on object monitor)");
}
