//! Every cause that the doctor tells apart: its name, what it means and what to do next. The one table behind the verdicts, the
//! help (`parhelion doctor causes`) and `docs/doctor.md`.

use serde::{Deserialize, Serialize};

/// How bad it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Works, or waits for work.
    #[default]
    Fine,
    /// Waits for somebody, which may be in order: look at how long.
    Waits,
    /// Does not go on by itself, or has waited longer than patience allows.
    Stuck,
}

macro_rules! causes {
    ($($variant:ident $name:literal, $meaning:literal, $next:literal;)*) => {
        /// Why a thread, and with it its process, stands where it stands. In order of weight: of several threads' causes the
        /// first counts where they stand equally.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Cause {
            $(#[doc = $meaning] $variant,)*
            /// None that the doctor knows.
            #[default]
            Unknown,
        }

        impl Cause {
            pub const ALL: &'static [Cause] = &[$(Cause::$variant,)* Cause::Unknown];

            /// As it is spelled in JSON and in the documentation.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Unknown => "unknown",
                }
            }

            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning,)*
                    Self::Unknown => "the doctor could not see, or does not know, what it waits for",
                }
            }

            pub fn next_step(self) -> &'static str {
                match self {
                    $(Self::$variant => $next,)*
                    Self::Unknown => "run as root; then compare the kernel stack with `cat /proc/PID/stack`",
                }
            }
        }
    };
}

causes! {
    Dead "dead", "it has ended; its parent has not asked for its exit code",
        "look at the parent: it should call wait; the dead one holds nothing but its number";
    Stopped "stopped", "a signal stopped it (SIGSTOP, Ctrl-Z, a terminal's background)",
        "`kill -CONT PID` lets it go on; find out who sent the stop";
    Traced "traced", "a debugger or tracer holds it",
        "end or detach the tracer";
    Frozen "frozen", "the freezer of its cgroup holds it (a paused container, a suspending system)",
        "unpause the container, or write 0 to the group's cgroup.freeze (THAWED to freezer.state)";
    Deadlock "deadlock", "threads own the locks that they want from one another, or all wait and nobody is left to wake them",
        "take stacks (`gdb -p PID -batch -ex 'thread apply all bt'`; for a JVM --java), restart, and order the locks";
    ServedFile "served-file", "a file system that is served by somebody else (NFS, CIFS, FUSE) does not answer",
        "ask the server: `showmount -e HOST`, the FUSE process; `umount -f` or `-l` frees those who wait";
    DiskWait "disk-wait", "a disk, or what stands for one, does not answer; no signal wakes it",
        "look at `dmesg`, `iostat -x 1`, a frozen or full file system, the volume's state at its provider";
    FileLock "file-lock", "somebody else has the lock on a file",
        "look at the holder: `parhelion doctor stuck HOLDER`";
    DatabaseLock "database-lock", "its statement waits in the database for a lock that another session holds",
        "end or commit the other session's transaction";
    Unreachable "unreachable", "the peer's machine does not acknowledge what was sent: it, or the way to it, is gone",
        "`ping` the peer, look for a firewall that dropped the connection; set a read time-out and TCP keepalive";
    SendBlocked "send-blocked", "the peer takes in no more: its buffers and ours are full",
        "look at the peer: why does it not read?";
    AnswerOwed "answer-owed", "a request was sent, the connection is sound, the peer has not answered",
        "look at the peer: a database with `--postgres URL`, a local process with `parhelion doctor stuck`; set a read time-out";
    Connecting "connecting", "the peer has not answered the first segment of a connection",
        "is the address right, the host up, a firewall dropping? `ss -tn state syn-sent`; set a connect time-out";
    LocalAnswer "local-answer", "a process of this machine has not answered at a Unix socket or pair",
        "look at that process";
    PipeOwn "pipe-own", "it reads a pipe whose only writer is itself: nobody will ever write",
        "close the write end after the fork, in the reader";
    PipeSilent "pipe-silent", "whoever has the other end of the pipe does not write",
        "look at the writer";
    PipeFull "pipe-full", "whoever has the other end of the pipe does not read",
        "look at the reader";
    FifoOpen "fifo-open", "it opens a named pipe, and nobody opens the other end",
        "start whoever should be at the other end";
    ChildWait "child-wait", "it waits for a child to end",
        "look at the child";
    LockHeld "lock-held", "another thread of the process owns the lock it wants",
        "look at the thread that owns it";
    Thrash "thrash", "its memory is not there: it waits for pages from disk again and again",
        "`free -m`, `vmstat 1`: find who takes the memory; lower heaps and caches, or add memory";
    Throttled "throttled", "its cgroup has used up its share of processor time",
        "raise the limit (`cpu.max`, a container's cpus), or lower the number of threads";
    Starved "starved", "it is ready to run and gets no processor",
        "`top`: find who takes the processors; look at nice values and affinities";
    Terminal "terminal", "it waits for somebody at a terminal",
        "type, or start it with input from /dev/null; Ctrl-Q where output is stopped";
    SignalOnly "signal-only", "all threads wait without a bound, and only a signal can wake them",
        "in order for a program that waits for signals; else a lost wake-up: take stacks";
    Busy "busy", "it works: not stuck",
        "if it should have been done, see where: `perf top -p PID`, `parhelion doctor slow PID`";
    NextMessage "next-message", "the peer spoke last: it waits for the peer's next message",
        "nothing; if it should have spoken, look at its log";
    Sleeps "sleeps", "it waits for a time",
        "nothing";
    Idle "idle", "it waits for work: connections, events, wake-ups from its own threads",
        "nothing; if it should be at work, look at who should send it some";
}

impl Cause {
    /// Waits that are nobody's fault, however long.
    pub fn is_rest(self) -> bool {
        matches!(self, Self::NextMessage | Self::Sleeps | Self::Idle | Self::Busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_serialized_form() {
        for cause in Cause::ALL {
            assert_eq!(serde_json::to_string(cause).unwrap(), format!("\"{}\"", cause.name()));
            assert!(!cause.meaning().is_empty() && !cause.next_step().is_empty());
        }
    }
}
