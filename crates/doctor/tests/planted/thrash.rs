//! Memory that is not there: a process in a control group that may keep a sixth of the file it reads waits
//! for the disk at nearly each page. Pages of a file stand for those of a heap that was swapped out, which
//! would need swap space on the machine; the kernel counts both alike. Needs a group that this may make; says
//! so where it may not, with the kernel's answer.

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

#[test]
fn pages_that_come_from_disk_again_and_again() {
    let fixture = match plant() {
        Ok(fixture) => fixture,
        Err(why) => return eprintln!("not tested: {why}"),
    };
    let found = fixture.eventually();
    assert_eq!(found.verdict.standing, Standing::Stuck);
    for word in ["for its own memory", "pages a second come from disk"] {
        assert!(found.verdict.sentence.contains(word), "{}", found.verdict.sentence);
    }
}
