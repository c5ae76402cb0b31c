//! Locks on files and who waits for them: `/proc/locks`, where a waiter stands below the lock it waits for,
//! under its number. In: the table as text; out: who waits for which file. Which open file that is, and what
//! its holder does, is joined by `process.rs`; mutexes in memory are not in this table (`verdict/locks.rs`).

use procfs_core::{FromBufRead as _, Lock, LockKind, LockType, Locks};

/// One wait for a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedLock {
    pub waiter: Option<i32>,
    pub kind: String,
    pub exclusive: bool,
    /// Device (major, minor) and inode.
    pub file: (u32, u32, u64),
    /// Absent for locks of open files, which belong to no process.
    pub holder: Option<i32>,
}

pub fn blocked(table: &str) -> Vec<BlockedLock> {
    let mut holding: Vec<(&str, Lock)> = Vec::new();
    let mut waits = Vec::new();
    for line in table.lines() {
        let Some((number, rest)) = line.split_once(':') else { continue };
        let Some(lock) = parse(line) else { continue };
        if !rest.trim_start().starts_with("->") {
            holding.push((number, lock));
            continue;
        }
        let holder = holding.iter().rev().find(|(held, _)| *held == number);
        waits.push(BlockedLock {
            waiter: lock.pid,
            kind: kind(&lock.lock_type).to_owned(),
            exclusive: matches!(lock.kind, LockKind::Write),
            file: (lock.devmaj, lock.devmin, lock.inode),
            holder: holder.and_then(|(_, held)| held.pid).filter(|pid| *pid > 0),
        });
    }
    waits
}

fn parse(line: &str) -> Option<Lock> {
    Locks::from_buf_read(line.as_bytes()).ok()?.0.pop()
}

fn kind(lock: &LockType) -> &'static str {
    match lock {
        LockType::FLock => "flock",
        LockType::Posix => "fcntl",
        LockType::ODF => "OFD",
        LockType::Other(_) => "lock",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiters_stand_below_what_they_wait_for() {
        let table = "1: FLOCK  ADVISORY  WRITE 700 fe:00:55 0 EOF\n1: -> FLOCK  ADVISORY  WRITE 701 fe:00:55 0 EOF\n\
                     2: OFDLCK ADVISORY  WRITE -1 fe:00:56 0 EOF\n2: -> OFDLCK ADVISORY  READ -1 fe:00:56 0 9\n\
                     3: POSIX  ADVISORY  READ 5 00:1a:9 0 EOF\nnonsense\n4:\n";
        let found = blocked(table);
        assert_eq!(found.len(), 2);
        let first = BlockedLock {
            waiter: Some(701),
            kind: "flock".to_owned(),
            exclusive: true,
            file: (0xfe, 0, 55),
            holder: Some(700),
        };
        assert_eq!(found[0], first);
        assert_eq!((found[1].kind.as_str(), found[1].exclusive, found[1].holder), ("OFD", false, None));
    }

    proptest::proptest! {
        #[test]
        fn no_table_panics(lines in proptest::collection::vec("[0-9]{0,3}:( ->)? [A-Z ]{0,30}[0-9a-f: -]{0,30}", 0..6)) {
            let _ = blocked(&lines.join("\n"));
        }
    }
}
