//! The stacks of a native program's threads, without attaching to it: where each stands in the kernel is in
//! its `syscall` file, its stack in the process's memory, how to walk it in the unwind tables of the files
//! it runs (by `framehop`), and names in their symbols. A thread that moves while it is walked is left out.
//!
//! Everything read here is hostile: the process chooses its memory, its files and their tables. Walks are
//! bounded, a file is opened only where it is the one that is mapped, and reading one never waits for a pipe.

pub(super) mod program_files;

use std::collections::BTreeMap;

use framehop::Unwinder as _;
use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use procfs_core::process::Syscall;

use super::memory::{MemoryFile, TargetMemory as _};
use super::patience::given_up;
use super::proc_dir::ProcDir;
use crate::facts::{ProcessFacts, Unseen};
use program_files::ProgramFiles;

/// Of one thread.
const FRAMES_MAX: usize = 64;

/// Adds its own functions to each thread that sleeps in a system call. What cannot be seen is added to the
/// facts too.
pub fn add_stacks(process: &mut ProcessFacts) {
    if !cfg!(target_arch = "x86_64") {
        return unseen(
            process,
            "they can be walked on x86-64 alone",
            "`gdb -p PID -batch -ex 'thread apply all bt'`",
        );
    }
    let found = ProcDir::open(process.label.pid).and_then(|folder| {
        let memory = MemoryFile::new(Some(folder.file("mem")?));
        Ok((ProgramFiles::of(&folder)?, folder, memory))
    });
    let Ok((mut files, folder, memory)) = found else {
        let remedy =
            "run as root, or as its user with kernel.yama.ptrace_scope=0; in a container add SYS_PTRACE";
        return unseen(process, "its memory may not be read", remedy);
    };
    let unwinder = files.unwinder();
    let walker = Walker { folder, memory, unwinder, files };
    let tids = process.threads.iter().map(|thread| thread.tid);
    let walked: Vec<(i32, Stack)> = tids.filter_map(|tid| Some((tid, walker.walk(tid)?))).collect();
    if walker.memory.has_given_up() {
        process.unseen.push(given_up("stacks of its threads, from where its memory does not answer"));
    }
    let addresses = walked.iter().flat_map(|(_, stack)| &stack.addresses).copied().collect();
    let names = walker.files.names(&addresses);
    for (tid, stack) in walked {
        if let Some(thread) = process.threads.iter_mut().find(|thread| thread.tid == tid) {
            thread.frames = stack.in_words(&names);
        }
    }
}

fn unseen(process: &mut ProcessFacts, why: &str, remedy: &str) {
    process.unseen.push(Unseen {
        what: "the stacks of its threads".to_owned(),
        why: why.to_owned(),
        remedy: remedy.to_owned(),
    });
}

/// Addresses of code, the innermost first.
struct Stack {
    addresses: Vec<u64>,
    /// How many of them are sure: the others go by a frame pointer that was guessed.
    sure: usize,
}

impl Stack {
    fn in_words(&self, names: &BTreeMap<u64, String>) -> Vec<String> {
        let named = self.addresses.iter().enumerate().filter_map(|(at, it)| Some((at, names.get(it)?)));
        named.map(|(at, name)| if at < self.sure { name.clone() } else { format!("≈ {name}") }).collect()
    }
}

struct Walker {
    folder: ProcDir,
    memory: MemoryFile,
    unwinder: UnwinderX86_64<Vec<u8>>,
    files: ProgramFiles,
}

impl Walker {
    /// `None` of a thread that runs, or moved.
    fn walk(&self, tid: i32) -> Option<Stack> {
        let place = || self.folder.parsed::<Syscall>(&format!("task/{tid}/syscall")).ok();
        let before = place()?;
        let Syscall::Blocked { stack_pointer, program_counter, .. } = before else { return None };
        let sure = self.addresses(program_counter, stack_pointer, 0);
        let guessed = self.frame_pointer(stack_pointer);
        let guessed = guessed.map(|frame| self.addresses(program_counter, stack_pointer, frame));
        let longer = guessed.filter(|addresses| addresses.starts_with(&sure));
        let stack = Stack { sure: sure.len(), addresses: longer.unwrap_or(sure) };
        (place()? == before).then_some(stack)
    }

    fn addresses(&self, program_counter: u64, stack_pointer: u64, frame_pointer: u64) -> Vec<u64> {
        let registers = UnwindRegsX86_64::new(program_counter, stack_pointer, frame_pointer);
        let mut cache = CacheX86_64::<_>::new();
        let mut read = |address| self.memory.long(address).ok_or(());
        let mut frames = self.unwinder.iter_frames(program_counter, registers, &mut cache, &mut read);
        let mut addresses = Vec::new();
        while let Ok(Some(frame)) = frames.next()
            && addresses.len() < FRAMES_MAX
        {
            addresses.push(frame.address_for_lookup());
        }
        addresses
    }

    /// Where the innermost function with a frame pointer has its frame. No file of `/proc` tells that
    /// register, and Rust's own library cannot be walked without it. What looks like a frame and leads to
    /// another is taken for one: it may be what an earlier call left behind.
    fn frame_pointer(&self, stack_pointer: u64) -> Option<u64> {
        const REACH: u64 = 4096;
        const FRAME_BYTES_MAX: u64 = 1 << 16;
        let returns = |frame: u64| {
            let address = frame.checked_add(8).and_then(|at| self.memory.long(at));
            address.is_some_and(|address| self.files.is_code(address))
        };
        let leads_on = |frame: u64| {
            let outer = self.memory.long(frame).filter(|outer| outer % 8 == 0 && *outer > frame);
            outer.is_some_and(|outer| outer - frame < FRAME_BYTES_MAX && returns(outer))
        };
        let places = (stack_pointer..stack_pointer.saturating_add(REACH)).step_by(8);
        places.into_iter().find(|frame| returns(*frame) && leads_on(*frame))
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{Machine, ObserveOptions};

    #[inline(never)]
    fn wait_to_be_seen(receiver: &std::sync::mpsc::Receiver<()>) {
        let _ = std::hint::black_box(receiver.recv());
    }

    #[test]
    fn a_thread_that_waits_is_named_function_by_function() {
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let waiting = std::thread::Builder::new().name("to-be-seen".to_owned());
        let waiting = waiting.spawn(move || wait_to_be_seen(&receiver)).unwrap();
        let options = ObserveOptions { period: Duration::from_millis(5), samples: 2, now_ms: 0 };
        let look = || {
            let machine = Machine::observe().unwrap();
            let mut facts = machine.process(std::process::id().cast_signed(), &options).unwrap();
            add_stacks(&mut facts);
            facts.threads.into_iter().find(|thread| thread.name == "to-be-seen")
        };
        let is_there = |frames: &Vec<String>| frames.iter().any(|frame| frame.contains("wait_to_be_seen"));
        // It has a few instructions to go until it waits.
        let frames = std::iter::repeat_with(|| look().map(|thread| thread.frames).unwrap_or_default());
        let frames: Vec<Vec<String>> = frames.take(50).collect();
        sender.send(()).unwrap();
        waiting.join().unwrap();
        let found =
            frames.iter().find(|frames| is_there(frames)).unwrap_or_else(|| panic!("{:?}", frames.last()));
        // Down to where its life began.
        assert!(found.iter().any(|frame| frame.contains("thread")), "{found:?}");
        assert!(!found.iter().any(|frame| frame.contains(char::is_control)), "{found:?}");
    }
}
