//! Starting processes in trouble, and looking at them until they are in it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use doctor::verdict::Cause;
use doctor::{Diagnosis, Machine, ObserveOptions, StuckOptions, diagnose};

/// No wait is too short to be called stuck: the planted ones are new.
pub fn options() -> StuckOptions {
    let observe = ObserveOptions { period: Duration::from_millis(60), samples: 3, now_ms: now_ms() };
    StuckOptions { observe, patience: Duration::ZERO }
}

#[allow(clippy::disallowed_methods, reason = "the age of files is by the clock of the machine")]
pub fn now_ms() -> i64 {
    let age = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(age.as_millis()).unwrap()
}

/// A process that is killed with its children when it is dropped.
pub struct Planted {
    child: Child,
    /// Kept open: what reads it must not see an end.
    pub stdin: Option<ChildStdin>,
}

impl Planted {
    /// The crate's own troublemaker, once it has said that it is ready.
    pub fn start(kind: &str, place: &str) -> Self {
        let mut command = Command::new(super::plant_program());
        command.args([kind, place]);
        Self::start_command(&mut command)
    }

    /// One that is only ready when this test has done its part.
    pub fn start_unready(kind: &str, place: &str) -> Self {
        let mut command = Command::new(super::plant_program());
        Self::adopt(spawn(command.args([kind, place])))
    }

    /// A child that [`spawn`] started.
    pub fn adopt(mut child: Child) -> Self {
        Self { stdin: child.stdin.take(), child }
    }

    pub fn start_command(command: &mut Command) -> Self {
        let mut child = spawn(command);
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        stdout.read_line(&mut line).expect("it says that it is ready");
        assert_eq!(line, "ready\n");
        // What it writes later goes nowhere, but its end of the pipe stays whole.
        child.stdout = Some(stdout.into_inner());
        Self::adopt(child)
    }

    /// A C program of the folder `plant`, compiled by the compiler that also links this test.
    pub fn start_c(name: &str, arguments: &[&Path]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join(name);
        let source = plant_source(&format!("{name}.c"));
        let done =
            Command::new("cc").arg("-pthread").arg("-o").arg(&program).arg(source).status().expect("cc runs");
        assert!(done.success());
        let mut command = Command::new(&program);
        command.args(arguments);
        Self::start_command(&mut command)
    }

    pub fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.pid()).expect("a process");
        rustix::process::kill_process(pid, signal).expect("it can be signalled");
    }

    /// The verdict once it is this one: a process that says `ready` has a few instructions to go.
    pub fn eventually(&self, cause: Cause) -> Diagnosis {
        eventually(self.pid(), cause)
    }

    /// Writes a line to it and reads the line that it answers.
    #[allow(dead_code, reason = "only the table of the doctor's costs asks")]
    pub fn ask(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        self.stdin.as_mut().expect("a pipe").write_all(b"\n")?;
        BufReader::new(self.child.stdout.as_mut().expect("a pipe")).read_line(&mut line)?;
        Ok(line)
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        if let Some(group) = rustix::process::Pid::from_raw(self.pid()) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

/// In a group of its own, so that its children can be killed with it.
pub fn spawn(command: &mut Command) -> Child {
    use std::os::unix::process::CommandExt as _;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0).spawn().expect("it starts")
}

/// A file of the folder `plant`.
pub fn plant_source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("plant").join(name)
}

pub fn look(pid: i32) -> Diagnosis {
    look_with(pid, &options())
}

pub fn look_with(pid: i32, options: &StuckOptions) -> Diagnosis {
    let machine = Machine::observe().expect("there is a /proc");
    diagnose(&machine, pid, options).expect("it lives")
}

pub fn eventually(pid: i32, cause: Cause) -> Diagnosis {
    eventually_by(cause, || look(pid))
}

/// As one look after the other finds it, for twenty seconds at most.
pub fn eventually_by(cause: Cause, look: impl Fn() -> Diagnosis) -> Diagnosis {
    let began = Instant::now();
    loop {
        let found = look();
        if found.verdict.cause == cause || began.elapsed() > Duration::from_secs(20) {
            assert_eq!(found.verdict.cause, cause, "{}\n{:#?}", found.verdict.sentence, found.verdict);
            return found;
        }
    }
}
