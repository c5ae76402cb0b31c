//! Packs a body that is there as a whole.
//!
//! In: bytes, a coding, and how much time they are worth; out: bytes that may be longer than what they stand
//! for: who sends them looks.

use std::io::Write as _;

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::Coding;

/// How much processor time a saved byte is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Others wait for the processor.
    Least,
    Usual,
    /// Nobody does.
    More,
}

/// What a window of brotli holds: further back than that answers hardly repeat themselves, and each costs its
/// memory as long as a body is packed (2 to the power of it, in bytes, and a few times as much in tables).
const BROTLI_WINDOW_BITS: i32 = 18;

/// `body` packed. Cannot fail: bytes go from memory to memory.
pub fn pack(body: &[u8], coding: Coding, effort: Effort) -> Vec<u8> {
    match coding {
        Coding::Gzip => gzip(body, effort),
        Coding::Brotli => brotli(body, effort),
        // The library has one level.
        Coding::Zstd => compress_to_vec(body, CompressionLevel::Fastest),
    }
}

fn gzip(body: &[u8], effort: Effort) -> Vec<u8> {
    let level = match effort {
        Effort::Least => 1,
        Effort::Usual => 2,
        Effort::More => 4,
    };
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::new(level));
    // Into memory nothing fails.
    let _ = encoder.write_all(body);
    encoder.finish().unwrap_or_default()
}

fn brotli(body: &[u8], effort: Effort) -> Vec<u8> {
    let quality = match effort {
        Effort::Least => 1,
        Effort::Usual => 2,
        Effort::More => 4,
    };
    let params = BrotliEncoderParams {
        quality,
        lgwin: BROTLI_WINDOW_BITS,
        size_hint: body.len(),
        ..BrotliEncoderParams::default()
    };
    let mut packed = Vec::with_capacity(body.len() / 4);
    let mut rest = body;
    // Into memory nothing fails.
    let _ = brotli::BrotliCompress(&mut rest, &mut packed, &params);
    packed
}
