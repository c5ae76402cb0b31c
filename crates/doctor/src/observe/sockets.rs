//! The sockets of this network namespace, asked of the kernel by `sock_diag`: addresses, states, queues, when
//! data last went either way, and for Unix sockets which socket is at the other end. One dump a family, as
//! `ss` does.

use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use netlink_packet_core::{NLM_F_DUMP, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload};
use netlink_packet_sock_diag::SockDiagMessage;
use netlink_packet_sock_diag::constants::{AF_INET, AF_INET6, IPPROTO_TCP, IPPROTO_UDP};
use netlink_packet_sock_diag::inet::{self, ExtensionFlags, InetRequest, SocketId, nlas::Nla};
use netlink_packet_sock_diag::unix::{self, UnixRequest, nlas::UnixDiagName};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink};

use crate::facts::SocketState;

/// One socket of the Internet's families.
#[derive(Clone, Debug, PartialEq)]
pub struct InetSocket {
    pub inode: u64,
    pub tcp: bool,
    pub local: SocketAddr,
    pub remote: SocketAddr,
    pub state: SocketState,
    pub receive_queue: u64,
    pub send_queue: u64,
    pub activity: Option<Activity>,
    pub keepalive: Option<bool>,
}

/// What the kernel counts of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    pub sent_ms_ago: u64,
    pub received_ms_ago: u64,
    pub acknowledged_ms_ago: u64,
    pub bytes_sent: Option<u64>,
    pub bytes_received: Option<u64>,
    pub retransmits: u32,
    /// Segments sent again since the connection began.
    pub retransmits_total: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnixSocket {
    pub inode: u64,
    pub path: Option<String>,
    pub listening: bool,
    pub connected: bool,
    pub peer: Option<u64>,
    pub receive_queue: Option<u64>,
    pub send_queue: Option<u64>,
}

/// Every TCP and UDP socket.
pub fn dump_inet() -> io::Result<Vec<InetSocket>> {
    let mut found = Vec::new();
    for (protocol, tcp) in [(IPPROTO_TCP, true), (IPPROTO_UDP, false)] {
        for (family, socket_id) in [(AF_INET, SocketId::new_v4()), (AF_INET6, SocketId::new_v6())] {
            let request = InetRequest {
                family,
                protocol,
                extensions: ExtensionFlags::INFO,
                states: inet::StateFlags::all(),
                socket_id,
            };
            dump(SockDiagMessage::InetRequest(request), &mut |message| {
                if let SockDiagMessage::InetResponse(response) = message {
                    found.push(inet_socket(&response, tcp));
                }
            })?;
        }
    }
    Ok(found)
}

pub fn dump_unix() -> io::Result<Vec<UnixSocket>> {
    let mut found = Vec::new();
    let request = UnixRequest {
        state_flags: unix::StateFlags::all(),
        inode: 0,
        show_flags: unix::ShowFlags::NAME | unix::ShowFlags::PEER | unix::ShowFlags::RQLEN,
        cookie: [0xff; 8],
    };
    dump(SockDiagMessage::UnixRequest(request), &mut |message| {
        if let SockDiagMessage::UnixResponse(response) = message {
            found.push(unix_socket(&response));
        }
    })?;
    Ok(found)
}

fn inet_socket(response: &inet::InetResponse, tcp: bool) -> InetSocket {
    let header = &response.header;
    let id = &header.socket_id;
    let activity = response.nlas.iter().find_map(|nla| match nla {
        Nla::TcpInfo(info) => activity(info),
        _ => None,
    });
    InetSocket {
        inode: header.inode.into(),
        tcp,
        local: SocketAddr::new(id.source_address, id.source_port),
        remote: SocketAddr::new(id.destination_address, id.destination_port),
        state: SocketState::from_number(header.state),
        receive_queue: header.recv_queue.into(),
        send_queue: header.send_queue.into(),
        activity,
        keepalive: Some(matches!(header.timer, Some(inet::Timer::KeepAlive(_)))),
    }
}

/// From the kernel's `struct tcp_info`, which has only ever grown at its end: what an older kernel lacks is
/// absent.
fn activity(info: &[u8]) -> Option<Activity> {
    let word = |at: usize| Some(u32::from_ne_bytes(info.get(at..at + 4)?.try_into().ok()?));
    let long = |at: usize| Some(u64::from_ne_bytes(info.get(at..at + 8)?.try_into().ok()?));
    // Kernels before 4.19 count only what was acknowledged, the opening segment among it.
    let acknowledged = long(120).map(|bytes| bytes.saturating_sub(1));
    Some(Activity {
        retransmits: u32::from(*info.get(2)?),
        sent_ms_ago: word(44)?.into(),
        received_ms_ago: word(52)?.into(),
        acknowledged_ms_ago: word(56)?.into(),
        bytes_sent: long(200).or(acknowledged),
        bytes_received: long(128),
        retransmits_total: word(100).unwrap_or(0),
    })
}

