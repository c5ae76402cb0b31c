//! Packed bodies: requests are packed here where that was asked for; answers are unpacked by `unpack.rs` as
//! their header says.

mod unpack;

use std::io::Write as _;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::options::Coding;

pub(crate) use unpack::Unpacker;

/// What is asked for, best first: zstd costs servers least, brotli only pays where it was packed beforehand.
pub(crate) const ACCEPTED: &str = "zstd, gzip, br";

/// Packing less than this is not worth a thread of its own.
const INLINE_BYTES_MAX: usize = 64 << 10;

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
            let mut packed = pack(&long, coding).await.unwrap();
            assert!(packed.len() < long.len() / 50, "{coding:?}: {}", packed.len());
            let (mut unpacker, mut out) = (Unpacker::of(coding.name()).unwrap(), bytes::BytesMut::new());
            while unpacker.step(&mut packed, true, &mut out).unwrap() {}
            assert_eq!(out, long);
            assert_eq!(pack(&Bytes::from_static(b"x"), coding).await, None);
        }
    }
}
