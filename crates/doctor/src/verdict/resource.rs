//! What it means to wait to read from, or to write to, an open file: by its kind, its other end and who spoke
//! last. In: the process and a descriptor; out: a verdict that blames whoever is at the other end, where it
//! was seen. Pure: what a descriptor is was found by `observe`.

use super::words::{bytes, duration, service};
use super::{Cause, ThreadVerdict};
use crate::facts::{
    Access, Descriptor, Holder, ProcessFacts, ProcessLabel, Resource, Side, SocketState, TcpFacts, UnixFacts,
};

/// Waits for something to read.
pub fn read(process: &ProcessFacts, fd: i32) -> ThreadVerdict {
    let Some(file) = process.file(fd) else { return unseen(fd) };
    match &file.resource {
        Resource::Tcp(tcp) if tcp.state == SocketState::Listen => {
            rest(format!("connections at {}", tcp.local))
        }
        Resource::Tcp(tcp) => read_tcp(fd, tcp),
        Resource::Udp { local, .. } => rest(format!("datagrams at UDP {local} (fd {fd})")),
        Resource::Unix(unix) => read_unix(fd, unix),
        Resource::Pipe { inode, holders } => read_pipe(process, fd, *inode, holders),
        Resource::Fifo { path } => {
            waits(Cause::PipeSilent, format!("data from the named pipe {path} (fd {fd})"), "nobody writes")
        }
        Resource::Terminal { path } => {
            waits(Cause::Terminal, format!("input at {path} (fd {fd})"), "nobody types")
        }
        Resource::File { path, file_system, .. } => match file_system {
            Some(system) if system.is_served() => {
                let object = format!(
                    "{path} (fd {fd}) on {} {} from {}",
                    system.kind, system.mount_point, system.source
                );
                waits(Cause::ServedFile, object, "its server does not answer")
            }
            _ => waits(Cause::DiskWait, format!("{path} (fd {fd})"), "the disk does not answer"),
        },
        Resource::Process { pid } => child(process, Some(*pid)),
        Resource::Device { path } => {
            waits(Cause::Unknown, format!("the device {path} (fd {fd})"), "it has nothing to read")
        }
        Resource::Eventfd { .. } => rest(format!("an event (fd {fd})")),
        Resource::Timerfd => ThreadVerdict { cause: Cause::Sleeps, ..rest(format!("a timer (fd {fd})")) },
        Resource::Epoll { .. } | Resource::Signalfd | Resource::Inotify => rest(format!("events (fd {fd})")),
        Resource::Socket { inode } => {
            waits(Cause::Unknown, format!("socket {inode} (fd {fd})"), "the kernel does not show its kind")
        }
        Resource::Other { name } => {
            waits(Cause::Unknown, format!("{name} (fd {fd})"), "it has nothing to read")
        }
    }
}

/// Waits for room to write.
pub fn write(process: &ProcessFacts, fd: i32) -> ThreadVerdict {
    let Some(file) = process.file(fd) else { return unseen(fd) };
    match &file.resource {
        Resource::Tcp(tcp) => write_tcp(fd, tcp),
        Resource::Unix(unix) => {
            let object =
                format!("room in the Unix socket {} (fd {fd}){}", path_of(unix), to(unix.peer.as_ref()));
            blaming(waits(Cause::SendBlocked, object, "the peer does not read"), unix.peer.clone())
        }
        Resource::Pipe { inode, holders } => {
            let reader = other(process, holders, Access::reads);
            let because = if reader.is_some() {
                "whoever has the other end does not read"
            } else {
                "only it has the read end"
            };
            let object = format!("room in pipe {inode} (fd {fd}){}", to(reader.as_ref()));
            blaming(waits(Cause::PipeFull, object, because), reader)
        }
        Resource::Fifo { path } => {
            waits(Cause::PipeFull, format!("room in the named pipe {path} (fd {fd})"), "nobody reads")
        }
        Resource::Terminal { path } => waits(
            Cause::Terminal,
            format!("output at {path} (fd {fd})"),
            "the terminal takes no more (Ctrl-S?)",
        ),
        // Files and the rest wait for the same to be written as to be read.
        _ => read(process, fd),
    }
}

