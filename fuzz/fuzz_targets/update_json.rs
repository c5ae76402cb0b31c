//! A JSON update body, decoded and taken through the chain that guesses fields.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    fuzz::update("application/json", "/update", body);
    fuzz::update("application/json", "/update/json/docs", body);
});
