//! Measures a host: settings and counters of the kernel, syncs of the data folder's disk, connections twice
//! with a pause between, Java processes by their command lines, ZooKeeper by what it says of itself. Judges
//! nothing.

use std::fs::{self, OpenOptions, read_to_string};
use std::io;
use std::net::ToSocketAddrs as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::facts::{HostFacts, JavaProcess, ParhelionProcess, SyncTimes, ZooKeeperFacts};
use super::{process_limits, time_server, zookeeper};
use crate::facts::ProcessLabel;
use crate::observe::{Error, Machine, command_words, memory_limit, thread_limit};

#[derive(Clone, Debug)]
pub struct HostOptions {
    /// Its disk is measured by up to 200 syncs, two seconds at most.
    pub data_dir: Option<PathBuf>,
    /// `HOST:PORT` of servers to ask.
    pub zookeeper: Vec<String>,
    pub zookeeper_config: Option<PathBuf>,
    pub zookeeper_log: Option<PathBuf>,
    /// `HOST` or `HOST:PORT` of a server to compare the clock with.
    pub time_server: Option<String>,
    /// This host's clock, in milliseconds since 1970.
    pub now_ms: fn() -> i64,
    /// Between two counts of what grows.
    pub pause: Duration,
}

/// Ports whose clients are known to mind the address family: ZooKeeper's and Solr's.
const FAMILY_PORTS: [u16; 5] = [2181, 2888, 3888, 8983, 9983];

/// Errors: where there is no `/proc`, or a folder or file that was named cannot be used.
pub fn measure_host(options: &HostOptions) -> Result<HostFacts, Error> {
    let before = Machine::observe()?;
    let mut facts = kernel();
    let named = |path: &Path| {
        let path = path.display().to_string();
        move |source: io::Error| Error::Unusable { path, source }
    };
    if let Some(folder) = &options.data_dir {
        facts.sync = Some(sync_times(folder).map_err(named(folder))?);
    }
    if let Some(server) = &options.time_server {
        match time_server::ask(server, options.now_ms) {
            Ok(offset) => facts.clock_offset = Some(offset),
            Err(error) => facts.unmeasured.push(format!("the clock against {server}: {error}")),
        }
    }
    // With this one, which may be a server that looks at itself.
    let own = ProcessLabel { pid: std::process::id().cast_signed(), name: process_name() };
    let all = [before.processes(), vec![own]].concat();
    facts.near_limits = process_limits::near_limits(&all, facts.maps_max);
    facts.java =
        before.processes().iter().filter(|label| label.name == "java").map(|label| java(label.pid)).collect();
    let servers = before.processes().into_iter().filter(|label| label.name == "parhelion");
    facts.parhelion = servers.map(|label| parhelion(label.pid)).collect();
    facts.zookeeper = options.zookeeper.iter().map(|server| zookeeper::ask(server)).collect();
    let files = [
        (&options.zookeeper_config, zookeeper::read_config as fn(&mut ZooKeeperFacts, &str)),
        (&options.zookeeper_log, zookeeper::read_log),
    ];
    for (path, read) in files {
        let Some(path) = path else { continue };
        let text = fs::read(path).map_err(named(path))?;
        if facts.zookeeper.is_empty() {
            facts
                .zookeeper
                .push(ZooKeeperFacts { server: "this host".to_owned(), ..ZooKeeperFacts::default() });
        }
        facts.zookeeper.iter_mut().for_each(|server| read(server, &String::from_utf8_lossy(&text)));
    }
    std::thread::sleep(options.pause);
    connections(&mut facts, &before, &Machine::observe()?);
    Ok(facts)
}

fn process_name() -> String {
    word("/proc/self/comm").unwrap_or_default()
}

