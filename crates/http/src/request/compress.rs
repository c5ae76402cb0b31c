//! Which answers are sent packed: those to clients that take gzip, if they are long enough and come from far
//! enough away. On one machine packing costs more than it saves.
//!
//! In: a request's headers and where its client is, then the body; out: the packed body, or nothing where it
//! would be no shorter. Bodies of requests are unpacked by `unpack.rs`.

use std::io::Write as _;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::HeaderMap;
use hyper::header::ACCEPT_ENCODING;

/// Shorter answers fit in a packet or two as they are. Jetty's bound within Solr is near it.
const BYTES_MIN: usize = 2048;
/// Packing this much takes about a millisecond: longer answers leave the thread to others meanwhile.
const INLINE_BYTES_MAX: usize = 64 << 10;

/// For whom answers are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compress {
    Never,
    /// Clients on other machines.
    #[default]
    Far,
    Always,
}

impl Compress {
    /// How the answer to a request goes out, by whether its client is on this machine, and by what it takes.
    pub(crate) fn packing(self, near: bool, headers: &HeaderMap) -> Packing {
        match self {
            Compress::Never => Packing::None,
            Compress::Far if near => Packing::None,
            _ if takes_gzip(headers) => Packing::Gzip,
            _ => Packing::NotTaken,
        }
    }
}

/// What is done to an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    None,
    /// It would be packed for a client that takes it, which caches between should know.
    NotTaken,
    Gzip,
}

impl Packing {
    /// The body packed, if that pays.
    pub fn pack(self, body: &Bytes) -> Option<Bytes> {
        if self != Packing::Gzip || body.len() < BYTES_MIN {
            return None;
        }
        let packed = if body.len() > INLINE_BYTES_MAX { cluster::compute(|| gzip(body)) } else { gzip(body) };
        packed.filter(|packed| packed.len() < body.len()).map(Bytes::from)
    }
}

fn gzip(body: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
    encoder.write_all(body).ok()?;
    encoder.finish().ok()
}

/// As RFC 9110 reads `Accept-Encoding`: a name with a weight above 0, or `*` where the name is not there.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let mut any = false;
    let lists = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    for coding in lists.flat_map(|list| list.split(',')) {
        let (name, parameters) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = parameters.trim().strip_prefix("q=").map_or(1.0, |q| q.trim().parse().unwrap_or(0.0));
        match name.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => return weight > 0.0,
            "*" => any = weight > 0.0,
            _ => {}
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn clients_say_what_they_take() {
        let check = |accepts: &[&str], expected: bool| {
            let mut headers = HeaderMap::new();
            for list in accepts {
                headers.append(ACCEPT_ENCODING, list.parse().unwrap());
            }
            assert_eq!(takes_gzip(&headers), expected, "{accepts:?}");
        };
        check(&[], false);
        check(&["gzip"], true);
        check(&["br, GZIP;q=0.5"], true);
        check(&["br", "deflate, x-gzip"], true);
        check(&["gzip;q=0"], false);
        check(&["gzip; q=0.0, *"], false);
        check(&["*"], true);
        check(&["*;q=0"], false);
        check(&["identity, br"], false);
        check(&["gzip;q=nonsense"], false);
    }

    #[test]
    fn the_policy_decides() {
        let check = |policy: Compress, near: bool, accepts: &str, expected: Packing| {
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, accepts.parse().unwrap())]);
            assert_eq!(policy.packing(near, &headers), expected, "{policy:?} {near} {accepts}");
        };
        check(Compress::Never, false, "gzip", Packing::None);
        check(Compress::Far, true, "gzip", Packing::None);
        check(Compress::Far, false, "gzip", Packing::Gzip);
        check(Compress::Far, false, "br", Packing::NotTaken);
        check(Compress::Always, true, "gzip", Packing::Gzip);
    }

    #[test]
    fn what_is_packed_comes_out_again() {
        let long = Bytes::from(b"every answer repeats itself; ".repeat(10_000));
        let packed = Packing::Gzip.pack(&long).unwrap();
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&*packed).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, long);
        assert_eq!(Packing::NotTaken.pack(&long), None);
        assert_eq!(Packing::Gzip.pack(&long.slice(..BYTES_MIN - 1)), None);
    }
}
