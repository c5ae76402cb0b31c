//! What the arguments of system calls are, for showing them: the calls that a thread is found waiting in.
//! Those that are not here are shown by name alone. `decoder.rs` reads the arguments by it, and `wait.rs`
//! decides what is waited for. It holds calls that can wait, not all there are: a thread that is met in
//! another one is at work.

/// How one argument is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    File,
    Int,
    Size,
    Flags,
    Pointer,
    Name,
    Time,
}

use Argument::{File, Flags, Int, Name, Pointer, Size, Time};

/// In order of name, for the search.
const SIGNATURES: [(&str, &[Argument]); 74] = [
    ("accept", &[File, Pointer, Pointer]),
    ("accept4", &[File, Pointer, Pointer, Flags]),
    ("access", &[Name, Int]),
    ("clock_nanosleep", &[Int, Flags, Time, Pointer]),
    ("close", &[File]),
    ("connect", &[File, Pointer, Size]),
    ("copy_file_range", &[File, Pointer, File, Pointer, Size]),
    ("epoll_pwait", &[File, Pointer, Int, Int]),
    ("epoll_pwait2", &[File, Pointer, Int, Time]),
    ("epoll_wait", &[File, Pointer, Int, Int]),
    ("execve", &[Name, Pointer, Pointer]),
    ("faccessat", &[File, Name, Int]),
    ("faccessat2", &[File, Name, Int]),
    ("fallocate", &[File, Flags, Size, Size]),
    ("fcntl", &[File, Int, Pointer]),
    ("fdatasync", &[File]),
    ("flock", &[File, Int]),
    ("fstat", &[File, Pointer]),
    ("fsync", &[File]),
    ("ftruncate", &[File, Size]),
    ("futex", &[Pointer, Flags, Int, Pointer]),
    ("getdents64", &[File, Pointer, Size]),
    ("io_getevents", &[Pointer, Int, Int, Pointer, Time]),
    ("io_uring_enter", &[File, Int, Int, Flags]),
    ("ioctl", &[File, Flags, Pointer]),
    ("lstat", &[Name, Pointer]),
    ("mkdir", &[Name, Flags]),
    ("mkdirat", &[File, Name, Flags]),
    ("msync", &[Pointer, Size, Flags]),
    ("nanosleep", &[Time, Pointer]),
    ("newfstatat", &[File, Name, Pointer, Flags]),
    ("open", &[Name, Flags]),
    ("openat", &[File, Name, Flags]),
    ("openat2", &[File, Name, Pointer]),
    ("pause", &[]),
    ("poll", &[Pointer, Int, Int]),
    ("ppoll", &[Pointer, Int, Time]),
    ("pread64", &[File, Pointer, Size, Size]),
    ("preadv", &[File, Pointer, Int]),
    ("preadv2", &[File, Pointer, Int]),
    ("pselect6", &[Int, Pointer, Pointer, Pointer, Time]),
    ("pwrite64", &[File, Pointer, Size, Size]),
    ("pwritev", &[File, Pointer, Int]),
    ("pwritev2", &[File, Pointer, Int]),
    ("read", &[File, Pointer, Size]),
    ("readlink", &[Name, Pointer, Size]),
    ("readlinkat", &[File, Name, Pointer, Size]),
    ("readv", &[File, Pointer, Int]),
    ("recvfrom", &[File, Pointer, Size, Flags]),
    ("recvmmsg", &[File, Pointer, Int, Flags, Time]),
    ("recvmsg", &[File, Pointer, Flags]),
    ("rename", &[Name, Name]),
    ("renameat2", &[File, Name, File, Name]),
    ("rt_sigsuspend", &[Pointer, Size]),
    ("rt_sigtimedwait", &[Pointer, Pointer, Time]),
    ("select", &[Int, Pointer, Pointer, Pointer, Pointer]),
    ("semop", &[Int, Pointer, Size]),
    ("semtimedop", &[Int, Pointer, Size, Time]),
    ("sendfile", &[File, File, Pointer, Size]),
    ("sendmmsg", &[File, Pointer, Int, Flags]),
    ("sendmsg", &[File, Pointer, Flags]),
    ("sendto", &[File, Pointer, Size, Flags]),
    ("splice", &[File, Pointer, File, Pointer, Size, Flags]),
    ("stat", &[Name, Pointer]),
    ("statfs", &[Name, Pointer]),
    ("statx", &[File, Name, Flags, Flags, Pointer]),
    ("sync_file_range", &[File, Size, Size, Flags]),
    ("syncfs", &[File]),
    ("unlink", &[Name]),
    ("unlinkat", &[File, Name, Flags]),
    ("wait4", &[Int, Pointer, Flags, Pointer]),
    ("waitid", &[Int, Int, Pointer, Flags]),
    ("write", &[File, Pointer, Size]),
    ("writev", &[File, Pointer, Int]),
];

pub fn of(name: &str) -> Option<&'static [Argument]> {
    let at = SIGNATURES.binary_search_by_key(&name, |(known, _)| known).ok()?;
    SIGNATURES.get(at).map(|(_, arguments)| *arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_names_real_calls() {
        assert!(SIGNATURES.is_sorted_by_key(|(name, _)| name));
        for (name, _) in SIGNATURES {
            assert!(of(name).is_some());
            // Some are of one architecture only.
            assert!(cfg!(not(target_arch = "x86_64")) || name.parse::<syscalls::Sysno>().is_ok(), "{name}");
        }
    }
}
