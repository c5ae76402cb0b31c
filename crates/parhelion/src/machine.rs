//! What Linux tells of this process and of the machine, in its files below `/proc`. Elsewhere, and where a
//! file does not say it, nothing is told. For `/solr/admin/info/system` and the metrics of `http`, which is
//! handed `facts` as a function: below the binary nothing reads the machine by itself. What the doctor looks
//! at is its own crate's.

use std::fs::read_to_string;
use std::path::Path;

use http::MachineFacts;

/// The facts of this moment; `data_dir` says which disk.
pub fn facts(data_dir: &Path) -> MachineFacts {
    let file = |path: &str| read_to_string(path).unwrap_or_default();
    let (own, memory) = (file("/proc/self/status"), file("/proc/meminfo"));
    let version = file("/proc/sys/kernel/osrelease").trim().to_owned();
    let (disk, disk_free) = disk(data_dir).unzip();
    MachineFacts {
        memory_used: bytes(&own, "VmRSS"),
        memory_reserved: bytes(&own, "VmSize"),
        threads: number(&own, "Threads"),
        files_open: std::fs::read_dir("/proc/self/fd").ok().map(|files| files.count() as u64),
        files_max: files_max(),
        cpu_ns: cpu_ns(),
        machine_memory: bytes(&memory, "MemTotal"),
        machine_memory_free: bytes(&memory, "MemFree"),
        swap: bytes(&memory, "SwapTotal"),
        swap_free: bytes(&memory, "SwapFree"),
        load_average: file("/proc/loadavg").split_whitespace().next().and_then(|load| load.parse().ok()),
        os_version: (!version.is_empty()).then_some(version),
        disk,
        disk_free,
    }
}

/// `Name:   123 kB`.
fn bytes(text: &str, name: &str) -> Option<u64> {
    number(text, name)?.checked_mul(1024)
}

/// `Name:   123`, whatever follows.
fn number(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(unix)]
fn cpu_ns() -> Option<u64> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let (seconds, nanos) = (u64::try_from(used.tv_sec).ok()?, u64::try_from(used.tv_nsec).ok()?);
    Some(seconds.saturating_mul(1_000_000_000).saturating_add(nanos))
}

#[cfg(not(unix))]
fn cpu_ns() -> Option<u64> {
    None
}

#[cfg(unix)]
fn files_max() -> Option<u64> {
    rlimit::Resource::NOFILE.get_soft().ok()
}

#[cfg(not(unix))]
fn files_max() -> Option<u64> {
    None
}

/// Size of the disk, and what this process may still use of it.
#[cfg(unix)]
fn disk(folder: &Path) -> Option<(u64, u64)> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some((disk.f_blocks.saturating_mul(disk.f_frsize), disk.f_bavail.saturating_mul(disk.f_frsize)))
}

#[cfg(not(unix))]
fn disk(_: &Path) -> Option<(u64, u64)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers() {
        let text = "Name:\tx\nVmRSS:\t  20 kB\nThreads:\t3\n";
        assert_eq!(bytes(text, "VmRSS"), Some(20 << 10));
        assert_eq!(number(text, "Threads"), Some(3));
        assert_eq!([number(text, "Name"), number(text, "Vm"), bytes(text, "Swap")], [None; 3]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_facts() {
        let facts = facts(Path::new("."));
        assert!(facts.memory_used.is_some_and(|bytes| bytes > 1 << 20));
        assert!(facts.threads.is_some_and(|threads| threads > 0) && facts.disk > facts.disk_free);
    }
}
