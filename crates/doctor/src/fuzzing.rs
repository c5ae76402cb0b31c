//! All that the doctor parses, as plain functions over bytes, for fuzzers: whatever the bytes, they return.
//! Used by the targets in `fuzz/`. What is parsed comes from processes and servers that may be anybody's.

pub use crate::observe::fuzzing::{datagram, proc_file};

use crate::host::fuzzing::{limits, zookeeper};

/// Reads `bytes` as what other programs answer or hand in: a JVM's dump, ZooKeeper's words, configuration and
/// log, Solr's admin API, a certificate, an archive of `doctor bundle`. Never panics.
pub fn answer(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = crate::jvm::parse(&text);
    zookeeper(&text);
    limits(&text);
    crate::cluster::read_anything(bytes);
    let _ = crate::Bundle::read(bytes);
    let _ = crate::redact::redact(&text);
    let _ = crate::Pseudonyms::default().hide(&text);
    let _ = (crate::recent_log::last_minutes(&text, 60), crate::recent_log::errors("log", &text));
}

#[cfg(test)]
mod tests {
    proptest::proptest! {
        #[test]
        fn answers_of_any_kind_are_read_without_harm(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            super::answer(&bytes);
        }
    }
}
