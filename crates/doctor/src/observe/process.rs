//! One or several processes over a sampling period: samples of their threads, then all else once. In: process
//! ids and how long to watch; out: facts without judgement (`facts`), with whatever could not be seen named.
//! Threads are sampled because one look cannot tell waiting from passing by; files, memory and locks are read
//! once, after the last sample, so that they are those of the call that is judged. What takes a walk over the
//! machine is `machine.rs`'s and shared by all.

use std::time::{Duration, Instant};

use procfs_core::process::Status;

use super::call::Decoder;
use super::cgroup;
use super::descriptors::{self, Descriptors};
use super::machine::Machine;
use super::memory::MemoryFile;
use super::patience::given_up;
use super::proc_dir::{ProcDir, printable};
use super::samples::Samples;
use super::{Error, ObserveOptions};
use crate::facts::{
    CallState, Child, Descriptor, IoUse, LockWait, Memory, Pressure, ProcessFacts, ProcessLabel, Resource,
    ThreadFacts, ThreadState, Unseen,
};

impl Machine {
    /// Processes by number or by name (the kernel's short name, or the last part of what was started), this
    /// one left out.
    ///
    /// Errors: where there is none.
    pub fn find(&self, wanted: &str) -> Result<Vec<ProcessLabel>, Error> {
        let none = || Error::NoProcess(printable(wanted.as_bytes()));
        if let Ok(pid) = wanted.parse::<i32>() {
            return Ok(vec![self.holders.label(pid).ok_or_else(none)?]);
        }
        let named =
            |label: &ProcessLabel| label.name == wanted || program(label.pid).as_deref() == Some(wanted);
        let found: Vec<ProcessLabel> = self.processes().into_iter().filter(named).collect();
        if found.is_empty() { Err(none()) } else { Ok(found) }
    }

    /// Errors: when it ended meanwhile.
    pub fn process(&self, pid: i32, options: &ObserveOptions) -> Result<ProcessFacts, Error> {
        self.all(&[pid], options).pop().ok_or(Error::Ended { pid })
    }

    /// Several over the same period; those that end meanwhile are left out.
    pub fn all(&self, pids: &[i32], options: &ObserveOptions) -> Vec<ProcessFacts> {
        let open = |pid: &i32| Some(Watched::open(ProcDir::open(*pid).ok()?));
        let mut watched: Vec<Watched> = pids.iter().filter_map(open).collect();
        let began = Instant::now();
        let samples = options.samples.max(2);
        let pause = options.period / (samples - 1);
        for at in 0..samples {
            if at > 0 {
                // Against the beginning, so that the time of looking is not added.
                std::thread::sleep((pause * at).saturating_sub(began.elapsed()));
            }
            watched.iter_mut().for_each(|one| one.samples.take(&one.folder));
        }
        let sampled = began.elapsed();
        watched.into_iter().filter_map(|one| one.finish(self, options, sampled)).collect()
    }
}

/// What was started: the last part of the first argument, or of a script's where an interpreter runs it.
fn program(pid: i32) -> Option<String> {
    let line = ProcDir::open(pid).ok()?.bytes_patiently("cmdline").ok()?;
    let first = line.split(|byte| *byte == 0).next()?;
    Some(printable(first.rsplit(|byte| *byte == b'/').next()?))
}

struct Watched {
    folder: ProcDir,
    samples: Samples,
    began: Counters,
}

/// What is counted of the process as a whole.
struct Counters {
    /// Before the first of them is read.
    at: Instant,
    throttled_us: Option<u64>,
    io: Option<IoUse>,
    pressure: Option<Pressure>,
}

impl Counters {
    fn read(folder: &ProcDir) -> Self {
        let groups = cgroup::folders(folder, "cpu");
        Self {
            at: Instant::now(),
            throttled_us: cgroup::throttled_us(&groups),
            io: io(folder),
            pressure: cgroup::pressure(&groups),
        }
    }