fn unix_socket(response: &unix::UnixResponse) -> UnixSocket {
    const ESTABLISHED: u8 = 1;
    const LISTEN: u8 = 10;
    let name = response.name().map(|name| match name {
        UnixDiagName::Pathname(path) => super::proc_dir::printable(path.as_encoded_bytes()),
        UnixDiagName::Abstract(name) => format!("@{}", super::proc_dir::printable(name)),
    });
    UnixSocket {
        inode: response.header.inode.into(),
        path: name.filter(|name| !name.is_empty()),
        listening: response.header.state == LISTEN,
        connected: response.header.state == ESTABLISHED,
        peer: response.peer().map(u64::from),
        receive_queue: response.receive_queue_size().map(u64::from),
        send_queue: response.send_queue_size().map(u64::from),
    }
}

/// Sends one request and hands over each message of the answer.
fn dump(request: SockDiagMessage, found: &mut dyn FnMut(SockDiagMessage)) -> io::Result<()> {
    let socket = open()?;
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | NLM_F_DUMP;
    let mut message = NetlinkMessage::new(header, NetlinkPayload::from(request));
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    rustix::net::send(&socket, &bytes, SendFlags::empty())?;
    // The kernel fills at most 32 KiB a message of a dump; a datagram that does not fit would be cut.
    let mut buffer = vec![0; 256 << 10];
    loop {
        let (length, _) = rustix::net::recv(&socket, &mut *buffer, RecvFlags::empty())?;
        if read_datagram(buffer.get(..length).unwrap_or_default(), found)? {
            return Ok(());
        }
    }
}

fn open() -> io::Result<OwnedFd> {
    let socket = rustix::net::socket_with(
        AddressFamily::NETLINK,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(netlink::SOCK_DIAG),
    )?;
    rustix::net::connect(&socket, &netlink::SocketAddrNetlink::new(0, 0))?;
    Ok(socket)
}

/// What a message says of a socket.
pub(super) fn read_message(message: &SockDiagMessage) -> (Option<InetSocket>, Option<UnixSocket>) {
    match message {
        SockDiagMessage::InetResponse(response) => (Some(inet_socket(response, true)), None),
        SockDiagMessage::UnixResponse(response) => (None, Some(unix_socket(response))),
        _ => (None, None),
    }
}

/// Reads the messages of one datagram; `true` once the dump is over.
pub(super) fn read_datagram(bytes: &[u8], found: &mut dyn FnMut(SockDiagMessage)) -> io::Result<bool> {
    let mut rest = bytes;
    while let Some(length) = rest.get(..4).and_then(|head| head.try_into().ok()).map(u32::from_ne_bytes) {
        let length = length as usize;
        let Some(one) = rest.get(..length).filter(|one| one.len() >= 16) else { break };
        // A message that this version of the library cannot read is one socket that is not shown, not a
        // failure of all.
        if let Ok(message) = NetlinkMessage::<SockDiagMessage>::deserialize(one) {
            match message.payload {
                NetlinkPayload::InnerMessage(inner) => found(inner),
                NetlinkPayload::Done(_) => return Ok(true),
                NetlinkPayload::Error(error) if error.code.is_some() => return Err(error.to_io()),
                _ => {}
            }
        }
        // Messages begin at multiples of four.
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(bytes.is_empty())
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn a_connection_is_seen_from_both_ends() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        io::Write::write_all(&mut server, b"hello").unwrap();
        let sockets = dump_inet().unwrap();
        let own = client.local_addr().unwrap();
        let ours = sockets.iter().find(|socket| socket.local == own).unwrap();
        assert_eq!((ours.state, ours.receive_queue), (SocketState::Established, 5));
        assert_eq!(ours.activity.unwrap().bytes_received, Some(5));
        assert_eq!(ours.activity.unwrap().bytes_sent, Some(0));
        let theirs = sockets.iter().find(|socket| socket.remote == own).unwrap();
        assert_eq!(theirs.activity.unwrap().bytes_sent, Some(5));
        assert!(sockets.iter().any(|socket| socket.state == SocketState::Listen));
    }

    #[test]
    fn unix_sockets_know_their_peers() {
        let (one, other) = UnixStream::pair().unwrap();
        let inode = |stream: &UnixStream| rustix::fs::fstat(stream).unwrap().st_ino;
        let sockets = dump_unix().unwrap();
        let found = sockets.iter().find(|socket| socket.inode == inode(&one)).unwrap();
        assert_eq!(found.peer, Some(inode(&other)));
    }

    proptest::proptest! {
        #[test]
        fn no_datagram_panics(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..600)) {
            let _ = read_datagram(&bytes, &mut |_| ());
        }
    }
}
