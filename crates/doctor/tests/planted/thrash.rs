//! Memory that is not there: a process in a control group that may keep a sixth of what it reads waits for
//! the disk at nearly each page. Once with pages of a file, and once, where the machine has swap space, with
//! those of a heap that was swapped out. Needs a group that this may make; says so where it may not, with the
//! kernel's answer.

use std::fs;
use std::path::{Path, PathBuf};

use doctor::verdict::{Cause, Standing};

use super::fixtures::Fixture;
use super::planting::Planted;

/// A control group of our own with a bound on its memory; removed when it is dropped, which must be after its
/// process ended.
struct Group(PathBuf);

/// What the second version calls `memory.high`, of which the kernel takes memory back without ending anybody;
/// the first version knows only the hard bound, which takes a file's pages back all the same.
const HIERARCHIES: [(&str, &str); 3] = [
    ("/sys/fs/cgroup", "memory.high"),
    ("/sys/fs/cgroup/unified", "memory.high"),
    ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
];

impl Group {
    fn new(bytes: u64) -> Result<Self, String> {
        let mut refusals = Vec::new();
        for (root, bound) in
            HIERARCHIES.iter().filter(|(root, _)| Path::new(root).join("cgroup.procs").exists())
        {
            let folder = Path::new(root).join(format!("doctor-plant-{}", std::process::id()));
            let made =
                fs::create_dir(&folder).and_then(|()| fs::write(folder.join(bound), bytes.to_string()));
            match made {
                Ok(()) => return Ok(Self(folder)),
                Err(error) => {
                    refusals.push(format!("{}: {error}", folder.join(bound).display()));
                    let _ = fs::remove_dir(&folder);
                }
            }
        }
        Err(format!("no control group may bound memory here: {}", refusals.join(", ")))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// Errors: why no group may be made here.
pub fn plant() -> Result<Fixture, String> {
    // A sixth of what the program reads.
    let group = Group::new(8 << 20)?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (procs, file) = (group.0.join("cgroup.procs"), folder.path().join("pages"));
    let planted = Planted::start_c("thrash", &[&procs, &file]);
    Ok(Fixture::new(Cause::Thrash, planted).upon(group).upon(folder))
}

/// A heap that was swapped out.
///
/// Errors: why no group may be made here, or that there is no swap space. None is made for the test: it would
/// be the whole machine's.
pub fn swapped() -> Result<Fixture, String> {
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let free = memory.lines().find_map(|line| line.strip_prefix("SwapFree:")?.split_whitespace().next());
    if free.and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) < 64 << 10 {
        return Err("the machine has no 64 MiB of swap space free".to_owned());
    }
    let group = Group::new(8 << 20)?;
    let planted = Planted::start_c("thrash", &[&group.0.join("cgroup.procs")]);
    Ok(Fixture::new(Cause::Thrash, planted).upon(group))
}

#[cfg(test)]
fn check(fixture: Result<Fixture, String>) -> Option<doctor::Diagnosis> {
    let fixture = match fixture {
        Ok(fixture) => fixture,
        Err(why) => {
            eprintln!("not tested: {why}");
            return None;
        }
    };
    let found = fixture.eventually();
    assert_eq!(found.verdict.standing, Standing::Stuck);
    for word in ["for its own memory", "pages a second come from disk"] {
        assert!(found.verdict.sentence.contains(word), "{}", found.verdict.sentence);
    }
    Some(found)
}

#[test]
fn pages_that_come_from_disk_again_and_again() {
    check(plant());
}

#[test]
fn a_heap_that_is_swapped_out() {
    if let Some(found) = check(swapped()) {
        // All but a sixth of 48 MiB.
        assert!(found.facts.memory.swapped_bytes > 32 << 20, "{:?}", found.facts.memory);
    }
}