fn kernel() -> HostFacts {
    let memory = read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = |name: &str| {
        let line = memory.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
    };
    let swap = kib("SwapTotal");
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    HostFacts {
        memory_bytes: kib("MemTotal"),
        swap_bytes: swap,
        swap_used_bytes: swap.zip(kib("SwapFree")).map(|(all, free)| all.saturating_sub(free)),
        swappiness: number("/proc/sys/vm/swappiness"),
        files_max: Some((limit.current.unwrap_or(u64::MAX), limit.maximum.unwrap_or(u64::MAX))),
        maps_max: number("/proc/sys/vm/max_map_count"),
        threads_max: number("/proc/sys/kernel/threads-max"),
        threads: threads(),
        huge_pages: word("/sys/kernel/mm/transparent_hugepage/enabled").as_deref().and_then(chosen),
        clock_source: word("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        clock_read_ns: Some(clock_read_ns()),
        entropy_bits: number("/proc/sys/kernel/random/entropy_avail"),
        kernel: word("/proc/sys/kernel/osrelease").as_deref().and_then(release),
        keepalive_seconds: number("/proc/sys/net/ipv4/tcp_keepalive_time"),
        ports: word("/proc/sys/net/ipv4/ip_local_port_range").as_deref().and_then(range),
        cgroup_memory_bytes: memory_limit(std::process::id().cast_signed()),
        cgroup_threads: thread_limit(std::process::id().cast_signed()),
        numa_nodes: fs::read_dir("/sys/devices/system/node").ok().map(|nodes| {
            nodes
                .filter(|node| node.as_ref().is_ok_and(|node| is_node(&node.file_name().to_string_lossy())))
                .count() as u64
        }),
        zone_reclaim: number("/proc/sys/vm/zone_reclaim_mode"),
        ..HostFacts::default()
    }
}

fn word(path: &str) -> Option<String> {
    Some(read_to_string(path).ok()?.trim().to_owned())
}

fn number(path: &str) -> Option<u64> {
    word(path)?.parse().ok()
}

/// The fourth word of `loadavg`: running and all.
fn threads() -> Option<u64> {
    word("/proc/loadavg")?.split_whitespace().nth(3)?.split('/').nth(1)?.parse().ok()
}

fn is_node(name: &str) -> bool {
    name.strip_prefix("node").is_some_and(|number| number.parse::<u32>().is_ok())
}

/// The word in brackets of `always [madvise] never`.
fn chosen(text: &str) -> Option<String> {
    Some(text.split_once('[')?.1.split_once(']')?.0.to_owned())
}

fn release(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn range(text: &str) -> Option<(u16, u16)> {
    let mut ends = text.split_whitespace();
    Some((ends.next()?.parse().ok()?, ends.next()?.parse().ok()?))
}

fn clock_read_ns() -> u64 {
    const READINGS: u32 = 20_000;
    let began = Instant::now();
    for _ in 0..READINGS {
        std::hint::black_box(Instant::now());
    }
    u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX) / u64::from(READINGS)
}

fn sync_times(folder: &Path) -> io::Result<SyncTimes> {
    const SYNCS: usize = 200;
    let path = folder.join(format!(".parhelion-doctor-{}", std::process::id()));
    let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
    let began = Instant::now();
    let mut times = Vec::new();
    let block = [0x5a; 4096];
    let one = |at: usize| -> io::Result<u64> {
        let then = Instant::now();
        file.write_all_at(&block, (at * block.len()) as u64)?;
        file.sync_data()?;
        Ok(u64::try_from(then.elapsed().as_micros()).unwrap_or(u64::MAX))
    };
    while times.len() < SYNCS && (times.is_empty() || began.elapsed() < Duration::from_secs(2)) {
        match one(times.len()) {
            Ok(us) => times.push(us),
            Err(error) => {
                fs::remove_file(&path)?;
                return Err(error);
            }
        }
    }
    fs::remove_file(&path)?;
    times.sort_unstable();
    let at = |share: usize| times.get((times.len() * share / 100).min(times.len() - 1)).copied().unwrap_or(0);
    Ok(SyncTimes {
        folder: folder.display().to_string(),
        count: times.len(),
        p50_us: at(50),
        p99_us: at(99),
        max_us: at(100),
    })
}

fn connections(facts: &mut HostFacts, before: &Machine, after: &Machine) {
    let then = before.close_wait();
    let now = after.close_wait();
    facts.close_wait = now
        .iter()
        .map(|(name, count)| (name.clone(), then.get(name).copied().unwrap_or(0), *count))
        .collect();
    facts.ports_used = facts.ports.and_then(|ports| after.ports_used(ports));
    let means_ipv6 = ("localhost", 0)
        .to_socket_addrs()
        .ok()
        .and_then(|mut found| found.next())
        .is_some_and(|first| first.is_ipv6());
    let families = FAMILY_PORTS.iter().filter_map(|port| Some((*port, after.listening_families(*port)?)));
    let mismatch = |(port, (v4, v6)): (u16, (bool, bool))| match (v4, v6, means_ipv6) {
        (true, false, true) => Some((port, "IPv4".to_owned())),
        (false, true, false) => Some((port, "IPv6".to_owned())),
        _ => None,
    };
    facts.family_mismatches = families.filter_map(mismatch).collect();
}

fn java(pid: i32) -> JavaProcess {
    let words = command_words(pid);
    JavaProcess { pid, cgroup_memory_bytes: memory_limit(pid), ..java_of(&words) }
}

fn parhelion(pid: i32) -> ParhelionProcess {
    let memory_max_bytes = memory_max_of(&command_words(pid));
    ParhelionProcess { pid, memory_max_bytes, cgroup_memory_bytes: memory_limit(pid) }
}

/// `--memory-max 512` and `--memory-max=512`, in MiB.
fn memory_max_of(words: &[String]) -> Option<u64> {
    const NAME: &str = "--memory-max";
    let behind = words.iter().position(|word| word == NAME).and_then(|at| words.get(at + 1));
    let joined = words.iter().find_map(|word| word.strip_prefix(NAME)?.strip_prefix('='));
    behind.map(String::as_str).or(joined)?.parse::<u64>().ok()?.checked_mul(1 << 20)
}

/// By the JVM's arguments: the last of an option counts, the first that is none is the main class.
fn java_of(words: &[String]) -> JavaProcess {
    let mut found = JavaProcess { name: "java".to_owned(), ..JavaProcess::default() };
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "-cp" | "-classpath" | "--class-path" | "-p" | "--module-path" => {
                words.next();
            }
            "-Djava.net.preferIPv4Stack=true" => found.prefers_ipv4 = true,
            "-jar" => {
                found.name = words.next().cloned().unwrap_or_default();
                return found;
            }
            option if option.starts_with("-Xmx") => {
                found.heap_max_bytes = option.strip_prefix("-Xmx").and_then(size);
            }
            option if option.starts_with('-') => {}
            class => {
                class.clone_into(&mut found.name);
                return found;
            }
        }
    }
    found
}

