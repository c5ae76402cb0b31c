//! The open files of one process: links and `fdinfo` of its descriptors, joined with the sockets, the holders
//! of pipes and the mounts. A file on a server is asked for its last write from a thread of its own with a
//! bound, as the server may be what hangs.

use std::collections::HashSet;
use std::sync::mpsc;
use std::time::Duration;

use procfs_core::FromBufRead as _;
use procfs_core::process::{MountInfo, MountInfos};

use super::holders::{Object, access_of_mode};
use super::machine::Machine;
use super::proc_dir::{ProcDir, printable};
use super::sockets::{InetSocket, UnixSocket};
use crate::facts::{
    Access, Descriptor, FileSystem, PolledFile, Resource, Side, SocketState, TcpFacts, UnixFacts, Unseen,
};

/// Descriptors that are looked into; of a process with more the rest is counted only.
const FILES_MAX: usize = 20_000;
/// A server that has not answered by then is taken to hang.
const SERVER_PATIENCE: Duration = Duration::from_millis(150);

pub struct Descriptors<'a> {
    process: &'a ProcDir,
    machine: &'a Machine,
    mounts: MountInfos,
    sockets: SocketsOfProcess,
    now_ms: i64,
    /// Mounts whose server did not answer.
    silent: HashSet<i32>,
    pub unseen: Vec<Unseen>,
}

/// The sockets of the process's network namespace, where that is not ours.
type SocketsOfProcess = Option<(Vec<InetSocket>, Vec<UnixSocket>)>;

impl<'a> Descriptors<'a> {
    pub fn new(process: &'a ProcDir, machine: &'a Machine, now_ms: i64) -> Self {
        let mounts = process.text("mountinfo").ok();
        let mounts = mounts.and_then(|text| MountInfos::from_buf_read(text.as_bytes()).ok());
        let mut unseen = Vec::new();
        let sockets = machine.foreign_sockets(process, &mut unseen);
        let mounts = mounts.unwrap_or_else(|| MountInfos(Vec::new()));
        Self { process, machine, mounts, sockets, now_ms, silent: HashSet::new(), unseen }
    }

    pub fn read(&mut self) -> Vec<Descriptor> {
        let fds = match self.process.numbers("fd") {
            Ok(fds) => fds,
            Err(error) => {
                self.unseen.push(Unseen {
                    what: "open files".to_owned(),
                    why: error.to_string(),
                    remedy: "run as root or as the process's own user".to_owned(),
                });
                return Vec::new();
            }
        };
        if fds.len() > FILES_MAX {
            self.unseen.push(Unseen {
                what: format!("{} of {} open files", fds.len() - FILES_MAX, fds.len()),
                why: format!("only the first {FILES_MAX} are looked into"),
                remedy: "look at one with `ls -l /proc/PID/fd/N`".to_owned(),
            });
        }
        fds.into_iter().take(FILES_MAX).filter_map(|fd| self.one(fd)).collect()
    }

    /// `None` of one that was closed meanwhile.
    fn one(&mut self, fd: i32) -> Option<Descriptor> {
        let path = format!("fd/{fd}");
        let link = self.process.link(&path).ok()?;
        let access = self.process.link_mode(&path).map(access_of_mode).unwrap_or_default();
        let resource = match Object::of_link(&link) {
            Some(Object::Pipe(inode)) => {
                Resource::Pipe { inode, holders: self.machine.holders.of(Object::Pipe(inode)).to_vec() }
            }
            Some(Object::Socket(inode)) => self.socket(inode),
            None => self.named(fd, link),
        };
        Some(Descriptor { fd, access, resource })
    }

    fn named(&mut self, fd: i32, link: String) -> Resource {
        let info = || self.process.text(&format!("fdinfo/{fd}")).unwrap_or_default();
        match link.as_str() {
            "anon_inode:[eventfd]" => self.event(&info()),
            "anon_inode:[eventpoll]" => Resource::Epoll { watched: watched(&info()) },
            "anon_inode:[timerfd]" => Resource::Timerfd,
            "anon_inode:[signalfd]" => Resource::Signalfd,
            "anon_inode:inotify" | "anon_inode:[inotify]" => Resource::Inotify,
            "anon_inode:[pidfd]" => Resource::Process { pid: number(&info(), "Pid").unwrap_or(-1) as i32 },
            path if is_terminal(path) => Resource::Terminal { path: link },
            path if path.starts_with("/dev/") && !path.starts_with("/dev/shm/") => {
                Resource::Device { path: link }
            }
            path if path.starts_with('/') => self.file(fd, link, &info()),
            _ => Resource::Other { name: link },
        }
    }

    /// Others have the same event where their number of it is the same.
    fn event(&self, info: &str) -> Resource {
        let id = number(info, "eventfd-id");
        let same = |holder: &&crate::facts::Holder| {
            let theirs = ProcDir::open(holder.process.pid)
                .and_then(|process| process.text(&format!("fdinfo/{}", holder.fd)))
                .ok();
            id.is_some() && theirs.is_some_and(|info| number(&info, "eventfd-id") == id)
        };
        // Written as hexadecimal digits.
        let count = value(info, "eventfd-count").and_then(|count| u64::from_str_radix(count, 16).ok());
        let holders = self.machine.holders.events.iter().filter(same).cloned().collect();
        Resource::Eventfd { count: count.unwrap_or(0), holders }
    }

