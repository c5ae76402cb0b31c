//! The signature by which members know one another's messages: of the time and the body, by the secret that
//! lies with the cluster's documents. What is signed is no secret: that is TLS's.

use hyper::header::HeaderMap;
use plan::{Error, Result};
use ring::hmac;

/// Milliseconds since 1970, a colon, and the HMAC-SHA-256 of that number, a line feed and the body, in hex.
pub(super) const SIGNATURE: &str = "parhelion-signature";
/// How far the clocks of two members may differ: what was recorded is of no use afterwards.
const SKEW_MS: i64 = 300_000;

/// The key that members sign with.
#[derive(Clone)]
pub(crate) struct MemberKey(hmac::Key);

impl MemberKey {
    pub fn new(secret: &str) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()))
    }

    pub(super) fn sign(&self, now_ms: i64, body: &[u8]) -> String {
        let tag = hmac::sign(&self.0, &signed(now_ms, body));
        let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{now_ms}:{hex}")
    }

    /// Errors: `BadRequest`, with what is wrong.
    pub fn check(&self, headers: &HeaderMap, now_ms: i64, body: &[u8]) -> Result<()> {
        let refused = |why: &str| Error::bad_request(format!("only members are answered here: {why}"));
        let header = headers.get(SIGNATURE).and_then(|it| it.to_str().ok());
        let (signed_ms, tag) =
            header.and_then(|it| it.split_once(':')).ok_or_else(|| refused("no signature"))?;
        let signed_ms: i64 = signed_ms.parse().map_err(|_| refused("no time in the signature"))?;
        let tag = from_hex(tag).ok_or_else(|| refused("no signature"))?;
        // Before the time: what no member signed is told nothing of clocks.
        hmac::verify(&self.0, &signed(signed_ms, body), &tag)
            .map_err(|_| refused("another secret signed this; do both use one store?"))?;
        match signed_ms.abs_diff(now_ms) <= SKEW_MS.unsigned_abs() {
            true => Ok(()),
            false => Err(refused("its time is more than five minutes away; set the clocks of the members")),
        }
    }
}

fn signed(now_ms: i64, body: &[u8]) -> Vec<u8> {
    [format!("{now_ms}\n").as_bytes(), body].concat()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_member_signed_is_refused() {
        let key = MemberKey::new("secret");
        let check = |signature: Option<String>, now_ms: i64, body: &[u8], why: &str| {
            let mut headers = HeaderMap::new();
            if let Some(signature) = signature {
                headers.insert(SIGNATURE, signature.parse().unwrap());
            }
            let checked =
                key.check(&headers, now_ms, body).err().map(|error| error.message).unwrap_or_default();
            assert!(if why.is_empty() { checked.is_empty() } else { checked.contains(why) }, "{checked}");
        };
        let good = || Some(key.sign(1000, b"body"));
        check(good(), 1000, b"body", "");
        check(good(), 301_000, b"body", "");
        check(good(), 301_001, b"body", "clocks");
        check(good(), -299_001, b"body", "clocks");
        check(good(), 1000, b"bodies", "another secret");
        check(Some(MemberKey::new("other").sign(1000, b"body")), 1000, b"body", "another secret");
        let later = good().map(|it| it.replacen("1000", "1001", 1));
        check(later, 1001, b"body", "another secret");
        for broken in ["", "1000", "1000:", "1000:zz", "1000:abc", "x:00", ":"] {
            check(Some(broken.to_owned()), 1000, b"body", "only members");
        }
        check(None, 1000, b"body", "no signature");
    }
}
