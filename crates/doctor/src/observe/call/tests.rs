//! Calls decoded against memory made up for the purpose.

use proptest::prelude::*;

use super::*;
use crate::facts::{Futex, PolledFile, Wait};
use crate::observe::memory::TargetMemory;

/// One stretch of memory at address 4096.
struct Stretch(Vec<u8>);

impl TargetMemory for Stretch {
    fn read(&self, address: u64, length: usize) -> Option<Vec<u8>> {
        let at = usize::try_from(address.checked_sub(4096)?).ok()?;
        self.0.get(at..at.checked_add(length)?).map(<[u8]>::to_vec)
    }
}

fn call(line: &str, memory: Vec<u8>) -> CallState {
    let memory = Stretch(memory);
    let decoder = Decoder {
        memory: &memory,
        file: &|fd| (fd == 6).then(|| "TCP to 10.0.0.5:5432".to_owned()),
        watched: &|_| vec![PolledFile { fd: 9, read: true, write: false }],
    };
    parse(line).map_or(CallState::Unreadable, |call| decode(call, &decoder))
}

#[cfg(target_arch = "x86_64")]
fn check(line: &str, memory: &[u8], text: &str, wait: &Wait, timeout: Option<u64>) {
    let CallState::In(call) = call(line, memory.to_vec()) else { panic!("{line}") };
    assert_eq!((call.text.as_str(), &call.wait, call.timeout_ms), (text, wait, timeout), "{line}");
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

#[cfg(target_arch = "x86_64")]
#[test]
fn calls_are_decoded() {
    let read = |fd: i32| PolledFile { fd, read: true, write: false };
    check(
        "0 0x6 0x1000 0x2000 0x0 0x0 0x0 0x7ffc 0x7f",
        &[],
        "read(6<TCP to 10.0.0.5:5432>, 0x1000, 8192)",
        &Wait::Read(6),
        None,
    );
    let two = [words(&[6, 1]), words(&[u32::MAX, 1]), words(&[7, 4])].concat();
    let write = PolledFile { fd: 7, read: false, write: true };
    let events = Wait::Events(vec![read(6), write]);
    check("7 0x1000 0x3 0xffffffff 0x0 0x0 0x0 0x1 0x1", &two, "poll(0x1000, 3, -1)", &events, None);
    check("7 0x1000 0x3 0x1388 0x0 0x0 0x0 0x1 0x1", &two, "poll(0x1000, 3, 5000)", &events, Some(5000));
    let epoll = Wait::Events(vec![read(9)]);
    check("232 0x3 0x1 0x400 0xffffffff 0x0 0x0 0x1 0x1", &[], "epoll_wait(3, 0x1, 1024, -1)", &epoll, None);
    check("73 0x5 0x2 0x0 0x0 0x0 0x0 0x1 0x1", &[], "flock(5, 2)", &Wait::FileLock(5), None);
    check("72 0x5 0x7 0x1 0x0 0x0 0x0 0x1 0x1", &[], "fcntl(5, 7, 0x1)", &Wait::FileLock(5), None);
    check(
        "61 0xffffffff 0x0 0x0 0x0 0x0 0x0 0x1 0x1",
        &[],
        "wait4(-1, NULL, 0x0, NULL)",
        &Wait::Child(None),
        None,
    );
    let time = [3_u64.to_ne_bytes(), 500_000_000_u64.to_ne_bytes()].concat();
    check("35 0x1000 0x0 0x0 0x0 0x0 0x0 0x1 0x1", &time, "nanosleep(3.5 s, NULL)", &Wait::Timer, Some(3500));
    let name = [&b"/mnt/a\0"[..], &[1; 300]].concat();
    let path = Wait::Path("/mnt/a".to_owned());
    check(
        "257 0xffffff9c 0x1000 0x0 0x0 0x0 0x0 0x1 0x1",
        &name,
        "openat(AT_FDCWD, \"/mnt/a\", 0x0)",
        &path,
        None,
    );
    check("9999 0x1 0x2 0x3 0x4 0x5 0x6 0x1 0x1", &[], "syscall_9999(…)", &Wait::Other, None);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn locks_name_their_owner_where_they_know_it() {
    let futex = |operation: &str, memory: &[u32]| {
        let line = format!("202 0x1000 {operation} 0x2 0x0 0x0 0x0 0x1 0x1");
        match call(&line, words(memory)) {
            CallState::In(Call { wait: Wait::Futex(Futex { owner, .. }), .. }) => owner,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(futex("0x80", &[2, 1, 4711, 1, 0]), Some(4711));
    assert_eq!(futex("0x80", &[1, 1, 4711, 1, 0]), None, "not locked with waiters");
    assert_eq!(futex("0x189", &[2, 0, 0, 0, 0]), None, "a condition");
    assert_eq!(futex("0x86", &[0x8000_0000 | 4711]), Some(4711));
    assert_eq!(futex("0x80", &[]), None, "memory that may not be read");
}

#[test]
fn what_is_no_call_is_told_so() {
    assert_eq!(call("running", vec![]), CallState::Running);
    assert_eq!(call("-1 0x0 0x0 0x0 0x0 0x0 0x0 0x1 0x1", vec![]), CallState::Outside);
    assert_eq!(call("", vec![]), CallState::Unreadable);
    assert_eq!(call("0 0x1", vec![]), CallState::Unreadable);
}

proptest! {
    #[test]
    fn no_line_and_no_memory_panics(
        line in "-?[0-9]{1,4}( 0x[0-9a-f]{1,16}){0,9}",
        number in 0..460_i64,
        arguments in prop::array::uniform6(prop_oneof![Just(4096_u64), Just(u64::MAX), any::<u64>(), 0..2000_u64]),
        memory in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let _ = call(&line, memory.clone());
        let [a, b, c, d, e, f] = arguments;
        let _ = call(&format!("{number} {a:#x} {b:#x} {c:#x} {d:#x} {e:#x} {f:#x} 0x1 0x1"), memory);
    }
}