    /// With the time between the two readings: longer than the sampling, whose samples lie within.
    fn since(self, then: &Self) -> (Self, Duration) {
        let throttled_us =
            self.throttled_us.zip(then.throttled_us).map(|(now, then)| now.saturating_sub(then));
        let io = self.io.zip(then.io).map(|(now, then)| IoUse {
            disk_read_bytes: now.disk_read_bytes.saturating_sub(then.disk_read_bytes),
            disk_written_bytes: now.disk_written_bytes.saturating_sub(then.disk_written_bytes),
            read_calls: now.read_calls.saturating_sub(then.read_calls),
            write_calls: now.write_calls.saturating_sub(then.write_calls),
        });
        let less = |now: Pressure, then: &Pressure| Pressure {
            scope: now.scope,
            cpu_some_us: now.cpu_some_us.saturating_sub(then.cpu_some_us),
            io_some_us: now.io_some_us.saturating_sub(then.io_some_us),
            memory_some_us: now.memory_some_us.saturating_sub(then.memory_some_us),
        };
        let pressure = self.pressure.zip(then.pressure.as_ref()).map(|(now, then)| less(now, then));
        (Self { at: self.at, throttled_us, io, pressure }, self.at.saturating_duration_since(then.at))
    }
}

fn io(folder: &ProcDir) -> Option<IoUse> {
    parse_io(&folder.text("io").ok()?)
}

/// Lines of `name: number`. Not by `procfs_core` 0.18, which cuts the last byte of a name off without a look
/// at what it is (found by the property test of bytes of any kind, 2026-11-23).
pub(super) fn parse_io(text: &str) -> Option<IoUse> {
    let number = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')?.trim().parse::<u64>().ok())
    };
    Some(IoUse {
        disk_read_bytes: number("read_bytes")?,
        disk_written_bytes: number("write_bytes")?,
        read_calls: number("syscr")?,
        write_calls: number("syscw")?,
    })
}

impl Watched {
    fn open(folder: ProcDir) -> Self {
        Self { began: Counters::read(&folder), folder, samples: Samples::default() }
    }

    fn finish(self, machine: &Machine, options: &ObserveOptions, sampled: Duration) -> Option<ProcessFacts> {
        let folder = &self.folder;
        let stat = folder.stat("stat").ok()?;
        let status = folder.parsed::<Status>("status").ok();
        let mut open = Descriptors::new(folder, machine, options.now_ms);
        let files = open.read();
        let served_mounts = open.served_mounts();
        let mut unseen = open.unseen;
        let foreign = is_32_bit(folder);
        unseen.extend(refusals(self.samples.calls_refused, foreign));
        let threads = self.samples.finish(folder);
        let tids: Vec<i32> = threads.iter().map(|(thread, _)| thread.tid).collect();
        let memory_file = MemoryFile::new(folder.file("mem").ok());
        let threads = decode_calls(&memory_file, &files, threads, foreign);
        let (used, counted) = Counters::read(folder).since(&self.began);
        let label = ProcessLabel { pid: folder.pid, name: printable(stat.comm.as_bytes()) };
        let tracer = status.as_ref().map_or(0, |status| status.tracerpid);
        let swapped = status.as_ref().and_then(|status| status.vmswap).unwrap_or(0);
        let resident = status.as_ref().and_then(|status| status.vmrss).unwrap_or(0);
        let memory = Memory {
            resident_bytes: resident.saturating_mul(1024),
            swapped_bytes: swapped.saturating_mul(1024),
            major_faults: threads.iter().map(|thread| thread.major_faults).sum(),
        };
        let jvm = files.iter().any(is_jvm_file) || has_jvm(folder);
        let command = command(folder);
        if folder.reader.has_given_up() {
            unseen.push(given_up("its command line, mappings and program"));
        }
        if memory_file.has_given_up() {
            unseen.push(given_up("its memory, and with it arguments of its system calls"));
        }
        Some(ProcessFacts {
            lock_waits: machine.lock_waits(&tids, folder.pid, &files),
            jvm,
            label,
            command,
            served_mounts,
            signals_caught: status.as_ref().map_or(0, |status| status.sigcgt),
            uid: status.as_ref().map_or(0, |status| status.euid),
            age_ms: age_ms(stat.starttime).unwrap_or(0),
            parent: machine.holders.label(stat.ppid),
            tracer: (tracer > 0).then(|| machine.holders.label(tracer)).flatten(),
            children: machine.children(folder.pid),
            frozen: cgroup::is_frozen(&cgroup::folders(folder, "freezer")),
            memory,
            throttled_ms: used.throttled_us.map(|us| us / 1000),
            io: used.io,
            pressure: used.pressure,
            network: None,
            threads,
            files,
            sampled_ms: u64::try_from(sampled.as_millis()).unwrap_or(u64::MAX),
            counted_ms: u64::try_from(counted.as_millis()).unwrap_or(u64::MAX),
            unseen,
        })
    }
}

