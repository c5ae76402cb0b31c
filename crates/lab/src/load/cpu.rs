//! CPU time of processes: the server's, found by the port it listens on, and the generator's own. Elsewhere
//! than on Linux, or for a server elsewhere, there is none and the report says so. In: an address or process
//! ids; out: seconds of processor time and bytes that are resident, so far. Differences are the caller's.

use std::fs;
use std::net::ToSocketAddrs as _;

/// The processes that make up one server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Processes(Vec<u32>);

impl Processes {
    pub fn new(pids: Vec<u32>) -> Self {
        Self(pids)
    }

    /// Several servers as one.
    pub fn of_all<'a>(servers: impl Iterator<Item = &'a Self>) -> Self {
        Self(servers.flat_map(|server| server.0.iter().copied()).collect())
    }

    /// The process of this machine that listens on `host:port`; none when it is elsewhere or hidden from this
    /// user.
    pub fn listening_on(authority: &str) -> Self {
        Self(find(authority).into_iter().collect())
    }

    /// Seconds of user and system time used so far; `None` when no process is known or one is gone.
    pub fn cpu_seconds(&self) -> Option<f64> {
        if self.0.is_empty() {
            return None;
        }
        self.0.iter().map(|pid| cpu_seconds(*pid)).sum()
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
    cpu_seconds(std::process::id())
}

/// By the process's own clock, which counts nanoseconds. The figures in `/proc/PID/stat` are hundredths of a
/// second: 2 % of a slice of half a second, which is as much as some comparisons are about. A sum over its
/// threads' `schedstat` would be finer too, but threads that end take their time with them.
#[cfg(target_os = "linux")]
fn cpu_seconds(process: u32) -> Option<f64> {
    use nix::time::{clock_getcpuclockid, clock_gettime};
    let clock = clock_getcpuclockid(nix::unistd::Pid::from_raw(i32::try_from(process).ok()?)).ok()?;
    Some(std::time::Duration::from(clock_gettime(clock).ok()?).as_secs_f64())
}

#[cfg(not(target_os = "linux"))]
fn cpu_seconds(_process: u32) -> Option<f64> {
    None
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

/// Sockets of this machine whose peer at, or beyond, the port has closed while they have not; `None` where
/// there is no `/proc`.
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

    #[cfg(target_os = "linux")]
    #[test]
    fn own_time_grows_with_work() {
        let before = own_cpu_seconds().unwrap();
        let mut sum = 0u64;
        // Far less than a hundredth of a second.
        (0..200_000u64).for_each(|number| sum = std::hint::black_box(sum ^ number));
        let grown = own_cpu_seconds().unwrap() - before;
        assert!(grown > 0.0, "{grown} for {sum}");
        assert_eq!(cpu_seconds(u32::MAX), None);
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