    fn file(&mut self, fd: i32, path: String, info: &str) -> Resource {
        let mount = number(info, "mnt_id").and_then(|id| i32::try_from(id).ok());
        let file_system = mount.and_then(|id| self.file_system(id));
        let served = file_system.as_ref().is_some_and(FileSystem::is_served);
        if !served && is_fifo(self.process.pid, fd) {
            return Resource::Fifo { path };
        }
        let facts = match (served, mount) {
            (true, Some(mount)) => self.facts_of_served(fd, mount),
            _ => file_facts(self.process.pid, fd),
        };
        let written_ms = facts.and_then(|(_, written_ms)| written_ms);
        let written_ms_ago = written_ms.and_then(|written_ms| u64::try_from(self.now_ms - written_ms).ok());
        Resource::File { path, file_system, bytes: facts.map(|(bytes, _)| bytes), written_ms_ago }
    }

    fn file_system(&self, mount: i32) -> Option<FileSystem> {
        self.mounts.0.iter().find(|one| one.mnt_id == mount).map(file_system)
    }

    /// File systems that somebody else answers for.
    pub fn served_mounts(&self) -> Vec<FileSystem> {
        file_systems(&self.mounts).into_iter().filter(FileSystem::is_served).collect()
    }

    /// Asks from another thread, which is left behind when the server keeps it: it ends with this process at
    /// the latest.
    fn facts_of_served(&mut self, fd: i32, mount: i32) -> Option<(u64, Option<i64>)> {
        if self.silent.contains(&mount) {
            return None;
        }
        let (sender, receiver) = mpsc::channel();
        let pid = self.process.pid;
        std::thread::spawn(move || sender.send(file_facts(pid, fd)));
        receiver.recv_timeout(SERVER_PATIENCE).unwrap_or_else(|_| {
            self.silent.insert(mount);
            self.unseen.push(Unseen {
                what: format!("the last write of fd {fd} and others on its mount"),
                why: format!("the file system's server did not answer in {} ms", SERVER_PATIENCE.as_millis()),
                remedy: "that itself is a finding: ask the server, or look at the mount's process".to_owned(),
            });
            None
        })
    }

    fn socket(&self, inode: u64) -> Resource {
        let machine = self.machine;
        let (inet, unix) = match &self.sockets {
            Some((inet, unix)) => (
                inet.iter().find(|socket| socket.inode == inode),
                unix.iter().find(|socket| socket.inode == inode),
            ),
            None => (machine.inet(inode), machine.unix(inode)),
        };
        match (inet, unix) {
            (Some(socket), _) if socket.tcp => Resource::Tcp(self.tcp(socket)),
            (Some(socket), _) => Resource::Udp { local: socket.local, remote: socket.remote },
            (None, Some(socket)) => Resource::Unix(self.unix(socket)),
            (None, None) => Resource::Socket { inode },
        }
    }

    fn tcp(&self, socket: &InetSocket) -> TcpFacts {
        let activity = socket.activity;
        let listens = match &self.sockets {
            Some((inet, _)) => inet
                .iter()
                .any(|one| one.state == SocketState::Listen && one.local.port() == socket.local.port()),
            None => self.machine.listens(socket.local.port()),
        };
        let peer = match &self.sockets {
            Some((inet, _)) => {
                inet.iter().find(|one| one.local == socket.remote && one.remote == socket.local)
            }
            None => self.machine.other_end(socket),
        };
        TcpFacts {
            local: socket.local,
            remote: socket.remote,
            state: socket.state,
            receive_queue: socket.receive_queue,
            send_queue: socket.send_queue,
            side: if listens { Side::Server } else { Side::Client },
            sent_ms_ago: activity.map(|activity| activity.sent_ms_ago),
            received_ms_ago: activity.map(|activity| activity.received_ms_ago),
            acknowledged_ms_ago: activity.map(|activity| activity.acknowledged_ms_ago),
            bytes_sent: activity.and_then(|activity| activity.bytes_sent),
            bytes_received: activity.and_then(|activity| activity.bytes_received),
            retransmits: activity.map_or(0, |activity| activity.retransmits),
            keepalive: socket.keepalive,
            peer: peer.and_then(|peer| self.machine.holders.process_of_socket(peer.inode)),
        }
    }

    fn unix(&self, socket: &UnixSocket) -> UnixFacts {
        let other = socket.peer.and_then(|inode| self.machine.unix(inode));
        let path = socket.path.clone().or_else(|| other.and_then(|other| other.path.clone()));
        UnixFacts {
            inode: socket.inode,
            path,
            listening: socket.listening,
            receive_queue: socket.receive_queue,
            send_queue: socket.send_queue,
            peer: socket.peer.and_then(|inode| self.machine.holders.process_of_socket(inode)),
            accepted: !socket.listening && socket.path.is_some() && socket.connected,
        }
    }
}