/// Waits for a connection to be made.
pub fn connect(process: &ProcessFacts, fd: i32) -> ThreadVerdict {
    match process.file(fd).map(|file| &file.resource) {
        Some(Resource::Tcp(tcp)) => {
            let object =
                format!("{} to accept a connection (fd {fd}, {})", service(tcp.remote), tcp.state.name());
            blaming(waits(Cause::Connecting, object, "nothing has come back"), tcp.peer.clone())
        }
        Some(Resource::Unix(unix)) => {
            let object = format!("the listener of {} to take it in (fd {fd})", path_of(unix));
            waits(Cause::Connecting, object, "its queue of connections is full")
        }
        _ => unseen(fd),
    }
}

/// Waits for a child to end: the one that is named, or the one there is.
pub fn child(process: &ProcessFacts, pid: Option<i32>) -> ThreadVerdict {
    let found = match pid {
        Some(pid) => process.children.iter().find(|child| child.label.pid == pid),
        None => process.children.first(),
    };
    let label = found.map(|child| child.label.clone());
    let object = match (&label, pid, process.children.len()) {
        (Some(label), None, count) if count > 1 => format!("one of its {count} children, {label} among them"),
        (Some(label), ..) => format!("its child {label}"),
        (None, Some(pid), _) => format!("process {pid}"),
        (None, None, _) => "a child".to_owned(),
    };
    blaming(waits(Cause::ChildWait, object, "it has not ended"), label)
}

pub fn waits(cause: Cause, object: String, because: &str) -> ThreadVerdict {
    ThreadVerdict { cause, object, because: because.to_owned(), ..ThreadVerdict::default() }
}

pub fn rest(object: String) -> ThreadVerdict {
    ThreadVerdict { cause: Cause::Idle, object, ..ThreadVerdict::default() }
}

fn blaming(verdict: ThreadVerdict, blames: Option<ProcessLabel>) -> ThreadVerdict {
    ThreadVerdict { blames, ..verdict }
}

fn unseen(fd: i32) -> ThreadVerdict {
    waits(Cause::Unknown, format!("fd {fd}"), "what it stands for could not be seen")
}

fn to(peer: Option<&ProcessLabel>) -> String {
    peer.map(|peer| format!(" to {peer}")).unwrap_or_default()
}

fn path_of(unix: &UnixFacts) -> &str {
    unix.path.as_deref().unwrap_or("without a name")
}

/// Somebody else who can do this at the other end; whoever is first, as after a fork several can.
fn other(process: &ProcessFacts, holders: &[Holder], can: fn(Access) -> bool) -> Option<ProcessLabel> {
    let others =
        holders.iter().filter(|holder| holder.process.pid != process.label.pid && can(holder.access));
    others.map(|holder| holder.process.clone()).next()
}

fn read_pipe(process: &ProcessFacts, fd: i32, inode: u64, holders: &[Holder]) -> ThreadVerdict {
    let writer = other(process, holders, Access::writes);
    let own = holders.iter().any(|holder| holder.process.pid == process.label.pid && holder.access.writes());
    let object = |who: &str| format!("pipe {inode} (fd {fd}){who}");
    match (writer, own) {
        (Some(writer), _) => {
            let object = object(&format!(" from {writer}"));
            blaming(
                waits(Cause::PipeSilent, object, "whoever has the write end does not write"),
                Some(writer),
            )
        }
        // Another thread may write to it: a wake-up of its own.
        (None, true) if process.threads.len() > 1 => rest(object(", written by its own threads")),
        (None, true) => {
            waits(Cause::PipeOwn, object(""), "only it has the write end: nobody will ever write")
        }
        (None, false) => waits(
            Cause::PipeSilent,
            object(""),
            "whoever has the write end belongs to a process that could not be seen",
        ),
    }
}

