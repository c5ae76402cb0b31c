//! One thread: from its state, its call and its counters to a cause. In: facts of a process and one of its
//! threads; out: a verdict with its evidence. Pure. Waits for files and sockets are judged in `resource.rs`,
//! circles of locks in `locks.rs`; which thread counts for the process is `process/`.

use super::resource::{self, rest, waits};
use super::words::duration;
use super::{Cause, Standing, ThreadVerdict, ensemble, locks};
use crate::facts::{Call, CallState, PolledFile, ProcessFacts, ThreadFacts, ThreadState, Wait};

/// Major faults a second from which waiting for memory is what a thread does.
const THRASH_FAULTS: u64 = 50;
/// Share of the sampling period on a processor from which a thread works.
const WORKING_SHARE: f64 = 0.1;
/// An uninterruptible wait that is shorter is a disk at work.
const DISK_PATIENCE_MS: u64 = 2000;

pub fn judge(process: &ProcessFacts, thread: &ThreadFacts, patience_ms: u64) -> ThreadVerdict {
    let mut verdict = cause(process, thread);
    verdict.tid = thread.tid;
    verdict.name.clone_from(&thread.name);
    // A thread that moved while it was watched began its wait since then, whatever the connection's age.
    let scheduler_ms = thread.waited_ms;
    verdict.waits_ms = match (verdict.waits_ms, scheduler_ms) {
        (Some(own), _) => Some(own),
        (None, waited) => waited,
    };
    verdict.standing = standing(&verdict, thread, patience_ms);
    verdict
}

fn standing(verdict: &ThreadVerdict, thread: &ThreadFacts, patience_ms: u64) -> Standing {
    let long = |bound: u64| verdict.waits_ms.is_some_and(|ms| ms >= bound) && thread.same_call;
    match verdict.cause {
        cause if cause.is_rest() => Standing::Fine,
        _ if verdict.doubtful => Standing::Waits,
        // Slow, not stuck; and a look of half a second at a machine that is busy proves little.
        Cause::Throttled | Cause::Starved => Standing::Waits,
        // Whether these are in order, no length of time tells: it is their other end that is stuck, or not.
        Cause::Terminal | Cause::SignalOnly | Cause::PipeSilent | Cause::ChildWait | Cause::LockHeld => {
            Standing::Waits
        }
        Cause::LocalAnswer | Cause::FifoOpen | Cause::Unknown => Standing::Waits,
        Cause::Deadlock | Cause::Stopped | Cause::Traced | Cause::Frozen | Cause::PipeOwn => Standing::Stuck,
        Cause::Dead | Cause::Thrash => Standing::Stuck,
        Cause::DiskWait | Cause::ServedFile if long(DISK_PATIENCE_MS.min(patience_ms)) => Standing::Stuck,
        _ if long(patience_ms) => Standing::Stuck,
        _ => Standing::Waits,
    }
}

fn cause(process: &ProcessFacts, thread: &ThreadFacts) -> ThreadVerdict {
    match thread.state {
        // A main thread may end before the others do; the process goes on.
        ThreadState::Zombie if process.threads.iter().any(|other| other.state != ThreadState::Zombie) => {
            rest("nothing: it has ended before the other threads".to_owned())
        }
        ThreadState::Zombie => {
            waits(Cause::Dead, "its parent to ask for its exit code".to_owned(), "it has ended")
        }
        ThreadState::Stopped => waits(Cause::Stopped, "SIGCONT".to_owned(), "a signal stopped it"),
        ThreadState::Traced => {
            let tracer = process.tracer.as_ref().map_or_else(|| "its tracer".to_owned(), ToString::to_string);
            ThreadVerdict {
                blames: process.tracer.clone(),
                ..waits(Cause::Traced, tracer, "it is being debugged")
            }
        }
        ThreadState::Idle => rest("work for the kernel".to_owned()),
        _ => starved(process, thread)
            .or_else(|| working(process, thread))
            .unwrap_or_else(|| sleeping(process, thread)),
    }
}

/// Ready in every sample, and hardly ever on a processor; or waiting for its pages.
fn starved(process: &ProcessFacts, thread: &ThreadFacts) -> Option<ThreadVerdict> {
    let period_us = process.sampled_ms.max(1).saturating_mul(1000);
    let faults = thread.major_faults.saturating_mul(1000) / process.sampled_ms.max(1);
    if faults >= THRASH_FAULTS && thread.cpu_us < period_us / 2 {
        let swapped = super::words::bytes(process.memory.swapped_bytes);
        let because = format!("{faults} pages a second come from disk, {swapped} of it are swapped out");
        return Some(waits(Cause::Thrash, "its own memory".to_owned(), &because));
    }
    let ready = thread.states.iter().all(|state| *state == ThreadState::Running);
    if !ready
        || thread.cpu_us.saturating_mul(10) > period_us
        || thread.run_queue_us.saturating_mul(2) < period_us
    {
        return None;
    }
    let share = format!("{} of {} ms on one", thread.cpu_us / 1000, process.sampled_ms);
    Some(match process.throttled_ms {
        Some(ms) if ms > 0 => {
            let because = format!("its cgroup's share is used up: {ms} ms throttled, {share}");
            waits(Cause::Throttled, "processor time".to_owned(), &because)
        }
        _ => waits(Cause::Starved, "a processor".to_owned(), &format!("others have them all: {share}")),
    })
}

