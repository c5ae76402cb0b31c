//! One moment of the whole machine, which every process that is looked at shares: who there is, who has which
//! pipe and socket open, the sockets themselves, who waits for which lock on a file. Read once for all
//! processes of a look, since a socket's other end may be any of them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};

use super::Error;
use super::holders::Holders;
use super::locks::{self, BlockedLock};
use super::proc_dir::ProcDir;
use super::sockets::{self, InetSocket, UnixSocket};
use crate::facts::{NetworkUse, ProcessLabel, SocketState, Unseen};

pub struct Machine {
    pub(super) holders: Holders,
    inet: HashMap<u64, InetSocket>,
    by_ends: HashMap<(SocketAddr, SocketAddr), u64>,
    listening: HashSet<u16>,
    unix: HashMap<u64, UnixSocket>,
    pub(super) locks: Vec<BlockedLock>,
    /// What of the machine could not be seen.
    pub unseen: Vec<Unseen>,
}

impl Machine {
    /// Errors: where there is no `/proc`.
    pub fn observe() -> Result<Self, Error> {
        let mut unseen = Vec::new();
        let holders = Holders::walk().map_err(|source| Error::NoProc { source })?;
        if holders.hidden > 0 {
            unseen.push(Unseen {
                what: format!("the open files of {} other processes", holders.hidden),
                why: "they belong to other users, or to a container's host".to_owned(),
                remedy: "run as root to see who is at the other end of a pipe or a local socket".to_owned(),
            });
        }
        let inet = all("TCP and UDP sockets", sockets::dump_inet(), &mut unseen);
        let unix = all("Unix sockets' peers", sockets::dump_unix(), &mut unseen);
        let table = std::fs::read_to_string("/proc/locks").unwrap_or_default();
        let listening = |socket: &&InetSocket| socket.tcp && socket.state == SocketState::Listen;
        Ok(Self {
            holders,
            listening: inet.iter().filter(listening).map(|socket| socket.local.port()).collect(),
            by_ends: inet.iter().map(|socket| (ends(socket.local, socket.remote), socket.inode)).collect(),
            inet: inet.into_iter().map(|socket| (socket.inode, socket)).collect(),
            unix: unix.into_iter().map(|socket| (socket.inode, socket)).collect(),
            locks: locks::blocked(&table),
            unseen,
        })
    }

    /// Every process with memory of its own, but for this one.
    pub fn processes(&self) -> Vec<ProcessLabel> {
        let own = std::process::id().cast_signed();
        let entries = self.holders.processes.values();
        let mut found: Vec<ProcessLabel> = entries
            .filter(|entry| !entry.kernel && entry.label.pid != own)
            .map(|entry| entry.label.clone())
            .collect();
        found.sort();
        found
    }

    pub(super) fn inet(&self, inode: u64) -> Option<&InetSocket> {
        self.inet.get(&inode)
    }

    pub(super) fn unix(&self, inode: u64) -> Option<&UnixSocket> {
        self.unix.get(&inode)
    }

    pub(super) fn listens(&self, port: u16) -> bool {
        self.listening.contains(&port)
    }

    /// The same connection as its other end has it, where that is on this machine.
    pub(super) fn other_end(&self, socket: &InetSocket) -> Option<&InetSocket> {
        self.inet.get(self.by_ends.get(&ends(socket.remote, socket.local))?)
    }

    /// What the connections of a process carried from this moment to a later one. `None` where its network is
    /// not ours.
    pub fn network_until(&self, later: &Self, pid: i32) -> Option<NetworkUse> {
        let process = ProcDir::open(pid).ok()?;
        if self.foreign_sockets(&process, &mut Vec::new()).is_some() {
            return None;
        }
        let is_its = |socket: &&InetSocket| {
            later.holders.process_of_socket(socket.inode).is_some_and(|label| label.pid == pid)
        };
        let counted = later.inet.values().filter(|socket| socket.tcp).filter(is_its).filter_map(|socket| {
            let before = self.inet.get(&socket.inode).and_then(|socket| socket.activity).unwrap_or_default();
            Some((socket.activity?, before))
        });
        let grown = |now: Option<u64>, then: Option<u64>| now.unwrap_or(0).saturating_sub(then.unwrap_or(0));
        Some(counted.fold(NetworkUse::default(), |sum, (now, then)| NetworkUse {
            connections: sum.connections + 1,
            sent_bytes: sum.sent_bytes + grown(now.bytes_sent, then.bytes_sent),
            received_bytes: sum.received_bytes + grown(now.bytes_received, then.bytes_received),
            sent_again: sum.sent_again
                + u64::from(now.retransmits_total.saturating_sub(then.retransmits_total)),
        }))
    }

