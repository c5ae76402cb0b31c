//! Unpacks a body as it comes, piece by piece: gzip, zstd, brotli, and deflate, which some clients still
//! send. However little goes in, little comes out at a time: a few kilobytes can stand for gigabytes.
//!
//! In: what the header says of the body, and its bytes as they arrive, cut anywhere; out: the bytes that were
//! packed. How much of them a caller takes is the caller's.

use std::fmt::Display;
use std::io::{self, Write};

use brotli::DecompressorWriter;
use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use flate2::write::{MultiGzDecoder, ZlibDecoder};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::Coding;

/// What is unpacked of gzip, deflate and brotli at a time: the first two make a thousand times as much at
/// most.
const PACKED_BYTES: usize = 1 << 10;
/// What may come of that. Brotli has no bound of its own; what is more repetitive is an attack.
const STEP_BYTES_MAX: usize = 16 << 20;
const BROTLI_BUFFER_BYTES: usize = 8 << 10;

/// Of a frame of zstd: magic number and header at most, a block's header, and the checksum at the end
/// (RFC 8878, 3.1.1).
const FRAME_HEAD_BYTES: usize = 18;
const BLOCK_HEAD_BYTES: usize = 3;
const CHECKSUM_BYTES: usize = 4;

/// Why a body cannot be unpacked, in words that go behind "the body cannot be read: ".
pub type Malformed = String;

/// Of one body.
pub struct Unpacker(Kind);

enum Kind {
    Plain,
    Gzip(Box<MultiGzDecoder<Output>>),
    Deflate(Box<ZlibDecoder<Output>>),
    Zstd(Box<Zstd>),
    Brotli(Box<DecompressorWriter<Output>>),
}

impl Unpacker {
    /// By `Content-Encoding`; empty where there is none. `None` for a coding that is not known, and for
    /// several in one another, which nobody sends.
    pub fn of(header: &str) -> Option<Self> {
        let name = header.trim();
        Some(Self(match Coding::named(name) {
            Some(Coding::Gzip) => Kind::Gzip(Box::new(MultiGzDecoder::new(Output::default()))),
            Some(Coding::Zstd) => Kind::Zstd(Box::default()),
            Some(Coding::Brotli) => {
                Kind::Brotli(Box::new(DecompressorWriter::new(Output::default(), BROTLI_BUFFER_BYTES)))
            }
            None if name.is_empty() || name.eq_ignore_ascii_case("identity") => Kind::Plain,
            None if name.eq_ignore_ascii_case("deflate") => {
                Kind::Deflate(Box::new(ZlibDecoder::new(Output::default())))
            }
            None => return None,
        }))
    }

    pub fn is_plain(&self) -> bool {
        matches!(self.0, Kind::Plain)
    }

    /// Appends to `out` a first part of what comes out of `packed`, and takes off it what that part was;
    /// `is_last` says that nothing follows. Whether there may be more to come out. Errors: the bytes are not
    /// what the header says, or they end early.
    pub fn step(&mut self, packed: &mut Bytes, is_last: bool, out: &mut BytesMut) -> Result<bool, Malformed> {
        let part = match &mut self.0 {
            Kind::Zstd(zstd) => {
                zstd.packed.extend_from_slice(&std::mem::take(packed));
                return zstd.step(is_last, out);
            }
            Kind::Plain => std::mem::take(packed),
            Kind::Gzip(_) | Kind::Deflate(_) | Kind::Brotli(_) => {
                packed.split_to(packed.len().min(PACKED_BYTES))
            }
        };
        let ends = is_last && part.is_empty();
        match &mut self.0 {
            Kind::Plain | Kind::Zstd(_) => out.extend_from_slice(&part),
            Kind::Gzip(decoder) => {
                let written = if ends { decoder.try_finish() } else { decoder.write_all(&part) };
                written.map_err(|error| malformed("gzip", &error))?;
                decoder.get_mut().move_to(out);
            }
            Kind::Deflate(decoder) => {
                let written = if ends { decoder.try_finish() } else { decoder.write_all(&part) };
                written.map_err(|error| malformed("deflate", &error))?;
                decoder.get_mut().move_to(out);
            }
            Kind::Brotli(decoder) => {
                let written = if ends { decoder.close() } else { decoder.write_all(&part) };
                written.map_err(|error| malformed("br", &error))?;
                decoder.get_mut().move_to(out);
            }
        }
        Ok(!part.is_empty() && (is_last || !packed.is_empty()))
    }
}

