//! Entry points for fuzzers: the engine's decoders of bytes from disk. None may panic. The targets themselves
//! are in `fuzz`; what a decoder makes of good bytes its own tests say.

/// Operations in a record of the log, when it decodes.
pub fn operations(bytes: &[u8]) -> Option<usize> {
    crate::write::log_codec::decode(bytes).map(|(_, operations)| operations.len())
}

/// Whether `bytes` decode as the body of a manifest.
pub fn manifest(bytes: &[u8]) -> bool {
    crate::life::manifest::Manifest::from_bytes(bytes).is_ok()
}
