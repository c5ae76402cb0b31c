//! A manifest as found on disk: the store's envelope, the engine's body.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    store::fuzzing::manifest(bytes);
    engine::fuzzing::manifest(bytes);
});
