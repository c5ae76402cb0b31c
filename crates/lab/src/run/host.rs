//! The machine a run was made on, as far as `/proc` tells; elsewhere the fields are empty. For the manifest
//! alone: figures of two machines are not to be compared, and the report says on which they were made. What a
//! server used while it ran is not here: its processes are counted by `load/`.

use std::fs;
use std::thread;

use super::record::Host;

pub fn host() -> Host {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    Host {
        name: read("/proc/sys/kernel/hostname"),
        kernel: [read("/proc/sys/kernel/ostype"), read("/proc/sys/kernel/osrelease")]
            .join(" ")
            .trim()
            .to_owned(),
        cpu: cpu(&read("/proc/cpuinfo")),
        cores: thread::available_parallelism().map_or(1, usize::from),
        memory_bytes: memory(&read("/proc/meminfo")),
        load_average: read("/proc/loadavg").split(' ').take(3).collect::<Vec<_>>().join(" "),
    }
}

fn cpu(cpuinfo: &str) -> String {
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    model.map(|(_, name)| name.trim().to_owned()).unwrap_or_default()
}

fn memory(meminfo: &str) -> u64 {
    let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kilobytes = total.and_then(|line| line.split_ascii_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read_from_proc() {
        assert_eq!(cpu("processor : 0\nmodel name\t: Fast CPU @ 3 GHz\n"), "Fast CPU @ 3 GHz");
        assert_eq!(memory("MemTotal:       2048 kB\nMemFree: 1 kB"), 2 << 20);
        assert_eq!((cpu(""), memory("")), (String::new(), 0));
        assert!(host().cores >= 1);
    }
}
