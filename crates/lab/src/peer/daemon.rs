//! A process that outlives the command that started it, known by a file with its id and the moment of its
//! birth, so that an id used again by the system is never taken for ours. For the Solr that `lab peer solr
//! --up` starts and `--down` ends; what is started, and whether it serves already, is `solr.rs`'s.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::project::write;
use crate::error::Error;

/// A folder that one process calls home: its output is `out.txt`, its mark `pid`.
#[derive(Clone, Debug)]
pub struct Daemon {
    pub home: PathBuf,
}

const STOP_MAX: Duration = Duration::from_secs(30);

impl Daemon {
    pub fn new(home: PathBuf) -> Self {
        Self { home }
    }

    /// Its process id, while it lives.
    pub fn pid(&self) -> Option<u32> {
        let mark = fs::read_to_string(self.home.join("pid")).ok()?;
        let (pid, birth) = mark.split_once(' ')?;
        let pid = pid.parse().ok()?;
        (birth_of(pid)? == birth).then_some(pid)
    }

    /// Starts `command` in the home, in a process group of its own, so that Ctrl-C in the terminal does not
    /// reach it.
    pub fn start(&self, mut command: Command) -> Result<(), Error> {
        let wrong = |source| Error::File { path: self.home.display().to_string(), source };
        let output = File::create(self.home.join("out.txt")).map_err(wrong)?;
        let errors = output.try_clone().map_err(wrong)?;
        command.current_dir(&self.home).stdin(Stdio::null()).stdout(output).stderr(errors);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let program = command.get_program().to_string_lossy().into_owned();
        let mut child =
            command.spawn().map_err(|error| Error::Peer(format!("cannot run `{program}`: {error}")))?;
        let pid = child.id();
        let birth = birth_of(pid).unwrap_or_default();
        write(&self.home.join("pid"), &format!("{pid} {birth}"))?;
        // Reaps the process if it ends while we live; else its next parent does.
        thread::spawn(move || child.wait());
        Ok(())
    }

    /// The end of its output, for errors.
    pub fn last_words(&self) -> String {
        let output = fs::read_to_string(self.home.join("out.txt")).unwrap_or_default();
        let lines: Vec<&str> = output.lines().filter(|line| !line.trim_start().starts_with("at ")).collect();
        lines[lines.len().saturating_sub(3)..].join(" | ")
    }

    /// Asks it to end, and after a while makes it; nothing where it does not run.
    pub fn stop(&self) -> Result<(), Error> {
        let Some(pid) = self.pid() else { return Ok(()) };
        signal(pid, "TERM")?;
        let asked = Instant::now();
        while self.pid().is_some() {
            if asked.elapsed() > STOP_MAX {
                signal(pid, "KILL")?;
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        let _ = fs::remove_file(self.home.join("pid"));
        Ok(())
    }
}

fn signal(pid: u32, name: &str) -> Result<(), Error> {
    let sent =
        Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).stderr(Stdio::null()).status();
    sent.map(|_| ()).map_err(|error| Error::Peer(format!("cannot run `kill`: {error}")))
}

/// When a living process was born, in the kernel's ticks; `None` when it is gone or only waits to be reaped.
fn birth_of(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let dead = matches!(fields.first(), Some(&"Z" | &"X"));
    if dead { None } else { fields.get(19).map(|birth| (*birth).to_owned()) }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_daemon_is_known_until_it_is_stopped() {
        let home = tempfile::tempdir().unwrap();
        let daemon = Daemon::new(home.path().to_owned());
        assert_eq!(daemon.pid(), None);
        let mut command = Command::new("sh");
        command.args(["-c", "echo started; exec tail -f /dev/null"]);
        daemon.start(command).unwrap();
        let pid = daemon.pid().unwrap();
        // Another's id with our birth, or ours with another birth, is not ours.
        assert_eq!(Daemon::new(home.path().to_owned()).pid(), Some(pid));
        daemon.stop().unwrap();
        assert_eq!(daemon.pid(), None);
        fs::write(home.path().join("pid"), format!("{} 1", std::process::id())).unwrap();
        assert_eq!(daemon.pid(), None);
        daemon.stop().unwrap();
    }
}
