//! What each coding's levels save of given bodies, and what that costs: `cargo run --release -p coding
//! --example levels -- FILE...`. The levels of `pack.rs` are chosen by this table; files are best answers of
//! a server, as `curl` writes them.
//!
//! Each row: bytes left of a hundred, megabytes of the body a second (the best of several rounds, so that
//! others on the machine count little), and how long the whole takes over a link of 12,000 KB/s: packed on
//! one core, then sent.

#![allow(clippy::print_stdout, reason = "it is what the program is for")]

use std::io::Write as _;
use std::time::Instant;

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

const ROUNDS: usize = 7;
const LINK_BYTES_PER_SECOND: f64 = 12e6;

fn main() {
    for path in std::env::args().skip(1) {
        let body = std::fs::read(&path).unwrap_or_else(|error| panic!("cannot read `{path}`: {error}"));
        let plain_ms = body.len() as f64 / LINK_BYTES_PER_SECOND * 1e3;
        println!("{path}: {} bytes, {plain_ms:.1} ms over the link as it is", body.len());
        println!("{:12} {:>8} {:>8} {:>10}", "coding", "left %", "MB/s", "over ms");
        for level in 1..=9 {
            row(&format!("gzip {level}"), &body, |body| gzip(body, level));
        }
        for quality in 0..=6 {
            for window in [16, 18, 20, 22] {
                row(&format!("br {quality} w{window}"), &body, |body| brotli(body, quality, window));
            }
        }
        for level in [-5, -3, -1, 1, 2, 3, 4, 5, 6, 7] {
            row(&format!("zstd {level}"), &body, |body| {
                zstd::bulk::compress(body, level).unwrap_or_else(|error| panic!("zstd {level}: {error}"))
            });
        }
        row("ruzstd", &body, |body| compress_to_vec(body, CompressionLevel::Fastest));
    }
}

fn row(name: &str, body: &[u8], pack: impl Fn(&[u8]) -> Vec<u8>) {
    let mut seconds = f64::INFINITY;
    let mut length = 0;
    for _ in 0..ROUNDS {
        let began = Instant::now();
        length = pack(body).len();
        seconds = seconds.min(began.elapsed().as_secs_f64());
    }
    let (left, rate) = (length as f64 / body.len() as f64 * 100.0, body.len() as f64 / seconds / 1e6);
    let over_ms = (seconds + length as f64 / LINK_BYTES_PER_SECOND) * 1e3;
    println!("{name:12} {left:8.2} {rate:8.1} {over_ms:10.2}");
}

fn gzip(body: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::new(level));
    let _ = encoder.write_all(body);
    encoder.finish().unwrap_or_default()
}

fn brotli(mut body: &[u8], quality: i32, window: i32) -> Vec<u8> {
    let params = BrotliEncoderParams {
        quality,
        lgwin: window,
        size_hint: body.len(),
        ..BrotliEncoderParams::default()
    };
    let mut packed = Vec::new();
    let _ = brotli::BrotliCompress(&mut body, &mut packed, &params);
    packed
}