fn read_unix(fd: i32, unix: &UnixFacts) -> ThreadVerdict {
    if unix.listening {
        return rest(format!("connections at {}", path_of(unix)));
    }
    if unix.accepted {
        return rest(format!("the next request at {} (fd {fd}){}", path_of(unix), of(unix.peer.as_ref())));
    }
    let object = format!("the Unix socket {} (fd {fd}){}", path_of(unix), of(unix.peer.as_ref()));
    blaming(waits(Cause::LocalAnswer, object, "the peer has not answered"), unix.peer.clone())
}

fn of(peer: Option<&ProcessLabel>) -> String {
    peer.map(|peer| format!(" of {peer}")).unwrap_or_default()
}

fn read_tcp(fd: i32, tcp: &TcpFacts) -> ThreadVerdict {
    let name = named(fd, tcp);
    if tcp.state == SocketState::SynSent {
        return waits(Cause::Connecting, name, "nothing has come back");
    }
    if tcp.side == Side::Server {
        return rest(format!("the next request of {} (fd {fd})", tcp.remote));
    }
    let verdict = if tcp.send_queue > 0 && tcp.retransmits > 0 {
        let because =
            format!("{} were sent again and again and nobody acknowledged them", bytes(tcp.send_queue));
        waits(Cause::Unreachable, name, &because)
    } else {
        match tcp.we_spoke_last() {
            Some(true) => waits(Cause::AnswerOwed, name, "the peer owes an answer"),
            Some(false) => {
                let since =
                    tcp.received_ms_ago.map(|ms| format!(", {} ago", duration(ms))).unwrap_or_default();
                waits(Cause::NextMessage, name, &format!("the peer spoke last{since}"))
            }
            None => {
                let because =
                    "the peer owes an answer, if ours was the last word (the kernel's clock does not tell)";
                ThreadVerdict { doubtful: true, ..waits(Cause::AnswerOwed, name, because) }
            }
        }
    };
    // The kernel may run the thread now and then (time-outs): the request is as old as its last byte.
    let waits_ms = tcp.sent_ms_ago.filter(|_| verdict.cause == Cause::AnswerOwed);
    ThreadVerdict { waits_ms, blames: tcp.peer.clone(), ..verdict }
}

fn write_tcp(fd: i32, tcp: &TcpFacts) -> ThreadVerdict {
    let name = format!("room to send to {}", named(fd, tcp));
    let verdict = if tcp.retransmits > 0 {
        waits(Cause::Unreachable, name, "what was sent is not acknowledged")
    } else {
        waits(Cause::SendBlocked, name, "the peer does not read")
    };
    blaming(verdict, tcp.peer.clone())
}

/// `PostgreSQL at 10.0.0.5:5432 (fd 6, ESTABLISHED, nothing queued)`.
fn named(fd: i32, tcp: &TcpFacts) -> String {
    let queued = match (tcp.receive_queue, tcp.send_queue) {
        (0, 0) => "nothing queued".to_owned(),
        (0, out) => format!("{} to send", bytes(out)),
        (unread, 0) => format!("{} unread", bytes(unread)),
        (unread, out) => format!("{} unread, {} to send", bytes(unread), bytes(out)),
    };
    let peer = tcp.peer.as_ref().map(|peer| format!(", {peer}")).unwrap_or_default();
    format!("{} (fd {fd}, {}, {queued}{peer})", service(tcp.remote), tcp.state.name())
}

/// Files that make a wait an event loop: whoever waits for these waits for work.
pub fn is_loop_file(file: &Descriptor) -> bool {
    match &file.resource {
        Resource::Eventfd { .. }
        | Resource::Timerfd
        | Resource::Signalfd
        | Resource::Inotify
        | Resource::Epoll { .. } => true,
        Resource::Tcp(tcp) => tcp.state == SocketState::Listen || tcp.side == Side::Server,
        Resource::Unix(unix) => unix.listening || unix.accepted,
        Resource::Udp { .. } => true,
        _ => false,
    }
}
