//! Numbers as the pixels of a PNG (ISO/IEC 15948): eight bits each of red, green, blue and opacity, which
//! hold a number from its second byte on, its first byte inverted as the opacity, so that small numbers are
//! opaque. How Solr draws maps of counts.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Eight bits of red, green, blue and opacity; deflated, no interlacing.
const KIND: &[u8] = &[8, 6, 0, 0, 0];

/// A picture of rows of `columns` numbers, the uppermost first.
pub(super) fn png<'r>(columns: u32, rows: impl ExactSizeIterator<Item = &'r [u32]>) -> Vec<u8> {
    let height = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    let header = [&columns.to_be_bytes()[..], &height.to_be_bytes(), KIND].concat();
    let mut pixels = Vec::with_capacity(rows.len() * (columns as usize * 4 + 1));
    for row in rows {
        // No filter.
        pixels.push(0);
        for number in row {
            let [first, red, green, blue] = number.to_be_bytes();
            pixels.extend([red, green, blue, !first]);
        }
    }
    let mut out = SIGNATURE.to_vec();
    chunk(&mut out, b"IHDR", &header);
    chunk(&mut out, b"IDAT", &deflated(&pixels));
    chunk(&mut out, b"IEND", &[]);
    out
}

/// Writing to memory does not fail.
fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(bytes);
    written.and_then(|()| encoder.finish()).unwrap_or_default()
}

fn chunk(out: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    out.extend(u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes());
    let mut sum = Crc::new();
    sum.update(name);
    sum.update(data);
    out.extend(name);
    out.extend(data);
    out.extend(sum.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn numbers_are_pixels() {
        let rows: [&[u32]; 2] = [&[0, 1, 258], &[0x0100_0000, 2, 3]];
        let found = png(3, rows.into_iter());
        let (head, rest) = found.split_at(16);
        assert_eq!(head, b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR");
        assert_eq!(rest.get(..17).unwrap(), b"\0\0\0\x03\0\0\0\x02\x08\x06\0\0\0\x9d\x74\x66\x1a");
        let data = found.get(41..).unwrap();
        let mut pixels = Vec::new();
        flate2::read::ZlibDecoder::new(data).read_to_end(&mut pixels).unwrap();
        let first = [0, 0, 0, 0, 255, 0, 0, 1, 255, 0, 1, 2, 255];
        let second = [0, 0, 0, 0, 254, 0, 0, 2, 255, 0, 0, 3, 255];
        assert_eq!(pixels, [first, second].concat());
        assert!(found.ends_with(b"\0\0\0\0IEND\xae\x42\x60\x82"));
    }
}
