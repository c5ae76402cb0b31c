//! What a call waits for, from its name and arguments, and the bound that its caller gave. Its number and
//! registers come from `samples.rs`, what they point to is read by `decoder.rs`. Times are made lengths in
//! milliseconds: whether a wait has a bound decides between a sleeper and somebody who waits for ever.
//! Structures are those of 64-bit Linux.

use super::decoder::Decoder;
use crate::facts::{Futex, PolledFile, Wait};

/// Files of one `poll` or `select` that are read from memory; more are rare, and these tell enough.
const POLLED_MAX: u64 = 1024;

pub fn of(name: &str, arguments: &[u64; 6], decoder: &Decoder<'_>) -> (Wait, Option<u64>) {
    let [a, b, c, d, e, _] = *arguments;
    let time = |address: u64| decoder.memory.timespec_ms(address);
    let int = |value: u64| value as u32 as i32;
    let millis = |value: u64| u64::try_from(int(value)).ok();
    let file = |value: u64| int(value);
    match name {
        "read" | "pread64" | "readv" | "preadv" | "preadv2" | "recvfrom" | "recvmsg" | "getdents64"
        | "splice" | "copy_file_range" => (Wait::Read(file(a)), None),
        "recvmmsg" => (Wait::Read(file(a)), time(e)),
        "write" | "pwrite64" | "writev" | "pwritev" | "pwritev2" | "sendto" | "sendmsg" | "sendmmsg"
        | "sendfile" => (Wait::Write(file(a)), None),
        "accept" | "accept4" => (Wait::Accept(file(a)), None),
        "connect" => (Wait::Connect(file(a)), None),
        "poll" => (Wait::Events(polled(a, b, decoder)), millis(c)),
        "ppoll" => (Wait::Events(polled(a, b, decoder)), time(c)),
        "select" => (Wait::Events(selected([a, b, c], decoder)), timeval_ms(e, decoder)),
        "pselect6" => (Wait::Events(selected([a, b, c], decoder)), time(e)),
        "epoll_wait" | "epoll_pwait" => (Wait::Events((decoder.watched)(file(a))), millis(d)),
        "epoll_pwait2" => (Wait::Events((decoder.watched)(file(a))), time(d)),
        "futex" => futex(arguments, decoder),
        "futex_wait" | "futex_waitv" => (Wait::Futex(Futex { address: a, ..Futex::default() }), None),
        "flock" => (Wait::FileLock(file(a)), None),
        "fcntl" if is_lock_command(int(b)) => (Wait::FileLock(file(a)), None),
        "wait4" => (Wait::Child(Some(int(a)).filter(|pid| *pid > 0)), None),
        // `P_PID` of waitid(2).
        "waitid" => (Wait::Child(Some(int(b)).filter(|pid| int(a) == 1 && *pid > 0)), None),
        "vfork" => (Wait::Child(None), None),
        "nanosleep" => (Wait::Timer, time(a)),
        // With `TIMER_ABSTIME` the time is a point, not a length.
        "clock_nanosleep" => (Wait::Timer, time(c).filter(|_| b & 1 == 0)),
        "pause" | "rt_sigsuspend" => (Wait::Signal, None),
        "rt_sigtimedwait" => (Wait::Signal, time(c)),
        "fsync" | "fdatasync" | "syncfs" | "sync_file_range" => (Wait::Sync(Some(file(a))), None),
        "sync" | "msync" => (Wait::Sync(None), None),
        "open" | "stat" | "lstat" | "access" | "readlink" | "mkdir" | "unlink" | "statfs" | "rename"
        | "execve" => (path(a, decoder), None),
        "openat" | "openat2" | "newfstatat" | "statx" | "faccessat" | "faccessat2" | "readlinkat"
        | "mkdirat" | "unlinkat" | "renameat2" => (path(b, decoder), None),
        _ => (Wait::Other, None),
    }
}

fn path(address: u64, decoder: &Decoder<'_>) -> Wait {
    decoder.memory.name(address).map_or(Wait::Other, Wait::Path)
}

/// `F_SETLKW` and `F_OFD_SETLKW`.
fn is_lock_command(command: i32) -> bool {
    command == 7 || command == 38
}

