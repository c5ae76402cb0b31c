//! Every cause that the doctor tells apart: its name, what it means and what to do next. The one table behind
//! the verdicts, the help (`parhelion doctor causes`) and `docs/causes.md`. Which cause a thread has is
//! decided in `thread.rs` and `resource.rs`; a cause that is new begins here, and the compiler asks for its
//! words.

use serde::{Deserialize, Serialize};

use crate::facts::ProcessLabel;

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
    ($($(#[$attribute:meta])* $variant:ident $name:literal {
        means: $meaning:literal
        seen: $symptom:literal
        harm: $harm:literal
        old: $old:literal
        command: $command:literal
        says: $example:literal
        next: $next:literal
    })*) => {
        /// Why a thread, and with it its process, stands where it stands. In order of weight: of several
        /// threads' causes the first counts where they stand equally.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Cause {
            $($(#[$attribute])* #[doc = $meaning] $variant,)*
        }

        impl Cause {
            pub const ALL: &'static [Cause] = &[$(Cause::$variant,)*];

            pub fn find(name: &str) -> Option<Cause> {
                Self::ALL.iter().copied().find(|cause| cause.name() == name)
            }

            /// As it is spelled in JSON and in the documentation.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }

            /// What is seen of it without looking closely.
            pub fn symptom(self) -> &'static str {
                match self { $(Self::$variant => $symptom,)* }
            }

            /// What comes of it.
            pub fn harm(self) -> &'static str {
                match self { $(Self::$variant => $harm,)* }
            }

            /// How it was found without the doctor.
            pub fn old_way(self) -> &'static str {
                match self { $(Self::$variant => $old,)* }
            }

            pub fn command(self) -> &'static str {
                match self { $(Self::$variant => $command,)* }
            }

            /// The sentence on a process of this cause, without its name.
            pub fn example(self) -> &'static str {
                match self { $(Self::$variant => $example,)* }
            }

            pub fn next_step(self) -> &'static str {
                match self { $(Self::$variant => $next,)* }
            }
        }
    };
}

