//! A process that outlives the command which started it: who it is, whether it still runs, signals to it. A
//! pid alone is not enough, since the system gives it again; with the moment at which the process began and
//! the boot of the machine it is. All of it comes from `/proc`, so that it works for processes that are
//! nobody's children, too.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

/// Never that of another process, today or later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProcessIdentity {
    pub pid: u32,
    /// When it began, in the kernel's ticks since the boot.
    pub start_ticks: u64,
    /// Ticks begin anew with the next boot.
    pub boot: String,
}

impl ProcessIdentity {
    /// Of a process that runs, or has ended and was not waited for. `None` where there is none.
    pub fn of(pid: u32) -> Option<Self> {
        let ProcessStat { start_ticks, .. } =
            parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?;
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned();
        Some(Self { pid, start_ticks, boot })
    }

    /// Whether it has not ended. One that nobody waited for has: in a container without an init it stays in
    /// the list for good.
    pub fn runs(&self) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid)).unwrap_or_default();
        parse_stat(&stat).is_some_and(|it| it.is_alive()) && Self::of(self.pid).as_ref() == Some(self)
    }

    /// Asks it to end. One that has ended needs no asking.
    pub fn terminate(&self) -> anyhow::Result<()> {
        self.signal(Signal::TERM)
    }

    /// Ends it, whatever it is at.
    pub fn kill(&self) -> anyhow::Result<()> {
        self.signal(Signal::KILL)
    }

    fn signal(&self, signal: Signal) -> anyhow::Result<()> {
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        let Some(pid) = pid.filter(|_| self.runs()) else { return Ok(()) };
        match kill_process(pid, signal) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
            Err(error) => {
                anyhow::bail!("cannot signal process {}: {error}; does it belong to another user?", self.pid)
            }
        }
    }
}

/// What of proc(5)'s `stat` is asked for.
#[derive(Debug, PartialEq, Eq)]
struct ProcessStat {
    /// Of its first thread.
    state: char,
    threads: u64,
    start_ticks: u64,
}

impl ProcessStat {
    /// The first thread may be over while others are on their way out: until the last of them is gone the
    /// process has its port.
    fn is_alive(&self) -> bool {
        !matches!(self.state, 'Z' | 'X' | 'x') || self.threads > 1
    }
}

/// A program's name may have blanks and brackets, and ends with the last bracket of the line.
fn parse_stat(text: &str) -> Option<ProcessStat> {
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    // The state is field 3, threads are field 20, the start is field 22.
    let threads = fields.nth(16)?.parse().ok()?;
    Some(ProcessStat { state, threads, start_ticks: fields.nth(1)?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_and_start_are_found_behind_any_name() {
        let rest = "S 1 7 7 0 -1 4194560 99 0 0 0 1 2 0 0 20 0 5 0 4711 123 45";
        let check = |text: String, expected: Option<ProcessStat>| {
            assert_eq!(parse_stat(&text), expected, "{text}");
        };
        let found = || Some(ProcessStat { state: 'S', threads: 5, start_ticks: 4711 });
        check(format!("7 (parhelion) {rest}"), found());
        check(format!("7 (a b) c) {rest}"), found());
        check("7 (parhelion) S 1 7".to_owned(), None);
        check(String::new(), None);
    }

    #[test]
    fn a_process_lives_until_its_last_thread_is_gone() {
        let check = |state, threads, expected| {
            let stat = ProcessStat { state, threads, start_ticks: 0 };
            assert_eq!(stat.is_alive(), expected, "{stat:?}");
        };
        check('S', 1, true);
        check('T', 5, true);
        check('Z', 5, true);
        check('Z', 1, false);
        check('Z', 0, false);
        check('X', 0, false);
    }

    #[test]
    fn a_pid_that_is_used_again_is_another_process() {
        let own = ProcessIdentity::of(std::process::id()).unwrap();
        assert!(own.runs());
        let later = ProcessIdentity { start_ticks: own.start_ticks + 1, ..own.clone() };
        let other_boot = ProcessIdentity { boot: "another".to_owned(), ..own };
        for stranger in [later, other_boot] {
            assert!(!stranger.runs());
            // The test would end here if it were signalled.
            stranger.kill().unwrap();
        }
    }

    #[test]
    fn a_child_that_ended_does_not_run_though_nobody_waited_for_it() {
        let mut child =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let process = ProcessIdentity::of(child.id()).unwrap();
        assert!(process.runs());
        process.terminate().unwrap();
        // Returns when the child is a zombie or gone, without reaping it.
        rustix::process::waitid(
            rustix::process::WaitId::Pid(Pid::from_child(&child)),
            rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT,
        )
        .unwrap();
        assert!(!process.runs());
        child.wait().unwrap();
        assert!(!process.runs());
    }
}