fn file_system(mount: &MountInfo) -> FileSystem {
    FileSystem {
        kind: printable(mount.fs_type.as_bytes()),
        source: printable(mount.mount_source.as_deref().unwrap_or_default().as_bytes()),
        mount_point: printable(mount.mount_point.as_os_str().as_encoded_bytes()),
    }
}

/// (bytes, last write in milliseconds of the epoch) of an open file, as the kernel has it, without a word to
/// a server. Of a file that its server has not told of yet, the kernel's copy says 1970.
fn file_facts(pid: i32, fd: i32) -> Option<(u64, Option<i64>)> {
    use rustix::fs::{AtFlags, StatxFlags};
    let path = format!("/proc/{pid}/fd/{fd}");
    let wanted = StatxFlags::SIZE | StatxFlags::MTIME;
    let found = rustix::fs::statx(rustix::fs::CWD, path, AtFlags::STATX_DONT_SYNC, wanted).ok()?;
    let millis = found.stx_mtime.tv_sec.checked_mul(1000)? + i64::from(found.stx_mtime.tv_nsec / 1_000_000);
    Some((found.stx_size, (millis != 0).then_some(millis)))
}

fn is_fifo(pid: i32, fd: i32) -> bool {
    let found = rustix::fs::stat(format!("/proc/{pid}/fd/{fd}"));
    found.is_ok_and(|found| rustix::fs::FileType::from_raw_mode(found.st_mode) == rustix::fs::FileType::Fifo)
}

fn is_terminal(path: &str) -> bool {
    path.starts_with("/dev/pts/") || path.starts_with("/dev/tty") || path == "/dev/console"
}

/// What stands behind a name of `fdinfo`.
fn value<'t>(info: &'t str, name: &str) -> Option<&'t str> {
    info.lines().find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim()))
}

fn number(info: &str, name: &str) -> Option<i64> {
    value(info, name)?.parse().ok()
}

/// `tfd:        5 events:       19 data: …` for each file, the events in hexadecimal digits.
pub fn watched(info: &str) -> Vec<PolledFile> {
    let one = |line: &str| {
        let mut words = line.strip_prefix("tfd:")?.split_whitespace();
        let fd = words.next()?.parse().ok()?;
        let events = words.nth(1).and_then(|events| u32::from_str_radix(events, 16).ok()).unwrap_or(1);
        Some(super::call::polled_file(fd, events))
    };
    info.lines().filter_map(one).collect()
}

/// Every mount.
pub(super) fn file_systems(mounts: &MountInfos) -> Vec<FileSystem> {
    mounts.0.iter().map(file_system).collect()
}

/// All that is read of an `fdinfo`.
pub(super) fn parse_info(info: &str) {
    let _ = (watched(info), number(info, "mnt_id"), number(info, "Pid"), value(info, "eventfd-count"));
}

/// A word or two for an argument of a call.
pub fn brief(descriptor: &Descriptor) -> String {
    match &descriptor.resource {
        Resource::File { path, .. }
        | Resource::Fifo { path }
        | Resource::Terminal { path }
        | Resource::Device { path } => path.clone(),
        Resource::Pipe { inode, .. } => match descriptor.access {
            Access::Write => format!("pipe {inode}, write end"),
            _ => format!("pipe {inode}, read end"),
        },
        Resource::Tcp(tcp) if tcp.state == SocketState::Listen => format!("TCP {} listening", tcp.local),
        Resource::Tcp(tcp) => format!("TCP {}->{}", tcp.local, tcp.remote),
        Resource::Udp { local, .. } => format!("UDP {local}"),
        Resource::Unix(unix) => format!("unix {}", unix.path.as_deref().unwrap_or("unnamed")),
        Resource::Socket { inode } => format!("socket {inode}"),
        Resource::Eventfd { .. } => "eventfd".to_owned(),
        Resource::Epoll { .. } => "epoll".to_owned(),
        Resource::Timerfd => "timerfd".to_owned(),
        Resource::Signalfd => "signalfd".to_owned(),
        Resource::Inotify => "inotify".to_owned(),
        Resource::Process { pid } => format!("process {pid}"),
        Resource::Other { name } => name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_epoll_watches() {
        let info = "pos:\t0\nflags:\t02\nmnt_id:\t15\ntfd:        5 events:       19 data:                5  pos:0 ino:1\n\
                    tfd:        7 events: 4 data: 0\ntfd: x\ntfd:\n";
        let file = |fd: i32, read: bool, write: bool| PolledFile { fd, read, write };
        assert_eq!(watched(info), [file(5, true, false), file(7, false, true)]);
        assert_eq!(number(info, "mnt_id"), Some(15));
        assert_eq!(number(info, "tfd"), None);
    }

    proptest::proptest! {
        #[test]
        fn no_info_panics(info in "(tfd|mnt_id|Pid|eventfd-count)?:?[ \t0-9a-z:]{0,40}\n{0,3}") {
            parse_info(&info);
        }
    }
}