fn working(process: &ProcessFacts, thread: &ThreadFacts) -> Option<ThreadVerdict> {
    let share = thread.cpu_us as f64 / 1e3 / process.sampled_ms.max(1) as f64;
    let running = thread.states.iter().filter(|state| **state == ThreadState::Running).count();
    let works = share >= WORKING_SHARE || running * 2 > thread.states.len();
    works.then(|| {
        let pauses = if thread.voluntary_switches == 0 { ", without a pause" } else { "" };
        ThreadVerdict {
            cause: Cause::Busy,
            object: format!("{:.0} % of a processor{pauses}", share * 100.0),
            ..ThreadVerdict::default()
        }
    })
}

fn sleeping(process: &ProcessFacts, thread: &ThreadFacts) -> ThreadVerdict {
    let disk = thread.state == ThreadState::Uninterruptible;
    let verdict = match &thread.call {
        CallState::In(call) => in_call(process, thread, call),
        CallState::Outside if disk => {
            waits(Cause::DiskWait, "a page of its memory".to_owned(), "it is read from disk")
        }
        _ => by_wchan(process, thread),
    };
    if !disk || matches!(verdict.cause, Cause::ServedFile | Cause::ChildWait) {
        return verdict;
    }
    let place = thread.wchan.as_deref().map(|name| format!(" (kernel: {name})")).unwrap_or_default();
    let because = "no signal wakes it: a disk, a file system or a driver does not answer";
    ThreadVerdict {
        object: format!("{}{place}", verdict.object),
        ..waits(Cause::DiskWait, String::new(), because)
    }
}

fn in_call(process: &ProcessFacts, thread: &ThreadFacts, call: &Call) -> ThreadVerdict {
    let verdict = by_wait(process, thread, call);
    if ensemble::hears_peers(process, thread) { ensemble::unasked(verdict) } else { verdict }
}

fn by_wait(process: &ProcessFacts, thread: &ThreadFacts, call: &Call) -> ThreadVerdict {
    match &call.wait {
        Wait::Read(fd) => resource::read(process, *fd),
        Wait::Write(fd) => resource::write(process, *fd),
        Wait::Accept(fd) => resource::read(process, *fd),
        Wait::Connect(fd) => resource::connect(process, *fd),
        Wait::Events(files) => events(process, call, files),
        Wait::FileLock(fd) => file_lock(process, *fd),
        Wait::Futex(futex) => locks::futex(process, thread, futex),
        Wait::Child(pid) => resource::child(process, *pid),
        Wait::Timer => sleeps(call.timeout_ms),
        Wait::Signal => rest("a signal".to_owned()),
        Wait::Sync(Some(fd)) => resource::read(process, *fd),
        Wait::Sync(None) => {
            waits(Cause::DiskWait, "all that is to be written".to_owned(), "the disk does not answer")
        }
        Wait::Path(path) => look_up(process, thread, path),
        // restart_syscall(2): the kernel goes on with a wait that had a bound when a stop broke it off.
        Wait::Other if call.name == "restart_syscall" => {
            ThreadVerdict { cause: Cause::Sleeps, ..rest("what is left of a bounded wait".to_owned()) }
        }
        Wait::Other => waits(Cause::Unknown, call.text.clone(), "what it waits for is not known"),
    }
}

fn sleeps(timeout_ms: Option<u64>) -> ThreadVerdict {
    let object =
        timeout_ms.map_or_else(|| "a point in time".to_owned(), |ms| format!("{} to pass", duration(ms)));
    ThreadVerdict { cause: Cause::Sleeps, ..rest(object) }
}