impl Machine {
    fn children(&self, pid: i32) -> Vec<Child> {
        let entries = self.holders.processes.values().filter(|entry| entry.parent == pid);
        let state = |letter: char| ThreadState::from_letter(letter);
        let mut children: Vec<Child> =
            entries.map(|entry| Child { label: entry.label.clone(), state: state(entry.state) }).collect();
        children.sort_by_key(|child| child.label.pid);
        children
    }

    /// What the process or one of its threads waits for, with the file's name where it has it open.
    fn lock_waits(&self, tids: &[i32], pid: i32, files: &[Descriptor]) -> Vec<LockWait> {
        let ours = |waiter: Option<i32>| waiter.is_some_and(|waiter| waiter == pid || tids.contains(&waiter));
        let waits = self.locks.iter().filter(|lock| ours(lock.waiter));
        let wait = |lock: &super::locks::BlockedLock| {
            let (major, minor, inode) = lock.file;
            let is_it = |file: &&Descriptor| {
                matches!(file.resource, Resource::File { .. }) && inode_of(pid, file.fd) == Some(inode)
            };
            let file = files.iter().find(is_it).map(descriptors::brief);
            LockWait {
                kind: lock.kind.clone(),
                exclusive: lock.exclusive,
                file: file.unwrap_or_else(|| format!("inode {inode} of device {major}:{minor}")),
                holders: self.lock_holders(lock),
            }
        };
        waits.map(wait).collect()
    }

    /// The process that took the lock; where that has gone, or none did, whoever has the locked file open, as
    /// locks of open files are handed on to children.
    fn lock_holders(&self, lock: &super::locks::BlockedLock) -> Vec<ProcessLabel> {
        if let Some(holder) = lock.holder.and_then(|pid| self.holders.label(pid)) {
            return vec![holder];
        }
        let has_it = |label: &ProcessLabel| {
            let Ok(folder) = ProcDir::open(label.pid) else { return false };
            let fds = folder.numbers("fd").unwrap_or_default();
            let locked = |fd: &i32| {
                folder.text(&format!("fdinfo/{fd}")).is_ok_and(|info| holds_lock(&info, lock.file.2))
            };
            fds.iter().any(locked)
        };
        self.processes().into_iter().filter(has_it).collect()
    }
}

/// A `lock:` line of `fdinfo` for this inode.
pub(super) fn holds_lock(info: &str, inode: u64) -> bool {
    let ending = format!(":{inode}");
    info.lines()
        .filter(|line| line.starts_with("lock:") && !line.contains("->"))
        .any(|line| line.split_whitespace().any(|word| word.ends_with(&ending)))
}

fn inode_of(pid: i32, fd: i32) -> Option<u64> {
    use rustix::fs::{AtFlags, StatxFlags};
    let path = format!("/proc/{pid}/fd/{fd}");
    let found = rustix::fs::statx(rustix::fs::CWD, path, AtFlags::STATX_DONT_SYNC, StatxFlags::INO).ok()?;
    Some(found.stx_ino)
}

