//! Passwords as Solr keeps them: base64(sha256(sha256(salt, password))), a blank, base64(salt), with a salt
//! of 32 bytes (`Sha256AuthenticationProvider` of Solr 9.10). The hash is quick to compute: who reads the
//! file can try many passwords.

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::response::base64;
use crate::update::decode_base64;

/// What SHA-256 gives.
pub type Sha = [u8; 32];

#[derive(Clone, Debug)]
pub(super) struct PasswordHash {
    hash: Sha,
    salt: Vec<u8>,
}

impl PasswordHash {
    /// `None` for a text that is not of that form.
    pub fn parse(text: &str) -> Option<Self> {
        let (hash, salt) = text.trim().split_once(' ')?;
        let (hash, salt) = (decode_base64(hash).ok()?, decode_base64(salt.trim()).ok()?);
        Some(Self { hash: hash.try_into().ok()?, salt })
    }

    pub fn of(password: &str, salt: Sha) -> Self {
        Self { hash: hashed(&salt, password), salt: salt.to_vec() }
    }

    pub fn to_text(&self) -> String {
        format!("{} {}", base64(&self.hash), base64(&self.salt))
    }

    /// Whether a password is the one; never without a hash, after the same work.
    pub fn verify(known: Option<&Self>, password: &str) -> bool {
        let nobody = Self { hash: Sha::default(), salt: vec![0; 32] };
        let Self { hash, salt } = known.unwrap_or(&nobody);
        bool::from(hashed(salt, password).ct_eq(hash)) && known.is_some()
    }
}

/// SHA-256, of a text from which nothing but its own randomness is to be known.
pub fn digest(text: &str) -> Sha {
    Sha256::digest(text).into()
}

fn hashed(salt: &[u8], password: &str) -> Sha {
    let once = Sha256::new().chain_update(salt).chain_update(password).finalize();
    Sha256::digest(once).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The credential that Solr's reference guide shows for the password `SolrRocks`.
    const KNOWN: &str =
        "IV0EHq1OnNrj6gvRCwvFwTrZ1+z1oBbnQdiVC3otuq0= Ndd7LKvVBAaZIF0QAVi1ekCfAJXr1GGfLtRUXhgrF8c=";

    #[test]
    fn hashes_are_solrs() {
        let known = PasswordHash::parse(KNOWN).unwrap();
        assert_eq!(known.to_text(), KNOWN);
        let check = |known: Option<&PasswordHash>, password: &str, expected: bool| {
            assert_eq!(PasswordHash::verify(known, password), expected, "{password}");
        };
        check(Some(&known), "SolrRocks", true);
        check(Some(&known), "solrrocks", false);
        check(Some(&known), "", false);
        check(None, "SolrRocks", false);
        let made = PasswordHash::of("grüße", [7; 32]);
        check(Some(&PasswordHash::parse(&made.to_text()).unwrap()), "grüße", true);
        for text in ["", "a", "a b", "IV0E Ndd7", "!! !!"] {
            assert!(PasswordHash::parse(text).is_none(), "{text}");
        }
    }
}