/// An array of `struct pollfd`: the file, what is asked, what came.
fn polled(address: u64, count: u64, decoder: &Decoder<'_>) -> Vec<PolledFile> {
    let length = usize::try_from(count.min(POLLED_MAX) * 8).unwrap_or(0);
    let Some(bytes) = decoder.memory.read(address, length) else { return Vec::new() };
    let one = |entry: &[u8]| {
        let (fd, events) = (entry.get(..4)?.try_into().ok()?, entry.get(4..6)?.try_into().ok()?);
        let (fd, events) = (i32::from_ne_bytes(fd), u16::from_ne_bytes(events));
        (fd >= 0).then(|| polled_file(fd, events.into()))
    };
    bytes.chunks_exact(8).filter_map(one).collect()
}

/// By the bits that `poll` and `epoll` share: `IN` and `PRI`, `OUT`.
pub fn polled_file(fd: i32, events: u32) -> PolledFile {
    PolledFile { fd, read: events & 0x3 != 0, write: events & 0x4 != 0 }
}

/// Sets of bits: files to read from, files to write to.
fn selected([count, read, write]: [u64; 3], decoder: &Decoder<'_>) -> Vec<PolledFile> {
    let count = count.min(POLLED_MAX);
    // The kernel reads whole longs.
    let length = usize::try_from(count.div_ceil(64) * 8).unwrap_or(0);
    let set = |address: u64| decoder.memory.read(address, length).unwrap_or_default();
    let (read, write) = (set(read), set(write));
    let has = |set: &[u8], fd: u64| {
        set.get(usize::try_from(fd / 8).unwrap_or(usize::MAX)).is_some_and(|byte| byte & (1 << (fd % 8)) != 0)
    };
    (0..count)
        .map(|fd| PolledFile { fd: fd as i32, read: has(&read, fd), write: has(&write, fd) })
        .filter(|file| file.read || file.write)
        .collect()
}

fn timeval_ms(address: u64, decoder: &Decoder<'_>) -> Option<u64> {
    let (seconds, micros) = (decoder.memory.long(address)?, decoder.memory.long(address.checked_add(8)?)?);
    seconds.checked_mul(1000)?.checked_add(micros / 1000)
}

/// futex(2): the operation tells whether the word at the address names its owner.
fn futex(arguments: &[u64; 6], decoder: &Decoder<'_>) -> (Wait, Option<u64>) {
    const COMMAND: u64 = 0x7f;
    const PRIVATE: u64 = 0x80;
    const THREAD_ID: u32 = 0x3fff_ffff;
    let [address, operation, expected, time, ..] = *arguments;
    let word = || decoder.memory.word(address);
    let thread = |id: u32| i32::try_from(id & THREAD_ID).ok().filter(|id| *id > 0);
    let private = operation & PRIVATE != 0;
    // The kernel clears and wakes the word with a thread's number when the thread ends; as it cannot know who
    // waits, that word is never private.
    let joined = || word().filter(|word| !private && *word == expected as u32).and_then(thread);
    let (owner, join, timeout) = match operation & COMMAND {
        // WAIT: a length of time. WAIT_BITSET: a point in time.
        0 => (mutex_owner(address, decoder), joined(), decoder.memory.timespec_ms(time)),
        9 => (mutex_owner(address, decoder), joined(), None),
        // LOCK_PI, LOCK_PI2: the kernel keeps the owner in the word.
        6 | 13 => (word().and_then(thread), None, None),
        // Waking does not wait.
        1 | 3 | 4 | 5 | 10 => return (Wait::Other, None),
        _ => (None, None, None),
    };
    let join_only = owner.is_none() && join.is_some();
    let futex = Futex { address, owner: owner.or(join), join: join_only, private, bounded: time != 0 };
    (Wait::Futex(futex), timeout)
}

/// glibc's `pthread_mutex_t` (`struct __pthread_mutex_s`): lock word, count, owner, users, kind. A locked
/// mutex with waiters has 2 in its word and at least one user; anything else at that address is some other
/// kind of futex. A value that merely looks like it is told from a thread's number by whoever knows the
/// threads.
fn mutex_owner(address: u64, decoder: &Decoder<'_>) -> Option<i32> {
    const KINDS_MAX: u32 = 0x1ff;
    let bytes = decoder.memory.read(address, 20)?;
    let word = |at: usize| Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let plausible = word(0)? == 2 && word(12)? > 0 && word(16)? <= KINDS_MAX;
    i32::try_from(word(8)?).ok().filter(|owner| plausible && *owner > 0)
}