fn decode_calls(
    memory: &MemoryFile,
    files: &[Descriptor],
    threads: Vec<(ThreadFacts, Option<procfs_core::process::Syscall>)>,
    foreign: bool,
) -> Vec<ThreadFacts> {
    let find = |fd: i32| files.iter().find(|file| file.fd == fd);
    let decoder = Decoder {
        memory,
        file: &|fd| find(fd).map(descriptors::brief),
        watched: &|fd| match find(fd).map(|file| &file.resource) {
            Some(Resource::Epoll { watched }) => watched.clone(),
            _ => Vec::new(),
        },
    };
    let one = |(mut thread, call): (ThreadFacts, Option<procfs_core::process::Syscall>)| {
        thread.call = match call {
            Some(call) if !foreign => super::call::decode(call, &decoder),
            _ if thread.state == ThreadState::Running => CallState::Running,
            _ => CallState::Unreadable,
        };
        thread
    };
    threads.into_iter().map(one).collect()
}

fn refusals(calls_refused: bool, foreign: bool) -> Vec<Unseen> {
    let mut unseen = Vec::new();
    if calls_refused {
        unseen.push(Unseen {
            what: "system calls and their arguments".to_owned(),
            why: "the kernel shows them to those who may trace the process".to_owned(),
            remedy:
                "run as root, or as its user with kernel.yama.ptrace_scope=0; in a container add SYS_PTRACE"
                    .to_owned(),
        });
    }
    if foreign {
        unseen.push(Unseen {
            what: "system calls by name".to_owned(),
            why: "it is a 32-bit program, whose calls have other numbers".to_owned(),
            remedy: "`strace -p PID` knows them".to_owned(),
        });
    }
    unseen
}

/// By the fifth byte of its program file (ELF's class).
fn is_32_bit(folder: &ProcDir) -> bool {
    folder.head_patiently("exe", 5).is_ok_and(|head| head == *b"\x7fELF\x01")
}

fn command(folder: &ProcDir) -> String {
    let bytes = folder.bytes_patiently("cmdline").unwrap_or_default();
    let words: Vec<String> =
        bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty()).map(printable).collect();
    let line = words.join(" ");
    line.chars().take(4096).collect()
}

fn age_ms(started_ticks: u64) -> Option<u64> {
    let uptime = std::fs::read_to_string("/proc/uptime").ok()?;
    let seconds: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    let ticks = rustix::param::clock_ticks_per_second().max(1);
    ((seconds * 1000.0) as u64).checked_sub(started_ticks.saturating_mul(1000) / ticks)
}

fn is_jvm_file(file: &Descriptor) -> bool {
    matches!(&file.resource, Resource::File { path, .. } if path.ends_with("/lib/modules"))
}

fn has_jvm(folder: &ProcDir) -> bool {
    let library = b"/libjvm.so";
    folder.bytes_patiently("maps").is_ok_and(|maps| maps.windows(library.len()).any(|part| part == library))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_of_open_files_are_found_by_inode() {
        let info = "pos:\t0\nlock:\t1: OFDLCK ADVISORY  WRITE -1 fe:00:5513883 0 EOF\n";
        assert!(holds_lock(info, 5_513_883));
        assert!(
            !holds_lock(info, 13_883) && !holds_lock("lock:\t1: -> FLOCK ADVISORY WRITE 1 fe:00:7 0 EOF", 7)
        );
    }

    #[test]
    fn what_a_process_read_and_wrote() {
        let io = "rchar: 5\nwchar: 6\nsyscr: 7\nsyscw: 8\nread_bytes: 9\nwrite_bytes: 10\ncancelled_write_bytes: 1\n";
        let read = |io: IoUse| (io.disk_read_bytes, io.disk_written_bytes, io.read_calls, io.write_calls);
        assert_eq!(parse_io(io).map(read), Some((9, 10, 7, 8)));
        assert!(parse_io("syscr: 7\n").is_none() && parse_io("").is_none());
    }

    #[test]
    fn this_process_can_be_looked_at() {
        let machine = Machine::observe().unwrap();
        let options = ObserveOptions { period: Duration::from_millis(5), samples: 2, now_ms: 0 };
        let facts = machine.process(std::process::id().cast_signed(), &options).unwrap();
        assert!(facts.threads.len() >= 2 && !facts.files.is_empty() && facts.parent.is_some());
        assert!(!facts.jvm && !facts.frozen);
        assert!(matches!(machine.find("no such program"), Err(Error::NoProcess(_))));
        assert!(matches!(machine.process(i32::MAX, &options), Err(Error::Ended { .. })));
    }
}
