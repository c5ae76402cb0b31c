//! What a file descriptor stands for: a file on a file system, a pipe or socket with whoever is at the other
//! end, an event. Data only, with names that a program reads in the JSON form. Found by
//! `observe/descriptors.rs`, judged by `verdict/resource.rs`.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use super::label::ProcessLabel;

/// One open file of a process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Descriptor {
    pub fd: i32,
    pub access: Access,
    pub resource: Resource,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    #[default]
    Read,
    Write,
    Both,
}

impl Access {
    pub fn reads(self) -> bool {
        self != Self::Write
    }

    pub fn writes(self) -> bool {
        self != Self::Read
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    File {
        path: String,
        file_system: Option<FileSystem>,
        bytes: Option<u64>,
        /// How long ago it was last written.
        written_ms_ago: Option<u64>,
    },
    Terminal {
        path: String,
    },
    Device {
        path: String,
    },
    /// A pipe with a name.
    Fifo {
        path: String,
    },
    Pipe {
        inode: u64,
        /// Who else has an end of it, with the access of that end. The process itself is among them.
        holders: Vec<Holder>,
    },
    Tcp(TcpFacts),
    Udp {
        local: SocketAddr,
        remote: SocketAddr,
    },
    Unix(UnixFacts),
    /// A socket of another kind, or one that the tables do not show.
    Socket {
        inode: u64,
    },
    Eventfd {
        count: u64,
        holders: Vec<Holder>,
    },
    Epoll {
        watched: Vec<super::PolledFile>,
    },
    Timerfd,
    Signalfd,
    Inotify,
    /// A process, by pidfd.
    Process {
        pid: i32,
    },
    Other {
        name: String,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSystem {
    /// `ext4`, `nfs4`, `fuse.sshfs`.
    pub kind: String,
    /// `server:/export`, a device.
    pub source: String,
    pub mount_point: String,
}

impl FileSystem {
    /// Somebody else answers for it: a server, or a process.
    pub fn is_served(&self) -> bool {
        const SERVED: [&str; 12] = [
            "nfs", "cifs", "smb", "fuse", "ceph", "gluster", "lustre", "9p", "afs", "ncp", "beegfs",
            "virtiofs",
        ];
        SERVED.iter().any(|kind| self.kind.starts_with(kind))
    }
}

/// Somebody who has an end of something.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Holder {
    pub process: ProcessLabel,
    pub fd: i32,
    pub access: Access,
}

/// The other end of a socket where it is on this machine.
pub type LocalPeer = Option<ProcessLabel>;

/// Who opened a connection. The kernel does not keep it; ports tell, where a listener of this machine has the
/// local one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    Client,
    Server,
    #[default]
    Unknown,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SocketState {
    Established,
    SynSent,
    SynRecv,
    FinWait1,
    FinWait2,
    TimeWait,
    Close,
    CloseWait,
    LastAck,
    Listen,
    Closing,
    #[default]
    Unknown,
}

impl SocketState {
    /// The kernel's number (`include/net/tcp_states.h`).
    pub fn from_number(number: u8) -> Self {
        const STATES: [SocketState; 11] = [
            SocketState::Established,
            SocketState::SynSent,
            SocketState::SynRecv,
            SocketState::FinWait1,
            SocketState::FinWait2,
            SocketState::TimeWait,
            SocketState::Close,
            SocketState::CloseWait,
            SocketState::LastAck,
            SocketState::Listen,
            SocketState::Closing,
        ];
        usize::from(number).checked_sub(1).and_then(|at| STATES.get(at)).copied().unwrap_or_default()
    }

    /// As `ss` and `netstat` spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Established => "ESTABLISHED",
            Self::SynSent => "SYN_SENT",
            Self::SynRecv => "SYN_RECV",
            Self::FinWait1 => "FIN_WAIT1",
            Self::FinWait2 => "FIN_WAIT2",
            Self::TimeWait => "TIME_WAIT",
            Self::Close => "CLOSE",
            Self::CloseWait => "CLOSE_WAIT",
            Self::LastAck => "LAST_ACK",
            Self::Listen => "LISTEN",
            Self::Closing => "CLOSING",
            Self::Unknown => "unknown",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TcpFacts {
    pub local: SocketAddr,
    pub remote: SocketAddr,
    pub state: SocketState,
    /// Bytes that came and are not read yet; of a listener, connections not yet accepted.
    pub receive_queue: u64,
    /// Bytes that the other side has not acknowledged yet; of a listener, how many may wait.
    pub send_queue: u64,
    pub side: Side,
    pub sent_ms_ago: Option<u64>,
    pub received_ms_ago: Option<u64>,
    /// When the other side last acknowledged anything.
    pub acknowledged_ms_ago: Option<u64>,
    pub bytes_sent: Option<u64>,
    pub bytes_received: Option<u64>,
    /// Segments sent again since the last that was acknowledged.
    pub retransmits: u32,
    /// A timer that sends empty segments is set.
    pub keepalive: Option<bool>,
    pub peer: LocalPeer,
}

impl TcpFacts {
    /// The last data went from here to there: the next word is the peer's. `None` where the kernel does not
    /// say.
    ///
    /// The kernel counts in ticks of 1 to 10 ms. A request and its answer may fall into one, and so may an
    /// answer and the next request: then an acknowledgement that came later tells that ours was the last, as
    /// the peer's would have had none to send.
    pub fn we_spoke_last(&self) -> Option<bool> {
        // Both count from the connection's beginning while nothing was sent: bytes decide, where they are
        // known.
        if self.bytes_sent == Some(0) {
            return Some(false);
        }
        if self.bytes_received == Some(0) && self.bytes_sent.is_some() {
            return Some(true);
        }
        let (sent, received) = (self.sent_ms_ago?, self.received_ms_ago?);
        if sent != received {
            return Some(sent < received);
        }
        // The answers to keepalive's probes are acknowledgements too.
        let later = self.acknowledged_ms_ago.is_some_and(|ms| ms < sent) && self.keepalive != Some(true);
        later.then_some(true)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnixFacts {
    pub inode: u64,
    /// Its own name, or that of the listener at the other end.
    pub path: Option<String>,
    pub listening: bool,
    pub receive_queue: Option<u64>,
    pub send_queue: Option<u64>,
    pub peer: LocalPeer,
    /// It was accepted by a listener: the other end is a client.
    pub accepted: bool,
}
