//! Packed bodies: answers are unpacked as their header says, requests packed where that was asked for. An
//! answer that unpacks to more than a client takes is given up as soon as that is known: a few kilobytes can
//! stand for gigabytes.

use std::io::{self, Read, Write as _};

use bytes::Bytes;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::options::Coding;

/// What is asked for, best first: zstd costs servers least, brotli only pays where it was packed beforehand.
pub(crate) const ACCEPTED: &str = "zstd, gzip, br";

/// Packing and unpacking less than this is not worth a thread of its own.
const INLINE_BYTES_MAX: usize = 64 << 10;

/// The reader of brotli wants a buffer.
const BROTLI_BUFFER_BYTES: usize = 8 << 10;

/// Why a body cannot be unpacked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unpackable {
    TooLong,
    Malformed(String),
}

impl Coding {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Zstd => "zstd",
        }
    }
}

/// `body` packed; `None` where that makes it no shorter.
pub(crate) async fn pack(body: &Bytes, coding: Coding) -> Option<Bytes> {
    let owned = body.clone();
    let packed = away_if_long(body.len(), move || pack_now(&owned, coding)).await??;
    (packed.len() < body.len()).then(|| packed.into())
}

fn pack_now(body: &[u8], coding: Coding) -> Option<Vec<u8>> {
    match coding {
        Coding::Gzip => {
            let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
            encoder.write_all(body).ok()?;
            encoder.finish().ok()
        }
        Coding::Zstd => Some(compress_to_vec(body, CompressionLevel::Fastest)),
    }
}

/// `body` as it was before it was packed as `coding` says.
pub(crate) async fn unpack(body: Bytes, coding: &str, bytes_max: usize) -> Result<Bytes, Unpackable> {
    let coding = coding.trim().to_ascii_lowercase();
    if matches!(coding.as_str(), "" | "identity") {
        return Ok(body);
    }
    let lost = || Unpackable::Malformed("the work was cancelled".to_owned());
    away_if_long(body.len(), move || unpack_now(&body, &coding, bytes_max)).await.ok_or_else(lost)?
}

fn unpack_now(body: &[u8], coding: &str, bytes_max: usize) -> Result<Bytes, Unpackable> {
    let malformed = |error: &dyn std::fmt::Display| {
        Unpackable::Malformed(format!("it is not `{coding}` as its header says: {error}"))
    };
    let unpacked = match coding {
        "gzip" | "x-gzip" => read_bounded(MultiGzDecoder::new(body), bytes_max),
        "zstd" => {
            let decoder = StreamingDecoder::new(body).map_err(|error| malformed(&error))?;
            read_bounded(decoder, bytes_max)
        }
        "br" => read_bounded(brotli_decompressor::Decompressor::new(body, BROTLI_BUFFER_BYTES), bytes_max),
        _ => {
            return Err(Unpackable::Malformed(format!(
                "it is packed as `{coding}`, which was not asked for"
            )));
        }
    };
    unpacked.map_err(|error| malformed(&error))?.ok_or(Unpackable::TooLong)
}

/// `None` where there is more.
fn read_bounded(reader: impl Read, bytes_max: usize) -> io::Result<Option<Bytes>> {
    let mut unpacked = Vec::new();
    reader.take(bytes_max as u64 + 1).read_to_end(&mut unpacked)?;
    Ok((unpacked.len() <= bytes_max).then(|| unpacked.into()))
}

/// Long work leaves the runtime's threads to others.
async fn away_if_long<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    if bytes <= INLINE_BYTES_MAX {
        return Some(work());
    }
    tokio::task::spawn_blocking(work).await.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_packed_is_unpacked() {
        let long = Bytes::from("all that repeats itself; ".repeat(20_000));
        for coding in [Coding::Gzip, Coding::Zstd] {
            let packed = pack(&long, coding).await.unwrap();
            assert!(packed.len() < long.len() / 50, "{coding:?}: {}", packed.len());
            assert_eq!(unpack(packed.clone(), coding.name(), long.len()).await.as_ref(), Ok(&long));
            assert_eq!(unpack(packed.clone(), coding.name(), long.len() - 1).await, Err(Unpackable::TooLong));
            let half = packed.slice(..packed.len() / 2);
            assert!(matches!(unpack(half, coding.name(), 1 << 20).await, Err(Unpackable::Malformed(_))));
            assert_eq!(pack(&Bytes::from_static(b"x"), coding).await, None);
        }
    }

    #[tokio::test]
    async fn other_codings() {
        // What the `brotli` program makes of `{}`.
        let brotli = Bytes::from_static(&[0x8f, 0x00, 0x80, 0x7b, 0x7d, 0x03]);
        assert_eq!(unpack(brotli.clone(), "br", 2).await, Ok(Bytes::from_static(b"{}")));
        assert_eq!(unpack(brotli, "br", 1).await, Err(Unpackable::TooLong));
        assert_eq!(unpack(Bytes::from_static(b"{}"), " Identity", 0).await, Ok(Bytes::from_static(b"{}")));
        let wrong = unpack(Bytes::from_static(b"{}"), "lzma", 9).await;
        assert!(matches!(&wrong, Err(Unpackable::Malformed(why)) if why.contains("`lzma`")), "{wrong:?}");
        for coding in ["br", "gzip", "zstd"] {
            assert!(matches!(
                unpack(Bytes::from_static(b"{}"), coding, 9).await,
                Err(Unpackable::Malformed(_))
            ));
        }
    }
}
