//! Which processes are near a limit of their own: open files against what each may have, mappings of memory
//! against what the kernel gives to each. In: `/proc/PID/fd`, `limits` and `maps` of every process that may
//! be looked into; out: those that have used four fifths.

use std::fs::{self, read_to_string};

use super::facts::{LimitKind, NearLimit};
use crate::facts::ProcessLabel;
use crate::observe::mapping_count;

/// Of four fifths on, the next busy hour may be one too many.
fn is_near(used: u64, most: u64) -> bool {
    used.saturating_mul(5) >= most.saturating_mul(4)
}

/// What cannot be read, or ends meanwhile, is left out.
pub fn near_limits(processes: &[ProcessLabel], maps_max: Option<u64>) -> Vec<NearLimit> {
    let of = |process: &ProcessLabel| {
        let near = |kind, (used, most): (u64, u64)| {
            is_near(used, most).then(|| NearLimit { process: process.clone(), kind, used, most })
        };
        let files = open_files(process.pid).and_then(|used| near(LimitKind::OpenFiles, used));
        let maps = maps_max.and_then(|most| Some((mapping_count(process.pid)?, most)));
        [files, maps.and_then(|used| near(LimitKind::MemoryMaps, used))]
    };
    processes.iter().flat_map(of).flatten().collect()
}

/// How many, and how many it may have.
fn open_files(pid: i32) -> Option<(u64, u64)> {
    let most = files_max(&read_to_string(format!("/proc/{pid}/limits")).ok()?)?;
    Some((fs::read_dir(format!("/proc/{pid}/fd")).ok()?.count() as u64, most))
}

/// `Max open files  1024  4096  files`: the soft one, `None` where it is `unlimited`. Not by `procfs_core`
/// 0.18, which panics at text that ends early (found by the property test of answers, 2026-11-25).
pub fn files_max(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_that_has_used_its_files_is_found() {
        let script = "ulimit -n 12; exec 3<&0 4<&0 5<&0 6<&0 7<&0 8<&0 9<&0; echo ready; read end";
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        let mut ready = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        let process = ProcessLabel { pid: child.id().cast_signed(), name: "sh".to_owned() };
        let found = near_limits(std::slice::from_ref(&process), Some(1 << 20));
        drop(child.stdin.take());
        child.wait().unwrap();
        let [NearLimit { kind: LimitKind::OpenFiles, used: 10.., most: 12, .. }] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(near_limits(&[process], Some(1)), [], "it has ended");
    }

    #[test]
    fn mappings_are_counted_against_the_kernels_limit() {
        let own = ProcessLabel { pid: std::process::id().cast_signed(), name: "test".to_owned() };
        let found = near_limits(std::slice::from_ref(&own), Some(1));
        assert!(found.iter().any(|near| near.kind == LimitKind::MemoryMaps && near.used > 1), "{found:?}");
    }
}
