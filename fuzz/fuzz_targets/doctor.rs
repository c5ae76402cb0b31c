//! What the doctor reads: files of `/proc`, datagrams of the kernel, answers of other programs, archives.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    doctor::fuzzing::proc_file(bytes);
    doctor::fuzzing::datagram(bytes);
    doctor::fuzzing::answer(bytes);
});
