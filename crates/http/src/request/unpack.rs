//! Unpacks a request's body that says in its header that it is packed, part by part: gzip, deflate, zstd.
//! However little goes in, little comes out at a time. Solr differs: it takes bodies as they are, whatever
//! the header says (`compat/update/cbor.yaml`).

use std::io::Write as _;

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use flate2::write::{MultiGzDecoder, ZlibDecoder};
use plan::{Error, ErrorKind, Result};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// What is unpacked of gzip and deflate at a time: it makes a thousand times as much at most.
const PACKED_BYTES: usize = 1 << 10;

/// What a block of zstd can hold, with its header, that of its frame, and what ends it.
const BLOCK_BYTES: usize = (128 << 10) + 64;

pub(crate) enum Unpacker {
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    Deflate(Box<ZlibDecoder<Vec<u8>>>),
    Zstd(Box<Zstd>),
}

impl Unpacker {
    /// By the header. Errors: `UnsupportedMedia` for an encoding that is not known.
    pub fn of(encoding: Option<&str>) -> Result<Self> {
        let encoding = encoding.unwrap_or_default().trim();
        Ok(match encoding.to_ascii_lowercase().as_str() {
            "" | "identity" => Unpacker::Plain,
            "gzip" | "x-gzip" => Unpacker::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))),
            "deflate" => Unpacker::Deflate(Box::new(ZlibDecoder::new(Vec::new()))),
            "zstd" => Unpacker::Zstd(Box::default()),
            _ => {
                return Err(Error::new(
                    ErrorKind::UnsupportedMedia,
                    format!("the content encoding `{encoding}` is not supported; use gzip, deflate or zstd"),
                ));
            }
        })
    }

    pub fn is_plain(&self) -> bool {
        matches!(self, Unpacker::Plain)
    }

    /// Appends to `out` a first part of what comes out of `packed`, and takes off it what that part was;
    /// `is_last` says that nothing follows. Whether there may be more to come out. Errors: the bytes are not
    /// what the header says.
    pub fn step(&mut self, packed: &mut Bytes, is_last: bool, out: &mut BytesMut) -> Result<bool> {
        let part = packed.split_to(packed.len().min(PACKED_BYTES));
        let ends = is_last && part.is_empty();
        match self {
            Unpacker::Plain => {
                out.extend_from_slice(&part);
                out.extend_from_slice(&std::mem::take(packed));
            }
            Unpacker::Gzip(decoder) => {
                let written = if ends { decoder.try_finish() } else { decoder.write_all(&part) };
                written.map_err(|error| malformed("gzip", &error))?;
                out.extend(decoder.get_mut().drain(..));
            }
            Unpacker::Deflate(decoder) => {
                let written = if ends { decoder.try_finish() } else { decoder.write_all(&part) };
                written.map_err(|error| malformed("deflate", &error))?;
                out.extend(decoder.get_mut().drain(..));
            }
            Unpacker::Zstd(zstd) => {
                zstd.packed.extend_from_slice(&part);
                zstd.packed.extend_from_slice(&std::mem::take(packed));
                return zstd.step(is_last, out);
            }
        }
        Ok(!part.is_empty() && (is_last || !packed.is_empty()))
    }
}

/// Frames one behind another.
#[derive(Default)]
pub(crate) struct Zstd {
    frame: Option<FrameDecoder>,
    packed: BytesMut,
}

impl Zstd {
    /// Unpacks a block, where all of it must be there by now. Whether there was one.
    fn step(&mut self, is_last: bool, out: &mut BytesMut) -> Result<bool> {
        let is_there = self.packed.len() >= BLOCK_BYTES || is_last && !self.packed.is_empty();
        if !is_there {
            return if is_last && self.frame.is_some() {
                Err(malformed("zstd", &"it ends early"))
            } else {
                Ok(false)
            };
        }
        let mut rest: &[u8] = &self.packed;
        let frame = match &mut self.frame {
            Some(frame) => frame,
            none => {
                let mut frame = FrameDecoder::new();
                frame.init(&mut rest).map_err(|error| malformed("zstd", &error))?;
                none.insert(frame)
            }
        };
        let block = frame.decode_blocks(&mut rest, BlockDecodingStrategy::UptoBlocks(1));
        let ended = block.map_err(|error| malformed("zstd", &error))?;
        let written = frame.collect_to_writer((&mut *out).writer());
        written.map_err(|error| malformed("zstd", &error))?;
        let taken = self.packed.len() - rest.len();
        self.packed.advance(taken);
        if ended {
            self.frame = None;
        }
        Ok(true)
    }
}

fn malformed(encoding: &str, error: &dyn std::fmt::Display) -> Error {
    Error::bad_request(format!("the request's body is not `{encoding}` as its header says: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    fn unpacked(body: &[u8], encoding: Option<&str>, part_bytes: usize) -> Result<String, ErrorKind> {
        let (mut unpacker, mut out) = (Unpacker::of(encoding).map_err(|error| error.kind)?, BytesMut::new());
        let mut parts: Vec<Bytes> = body.chunks(part_bytes).map(Bytes::copy_from_slice).collect();
        parts.push(Bytes::new());
        let last = parts.len() - 1;
        for (at, part) in parts.iter_mut().enumerate() {
            while unpacker.step(part, at == last, &mut out).map_err(|error| error.kind)? {}
            assert!(part.is_empty());
        }
        Ok(String::from_utf8(out.to_vec()).unwrap())
    }

    #[test]
    fn bodies_are_unpacked_however_they_come() {
        let check = |body: &[u8], encoding: Option<&str>, expected: Result<&str, ErrorKind>| {
            for part_bytes in [1, 7, 5000, usize::MAX] {
                let found = unpacked(body, encoding, part_bytes);
                assert!(found.as_deref() == expected.as_deref(), "{encoding:?} by {part_bytes}");
            }
        };
        // What the `zstd` program makes of `{}`.
        let zstd = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x02, 0x11, 0x00, 0x00, 0x7b, 0x7d];
        let long = "all that repeats itself; ".repeat(20_000);
        check(b"{}", None, Ok("{}"));
        check(b"{}", Some("identity"), Ok("{}"));
        check(&gzip(b"{}"), Some("gzip"), Ok("{}"));
        check(&gzip(long.as_bytes()), Some("gzip"), Ok(&long));
        check(&[gzip(b"{"), gzip(b"}")].concat(), Some("X-GZIP"), Ok("{}"));
        check(&zstd, Some("zstd"), Ok("{}"));
        check(&[zstd, zstd].concat(), Some("zstd"), Ok("{}{}"));
        check(&zstd[..zstd.len() - 1], Some("zstd"), Err(ErrorKind::BadRequest));
        check(b"{}", Some("gzip"), Err(ErrorKind::BadRequest));
        check(b"{}", Some("zstd"), Err(ErrorKind::BadRequest));
        check(b"{}", Some("br"), Err(ErrorKind::UnsupportedMedia));
        let packed = gzip(b"{}");
        check(&packed[..packed.len() - 6], Some("gzip"), Err(ErrorKind::BadRequest));
    }
}
