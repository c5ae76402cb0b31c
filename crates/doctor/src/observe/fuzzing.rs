//! Every parser of what a kernel, a process or a JVM says, as plain functions over bytes, for fuzzers and
//! property tests: whatever the bytes, they return. A process chooses its own names, and a sandbox's
//! imitation of `/proc` may write anything at all.

use procfs_core::process::{MountInfos, Schedstat, Status};
use procfs_core::{FromBufRead as _, FromRead as _};

use super::call::{self, Decoder};
use super::memory::TargetMemory;
use super::{
    cgroup, descriptors, holders, locks, proc_dir, process, samples, socket_tables, sockets, stacks,
};

/// Reads `bytes` as each file of `/proc` that the doctor opens, and as each line of one. Never panics.
pub fn proc_file(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    per_thread(&text);
    let _ = (Status::from_read(text.as_bytes()), process::parse_io(&text));
    let _ = MountInfos::from_buf_read(text.as_bytes()).map(|mounts| descriptors::file_systems(&mounts));
    let _ = (locks::blocked(&text), socket_tables::parse(&text));
    cgroup::parse_all(&text);
    stacks::program_files::parse_all(&text);
    descriptors::parse_info(&text);
    let _ = process::holds_lock(&text, 7);
    text.lines().for_each(|line| {
        let _ = holders::Object::of_link(line);
    });
    let _ = proc_dir::printable(bytes);
}

fn per_thread(text: &str) {
    let _ = (proc_dir::parse_stat(text), Schedstat::from_read(text.as_bytes()));
    let _ = (samples::ran_at_ms(text), samples::stack(text));
    let memory = Bytes(text.as_bytes());
    let decoder = Decoder { memory: &memory, file: &|_| None, watched: &|_| Vec::new() };
    text.lines().filter_map(call::parse).for_each(|call| drop(call::decode(call, &decoder)));
}

/// Reads `bytes` as a datagram of a dump of sockets. Never panics.
pub fn datagram(bytes: &[u8]) {
    let _ = sockets::read_datagram(bytes, &mut |message| drop(sockets::read_message(&message)));
}

/// A process's memory that holds the input over and over from address 0.
struct Bytes<'b>(&'b [u8]);

impl TargetMemory for Bytes<'_> {
    fn read(&self, address: u64, length: usize) -> Option<Vec<u8>> {
        let start = usize::try_from(address).ok()?.checked_rem(self.0.len())?;
        (length <= 4096).then(|| self.0.iter().cycle().skip(start).take(length).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    /// What this machine's kernel writes, as the seed of what might stand there instead.
    static FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
        const PATHS: [&str; 15] = [
            "self/stat",
            "self/status",
            "self/io",
            "self/schedstat",
            "self/sched",
            "self/mountinfo",
            "self/cgroup",
            "self/syscall",
            "self/stack",
            "self/net/tcp",
            "self/net/udp",
            "self/net/unix",
            "locks",
            "pressure/io",
            "self/fdinfo/0",
        ];
        let read =
            |path: &&str| std::fs::read(format!("/proc/{path}")).ok().filter(|bytes| !bytes.is_empty());
        PATHS
            .iter()
            .filter_map(read)
            .map(|mut bytes| {
                bytes.truncate(3000);
                bytes
            })
            .collect()
    });

    #[test]
    fn files_that_end_anywhere_are_read_without_harm() {
        assert!(FILES.len() >= 8, "this machine has a /proc");
        for file in FILES.iter() {
            (0..file.len()).for_each(|end| proc_file(&file[..end]));
        }
    }

    /// Numbers too long, names with the format's own separators, lines cut and doubled, bytes that are no
    /// text.
    const HOSTILE: [&[u8]; 12] = [
        b"\n",
        b" ",
        b")",
        b"(",
        b":",
        b"\0",
        b"\xff\xfe",
        b"-1",
        b"18446744073709551616",
        b"0x",
        b"\x1b[2J",
        b"",
    ];

    proptest! {
        #[test]
        fn files_with_anything_in_them_are_read_without_harm(
            which in any::<prop::sample::Index>(),
            edits in prop::collection::vec((any::<prop::sample::Index>(), 0..12_usize, 0..HOSTILE.len()), 1..6),
        ) {
            let mut file = which.get(&FILES).clone();
            for (at, removed, hostile) in edits {
                let from = at.index(file.len().max(1)).min(file.len());
                let to = (from + removed).min(file.len());
                file.splice(from..to, HOSTILE[hostile].iter().copied());
            }
            proc_file(&file);
        }

        #[test]
        fn bytes_of_any_kind_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            proc_file(&bytes);
            datagram(&bytes);
        }
    }
}
