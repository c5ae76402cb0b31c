//! State D by a file system that is frozen, as snapshots of volumes freeze them: a write waits where no
//! signal wakes it. Needs root and a loop device; says so where it has them not.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use doctor::facts::ThreadState;
use doctor::verdict::Cause;

use super::fixtures::Fixture;
use super::planting::Planted;

/// A small ext4 in a file, mounted and frozen; thawed and unmounted when dropped.
struct FrozenDisk {
    mount_point: PathBuf,
    _folder: tempfile::TempDir,
}

impl FrozenDisk {
    /// `None` where this may not mount.
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().ok()?;
        let (image, mount_point) = (folder.path().join("image"), folder.path().join("disk"));
        std::fs::File::create(&image).and_then(|file| file.set_len(16 << 20)).ok()?;
        std::fs::create_dir(&mount_point).ok()?;
        let (image, mount_point) = (image.to_str()?.to_owned(), mount_point.to_str()?.to_owned());
        run("mkfs.ext4", &["-q", &image])?;
        run("mount", &["-o", "loop", &image, &mount_point])?;
        let disk = Self { mount_point: PathBuf::from(&mount_point), _folder: folder };
        run("fsfreeze", &["-f", &mount_point])?;
        Some(disk)
    }
}

impl Drop for FrozenDisk {
    fn drop(&mut self) {
        let mount_point = self.mount_point.to_str().unwrap_or_default();
        let _ = run("fsfreeze", &["-u", mount_point]);
        // Whoever waited is at work for a moment yet.
        let _ = run("umount", &["-l", mount_point]);
    }
}

fn run(program: &str, arguments: &[&str]) -> Option<()> {
    let done = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    done.ok()?.success().then_some(())
}

/// The place is the path of the file that is written.
///
/// Errors: where this may not mount.
pub fn plant() -> Result<Fixture, String> {
    let disk = FrozenDisk::new().ok_or("freezing a file system needs root, a loop device and mkfs.ext4")?;
    let path = disk.mount_point.join("file").display().to_string();
    let planted = Planted::start_unready("lock", &path);
    Ok(Fixture::new(Cause::DiskWait, planted).at(&path).holding(disk))
}

#[test]
fn a_file_system_that_is_frozen() {
    let fixture = match plant() {
        Ok(fixture) => fixture,
        Err(why) => return eprintln!("not tested: {why}"),
    };
    let found = fixture.eventually();
    assert_eq!(found.facts.threads[0].state, ThreadState::Uninterruptible);
    for word in [fixture.place.as_str(), "no signal wakes it"] {
        assert!(found.verdict.sentence.contains(word), "{}", found.verdict.sentence);
    }
}
