//! A file on a server that does not answer, as NFS is met in the field: a FUSE file system of one file, whose
//! server takes the first words of the protocol and is silent from the first read on. Needs root and
//! `/dev/fuse`; says so where it has them not.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use doctor::verdict::{Cause, Standing};
use rustix::mount::{MountFlags, UnmountFlags};

use super::fixtures::Fixture;
use super::planting::{Planted, look};

/// Operations of the protocol (`linux/fuse.h`).
const GETATTR: u32 = 3;
const OPEN: u32 = 14;
const INIT: u32 = 26;

/// `struct fuse_attr_out`: good for no time, then inode, size, blocks and three times as eight bytes each; the
/// times' nanoseconds, mode, links, owner, group, device, block size and flags as four.
fn attributes() -> Vec<u8> {
    let (inode, size, blocks) = (1_u64, 4096_u64, 8_u64);
    let long = [0, 0, inode, size, blocks, 0, 0, 0].into_iter().flat_map(u64::to_ne_bytes);
    let short = [0, 0, 0, 0o100_644, 1, 0, 0, 0, 4096, 0_u32].into_iter().flat_map(u32::to_ne_bytes);
    long.chain(short).collect()
}

/// Mounted over a file; ends with the test.
pub struct SilentFile {
    pub path: PathBuf,
    _server: File,
    _folder: tempfile::TempDir,
}

impl SilentFile {
    /// `None` where this may not mount.
    pub fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().ok()?;
        let path = folder.path().join("file");
        File::create(&path).ok()?;
        let server = OpenOptions::new().read(true).write(true).open("/dev/fuse").ok()?;
        let options = format!("fd={},rootmode=100000,user_id=0,group_id=0", server.as_raw_fd());
        let options = std::ffi::CString::new(options).ok()?;
        rustix::mount::mount(
            "filer:/export",
            &path,
            "fuse.nfslike",
            MountFlags::NOSUID,
            Some(options.as_c_str()),
        )
        .ok()?;
        Some(Self { path, _server: server, _folder: folder })
    }

    /// Answers what comes before the first read: the kernel's greeting, and the opening, with "not
    /// implemented", which stands for "needs no answer".
    pub fn answer_until_opened(&mut self) {
        self.answer_until(OPEN);
    }

    /// Answers up to this operation: attributes with those of a file of one page.
    fn answer_until(&mut self, last: u32) {
        loop {
            let mut request = vec![0; 1 << 20];
            let length = self._server.read(&mut request).expect("a request of the kernel");
            let word = |at: usize| u32::from_ne_bytes(request[at..at + 4].try_into().expect("four bytes"));
            assert!(length >= 40);
            let (operation, unique) = (word(4), request[8..16].to_vec());
            let body = match operation {
                // Version 7.31, read-ahead, no flags but that opening needs no answer, limits, the longest
                // write.
                INIT => {
                    let mut body: Vec<u8> =
                        [7_u32, 31, 0, 1 << 17, 0, 4096].iter().flat_map(|n| n.to_ne_bytes()).collect();
                    body.resize(64, 0);
                    body
                }
                GETATTR => attributes(),
                _ => Vec::new(),
            };
            let error = if body.is_empty() { -38_i32 } else { 0 };
            let total = u32::try_from(16 + body.len()).expect("short");
            let head = [&total.to_ne_bytes()[..], &error.to_ne_bytes(), &unique].concat();
            self._server.write_all(&[head, body].concat()).expect("the kernel takes the answer");
            if operation == last {
                return;
            }
        }
    }
}

impl Drop for SilentFile {
    fn drop(&mut self) {
        let _ = rustix::mount::unmount(Path::new(&self.path), UnmountFlags::DETACH);
    }
}

const NEEDS: &str = "mounting FUSE needs root and /dev/fuse";

/// A read that the server does not answer. The place is the file's path.
///
/// Errors: where this may not mount.
pub fn read() -> Result<Fixture, String> {
    let mut file = SilentFile::mount().ok_or(NEEDS)?;
    let path = file.path.display().to_string();
    let planted = Planted::start_unready("read-file", &path);
    file.answer_until_opened();
    Ok(Fixture::new(Cause::ServedFile, planted).at(&path).holding(file))
}

/// A look-up of the file's name that the server does not answer.
///
/// Errors: where this may not mount.
pub fn look_up() -> Result<Fixture, String> {
    let file = SilentFile::mount().ok_or(NEEDS)?;
    let path = file.path.display().to_string();
    let planted = Planted::start_unready("read-file", &path);
    Ok(Fixture::new(Cause::ServedFile, planted).at(&path).holding(file))
}

#[test]
fn a_read_from_a_server_that_is_silent() {
    let fixture = match read() {
        Ok(fixture) => fixture,
        Err(why) => return eprintln!("not tested: {why}"),
    };
    let found = fixture.eventually();
    assert_eq!(found.verdict.standing, Standing::Stuck);
    for word in [fixture.place.as_str(), "fuse.nfslike", "filer:/export", "its server does not answer"] {
        assert!(found.verdict.sentence.contains(word), "{}", found.verdict.sentence);
    }
}

#[test]
fn a_name_that_is_looked_up_on_a_server_that_is_silent() {
    let fixture = match look_up() {
        Ok(fixture) => fixture,
        Err(why) => return eprintln!("not tested: {why}"),
    };
    let found = fixture.eventually();
    assert!(found.verdict.sentence.contains("filer:/export"), "{}", found.verdict.sentence);
}

#[test]
fn a_process_that_does_not_let_itself_be_read_is_judged_all_the_same() {
    let Some(mut file) = SilentFile::mount() else { return eprintln!("not tested: {NEEDS}") };
    let path = file.path.clone();
    let serving = thread::spawn(move || {
        file.answer_until(OPEN);
        file.answer_until(GETATTR);
        file
    });
    let planted = Planted::start_c("absent", &[&path]);
    let _file = serving.join().expect("it has served");
    let (sender, found) = mpsc::channel();
    let pid = planted.pid();
    // A look that hangs must not hang the test.
    thread::spawn(move || drop(sender.send(look(pid))));
    let found = found.recv_timeout(Duration::from_secs(10)).expect("the doctor does not hang with it");
    let refused =
        found.facts.unseen.iter().filter(|unseen| unseen.why.contains("did not come back in 500 ms"));
    let what: Vec<&str> = refused.map(|unseen| unseen.what.as_str()).collect();
    assert_eq!(what, ["its memory, and with it arguments of its system calls"], "{:#?}", found.facts);
    assert_eq!(found.facts.threads.len(), 1);
}