/// One file that is waited for is as good as a read of it; several are an event loop, unless one of them owes
/// an answer and none brings work.
fn events(process: &ProcessFacts, call: &Call, files: &[PolledFile]) -> ThreadVerdict {
    let one = |file: &PolledFile| {
        // What is asked to be writable and is not waits for room; both is asked of connections by event
        // loops.
        let blocked = file.write && !file.read;
        if blocked { resource::write(process, file.fd) } else { resource::read(process, file.fd) }
    };
    let brings_work = |file: &&PolledFile| process.file(file.fd).is_some_and(resource::is_loop_file);
    match files {
        [] => call.timeout_ms.map_or_else(|| rest("events".to_owned()), |ms| sleeps(Some(ms))),
        [file] => one(file),
        files if files.iter().any(|file| brings_work(&file)) => {
            rest(format!("events of {} files ({})", files.len(), call.name))
        }
        files => {
            let worst = files.iter().map(one).min_by_key(|verdict| verdict.cause);
            worst
                .filter(|verdict| verdict.cause == Cause::AnswerOwed || verdict.cause == Cause::Connecting)
                .unwrap_or_else(|| rest(format!("the first of {} files ({})", files.len(), call.name)))
        }
    }
}

fn file_lock(process: &ProcessFacts, fd: i32) -> ThreadVerdict {
    let file =
        process.file(fd).map_or_else(|| format!("fd {fd}"), |file| format!("{} (fd {fd})", named(file)));
    let Some(wait) = process.lock_waits.first() else {
        return waits(Cause::FileLock, format!("a lock on {file}"), "who has it could not be seen");
    };
    let kind = if wait.exclusive { "exclusive" } else { "shared" };
    let object = format!("an {kind} {} lock on {file}", wait.kind).replace("an shared", "a shared");
    let because = match wait.holders.as_slice() {
        [] => "who has it could not be seen".to_owned(),
        [holder] => format!("{holder} has it"),
        [holder, rest @ ..] => format!("{holder} has it, with {} more", rest.len()),
    };
    ThreadVerdict { blames: wait.holders.first().cloned(), ..waits(Cause::FileLock, object, &because) }
}

fn named(file: &crate::facts::Descriptor) -> String {
    match &file.resource {
        crate::facts::Resource::File { path, .. } => path.clone(),
        _ => format!("fd {}", file.fd),
    }
}

/// A name is looked up or opened: what lives there?
fn look_up(process: &ProcessFacts, thread: &ThreadFacts, path: &str) -> ThreadVerdict {
    let wchan = thread.wchan.as_deref().unwrap_or_default();
    if wchan == "wait_for_partner" || wchan == "fifo_open" {
        return waits(Cause::FifoOpen, format!("the other end of the named pipe {path}"), "nobody opens it");
    }
    let below = |mount: &&crate::facts::FileSystem| {
        path.strip_prefix(mount.mount_point.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match process.served_mounts.iter().filter(below).max_by_key(|mount| mount.mount_point.len()) {
        Some(mount) => {
            let object = format!("{path} on {} {} from {}", mount.kind, mount.mount_point, mount.source);
            waits(Cause::ServedFile, object, "its server does not answer")
        }
        None if is_served_wait(wchan) => {
            waits(Cause::ServedFile, path.to_owned(), "a file system's server does not answer")
        }
        None => waits(Cause::DiskWait, path.to_owned(), "the file system does not answer"),
    }
}

/// The kernel's own name for the wait is all there is.
fn by_wchan(process: &ProcessFacts, thread: &ThreadFacts) -> ThreadVerdict {
    let Some(wchan) = thread.wchan.as_deref() else {
        return waits(Cause::Unknown, "something".to_owned(), "its system call may not be seen");
    };
    match wchan {
        name if is_served_wait(name) => {
            waits(Cause::ServedFile, format!("a file system's server ({name})"), "it does not answer")
        }
        "hrtimer_nanosleep" | "do_nanosleep" => sleeps(None),
        name if name.starts_with("futex_") => rest("a wake-up of another thread".to_owned()),
        name if name.starts_with("ep_poll")
            || name.starts_with("do_epoll")
            || name.contains("poll_schedule") =>
        {
            rest("events".to_owned())
        }
        "do_poll" | "do_select" | "do_sys_poll" => rest("events".to_owned()),
        "inet_csk_accept" | "unix_accept" => rest("connections".to_owned()),
        "do_wait" | "kernel_wait4" => resource::child(process, None),
        "pause" | "sigsuspend" | "do_sigtimedwait" | "__do_sys_pause" => rest("a signal".to_owned()),
        "locks_lock_inode_wait" | "flock_lock_inode_wait" | "fcntl_setlk" => file_lock(process, -1),
        name => waits(Cause::Unknown, format!("the kernel ({name})"), "its system call may not be seen"),
    }
}

/// Of FUSE, NFS, CIFS, Ceph and 9p.
fn is_served_wait(wchan: &str) -> bool {
    const STARTS: [&str; 8] = [
        "request_wait_answer",
        "fuse_",
        "__fuse_",
        "rpc_wait",
        "nfs",
        "cifs_",
        "wait_for_response",
        "p9_client",
    ];
    STARTS.iter().any(|start| wchan.starts_with(start)) || wchan.starts_with("ceph_")
}