causes! {
    Dead "dead" {
        means: "it has ended; its parent has not asked for its exit code"
        seen: "`ps` lists it as `<defunct>`; `kill -9` does nothing"
        harm: "one is harmless; a parent that leaves thousands uses up the machine's process numbers"
        old: "`ps -o stat,ppid -p PID` shows Z; guess that the parent is at fault"
        command: "`parhelion doctor stuck PID`"
        says: "has ended since 4 min 10 s: its parent make (pid 800) has not asked for its exit code"
        next: "look at the parent: it should call wait; the dead one holds nothing but its number"
    }
    Stopped "stopped" {
        means: "a signal stopped it (SIGSTOP, Ctrl-Z, a terminal's background)"
        seen: "it answers nothing and takes no processor time, and nothing is in its log"
        harm: "its clients wait, its locks and connections stay; a ZooKeeper session is lost, and then leadership"
        old: "`ps -o stat` shows T, which a tracer's stop does too"
        command: "`parhelion doctor stuck PID`"
        says: "is stopped since 2 h 3 min by a signal and waits for SIGCONT"
        next: "`kill -CONT PID` lets it go on; find out who sent the stop"
    }
    Traced "traced" {
        means: "a debugger or tracer holds it"
        seen: "it stands still; `strace -p` says that it may not attach"
        harm: "a debugger that was left at a breakpoint stops a server as well as a crash does"
        old: "`grep TracerPid /proc/PID/status`, then `ps` of that number"
        command: "`parhelion doctor stuck PID`"
        says: "is held by gdb (pid 912): it is being debugged"
        next: "end or detach the tracer"
    }
    Frozen "frozen" {
        means: "the freezer of its cgroup holds it (a paused container, a suspending system)"
        seen: "it answers nothing; `ps` shows S or D as if nothing were wrong, and signals wait"
        harm: "whoever waits for it waits until somebody remembers the pause"
        old: "find the group in /proc/PID/cgroup, read its freezer file"
        command: "`parhelion doctor stuck PID`"
        says: "waits since 12 min for its cgroup to be thawed: the group's freezer holds it"
        next: "unpause the container, or write 0 to the group's cgroup.freeze (THAWED to freezer.state)"
    }
    Deadlock "deadlock" {
        means: "threads own the locks that they want from one another, or all wait and nobody is left to wake them"
        seen: "some requests never end, then all; no processor time, no error"
        harm: "it never ends by itself: whatever needs one of the locks joins those that wait"
        old: "`gdb -p PID`, all stacks, and the owner of each mutex by hand; `jstack` for a JVM"
        command: "`parhelion doctor stuck PID`, of a JVM with `--java`"
        says: "waits since 4 h 12 min for a lock at 0x55d0c8a0: they wait for one another: 4711 (main) → 4713 (worker) → 4711 (main)"
        next: "take stacks (`gdb -p PID -batch -ex 'thread apply all bt'`; for a JVM --java), restart, and order the locks"
    }
    ServedFile "served-file" {
        means: "a file system that is served by somebody else (NFS, CIFS, FUSE) does not answer"
        seen: "it hangs in state D or S at a file; so does `ls` of that folder"
        harm: "everything that touches the mount hangs too, and with a hard mount `kill` does not help"
        old: "`ps` shows D; `strace` hangs with it; `cat /proc/PID/stack` and guess the mount"
        command: "`parhelion doctor stuck PID`"
        says: "waits since 16 min for /data/in.csv (fd 5) on nfs4 /data from filer:/export: its server does not answer"
        next: "ask the server: `showmount -e HOST`, the FUSE process; `umount -f` or `-l` frees those who wait"
    }
    DiskWait "disk-wait" {
        means: "a disk, or what stands for one, does not answer; no signal wakes it"
        seen: "state D for seconds and longer, the load average rises, processors idle"
        harm: "each update waits for its sync; a process in D cannot even be killed"
        old: "`ps` shows D; `cat /proc/PID/stack`, `iostat -x 1`, `dmesg`"
        command: "`parhelion doctor stuck PID`; `parhelion doctor host --data-dir DIR` measures the disk"
        says: "waits since 40 s for /var/db/log (fd 7) (kernel: jbd2_log_wait_commit): no signal wakes it: a disk, a file system or a driver does not answer"
        next: "look at `dmesg`, `iostat -x 1`, a frozen or full file system, the volume's state at its provider"
    }
    FileLock "file-lock" {
        means: "somebody else has the lock on a file"
        seen: "a job that began does nothing, and its log ends at its first line"
        harm: "jobs queue behind one that hangs; each night adds one"
        old: "`lslocks`, `lsof FILE`, and hope that the holder is listed"
        command: "`parhelion doctor stuck PID`"
        says: "waits since 3 min for an exclusive flock lock on /run/job.lock (fd 3): backup (pid 77) has it"
        next: "look at the holder: `parhelion doctor stuck HOLDER`"
    }
    DatabaseLock "database-lock" {
        means: "its statement waits in the database for a lock that another session holds"
        seen: "an update that takes milliseconds takes hours; the database is idle"
        harm: "whoever wants the same rows queues behind it, and the pool of connections runs dry"
        old: "a DBA joins pg_stat_activity with pg_locks"
        command: "`parhelion doctor stuck PID --postgres URL`"
        says: "waits since 4 h 12 min for PostgreSQL at 10.0.0.5:5432 (fd 6, ESTABLISHED, nothing queued): the peer owes an answer; its session 42 runs `update t set x = 3` and waits for Lock/transactionid, which session 88 holds (report from 10.0.0.9:40112, idle in transaction, in a transaction since 5 h, last: `select 1`)"
        next: "end or commit the other session's transaction"
    }
    Unreachable "unreachable" {
        means: "the peer's machine does not acknowledge what was sent: it, or the way to it, is gone"
        seen: "the connection counts as established, and no answer comes"
        harm: "without a read time-out it waits for the kernel to give up: a quarter of an hour and more"
        old: "`netstat` shows ESTABLISHED for hours; `tcpdump` shows retransmits"
        command: "`parhelion doctor stuck PID`"
        says: "waits since 14 min for PostgreSQL at 10.0.0.5:5432 (fd 6, ESTABLISHED, 120 bytes to send): 120 bytes were sent again and again and nobody acknowledged them"
        next: "`ping` the peer, look for a firewall that dropped the connection; set a read time-out and TCP keepalive"
    }
    SendBlocked "send-blocked" {
        means: "the peer takes in no more: its buffers and ours are full"
        seen: "it stands in the middle of a large answer or import"
        harm: "a thread, its memory and often a lock are held for as long as the peer does not read"
        old: "`strace` shows write; `netstat` a full Send-Q; `lsof` the peer"
        command: "`parhelion doctor stuck PID`"
        says: "waits since 8 min for room to send to 10.0.0.7:9000 (fd 4, ESTABLISHED, 2.5 MiB to send): the peer does not read"
        next: "look at the peer: why does it not read?"
    }
    AnswerOwed "answer-owed" {
        means: "a request was sent, the connection is sound, the peer has not answered"
        seen: "it waits without end, and neither side logs an error"
        harm: "without a read time-out a lost answer is never given up: a nightly load is found hanging at noon"
        old: "`strace -p` shows recvfrom(6; `ls -l /proc/PID/fd/6`; the inode in /proc/net/tcp; addresses from hexadecimal; `tcpdump`, and wait"
        command: "`parhelion doctor stuck PID`, of a database with `--postgres URL`"
        says: "waits since 4 h 12 min for PostgreSQL at 10.0.0.5:5432 (fd 6, ESTABLISHED, nothing queued): the peer owes an answer"
        next: "look at the peer: a database with `--postgres URL`, a local process with `parhelion doctor stuck`; set a read time-out"
    }
    Connecting "connecting" {
        means: "the peer has not answered the first segment of a connection"
        seen: "it hangs for two minutes, fails with a time-out, and tries again"
        harm: "a wrong address or a silent firewall costs each request those minutes"
        old: "`netstat` shows SYN_SENT, if one looks in time"
        command: "`parhelion doctor stuck PID`"
        says: "waits since 32 s for Solr at 10.0.0.8:8983 to accept a connection (fd 9, SYN_SENT): nothing has come back"
        next: "is the address right, the host up, a firewall dropping? `ss -tn state syn-sent`; set a connect time-out"
    }
    LocalAnswer "local-answer" {
        means: "a process of this machine has not answered at a Unix socket or pair"
        seen: "it waits, and nothing of it is on the network"
        harm: "an agent, a proxy or a helper that hangs takes all with it that ask it"
        old: "`lsof -U` lists sockets without their other ends; inodes by hand in `ss -xp`"
        command: "`parhelion doctor stuck PID`"
        says: "waits since 5 min for the Unix socket /run/agent.sock (fd 4) of agent (pid 321): the peer has not answered"
        next: "look at that process"
    }
    PipeOwn "pipe-own" {
        means: "it reads a pipe whose only writer is itself: nobody will ever write"
        seen: "a reader that should have met the end of its input waits on"
        harm: "the end never comes while it holds the write end itself: a script hangs at its last step"
        old: "`lsof` of everything, sorted by the pipe's number, to see that nobody else has it"
        command: "`parhelion doctor stuck PID`"
        says: "waits since 1 h for pipe 5512 (fd 3): only it has the write end: nobody will ever write"
        next: "close the write end after the fork, in the reader"
    }
    PipeSilent "pipe-silent" {
        means: "whoever has the other end of the pipe does not write"
        seen: "the last command of a pipeline does nothing"
        harm: "which of the commands hangs, the pipeline does not say"
        old: "`lsof | grep PIPE`, then again for that process"
        command: "`parhelion doctor stuck PID`"
        says: "waits since 8 min for pipe 5512 (fd 0) from producer (pid 61): whoever has the write end does not write"
        next: "look at the writer"
    }
    PipeFull "pipe-full" {
        means: "whoever has the other end of the pipe does not read"
        seen: "a program stands in the middle of its output"
        harm: "64 KiB of unread log lines stop a server whose parent does not read them"
        old: "the same as of a silent pipe; nothing shows that it is full"
        command: "`parhelion doctor stuck PID`"
        says: "waits since 8 min for room in pipe 5512 (fd 1) to less (pid 62): whoever has the other end does not read"
        next: "look at the reader"
    }
    FifoOpen "fifo-open" {
        means: "it opens a named pipe, and nobody opens the other end"
        seen: "it hangs at its start"
        harm: "two programs that were to meet there each wait for the other to be started"
        old: "`strace` shows openat and no more"
        command: "`parhelion doctor stuck PID`"
        says: "waits since 8 min for the other end of the named pipe /run/feed: nobody opens it"
        next: "start whoever should be at the other end"
    }
    ChildWait "child-wait" {
        means: "it waits for a child to end"
        seen: "a script or a scheduler stands at one step"
        harm: "none by itself: the child is what hangs, and the doctor follows it"
        old: "`pstree -p PID`, then all over again for the child"
        command: "`parhelion doctor stuck PID`"
        says: "waits since 4 h 12 min for its child load.py (pid 4711): it has not ended"
        next: "look at the child"
    }
    LockHeld "lock-held" {
        means: "another thread of the process owns the lock it wants"
        seen: "requests pile up behind one"
        harm: "one slow owner makes all threads slow, however many there are"
        old: "`gdb -p PID`: the owner in the mutex's words"
        command: "`parhelion doctor stuck PID`"
        says: "waits since 3 min for a lock at 0x55d0c8a0: thread 4713 (worker) has it, which waits for the Unix socket /run/agent.sock (fd 4) of agent (pid 321)"
        next: "look at the thread that owns it"
    }
    Thrash "thrash" {
        means: "its memory is not there: it waits for pages from disk again and again"
        seen: "all is slow at once, the disk is busy, processors wait"
        harm: "what took a microsecond takes a disk's time; garbage collections take minutes, sessions end"
        old: "`vmstat 1` of the machine; which process, one guesses from `top`"
        command: "`parhelion doctor stuck PID`, `parhelion doctor slow PID`"
        says: "waits for its own memory: 3000 pages a second come from disk, 1.2 GiB of it are swapped out"
        next: "`free -m`, `vmstat 1`: find who takes the memory; lower heaps and caches, or add memory"
    }
    Throttled "throttled" {
        means: "its cgroup has used up its share of processor time"
        seen: "a container is slow in jerks while its machine has processors free"
        harm: "requests stand for up to a tenth of a second each time the share is used up"
        old: "find the group, read cpu.stat twice, subtract"
        command: "`parhelion doctor stuck PID`, `parhelion doctor slow PID`"
        says: "waits for processor time: its cgroup's share is used up: 410 ms throttled, 40 of 500 ms on one"
        next: "raise the limit (`cpu.max`, a container's cpus), or lower the number of threads"
    }
    Starved "starved" {
        means: "it is ready to run and gets no processor"
        seen: "it is slow and does little; the machine is full"
        harm: "each step of a request waits its turn, and the slowest hundredth grows first"
        old: "`top` shows R and no progress; /proc/PID/schedstat twice"
        command: "`parhelion doctor stuck PID`, `parhelion doctor slow PID`"
        says: "waits for a processor: others have them all: 12 of 500 ms on one"
        next: "`top`: find who takes the processors; look at nice values and affinities"
    }
    Terminal "terminal" {
        means: "it waits for somebody at a terminal"
        seen: "a job under cron, nohup or screen never ends"
        harm: "a question that nobody sees (overwrite? password?) waits for its answer for ever"
        old: "`ps` shows a tty and S; `strace` shows read(0"
        command: "`parhelion doctor stuck PID`"
        says: "waits since 20 min for input at /dev/pts/3 (fd 0): nobody types"
        next: "type, or start it with input from /dev/null; Ctrl-Q where output is stopped"
    }
    SignalOnly "signal-only" {
        means: "all threads wait without a bound, and only a signal can wake them"
        seen: "it does nothing, and ends properly when it is told to"
        harm: "none where it is a program that waits to be told; else work was forgotten"
        old: "all stacks by `gdb`, to find that each waits"
        command: "`parhelion doctor stuck PID`"
        says: "waits since 9 h for wake-ups that its 8 threads owe one another: a signal's handler alone could wake one"
        next: "in order for a program that waits for signals; else a lost wake-up: take stacks"
    }
    Busy "busy" {
        means: "it works: not stuck"
        seen: "a processor is in use, and no answer comes"
        harm: "long work and an endless loop look alike: see where it is"
        old: "`top`, `strace` (silent)"
        command: "`parhelion doctor slow PID`"
        says: "is not stuck: it works, with 98 % of a processor, without a pause"
        next: "if it should have been done, see where: `perf top -p PID`, `parhelion doctor slow PID`"
    }
    NextMessage "next-message" {
        means: "it waits for the peer's next message: the peer spoke last, or nothing was asked"
        seen: "looks like a hang in `strace` and `netstat`"
        harm: "none: a connection at rest"
        old: "`tcpdump`, and wait for hours"
        command: "`parhelion doctor stuck PID`"
        says: "is not stuck: it waits since 3 min for PostgreSQL at 10.0.0.5:5432 (fd 6, ESTABLISHED, nothing queued): the peer spoke last, 3 min ago"
        next: "nothing; if it should have spoken, look at its log"
    }
    Sleeps "sleeps" {
        means: "it waits for a time"
        seen: "it does nothing for a while"
        harm: "none"
        old: "`strace` shows nanosleep"
        command: "`parhelion doctor stuck PID`"
        says: "is not stuck: it waits since 12 s for 30 s to pass"
        next: "nothing"
    }
    Idle "idle" {
        means: "it waits for work: connections, events, wake-ups from its own threads"
        seen: "looks like a hang in `strace`"
        harm: "none: a server without requests"
        old: "know the program's threads and what each of them is for"
        command: "`parhelion doctor stuck PID`"
        says: "is not stuck: it waits since 9 h for connections at 0.0.0.0:8983"
        next: "nothing; if it should be at work, look at who should send it some"
    }
    #[default]
    Unknown "unknown" {
        means: "the doctor could not see, or does not know, what it waits for"
        seen: "the list of what was not seen says why"
        harm: "an answer by guess would be worse than none"
        old: "`strace -p PID`, `cat /proc/PID/stack`"
        command: "`sudo parhelion doctor stuck PID`"
        says: "waits since 2 min for the kernel (some_function): its system call may not be seen"
        next: "run as root; then compare the kernel stack with `cat /proc/PID/stack`"
    }
}

impl Cause {
    /// The next step with the number of the process that it is about.
    pub fn next_step_of(self, process: &ProcessLabel) -> String {
        self.next_step().replace("PID", &process.pid.to_string())
    }

    /// Waits that are nobody's fault, however long.
    pub fn is_rest(self) -> bool {
        matches!(self, Self::NextMessage | Self::Sleeps | Self::Idle | Self::Busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_next_step_can_be_typed_as_it_is() {
        let process = ProcessLabel { pid: 4711, name: String::new() };
        assert!(Cause::Stopped.next_step_of(&process).starts_with("`kill -CONT 4711` "));
        assert!(Cause::ALL.iter().all(|cause| !cause.next_step_of(&process).contains("PID")));
    }

    #[test]
    fn names_are_those_of_the_serialized_form() {
        for cause in Cause::ALL {
            assert_eq!(serde_json::to_string(cause).unwrap(), format!("\"{}\"", cause.name()));
        }
    }
}
