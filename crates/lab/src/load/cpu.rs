//! CPU time of processes, from `/proc`: the server's, found by the port it listens on, and the generator's own. On a machine
//! without `/proc`, or for a server elsewhere, there is none and the report says so.

use std::fs;
use std::net::ToSocketAddrs as _;

/// Linux counts process times in hundredths of a second for every program, whatever the kernel's own tick.
const TICKS_PER_SECOND: f64 = 100.0;

/// The processes that make up one server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Processes(Vec<u32>);

impl Processes {
    pub fn new(pids: Vec<u32>) -> Self {
        Self(pids)
    }

    /// The process of this machine that listens on `host:port`; none when it is elsewhere or hidden from this user.
    pub fn listening_on(authority: &str) -> Self {
        Self(find(authority).into_iter().collect())
    }

    /// Seconds of user and system time used so far, to a hundredth; `None` when no process is known or one is gone.
    pub fn cpu_seconds(&self) -> Option<f64> {
        if self.0.is_empty() {
            return None;
        }
        self.0.iter().map(|pid| cpu_seconds(&pid.to_string())).sum()
    }

    /// Resident memory now, in bytes.
    pub fn resident_bytes(&self) -> Option<u64> {
        if self.0.is_empty() {
            return None;
        }
        self.0.iter().map(|pid| resident_bytes(*pid)).sum()
    }
}

/// Of this process.
pub fn own_cpu_seconds() -> Option<f64> {
    cpu_seconds("self")
}

fn cpu_seconds(process: &str) -> Option<f64> {
    parse_stat(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

/// Fields 14 and 15 of proc(5)'s stat; the second, a name in brackets, may hold anything.
fn parse_stat(stat: &str) -> Option<f64> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) as f64 / TICKS_PER_SECOND)
}

fn resident_bytes(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

fn find(authority: &str) -> Option<u32> {
    let port = local_port(authority)?;
    let tables = tables();
    let inodes: Vec<&str> = tables.iter().flat_map(|table| listeners(table, port)).collect();
    let wanted: Vec<String> = inodes.iter().map(|inode| format!("socket:[{inode}]")).collect();
    let processes = fs::read_dir("/proc").ok()?.flatten();
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .find(|pid| holds(*pid, &wanted))
}

/// Sockets of this machine whose peer at, or beyond, the port has closed while they have not; `None` where there is no `/proc`.
pub fn half_closed(authority: &str) -> Option<usize> {
    let ending = format!(":{:04X}", local_port(authority)?);
    let tables = tables();
    let waits = |line: &&str| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let [local, remote, state] = [(); 3].map(|()| fields.next().unwrap_or_default());
        state == "08" && (local.ends_with(&ending) || remote.ends_with(&ending))
    };
    let known = tables.iter().any(|table| !table.is_empty());
    known.then(|| tables.iter().map(|table| table.lines().skip(1).filter(waits).count()).sum())
}

fn local_port(authority: &str) -> Option<u16> {
    let mut addresses = authority.to_socket_addrs().ok()?;
    addresses.find(|address| address.ip().is_loopback()).map(|address| address.port())
}

fn tables() -> [String; 2] {
    ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| fs::read_to_string(path).unwrap_or_default())
}

/// Inodes of the sockets in state LISTEN (0A) on `port`, of a table as in proc(5).
fn listeners(table: &str, port: u16) -> impl Iterator<Item = &str> {
    let ending = format!(":{port:04X}");
    table.lines().skip(1).filter_map(move |line| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let listens = fields.get(1)?.ends_with(&ending) && *fields.get(3)? == "0A";
        listens.then(|| fields.get(9).copied()).flatten()
    })
}

fn holds(pid: u32, sockets: &[String]) -> bool {
    let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    let mut targets = open.flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
    targets.any(|target| target.to_str().is_some_and(|target| sockets.iter().any(|socket| socket == target)))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn names_with_brackets_do_not_shift_the_fields() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 1 0 5 6 7";
        assert_eq!(parse_stat(stat), Some(2.0));
        assert_eq!(parse_stat("nonsense"), None);
    }

    #[test]
    fn listeners_are_told_from_connections() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            0: 0100007F:2317 00000000:0000 0A 00000000:00000000 00:00000000 00000000  0  0 111 1 0 100 0 0 10 0\n\
            1: 0100007F:2317 0100007F:9999 01 00000000:00000000 00:00000000 00000000  0  0 222 1 0 100 0 0 10 0\n";
        assert_eq!(listeners(table, 8983).collect::<Vec<_>>(), ["111"]);
        assert_eq!(listeners(table, 80).count(), 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn half_closed_sockets_are_counted() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        let client = std::net::TcpStream::connect(&authority).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        assert_eq!(half_closed(&authority), Some(0));
        drop(client);
        assert_eq!(std::io::Read::read(&mut server, &mut [0]).unwrap(), 0);
        assert_eq!(half_closed(&authority), Some(1));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_listener_is_found_by_its_port() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let found = Processes::listening_on(&listener.local_addr().unwrap().to_string());
        assert_eq!(found, Processes::new(vec![std::process::id()]));
        assert!(found.cpu_seconds().is_some() && found.resident_bytes() > Some(0));
        assert!(own_cpu_seconds().is_some());
    }
}
