//! Starts processes that go on when the command ends: in a process group of their own, so that Ctrl-C at the
//! command does not reach them, without its terminal, and with a log in their folder. Owns the command line
//! of a node, too.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use anyhow::{Context as _, ensure};
use tracing::level_filters::LevelFilter;

use super::process::ProcessIdentity;

/// Of a log, for people.
const LINES_SHOWN: usize = 12;
const BYTES_SHOWN: u64 = 16 << 10;

/// Variables that every node would heed, though only one can or none may: each node has its address, owns
/// what it serves, and is asked without TLS.
const NOT_FOR_ALL: [&str; 4] =
    ["PARHELION_LISTEN", "PARHELION_READ_ONLY", "PARHELION_TLS_CERT", "PARHELION_TLS_KEY"];

/// A process that this command has started.
pub struct LaunchedProcess {
    /// For people: `node 2`.
    pub name: String,
    pub process: ProcessIdentity,
    child: Child,
    log: PathBuf,
    /// Where in the log this process's own lines begin.
    log_from: u64,
}

impl LaunchedProcess {
    pub fn start(name: String, command: &mut Command, log: &Path) -> anyhow::Result<Self> {
        let file = File::options().create(true).append(true).open(log);
        let unwritten = || format!("cannot write the log `{}`", log.display());
        let file = file.with_context(unwritten)?;
        let log_from = file.metadata().with_context(unwritten)?.len();
        command.stdin(Stdio::null()).stderr(file.try_clone().with_context(unwritten)?).stdout(file);
        let program = command.get_program().to_owned();
        let child = command.process_group(0).spawn();
        let child =
            child.with_context(|| format!("cannot start {name}: cannot run `{}`", program.display()))?;
        let process = ProcessIdentity::of(child.id())
            .with_context(|| format!("cannot find {name} (process {}) in /proc", child.id()))?;
        Ok(Self { name, process, child, log: log.to_owned(), log_from })
    }

    /// Errors: it has ended, with the last that it said.
    pub fn check(&mut self) -> anyhow::Result<()> {
        match self.child.try_wait().with_context(|| format!("cannot look after {}", self.name))? {
            None => Ok(()),
            Some(status) => Err(anyhow::anyhow!(self.ended(status))),
        }
    }

    fn ended(&self, status: ExitStatus) -> String {
        format!("{} ended ({status}); {}", self.name, self.last_words())
    }

    /// Whether a line of its log begins so.
    pub fn has_said(&self, words: &str) -> bool {
        let read = || -> std::io::Result<bool> {
            let mut file = File::open(&self.log)?;
            file.seek(SeekFrom::Start(self.log_from))?;
            let mut lines = BufReader::new(file).split(b'\n');
            Ok(lines.any(|line| line.is_ok_and(|line| line.starts_with(words.as_bytes()))))
        };
        read().unwrap_or(false)
    }

    /// The end of its log, with the log's name.
    pub fn last_words(&self) -> String {
        end_of_log(&self.log, self.log_from)
    }
}

/// The last of a log, behind its first `from` bytes, with its name.
pub fn end_of_log(log: &Path, from: u64) -> String {
    match last_lines(log, from).as_str() {
        "" => format!("its log `{}` says nothing", log.display()),
        lines => format!("the last lines of its log `{}`:\n{lines}", log.display()),
    }
}

/// Those that stand in `log` behind its first `from` bytes, as far as they can be read.
pub fn last_lines(log: &Path, from: u64) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(log)?;
        let begin = file.metadata()?.len().saturating_sub(BYTES_SHOWN).max(from);
        file.seek(SeekFrom::Start(begin))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let text = String::from_utf8_lossy(&read().unwrap_or_default()).into_owned();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let shown = lines.iter().skip(lines.len().saturating_sub(LINES_SHOWN));
    shown.map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// What a node is started with.
pub struct NodeCommand<'a> {
    pub port: u16,
    pub zk: &'a str,
    /// `None`: what `serve` takes by default, or from the environment.
    pub zk_session: Option<u64>,
    pub store: &'a str,
    pub data_dir: &'a Path,
    pub log: LevelFilter,
}

impl NodeCommand<'_> {
    /// Makes its folder. It is this very program, so that a cluster is of one version.
    pub fn prepare(&self) -> anyhow::Result<Command> {
        fs::create_dir_all(self.data_dir)
            .with_context(|| format!("cannot make the folder `{}`", self.data_dir.display()))?;
        let program = std::env::current_exe().context("cannot find out which program this is")?;
        let mut command = Command::new(program);
        command
            .args(["serve", "--host", "127.0.0.1", "--port", &self.port.to_string()])
            .args(["--advertise", &format!("127.0.0.1:{}", self.port)])
            .args(["--zk", self.zk, "--store", self.store, "--data-dir"])
            .arg(self.data_dir)
            .args(["--log", &self.log.to_string()]);
        if let Some(seconds) = self.zk_session {
            command.args(["--zk-session", &seconds.to_string()]);
        }
        Ok(command)
    }
}

/// Errors: variables that would be every node's.
pub fn check_environment(is_set: impl Fn(&str) -> bool) -> anyhow::Result<()> {
    let wrong: Vec<&str> = NOT_FOR_ALL.into_iter().filter(|name| is_set(name)).collect();
    ensure!(
        wrong.is_empty(),
        "the nodes of a cluster cannot share `{}`, which this environment has; unset it",
        wrong.join("`, `")
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_log_is_that_of_this_start() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let old = "of an earlier start\n";
        fs::write(&log, format!("{old}one\n\ntwo\n")).unwrap();
        assert_eq!(last_lines(&log, old.len() as u64), "  one\n  two");
        let many: String = (0..5_000).map(|line| format!("line {line}\n")).collect();
        fs::write(&log, many).unwrap();
        let shown = last_lines(&log, 0);
        assert!(shown.starts_with("  line 4988\n") && shown.ends_with("  line 4999"), "{shown}");
        assert_eq!(last_lines(&folder.path().join("none"), 0), "");
    }

    #[test]
    fn a_process_that_ends_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let mut command = Command::new("sh");
        command.args(["-c", "echo no room >&2; exit 3"]);
        let mut launched = LaunchedProcess::start("node 2".to_owned(), &mut command, &log).unwrap();
        let status = launched.child.wait().unwrap();
        let ended = launched.check().unwrap_err().to_string();
        assert!(launched.has_said("no ro") && !launched.has_said("room"));
        assert!(
            !status.success() && ended.contains("node 2 ended") && ended.ends_with("  no room"),
            "{ended}"
        );
        let mut missing = Command::new(folder.path().join("none"));
        let refused = LaunchedProcess::start("node 1".to_owned(), &mut missing, &log).err().unwrap();
        assert!(refused.to_string().contains("cannot start node 1"), "{refused}");
    }

    #[test]
    fn what_all_nodes_cannot_share_is_refused() {
        assert!(check_environment(|name| name == "PARHELION_BACKUP_DIR").is_ok());
        let refused = check_environment(|name| name == "PARHELION_LISTEN").unwrap_err().to_string();
        assert!(refused.contains("`PARHELION_LISTEN`"), "{refused}");
    }
}
