//! How much memory there is and how much of it this process has, from `/proc` and the process's control
//! group. Where there is neither, memory is never short as far as the server knows. `http` is handed the
//! gauge and refuses updates and searches by it (`limits.rs` says from where on). Pages of files are not
//! counted, since the kernel takes them back when it wants: an index may be larger than the memory.

use std::fs;
use std::sync::Arc;

/// The least share of the machine's memory that must be free for others not to count as having taken it.
const FREE_SHARE_MIN: f64 = 0.02;
/// As the kernel counts in `/proc/self/statm`, unless told otherwise.
const PAGE_BYTES: u64 = 4096;

/// Tells which share of `bytes_max`, or of what the machine and the control group have, is used: memory that
/// cannot be given back by forgetting what files hold. It is 1 when the machine as a whole has next to none
/// left.
pub fn gauge(bytes_max: Option<u64>) -> Arc<dyn Fn() -> f64 + Send + Sync> {
    let Some(most) = bytes_max.or_else(available_at_all) else { return Arc::new(|| 0.0) };
    Arc::new(move || {
        let own = read("/proc/self/statm").and_then(|statm| own_bytes(&statm)).unwrap_or(0);
        let starved = read("/proc/meminfo").is_some_and(|meminfo| is_starved(&meminfo));
        let used = own as f64 / most.max(1) as f64;
        if starved { used.max(1.0) } else { used }
    })
}

/// The least of what the machine has and what the process's control group may take (version 2, then 1).
fn available_at_all() -> Option<u64> {
    let machine = read("/proc/meminfo").and_then(|meminfo| field(&meminfo, "MemTotal:"));
    let groups = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let groups = groups.into_iter().filter_map(|path| read(path)?.trim().parse().ok());
    machine.into_iter().chain(groups).min()
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// Resident pages less those of files.
fn own_bytes(statm: &str) -> Option<u64> {
    let mut pages = statm.split_ascii_whitespace().skip(1).map_while(|field| field.parse::<u64>().ok());
    let (resident, of_files) = (pages.next()?, pages.next()?);
    Some(resident.saturating_sub(of_files) * page_bytes())
}

#[cfg(unix)]
fn page_bytes() -> u64 {
    u64::try_from(rustix::param::page_size()).unwrap_or(PAGE_BYTES)
}

#[cfg(not(unix))]
fn page_bytes() -> u64 {
    PAGE_BYTES
}

fn is_starved(meminfo: &str) -> bool {
    let share = |total: u64| field(meminfo, "MemAvailable:").map(|left| left as f64 / total.max(1) as f64);
    field(meminfo, "MemTotal:").and_then(share).is_some_and(|share| share < FREE_SHARE_MIN)
}

fn field(meminfo: &str, name: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_files_do_not_count() {
        assert_eq!(own_bytes("1000 300 100 5 0 200 0\n"), Some(200 * page_bytes()));
        assert_eq!(own_bytes("nonsense"), None);
    }

    #[test]
    fn a_machine_is_starved_when_next_to_nothing_is_left() {
        let meminfo = |left: u64| format!("MemTotal: 1000000 kB\nMemFree: 0 kB\nMemAvailable: {left} kB\n");
        assert!(!is_starved(&meminfo(100_000)));
        assert!(is_starved(&meminfo(10_000)));
        assert!(!is_starved(""));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_uses_some() {
        let most = 1 << 40;
        let used = gauge(Some(most))();
        assert!(used > 0.0 && used < 1.0, "{used}");
        assert!(gauge(Some(1))() > 1.0);
    }
}
