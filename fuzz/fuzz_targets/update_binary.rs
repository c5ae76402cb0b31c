//! A javabin or CBOR update body, decoded and taken through the chain that guesses fields.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    let content_type = if body.first() == Some(&2) { "application/javabin" } else { "application/cbor" };
    fuzz::update(content_type, "/update", body);
});
