//! One process's folder below `/proc`, held open so that a process that takes its number later is never
//! mistaken for it. Bytes are hostile: a process chooses its own names, so all text is made printable here,
//! before anything parses or shows it.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;

use procfs_core::FromRead;
use procfs_core::process::Stat;
use rustix::fs::{CWD, Dir, Mode, OFlags, RawMode};

use super::patience::PatientReader;

/// Of a file below `/proc`; the longest that we read are tables of sockets and mounts.
const BYTES_MAX: u64 = 64 << 20;

pub struct ProcDir {
    folder: OwnedFd,
    pub pid: i32,
    /// For what may keep whoever reads it.
    pub reader: PatientReader,
}

impl ProcDir {
    /// Errors: `NotFound` where there is no such process.
    pub fn open(pid: i32) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::openat(CWD, format!("/proc/{pid}"), flags, Mode::empty())?;
        Ok(Self { folder, pid, reader: PatientReader::default() })
    }

    pub fn file(&self, path: &str) -> io::Result<File> {
        open_file(&self.folder, path)
    }

    pub fn bytes(&self, path: &str) -> io::Result<Vec<u8>> {
        read_bytes(&self.folder, path, BYTES_MAX)
    }

    /// The same of a file for which the kernel looks into the process's memory, or asks its file system.
    pub fn bytes_patiently(&self, path: &str) -> io::Result<Vec<u8>> {
        self.head_patiently(path, BYTES_MAX)
    }

    /// The first `length` bytes of such a file, or fewer where it is shorter.
    pub fn head_patiently(&self, path: &str, length: u64) -> io::Result<Vec<u8>> {
        let (folder, path) = (self.folder.try_clone()?, path.to_owned());
        self.reader.read(move || read_bytes(&folder, &path, length))
    }

    pub fn text(&self, path: &str) -> io::Result<String> {
        Ok(String::from_utf8_lossy(&self.bytes(path)?).into_owned())
    }

    /// Parsed by `procfs_core`; what it cannot read is invalid data.
    pub fn parsed<T: FromRead>(&self, path: &str) -> io::Result<T> {
        let text = self.text(path)?;
        T::from_read(text.as_bytes())
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))
    }

    /// A `stat` file, of the process or of one of its threads.
    pub fn stat(&self, path: &str) -> io::Result<Stat> {
        parse_stat(&self.text(path)?).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// What a symbolic link says, made printable.
    pub fn link(&self, path: &str) -> io::Result<String> {
        Ok(printable(rustix::fs::readlinkat(&self.folder, path, Vec::new())?.as_bytes()))
    }

    /// The link's own mode: of an open file the access that it was opened with.
    pub fn link_mode(&self, path: &str) -> io::Result<RawMode> {
        Ok(rustix::fs::statat(&self.folder, path, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)?.st_mode)
    }

    /// The numbers that a folder's names are: threads, file descriptors.
    pub fn numbers(&self, path: &str) -> io::Result<Vec<i32>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut folder = Dir::read_from(rustix::fs::openat(&self.folder, path, flags, Mode::empty())?)?;
        let mut numbers = Vec::new();
        while let Some(found) = folder.read() {
            numbers.extend(found?.file_name().to_str().ok().and_then(|name| name.parse::<i32>().ok()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }
}

fn open_file(folder: &OwnedFd, path: &str) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::openat(folder, path, flags, Mode::empty())?))
}

fn read_bytes(folder: &OwnedFd, path: &str, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(folder, path)?.take(bytes_max).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// `procfs_core` 0.18 takes the form of the line for granted and panics without it (found by the property
/// test of samples, 2026-11-23), which a sandbox's imitation of `/proc` need not have.
pub fn parse_stat(text: &str) -> Option<Stat> {
    let line = text.trim();
    let (open, close) = (line.find('(')?, line.rfind(')')?);
    let shaped = open > 0
        && open < close
        && line.get(open - 1..open)? == " "
        && line.get(close + 1..close + 2)? == " ";
    if shaped { Stat::from_read(line.as_bytes()).ok() } else { None }
}

/// The processes there are.
pub fn pids() -> io::Result<Vec<i32>> {
    let mut pids: Vec<i32> = std::fs::read_dir("/proc")?
        .filter_map(|found| found.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    pids.sort_unstable();
    Ok(pids)
}

/// Text for a terminal: no control characters, nothing that is not UTF-8.
pub fn printable(bytes: &[u8]) -> String {
    crate::verdict::words::printable(&String::from_utf8_lossy(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_drive_a_terminal() {
        assert_eq!(printable(b"a\x1b[2Jb\nc"), "a\u{fffd}[2Jb\u{fffd}c");
        assert_eq!(printable(b"\xff\xfe"), "\u{fffd}\u{fffd}");
        assert_eq!(printable("Zürich".as_bytes()), "Zürich");
    }

    #[test]
    fn this_process_has_a_folder_and_a_thread() {
        let own = ProcDir::open(std::process::id().cast_signed()).unwrap();
        assert!(own.numbers("task").unwrap().len() >= 2);
        assert_eq!(own.stat("stat").unwrap().pid, own.pid);
        assert_eq!(ProcDir::open(i32::MAX).err().unwrap().kind(), io::ErrorKind::NotFound);
    }
}
