//! A process's control groups, of either version: where their files are, and what they say of throttling,
//! freezing and pressure. In: files below `/proc` and `/sys/fs/cgroup`; out: numbers, absent where the kernel
//! has none. Parsing is apart from reading, so that tests need no control group.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

use super::proc_dir::ProcDir;
use crate::facts::Pressure;

/// Folders that may hold the files of this controller for the process, the likeliest first.
pub fn folders(process: &ProcDir, controller: &str) -> Vec<String> {
    parse(&process.text("cgroup").unwrap_or_default(), controller)
}

/// From lines of `NUMBER:CONTROLLERS:PATH`; the second version names no controllers.
fn parse(groups: &str, controller: &str) -> Vec<String> {
    let one = |line: &str| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        match controllers {
            "" => Some(vec![format!("/sys/fs/cgroup{path}"), format!("/sys/fs/cgroup/unified{path}")]),
            names if names.split(',').any(|name| name == controller) => Some(vec![
                format!("/sys/fs/cgroup/{controller}{path}"),
                format!("/sys/fs/cgroup/{names}{path}"),
            ]),
            _ => None,
        }
    };
    groups.lines().filter_map(one).flatten().collect()
}

pub fn is_frozen(groups: &[String]) -> bool {
    let frozen = |group: &String| {
        let state = read_to_string(format!("{group}/freezer.state")).unwrap_or_default();
        let events = read_to_string(format!("{group}/cgroup.events")).unwrap_or_default();
        state.trim() == "FROZEN" || events.lines().any(|line| line == "frozen 1")
    };
    groups.iter().any(frozen)
}

/// Time that the group was kept from processors, by `cpu.stat`.
pub fn throttled_us(groups: &[String]) -> Option<u64> {
    groups.iter().find_map(|group| throttled(&read_to_string(format!("{group}/cpu.stat")).ok()?))
}

/// Microseconds in the second version, nanoseconds in the first.
fn throttled(stat: &str) -> Option<u64> {
    let of = |name: &str| stat.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    of("throttled_usec ").or_else(|| Some(of("throttled_time ")? / 1000))
}

/// The smallest bound of a group and of those around it: whichever is reached first counts. `memory.max` and
/// `memory.high` (from which on the kernel slows its threads down) of the second version,
/// `memory.limit_in_bytes` of the first, whose "no limit" is a number near 2^63.
pub fn memory_limit(groups: &[String]) -> Option<u64> {
    const NAMES: [&str; 3] = ["memory.max", "memory.high", "memory.limit_in_bytes"];
    const NONE_FROM: u64 = 1 << 60;
    let bound = |path: PathBuf| read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let bounds = |folder: &Path| NAMES.map(|name| bound(folder.join(name))).into_iter().flatten().min();
    let of = |group: &String| Path::new(group).ancestors().filter_map(bounds).min();
    groups.iter().filter_map(of).min().filter(|bytes| *bytes < NONE_FROM)
}

/// `pids.current` and `pids.max`, whose word for no limit is `max`.
pub fn thread_limit(groups: &[String]) -> Option<(u64, u64)> {
    let number = |group: &String, name: &str| {
        read_to_string(format!("{group}/pids.{name}")).ok()?.trim().parse::<u64>().ok()
    };
    groups.iter().find_map(|group| Some((number(group, "current")?, number(group, "max")?)))
}

/// Of the group where it has accounts, else of the machine.
pub fn pressure(groups: &[String]) -> Option<Pressure> {
    let of_group = |group: &String| {
        let path = |name: &str| format!("{group}/{name}.pressure");
        read_pressure("cgroup", path)
    };
    groups
        .iter()
        .find_map(of_group)
        .or_else(|| read_pressure("machine", |name| format!("/proc/pressure/{name}")))
}

fn read_pressure(scope: &str, path: impl Fn(&str) -> String) -> Option<Pressure> {
    let text = |name: &str| read_to_string(path(name)).ok();
    pressure_of(&text("cpu")?, &text("io")?, &text("memory")?, scope)
}

fn pressure_of(cpu: &str, io: &str, memory: &str, scope: &str) -> Option<Pressure> {
    Some(Pressure {
        scope: scope.to_owned(),
        cpu_some_us: some_total_us(cpu)?,
        io_some_us: some_total_us(io)?,
        memory_some_us: some_total_us(memory)?,
    })
}

/// `some avg10=0.00 avg60=0.00 avg300=0.00 total=1200`. Not by `procfs_core` 0.18, which cuts lines where it
/// takes blanks for granted, and panics at one that ends before (found by the property test of files that end
/// anywhere, 2026-11-23).
fn some_total_us(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("some "))?;
    line.split_whitespace().find_map(|word| word.strip_prefix("total="))?.parse().ok()
}

/// All that is read here, from one text.
pub(super) fn parse_all(text: &str) {
    let _ = (parse(text, "cpu"), throttled(text), pressure_of(text, text, text, "fuzz"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_either_version() {
        let both = "9:cpu,cpuacct:/a\n0::/b\nnonsense\n";
        let expected = [
            "/sys/fs/cgroup/cpu/a",
            "/sys/fs/cgroup/cpu,cpuacct/a",
            "/sys/fs/cgroup/b",
            "/sys/fs/cgroup/unified/b",
        ];
        assert_eq!(parse(both, "cpu"), expected);
        assert_eq!(parse(both, "freezer"), expected[2..]);
        assert_eq!(throttled("nr_periods 9\nthrottled_usec 1200\n"), Some(1200));
        assert_eq!(throttled("throttled_time 1200000\n"), Some(1200));
        assert_eq!(throttled("x"), None);
        let io = "some avg10=0.00 avg60=0.10 avg300=0.00 total=1200\nfull avg10=0.00 total=9\n";
        assert_eq!([some_total_us(io), some_total_us("some"), some_total_us("")], [Some(1200), None, None]);
    }

    #[test]
    fn the_smallest_bound_of_memory_counts() {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        let groups = [inner.display().to_string(), "/nowhere".to_owned()];
        let write = |folder: &Path, name: &str, text: &str, expected: Option<u64>| {
            std::fs::write(folder.join(name), text).unwrap();
            assert_eq!(memory_limit(&groups), expected, "{name} {text}");
        };
        write(&inner, "memory.max", "max\n", None);
        write(&inner, "memory.limit_in_bytes", "9223372036854771712\n", None);
        write(outer.path(), "memory.max", "4096\n", Some(4096));
        write(&inner, "memory.high", "1024\n", Some(1024));
    }
}
