//! Update bodies whose reading the parameters shape: CSV, and JSON of any shape. The first line is the
//! parameters, as in a URL.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (line, body) = bytes.split_at(end);
    let Ok(params) = solr::parse_form(line) else { return };
    fuzz::update_with(&params, "text/csv", "/update", body.get(1..).unwrap_or_default());
    fuzz::update_with(&params, "application/json", "/update/json/docs", body.get(1..).unwrap_or_default());
});
