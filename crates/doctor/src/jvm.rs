//! The thread dump of a JVM, by the attach socket that `jstack` uses, on request only: where the socket is
//! not there yet, a SIGQUIT asks the JVM to open it, which is sent only to what is a JVM and handles that
//! signal.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use crate::facts::ProcessFacts;
use crate::stuck::Diagnosis;
use crate::verdict::{Cause, Standing};

/// What the JVM says of its threads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JavaDump {
    pub threads: Vec<JavaThread>,
    /// The JVM's own words on a deadlock, if it found one.
    pub deadlock: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JavaThread {
    pub name: String,
    /// The kernel's number of it.
    pub tid: i32,
    /// `WAITING (parking)`, `RUNNABLE`; empty for the JVM's own threads.
    pub state: String,
    /// Innermost first, with lines on locks.
    pub frames: Vec<String>,
}

/// SIGQUIT, by bit from 0 for signal 1.
const QUIT: u64 = 1 << 2;
/// Of an answer; a dump of ten thousand threads has some 20 MB.
const BYTES_MAX: u64 = 64 << 20;

/// Asks for a dump and waits for it at most this long.
///
/// Errors: where the process is no JVM, does not listen, belongs to another user, or does not answer.
pub fn thread_dump(facts: &ProcessFacts, patience: Duration) -> io::Result<JavaDump> {
    if !facts.jvm {
        return Err(io::Error::other(format!("{} is not a JVM", facts.label)));
    }
    let pid = facts.label.pid;
    let socket = socket_path(pid);
    if !socket.exists() {
        open_socket(facts, &socket, patience)?;
    }
    let mut stream = UnixStream::connect(&socket)?;
    stream.set_read_timeout(Some(patience))?;
    // Protocol version, command and three arguments, each ended by a zero byte. `-l`: with locks.
    stream.write_all(b"1\0threaddump\0-l\0\0\0")?;
    let mut answer = Vec::new();
    stream.take(BYTES_MAX).read_to_end(&mut answer)?;
    Ok(parse(&String::from_utf8_lossy(&answer)))
}

/// In the process's own temporary folder, under its number in its own namespace.
fn socket_path(pid: i32) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/root/tmp/.java_pid{}", inner_pid(pid)))
}

/// The number that the process has in the innermost namespace: the last of `NSpid`.
fn inner_pid(pid: i32) -> i32 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    line.and_then(|line| line.split_whitespace().last()?.parse().ok()).unwrap_or(pid)
}

fn open_socket(facts: &ProcessFacts, socket: &Path, patience: Duration) -> io::Result<()> {
    let pid = facts.label.pid;
    if facts.signals_caught & QUIT == 0 {
        return Err(io::Error::other(
            "the JVM does not handle SIGQUIT (-Xrs): it would be killed by the request",
        ));
    }
    let ask = format!("/proc/{pid}/cwd/.attach_pid{}", inner_pid(pid));
    let fallback = format!("/proc/{pid}/root/tmp/.attach_pid{}", inner_pid(pid));
    let asked = [ask, fallback].into_iter().find(|path| std::fs::File::create(path).is_ok());
    let asked =
        asked.ok_or_else(|| io::Error::other("cannot create `.attach_pid` where the JVM looks for it"))?;
    let sent = Pid::from_raw(pid).map(|pid| kill_process(pid, Signal::QUIT));
    let began = Instant::now();
    while !socket.exists() && began.elapsed() < patience {
        // The JVM offers no event for this; its own clients look every 20 ms and more.
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = std::fs::remove_file(asked);
    match sent {
        Some(Err(error)) => Err(error.into()),
        _ if socket.exists() => Ok(()),
        _ => Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the JVM did not open its attach socket: stopped, or -XX:+DisableAttachMechanism",
        )),
    }
}

impl Diagnosis {
    /// Adds what the JVM says: a deadlock that it found, or where the thread of the verdict stands in the
    /// program.
    pub fn with_java(mut self, dump: &JavaDump) -> Self {
        let verdict = &mut self.verdict;
        if let Some(deadlock) = &dump.deadlock {
            (verdict.cause, verdict.standing) = (Cause::Deadlock, Standing::Stuck);
            verdict.sentence = format!("waits for itself: the JVM found a deadlock: {deadlock}");
            verdict.next_step = Cause::Deadlock.next_step_of(&self.facts.label);
        } else if let Some(thread) = dump.threads.iter().find(|thread| thread.tid == verdict.tid)
            && let Some(frame) = thread.frames.first()
        {
            verdict.sentence += &format!("; Java thread \"{}\" is {} at {frame}", thread.name, thread.state);
        }
        self
    }
}

