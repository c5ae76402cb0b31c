//! Unpacks a request's body that says in its header that it is packed: gzip, deflate, zstd. What comes out is bounded as a body
//! that comes unpacked is, however little goes in.
//! Solr differs: it takes bodies as they are, whatever the header says (`compat/update/cbor.yaml`).

use std::io::Read;

use bytes::Bytes;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use plan::{Error, ErrorKind, Result};
use ruzstd::decoding::StreamingDecoder;

use crate::admission::Room;

/// What is unpacked before room is made for it.
const PART_BYTES: u64 = 64 << 10;

/// The body as it was before it was packed; what comes out takes up `room`. Errors: `UnsupportedMedia` for an encoding that is
/// not known, `TooLarge`, `Busy`, `BadRequest` where the bytes are not what the header says.
pub(crate) fn unpacked(body: Bytes, encoding: Option<&str>, room: &mut Room<'_>) -> Result<Bytes> {
    let Some(encoding) = encoding.map(str::trim) else { return Ok(body) };
    match encoding.to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(body),
        "gzip" | "x-gzip" => cluster::compute(|| all(MultiGzDecoder::new(&*body), encoding, room)),
        "deflate" => cluster::compute(|| all(ZlibDecoder::new(&*body), encoding, room)),
        "zstd" => cluster::compute(|| {
            let decoder = StreamingDecoder::new(&*body).map_err(|error| malformed(encoding, &error))?;
            all(decoder, encoding, room)
        }),
        _ => Err(Error::new(
            ErrorKind::UnsupportedMedia,
            format!("the content encoding `{encoding}` is not supported; use gzip, deflate or zstd"),
        )),
    }
}

/// Room grows with what has come out, and is no longer that of what went in.
fn all(mut decoder: impl Read, encoding: &str, room: &mut Room<'_>) -> Result<Bytes> {
    let (mut whole, mut room_of_whole) = (Vec::new(), room.fresh());
    loop {
        let part = decoder.by_ref().take(PART_BYTES).read_to_end(&mut whole);
        let bytes = part.map_err(|error| malformed(encoding, &error))?;
        room_of_whole.grow_to(whole.len())?;
        if (bytes as u64) < PART_BYTES {
            *room = room_of_whole;
            return Ok(whole.into());
        }
    }
}

fn malformed(encoding: &str, error: &dyn std::fmt::Display) -> Error {
    Error::bad_request(format!("the request's body is not `{encoding}` as its header says: {error}"))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::sync::Arc;

    use super::*;
    use crate::admission::Admission;
    use crate::config::ServeConfig;
    use crate::configsets::Configsets;

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn bodies_are_unpacked_within_bounds() {
        let config = ServeConfig::new(Configsets::default(), Arc::new(String::new));
        let admission = Admission::new(&config);
        let check = |body: &[u8], encoding: Option<&str>, expected: Result<&str, ErrorKind>| {
            let found = unpacked(Bytes::copy_from_slice(body), encoding, &mut admission.room(1 << 20));
            let found = found.map(|bytes| String::from_utf8(bytes.to_vec()).unwrap());
            assert_eq!(found.as_deref().map_err(|error| error.kind), expected, "{encoding:?}");
        };
        // What the `zstd` program makes of `{}`.
        let zstd = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x02, 0x11, 0x00, 0x00, 0x7b, 0x7d];
        check(b"{}", None, Ok("{}"));
        check(b"{}", Some("identity"), Ok("{}"));
        check(&gzip(b"{}"), Some("gzip"), Ok("{}"));
        check(&[gzip(b"{"), gzip(b"}")].concat(), Some("X-GZIP"), Ok("{}"));
        check(&zstd, Some("zstd"), Ok("{}"));
        check(b"{}", Some("gzip"), Err(ErrorKind::BadRequest));
        check(b"{}", Some("zstd"), Err(ErrorKind::BadRequest));
        check(b"{}", Some("br"), Err(ErrorKind::UnsupportedMedia));
        check(&gzip(&vec![b' '; 2 << 20]), Some("gzip"), Err(ErrorKind::TooLarge));
        let packed = gzip(b"{}");
        check(&packed[..packed.len() - 6], Some("gzip"), Err(ErrorKind::BadRequest));
    }
}
