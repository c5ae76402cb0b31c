//! Packs a body that is there as a whole.
//!
//! In: bytes, a coding, and how much time they are worth; out: bytes that may be longer than what they stand
//! for: who sends them looks.

use std::io::Write as _;

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;

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
        Coding::Zstd => zstd(body, effort),
    }
}

// Levels are chosen by `examples/levels.rs` (2026-11-26, an answer of 1.09 MB in JSON, one of two busy cores:
// bytes left of a hundred, MB/s). What the next level costs beyond these is more than a link of 12,000 KB/s
// gives back: gzip 6 packs 68 MB/s for one byte in a hundred less.

/// Level 1: 15.9 %, 392 MB/s; 2: 12.4 %, 373; 4: 10.2 %, 221. (Of zlib-rs; miniz_oxide, which was here
/// before, took nearly twice as long for the same.)
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

/// Level 1: 9.1 %, 999 MB/s. It is the best there is for whoever takes it, whatever the load: -1 is no
/// quicker and leaves 11.2 %; 3 leaves 10.0 % at 763 MB/s, and only 6 leaves less (8.6 %), at 51. What was
/// here before, in Rust, left 15.3 % at 73 MB/s.
fn zstd(body: &[u8], _: Effort) -> Vec<u8> {
    const LEVEL: i32 = 1;
    // Of memory there may be too little: then the body goes as it is, for nothing that is packed is longer.
    zstd::bulk::compress(body, LEVEL).unwrap_or_else(|_| body.to_vec())
}

/// With this window, quality 2: 12.9 %, 184 MB/s; 3: 11.3 %, 184; 4: 9.8 %, 68. 1 is no quicker than 2 and
/// leaves 19.7 %.
fn brotli(body: &[u8], effort: Effort) -> Vec<u8> {
    let quality = match effort {
        Effort::Least => 2,
        Effort::Usual => 3,
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
