//! State D by a file system that is frozen, as snapshots of volumes freeze them: a write waits where no signal wakes it. Needs root
//! and a loop device; says so where it has them not.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use doctor::facts::ThreadState;
use doctor::verdict::Cause;

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

#[test]
fn a_file_system_that_is_frozen() {
    let Some(disk) = FrozenDisk::new() else {
        eprintln!("not tested: freezing a file system needs root, a loop device and mkfs.ext4");
        return;
    };
    let path = disk.mount_point.join("file");
    let planted = Planted::start_unready("lock", path.to_str().unwrap());
    // Declared after the writer, so that it is thawed first: until then no signal ends the writer.
    let _disk = disk;
    let found = planted.eventually(Cause::DiskWait);
    assert_eq!(found.facts.threads[0].state, ThreadState::Uninterruptible);
    for word in [path.to_str().unwrap(), "no signal wakes it"] {
        assert!(found.verdict.sentence.contains(word), "{}", found.verdict.sentence);
    }
}
