//! An XML update body, decoded and taken through the chain that guesses fields.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| fuzz::update("application/xml", "/update", body));
