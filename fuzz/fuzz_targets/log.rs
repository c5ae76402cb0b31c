//! A log file as found on disk, and the operations of one record.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    store::fuzzing::log_file(bytes);
    store::fuzzing::log_record(bytes);
    engine::fuzzing::operations(bytes);
});