/// What one step brings.
#[derive(Default)]
struct Output(Vec<u8>);

impl Output {
    fn move_to(&mut self, out: &mut BytesMut) {
        out.extend_from_slice(&self.0);
        self.0.clear();
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > STEP_BYTES_MAX {
            return Err(io::Error::other("a kilobyte of it stands for more than 16 MB"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Frames one behind another.
#[derive(Default)]
struct Zstd {
    frame: Option<FrameDecoder>,
    packed: BytesMut,
}

impl Zstd {
    /// Unpacks a block, where all of it is there. Whether there was one.
    fn step(&mut self, is_last: bool, out: &mut BytesMut) -> Result<bool, Malformed> {
        if !self.may_begin(is_last)? {
            return Ok(false);
        }
        let mut rest: &[u8] = &self.packed;
        let frame = match &mut self.frame {
            Some(frame) => frame,
            none => {
                let mut frame = FrameDecoder::new();
                frame.init(&mut rest).map_err(|error| malformed("zstd", &error))?;
                let taken = self.packed.len() - rest.len();
                self.packed.advance(taken);
                // The frame's first block may not be there yet.
                none.replace(frame);
                return Ok(true);
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

    /// Whether the next head or block is there as a whole. So nothing waits that could be had, as a stream
    /// whose server pauses between blocks would.
    fn may_begin(&self, is_last: bool) -> Result<bool, Malformed> {
        if is_last {
            let is_over = self.packed.is_empty();
            return match self.frame {
                Some(_) if is_over => Err(malformed("zstd", &"it ends early")),
                _ => Ok(!is_over),
            };
        }
        if self.frame.is_none() {
            return Ok(self.packed.len() >= FRAME_HEAD_BYTES);
        }
        let Some(head) = self.packed.first_chunk::<BLOCK_HEAD_BYTES>() else { return Ok(false) };
        let head = u32::from_le_bytes([head[0], head[1], head[2], 0]);
        // One byte that is repeated, or as many as they say.
        let block_bytes = if head >> 1 & 3 == 1 { 1 } else { (head >> 3) as usize };
        let checksum_bytes = if head & 1 == 1 { CHECKSUM_BYTES } else { 0 };
        Ok(self.packed.len() >= BLOCK_HEAD_BYTES + block_bytes + checksum_bytes)
    }
}

fn malformed(coding: &str, error: &dyn Display) -> Malformed {
    format!("it is not `{coding}` as its header says: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Effort, pack};

    /// What comes out, and whether anything did before the end was known.
    fn unpacked(body: &[u8], coding: &str, part_bytes: usize) -> Result<(Vec<u8>, bool), Malformed> {
        let mut unpacker = Unpacker::of(coding).ok_or("it is not known")?;
        let mut out = BytesMut::new();
        for part in body.chunks(part_bytes) {
            let mut part = Bytes::copy_from_slice(part);
            while unpacker.step(&mut part, false, &mut out)? {}
        }
        let is_early = !out.is_empty();
        while unpacker.step(&mut Bytes::new(), true, &mut out)? {}
        Ok((out.to_vec(), is_early))
    }

    fn gzip(body: &[u8]) -> Vec<u8> {
        pack(body, Coding::Gzip, Effort::Usual)
    }

    fn zstd(body: &[u8]) -> Vec<u8> {
        pack(body, Coding::Zstd, Effort::Usual)
    }

    fn deflate(body: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn bodies_are_unpacked_however_they_come() {
        let check = |body: &[u8], coding: &str, expected: Option<&str>| {
            for part_bytes in [1, 7, 5000, usize::MAX] {
                let found = unpacked(body, coding, part_bytes).ok().map(|(body, _)| body);
                assert!(found.as_deref() == expected.map(str::as_bytes), "{coding} by {part_bytes}");
            }
        };
        // What the `brotli` program makes of `{}`.
        let brotli = [0x8f, 0x00, 0x80, 0x7b, 0x7d, 0x03];
        let long = "all that repeats itself; ".repeat(40_000);
        check(b"{}", "", Some("{}"));
        check(b"{}", " Identity", Some("{}"));
        check(&gzip(b"{}"), "gzip", Some("{}"));
        check(&gzip(long.as_bytes()), "X-GZIP", Some(&long));
        check(&[gzip(b"{"), gzip(b"}")].concat(), "gzip", Some("{}"));
        check(&deflate(long.as_bytes()), "deflate", Some(&long));
        check(&zstd(b"{}"), "zstd", Some("{}"));
        check(&zstd(long.as_bytes()), "zstd", Some(&long));
        check(&[zstd(b"{"), zstd(b"}")].concat(), "zstd", Some("{}"));
        check(&brotli, "br", Some("{}"));
        for (whole, coding) in [
            (gzip(b"{}"), "gzip"),
            (deflate(b"{}"), "deflate"),
            (zstd(b"{}"), "zstd"),
            (brotli.to_vec(), "br"),
        ] {
            check(&whole[..whole.len() - 1], coding, None);
            check(b"{}", coding, None);
            check(&[whole, b"more".to_vec()].concat(), coding, None);
        }
        for unknown in ["lzma", "gzip, br", "*"] {
            check(b"{}", unknown, None);
        }
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        let long = "all that repeats itself; ".repeat(20_000);
        for coding in Coding::ALL {
            for effort in [Effort::Least, Effort::Usual, Effort::More] {
                for body in [&b""[..], b"{}", long.as_bytes()] {
                    let packed = pack(body, coding, effort);
                    assert!(
                        body.len() < 1000 || packed.len() < body.len() / 50,
                        "{coding:?} {}",
                        packed.len()
                    );
                    let unpacked = unpacked(&packed, coding.name(), 1000).unwrap().0;
                    assert!(unpacked == body, "{coding:?} {effort:?} {}", body.len());
                }
            }
        }
    }

    #[test]
    fn what_has_come_is_not_kept_waiting() {
        // Of a generator with a state: what is only counted and multiplied zstd finds to repeat itself.
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u8
        };
        // More than zstd's window of 512 KB: what lies within that comes out once the frame ends.
        let noise: Vec<u8> = (0..1_600_000).map(|_| next()).collect();
        for (packed, coding) in [(gzip(&noise), "gzip"), (zstd(&noise), "zstd")] {
            let (found, is_early) = unpacked(&packed, coding, 9000).unwrap();
            assert!(found == noise && is_early, "{coding}");
        }
    }

    #[test]
    fn little_that_stands_for_much_is_refused() {
        let mut output = Output::default();
        output.write_all(&vec![b' '; STEP_BYTES_MAX]).unwrap();
        assert!(output.write_all(b" ").is_err());
        let (mut unpacker, mut out) = (Unpacker::of("gzip").unwrap(), BytesMut::new());
        let mut packed = Bytes::from(gzip(&vec![b' '; 64 << 20]));
        let mut largest = 0;
        while unpacker.step(&mut packed, true, &mut out).unwrap() {
            largest = largest.max(out.len());
            out.clear();
        }
        assert!((1..2 << 20).contains(&largest), "{largest}");
    }
}
