//! Which answers are sent packed, and how: those to clients that take a coding, if they are long enough and
//! come from far enough away. On one machine packing costs more than it saves.
//!
//! In: a request's headers and where its client is, then the body and how busy the machine is; out: the
//! packed body, or nothing where it would be no shorter. Bodies of requests are unpacked by `unpack.rs`.

use bytes::Bytes;
use coding::{Coding, Effort, negotiate};
use hyper::HeaderMap;
use hyper::header::ACCEPT_ENCODING;

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
            Compress::Far | Compress::Always => {
                let values = headers.get_all(ACCEPT_ENCODING).iter();
                negotiate(values.filter_map(|value| value.to_str().ok()))
                    .map_or(Packing::NotTaken, Packing::With)
            }
        }
    }
}

/// What is done to an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    None,
    /// It would be packed for a client that takes it, which caches between should know.
    NotTaken,
    With(Coding),
}

impl Packing {
    /// The body packed, if that pays: shorter ones than `bytes_min` do not.
    pub fn pack(self, body: &Bytes, bytes_min: usize, effort: Effort) -> Option<(Coding, Bytes)> {
        let Packing::With(coding) = self else { return None };
        if body.len() < bytes_min.max(1) {
            return None;
        }
        let packed = match body.len() {
            0..=INLINE_BYTES_MAX => coding::pack(body, coding, effort),
            _ => cluster::compute(|| coding::pack(body, coding, effort)),
        };
        (packed.len() < body.len()).then(|| (coding, packed.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_decides() {
        let check = |policy: Compress, near: bool, accepts: &str, expected: Packing| {
            let headers = HeaderMap::from_iter([(ACCEPT_ENCODING, accepts.parse().unwrap())]);
            assert_eq!(policy.packing(near, &headers), expected, "{policy:?} {near} {accepts}");
        };
        check(Compress::Never, false, "gzip", Packing::None);
        check(Compress::Far, true, "gzip", Packing::None);
        check(Compress::Far, false, "gzip", Packing::With(Coding::Gzip));
        check(Compress::Far, false, "gzip, br;q=0.9", Packing::With(Coding::Gzip));
        check(Compress::Far, false, "deflate", Packing::NotTaken);
        check(Compress::Always, true, "gzip, deflate, br, zstd", Packing::With(Coding::Zstd));
    }

    #[test]
    fn what_is_short_or_would_be_no_shorter_stays_as_it_is() {
        let long = Bytes::from(b"every answer repeats itself; ".repeat(10_000));
        let check = |packing: Packing, body: Bytes, bytes_min: usize, expected: Option<Coding>| {
            let packed = packing.pack(&body, bytes_min, Effort::Usual);
            assert_eq!(packed.map(|(coding, _)| coding), expected, "{packing:?} {}", body.len());
        };
        for coding in Coding::ALL {
            check(Packing::With(coding), long.clone(), 2048, Some(coding));
            check(Packing::With(coding), long.slice(..2047), 2048, None);
            check(Packing::With(coding), long.slice(..2047), 2047, Some(coding));
            check(Packing::With(coding), Bytes::from_static(b"{}"), 0, None);
            check(Packing::With(coding), Bytes::new(), 0, None);
        }
        check(Packing::NotTaken, long.clone(), 0, None);
        check(Packing::None, long, 0, None);
    }
}