    /// Connections that the peer has closed and the process has not, by process.
    pub(crate) fn close_wait(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for socket in self.inet.values().filter(|socket| socket.tcp && socket.state == SocketState::CloseWait)
        {
            let process = self.holders.process_of_socket(socket.inode);
            *counts
                .entry(process.map_or_else(|| "a hidden process".to_owned(), |label| label.to_string()))
                .or_default() += 1;
        }
        counts
    }

    /// Of the peer to which most connections from local ports of this range go: how many, and its address.
    pub(crate) fn ports_used(&self, (low, high): (u16, u16)) -> Option<(u64, String)> {
        let mut counts: BTreeMap<SocketAddr, u64> = BTreeMap::new();
        // Connections that have ended have no inode, and count all the same: they are found by their ends.
        for (local, remote) in self.by_ends.keys().filter(|(_, remote)| remote.port() != 0) {
            if (low..=high).contains(&local.port()) {
                *counts.entry(*remote).or_default() += 1;
            }
        }
        counts.into_iter().max_by_key(|(_, count)| *count).map(|(peer, count)| (count, peer.to_string()))
    }

    /// Whether somebody listens on this port for IPv4, and for IPv6; absent where nobody does.
    pub(crate) fn listening_families(&self, port: u16) -> Option<(bool, bool)> {
        let here = |socket: &&InetSocket| {
            socket.tcp && socket.state == SocketState::Listen && socket.local.port() == port
        };
        let listeners: Vec<IpAddr> =
            self.inet.values().filter(here).map(|socket| socket.local.ip()).collect();
        // The unspecified address of IPv6 takes both, unless its socket says otherwise, which few do.
        let both = |ip: &IpAddr| ip.is_ipv6() && ip.is_unspecified();
        let v4 = listeners.iter().any(|ip| ip.is_ipv4() || both(ip));
        (!listeners.is_empty()).then(|| (v4, listeners.iter().any(IpAddr::is_ipv6)))
    }

    /// `None` where the process's network is ours, and [`Self::inet`] has its sockets.
    pub(super) fn foreign_sockets(
        &self,
        process: &ProcDir,
        unseen: &mut Vec<Unseen>,
    ) -> Option<(Vec<InetSocket>, Vec<UnixSocket>)> {
        let own = std::fs::read_link("/proc/self/ns/net").ok()?;
        let theirs = process.link("ns/net").ok()?;
        let same = own.to_string_lossy() == theirs;
        if same && !self.inet.is_empty() {
            return None;
        }
        if !same {
            unseen.push(Unseen {
                what: "when its sockets last sent and received".to_owned(),
                why: "it has a network namespace of its own (a container)".to_owned(),
                remedy: format!("run inside it: `nsenter -t {} -n parhelion doctor stuck {0}`", process.pid),
            });
        }
        Some(super::socket_tables::read(process))
    }
}

/// IPv4 connections of an IPv6 socket look the same from both ends.
fn ends(local: SocketAddr, remote: SocketAddr) -> (SocketAddr, SocketAddr) {
    let plain = |address: SocketAddr| match address.ip() {
        IpAddr::V6(ip) => {
            ip.to_ipv4_mapped().map_or(address, |ip| SocketAddr::new(ip.into(), address.port()))
        }
        IpAddr::V4(_) => address,
    };
    (plain(local), plain(remote))
}

fn all<T>(what: &str, found: std::io::Result<Vec<T>>, unseen: &mut Vec<Unseen>) -> Vec<T> {
    found.unwrap_or_else(|error| {
        unseen.push(Unseen {
            what: what.to_owned(),
            why: format!("the kernel refuses sock_diag: {error}"),
            remedy: "run outside of the sandbox; tables of /proc are read instead".to_owned(),
        });
        Vec::new()
    })
}
