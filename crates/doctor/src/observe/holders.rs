//! Who has which pipe, socket or event open: one walk over the open files of every process that may be looked
//! at. The other end of a pipe, the peer of a local socket and whoever may ring an event are found here. A
//! walk costs some microseconds for each open file of the machine, so it is made once for all processes that
//! are looked at, and not at each sample: that a pipe changes hands meanwhile is rare, and the next look sees
//! it.

use std::collections::HashMap;

use super::proc_dir::{self, ProcDir, printable};
use crate::facts::{Access, Holder, ProcessLabel};

/// What several processes can have open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    Pipe(u64),
    Socket(u64),
}

impl Object {
    /// Reads `pipe:[17]`, `socket:[17]`.
    pub fn of_link(link: &str) -> Option<Self> {
        let (kind, rest) = link.split_once(":[")?;
        let inode = rest.strip_suffix(']')?.parse().ok()?;
        match kind {
            "pipe" => Some(Self::Pipe(inode)),
            "socket" => Some(Self::Socket(inode)),
            _ => None,
        }
    }
}

/// A process as the walk saw it.
#[derive(Clone, Debug, Default)]
pub struct ProcessEntry {
    pub label: ProcessLabel,
    pub parent: i32,
    pub state: char,
    /// A kernel thread: no memory of its own, nothing open.
    pub kernel: bool,
}

#[derive(Debug, Default)]
pub struct Holders {
    pub processes: HashMap<i32, ProcessEntry>,
    objects: HashMap<Object, Vec<Holder>>,
    pub events: Vec<Holder>,
    /// Processes whose open files may not be looked at.
    pub hidden: usize,
}

impl Holders {
    pub fn walk() -> std::io::Result<Self> {
        let mut holders = Self::default();
        for pid in proc_dir::pids()? {
            // Processes end while we walk: one that is gone is no error.
            let Ok(process) = ProcDir::open(pid) else { continue };
            let Some(entry) = process_entry(&process) else { continue };
            if !entry.kernel && holders.add_files(&process, &entry.label).is_err() && entry.state != 'Z' {
                holders.hidden += 1;
            }
            holders.processes.insert(pid, entry);
        }
        Ok(holders)
    }

    pub fn of(&self, object: Object) -> &[Holder] {
        self.objects.get(&object).map(Vec::as_slice).unwrap_or_default()
    }

    /// The first process that has this socket: several share it after a fork.
    pub fn process_of_socket(&self, inode: u64) -> Option<ProcessLabel> {
        self.of(Object::Socket(inode)).first().map(|holder| holder.process.clone())
    }

    pub fn label(&self, pid: i32) -> Option<ProcessLabel> {
        self.processes.get(&pid).map(|entry| entry.label.clone())
    }

    fn add_files(&mut self, process: &ProcDir, label: &ProcessLabel) -> std::io::Result<()> {
        for fd in process.numbers("fd")? {
            let path = format!("fd/{fd}");
            let Ok(link) = process.link(&path) else { continue };
            let object = Object::of_link(&link);
            if object.is_none() && link != "anon_inode:[eventfd]" {
                continue;
            }
            let access = process.link_mode(&path).map(access_of_mode).unwrap_or_default();
            let holder = Holder { process: label.clone(), fd, access };
            match object {
                Some(object) => self.objects.entry(object).or_default().push(holder),
                None => self.events.push(holder),
            }
        }
        Ok(())
    }
}

/// proc(5): the owner's bits of the link's mode.
pub fn access_of_mode(mode: u32) -> Access {
    match (mode & 0o400 != 0, mode & 0o200 != 0) {
        (true, true) => Access::Both,
        (false, true) => Access::Write,
        _ => Access::Read,
    }
}

fn process_entry(process: &ProcDir) -> Option<ProcessEntry> {
    /// `PF_KTHREAD` of the kernel's `sched.h`.
    const KERNEL_THREAD: u32 = 0x0020_0000;
    let stat = process.stat("stat").ok()?;
    Some(ProcessEntry {
        label: ProcessLabel { pid: process.pid, name: printable(stat.comm.as_bytes()) },
        parent: stat.ppid,
        state: stat.state,
        kernel: stat.flags & KERNEL_THREAD != 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_name_objects() {
        for (link, expected) in [
            ("pipe:[17]", Some(Object::Pipe(17))),
            ("socket:[18]", Some(Object::Socket(18))),
            ("pipe:[]", None),
            ("pipe:[17", None),
            ("/tmp/pipe:[17]", None),
            ("anon_inode:[eventfd]", None),
        ] {
            assert_eq!(Object::of_link(link), expected, "{link}");
        }
    }

    #[test]
    fn both_ends_of_a_pipe_are_found() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let inode = rustix::fs::fstat(&reader).unwrap().st_ino;
        let holders = Holders::walk().unwrap();
        let mut ends: Vec<Access> =
            holders.of(Object::Pipe(inode)).iter().map(|holder| holder.access).collect();
        ends.sort_by_key(|access| access.writes());
        assert_eq!(ends, [Access::Read, Access::Write]);
        let own = std::process::id().cast_signed();
        assert!(holders.of(Object::Pipe(inode)).iter().all(|holder| holder.process.pid == own));
        assert!(!holders.processes[&own].kernel);
    }
}
