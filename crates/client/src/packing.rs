//! How bodies of requests are packed, and which servers are known to take that. Packing them blindly breaks
//! with every Solr, whose Jetty reads them as they are; so a server says by `Accept-Encoding` in its answers
//! that it takes them (RFC 7694), and what refuses a packed body gets none any more.
//!
//! In: heads of answers, and bodies; out: the coding for the next request, and packed bytes.

use std::sync::atomic::{AtomicU8, Ordering};

use bytes::Bytes;
use coding::{Coding, Effort, first_known};
use hyper::HeaderMap;
use hyper::header::ACCEPT_ENCODING;

use crate::options::RequestCoding;

/// Packing less than this is not worth a thread of its own.
const INLINE_BYTES_MAX: usize = 64 << 10;

/// What is known of how a server takes bodies.
#[derive(Debug, Default)]
pub(crate) struct TakenCoding(AtomicU8);

const UNKNOWN: u8 = 0;
/// It has refused a packed one. That stays: whoever passes requests on to different servers would have every
/// other body sent twice.
const NONE: u8 = 1;
/// From here on, the place in [`Coding::ALL`].
const FIRST: u8 = 2;

impl TakenCoding {
    /// What an answer says of it. Each stands for itself, so no order is needed.
    pub fn learn(&self, headers: &HeaderMap) {
        let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        let place = first_known(values).and_then(|known| Coding::ALL.iter().position(|it| *it == known));
        let next = place.and_then(|place| u8::try_from(place).ok()).map_or(UNKNOWN, |place| FIRST + place);
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |known| {
            (known != NONE && known != next).then_some(next)
        });
    }

    /// It does not take packed bodies after all.
    pub fn refuse(&self) {
        self.0.store(NONE, Ordering::Relaxed);
    }

    /// How the next body goes out.
    pub fn choose(&self, wanted: RequestCoding) -> Option<Coding> {
        match (wanted, self.0.load(Ordering::Relaxed)) {
            (RequestCoding::Never, _) | (_, NONE) | (RequestCoding::Negotiated, UNKNOWN) => None,
            (RequestCoding::Always(coding), _) => Some(coding),
            (RequestCoding::Negotiated, known) => Coding::ALL.get(usize::from(known - FIRST)).copied(),
        }
    }
}

/// `body` packed; `None` where that makes it no shorter. Long work leaves the runtime's threads to others.
pub(crate) async fn pack(body: &Bytes, coding: Coding) -> Option<Bytes> {
    let owned = body.clone();
    let work = move || coding::pack(&owned, coding, Effort::Usual);
    let packed = match body.len() {
        0..=INLINE_BYTES_MAX => work(),
        _ => tokio::task::spawn_blocking(work).await.ok()?,
    };
    (packed.len() < body.len()).then(|| packed.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_says_what_it_takes() {
        let taken = TakenCoding::default();
        let learn = |value: Option<&str>| {
            let header = value.map(|value| (ACCEPT_ENCODING, value.parse().unwrap()));
            taken.learn(&header.into_iter().collect());
            taken.choose(RequestCoding::Negotiated)
        };
        assert_eq!(learn(None), None);
        assert_eq!(learn(Some("gzip")), Some(Coding::Gzip));
        assert_eq!(learn(Some(coding::accepted())), Some(Coding::Zstd));
        assert_eq!(taken.choose(RequestCoding::Never), None);
        assert_eq!(taken.choose(RequestCoding::Always(Coding::Brotli)), Some(Coding::Brotli));
        assert_eq!(learn(None), None);
        assert_eq!(taken.choose(RequestCoding::Always(Coding::Brotli)), Some(Coding::Brotli));
        taken.refuse();
        assert_eq!(learn(Some("gzip")), None);
        assert_eq!(taken.choose(RequestCoding::Always(Coding::Brotli)), None);
    }
}
