//! The sockets of another network namespace, from the tables that every process shows of its own
//! (`/proc/PID/net`): addresses, states and queues, without times and without the peers of Unix sockets. Also
//! what is left where `sock_diag` is refused.

use procfs_core::net::{TcpNetEntries, UdpNetEntries, UnixNetEntries};
use procfs_core::{ExplicitSystemInfo, FromBufRead as _, FromBufReadSI as _};

use super::proc_dir::{ProcDir, printable};
use super::sockets::{InetSocket, UnixSocket};
use crate::facts::SocketState;

/// All that the tables show; a table that is missing or unreadable shows nothing.
pub fn read(process: &ProcDir) -> (Vec<InetSocket>, Vec<UnixSocket>) {
    let mut inet = Vec::new();
    for table in ["net/tcp", "net/tcp6"] {
        inet.extend(process.text(table).map(|text| tcp(&text)).unwrap_or_default());
    }
    for table in ["net/udp", "net/udp6"] {
        inet.extend(process.text(table).map(|text| udp(&text)).unwrap_or_default());
    }
    let unix = process.text("net/unix").map(|text| unix(&text)).unwrap_or_default();
    (inet, unix)
}

/// One text as each of the tables.
pub(super) fn parse(text: &str) -> (Vec<InetSocket>, Vec<UnixSocket>) {
    let mut inet = tcp(text);
    inet.extend(udp(text));
    (inet, unix(text))
}

/// Addresses are written in the machine's own order of bytes.
fn system() -> ExplicitSystemInfo {
    ExplicitSystemInfo {
        boot_time_secs: 0,
        ticks_per_second: 100,
        page_size: 4096,
        is_little_endian: cfg!(target_endian = "little"),
    }
}

fn tcp(text: &str) -> Vec<InetSocket> {
    let Ok(TcpNetEntries(entries)) = TcpNetEntries::from_buf_read(text.as_bytes(), &system()) else {
        return Vec::new();
    };
    let socket = |entry: procfs_core::net::TcpNetEntry| InetSocket {
        inode: entry.inode,
        tcp: true,
        local: entry.local_address,
        remote: entry.remote_address,
        state: SocketState::from_number(entry.state.to_u8()),
        receive_queue: entry.rx_queue.into(),
        send_queue: entry.tx_queue.into(),
        activity: None,
        keepalive: None,
    };
    entries.into_iter().map(socket).collect()
}

fn udp(text: &str) -> Vec<InetSocket> {
    let Ok(UdpNetEntries(entries)) = UdpNetEntries::from_buf_read(text.as_bytes(), &system()) else {
        return Vec::new();
    };
    let socket = |entry: procfs_core::net::UdpNetEntry| InetSocket {
        inode: entry.inode,
        tcp: false,
        local: entry.local_address,
        remote: entry.remote_address,
        state: SocketState::Unknown,
        receive_queue: entry.rx_queue.into(),
        send_queue: entry.tx_queue.into(),
        activity: None,
        keepalive: None,
    };
    entries.into_iter().map(socket).collect()
}

fn unix(text: &str) -> Vec<UnixSocket> {
    let Ok(UnixNetEntries(entries)) = UnixNetEntries::from_buf_read(text.as_bytes()) else {
        return Vec::new();
    };
    let socket = |entry: procfs_core::net::UnixNetEntry| UnixSocket {
        inode: entry.inode,
        path: entry.path.map(|path| printable(path.as_os_str().as_encoded_bytes())),
        connected: entry.state == procfs_core::net::UnixState::CONNECTED,
        ..UnixSocket::default()
    };
    entries.into_iter().map(socket).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TCP: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
        0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 7777 1 0 100 0 0 10 0\n   \
        1: 0100007F:C350 0100007F:1538 01 00000010:00000020 00:00000000 00000000     0        0 8888 1 0 20 4 30 10 -1\n";

    #[test]
    fn tables_are_read() {
        let found = tcp(TCP);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].state, found[0].inode), (SocketState::Listen, 7777));
        assert_eq!(found[1].remote, "127.0.0.1:5432".parse().unwrap());
        assert_eq!((found[1].send_queue, found[1].receive_queue), (16, 32));
    }

    proptest::proptest! {
        #[test]
        fn no_table_panics(text in ".{0,300}", lines in proptest::collection::vec("[ 0-9A-F:]{0,90}", 0..5)) {
            let table = format!("head\n{}", lines.join("\n"));
            for text in [&text, &table] {
                let _ = (tcp(text), udp(text), unix(text));
            }
        }
    }
}