/// Reads the format that `jstack` prints.
pub fn parse(text: &str) -> JavaDump {
    let mut dump = JavaDump::default();
    for line in text.lines() {
        if let Some(thread) = thread_line(line) {
            dump.threads.push(thread);
            continue;
        }
        let Some(current) = dump.threads.last_mut() else { continue };
        let line = line.trim();
        if let Some(state) = line.strip_prefix("java.lang.Thread.State: ") {
            state.clone_into(&mut current.state);
        } else if line == "- None" {
            // No locks of java.util.concurrent.
        } else if let Some(frame) = line.strip_prefix("at ").or_else(|| line.strip_prefix("- ")) {
            current.frames.push(crate::verdict::words::printable(frame));
        }
    }
    dump.deadlock = deadlock(text);
    // The report on deadlocks repeats threads without a number of the kernel's: those are not threads once
    // more.
    dump.threads.retain(|thread| thread.tid > 0);
    dump
}

/// `"main" #1 prio=5 os_prio=0 cpu=1ms elapsed=2s tid=0x0 nid=4711 waiting on condition`. Before JDK 21 `nid`
/// is hexadecimal.
fn thread_line(line: &str) -> Option<JavaThread> {
    let (name, rest) = line.strip_prefix('"')?.rsplit_once("\" ")?;
    let number = rest.split_whitespace().find_map(|word| word.strip_prefix("nid="))?;
    let tid = match number.strip_prefix("0x") {
        Some(digits) => i32::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    Some(JavaThread { name: crate::verdict::words::printable(name), tid, ..JavaThread::default() })
}

fn deadlock(text: &str) -> Option<String> {
    let at = text.find("Java-level deadlock")?;
    let lines = text.get(at..)?.lines().skip(1).map(str::trim);
    let words: Vec<&str> = lines
        .take_while(|line| !line.starts_with("Java stack information"))
        .filter(|line| !line.starts_with('='))
        .collect();
    Some(crate::verdict::words::printable(words.join(" ").trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "0\n2026-11-23 01:00:00\nFull thread dump OpenJDK 64-Bit Server VM:\n\n\
        \"main\" #1 prio=5 os_prio=0 cpu=52.34ms elapsed=10.11s tid=0x00007f nid=0x1267 waiting for monitor entry  [0x0]\n   \
        java.lang.Thread.State: BLOCKED (on object monitor)\n\tat Two.run(Two.java:9)\n\t- waiting to lock <0x1> (a java.lang.Object)\n\n\
        \"GC Thread#0\" os_prio=0 cpu=1ms elapsed=1s tid=0x0 nid=4712 runnable\n\n\
        Found one Java-level deadlock:\n=============================\n\"main\":\n  waiting to lock monitor 0x1,\n  which is held by \"b\"\n\n\
        Java stack information for the threads listed above:\n";

    #[test]
    fn dumps_are_read() {
        let dump = parse(DUMP);
        assert_eq!(dump.threads.len(), 2);
        let main = &dump.threads[0];
        assert_eq!(
            (main.name.as_str(), main.tid, main.state.as_str()),
            ("main", 4711, "BLOCKED (on object monitor)")
        );
        assert_eq!(main.frames, ["Two.run(Two.java:9)", "waiting to lock <0x1> (a java.lang.Object)"]);
        assert_eq!(dump.threads[1].tid, 4712);
        assert_eq!(
            dump.deadlock.as_deref(),
            Some("\"main\": waiting to lock monitor 0x1, which is held by \"b\"")
        );
    }

    #[test]
    fn a_deadlock_that_the_jvm_found_is_the_verdict() {
        let facts = ProcessFacts::default();
        let before = Diagnosis { verdict: crate::verdict::judge(&facts, 0), facts };
        let stuck = before.clone().with_java(&parse(DUMP)).verdict;
        assert_eq!((stuck.cause, stuck.standing), (Cause::Deadlock, Standing::Stuck));
        assert!(stuck.sentence.contains("which is held by \"b\""), "{}", stuck.sentence);
        let mut main = before;
        main.verdict.tid = 4711;
        let dump = JavaDump { deadlock: None, ..parse(DUMP) };
        let expected = "; Java thread \"main\" is BLOCKED (on object monitor) at Two.run(Two.java:9)";
        assert!(main.with_java(&dump).verdict.sentence.ends_with(expected));
    }

    proptest::proptest! {
        #[test]
        fn no_answer_panics(text in "(\"[^\n]{0,9}\" nid=[0-9a-fx]{0,6}\n|Java-level deadlock|\\PC{0,40}\n){0,6}") {
            let _ = parse(&text);
        }
    }
}