/// `512m`, `2G`.
fn size(text: &str) -> Option<u64> {
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read() {
        assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
        assert_eq!([release("6.18.44-fc"), release("x")], [Some((6, 18)), None]);
        assert_eq!([range("32768\t60999"), range("1")], [Some((32_768, 60_999)), None]);
        assert_eq!(
            [size("512m"), size("2G"), size("9"), size("m"), size("1q")],
            [Some(1 << 29), Some(1 << 31), Some(9), None, None]
        );
    }

    #[test]
    fn a_jvm_is_known_by_its_arguments() {
        let words = "java -Xmx1g -cp a:b -Djava.net.preferIPv4Stack=true -Xmx512m org.Main -Xmx9g".split(' ');
        let found = java_of(&words.map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(
            (found.name.as_str(), found.heap_max_bytes, found.prefers_ipv4),
            ("org.Main", Some(1 << 29), true)
        );
    }

    #[test]
    fn a_server_of_ours_is_known_by_its_arguments() {
        let of = |line: &str| memory_max_of(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(of("parhelion serve --memory-max 512 --port 1"), Some(512 << 20));
        assert_eq!(of("parhelion serve --memory-max=9"), Some(9 << 20));
        assert_eq!(
            [of("parhelion serve --memory-max"), of("parhelion serve"), of("x --memory-max y")],
            [None; 3]
        );
    }

    #[test]
    fn this_host_is_measured_and_nothing_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let options = HostOptions {
            data_dir: Some(folder.path().to_owned()),
            zookeeper: Vec::new(),
            zookeeper_config: None,
            zookeeper_log: None,
            // Nobody answers at port 0.
            time_server: Some("127.0.0.1:0".to_owned()),
            now_ms: || 0,
            pause: Duration::ZERO,
        };
        let facts = measure_host(&options).unwrap();
        assert!(
            facts.memory_bytes > Some(1 << 20) && facts.threads > Some(1) && facts.clock_read_ns.is_some()
        );
        assert!(facts.unmeasured[0].starts_with("the clock against 127.0.0.1:0: "), "{:?}", facts.unmeasured);
        let sync = facts.sync.unwrap();
        assert!(sync.count > 0 && sync.p50_us <= sync.p99_us && sync.p99_us <= sync.max_us);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let nowhere = HostOptions { data_dir: Some(folder.path().join("no")), ..options };
        assert!(matches!(measure_host(&nowhere), Err(Error::Unusable { .. })));
    }
}
