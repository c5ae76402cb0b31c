//! How a request's body is packed, by its header, and the answer where it cannot be read. Solr differs: it
//! takes bodies as they are, whatever the header says (`compat/update/cbor.yaml`). The codings themselves,
//! and their bounds against bombs, are in `crates/coding`; here one is chosen for a request, before its first
//! byte is read.

use coding::{Malformed, Unpacker, accepted};
use hyper::HeaderMap;
use hyper::header::CONTENT_ENCODING;
use plan::{Error, ErrorKind, Result};

/// By the header. Errors: `UnsupportedMedia` for a coding that is not known, and for several.
pub(crate) fn unpacker(headers: &HeaderMap) -> Result<Unpacker> {
    let unsupported = |name: &str| {
        let message =
            format!("the content encoding `{name}` is not supported; use one of {}, deflate", accepted());
        Error::new(ErrorKind::UnsupportedMedia, message)
    };
    let mut values = headers.get_all(CONTENT_ENCODING).iter();
    let Some(first) = values.next() else { return Unpacker::of("").ok_or_else(|| unsupported("")) };
    let name = String::from_utf8_lossy(first.as_bytes());
    if values.next().is_some() {
        return Err(unsupported(&format!("{name}, …")));
    }
    Unpacker::of(&name).ok_or_else(|| unsupported(&name))
}

/// Whether there is such a header, and it names no coding that is known.
pub(crate) fn is_unknown(headers: &HeaderMap) -> bool {
    headers.contains_key(CONTENT_ENCODING) && unpacker(headers).is_err()
}

pub(crate) fn malformed(reason: &Malformed) -> Error {
    Error::bad_request(format!("the request's body cannot be unpacked: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codings_that_are_not_known_are_refused_by_name() {
        let check = |values: &[&str], refused: Option<&str>| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(CONTENT_ENCODING, value.parse().unwrap());
            }
            let error = unpacker(&headers).err();
            assert_eq!(error.is_some(), refused.is_some(), "{values:?}");
            let Some((error, name)) = error.zip(refused) else { return };
            assert_eq!(error.kind, ErrorKind::UnsupportedMedia);
            assert!(error.message.contains(&format!("`{name}` is not supported")), "{}", error.message);
        };
        for known in [&[] as &[&str], &[""], &["identity"], &["gzip"], &["X-GZIP"], &["br"], &["zstd"]] {
            check(known, None);
        }
        check(&["deflate"], None);
        check(&["compress"], Some("compress"));
        check(&["gzip, br"], Some("gzip, br"));
        check(&["gzip", "br"], Some("gzip, …"));
    }
}
