//! What a client says of who it is: the value of its `Authorization` header. Made once and never shown:
//! neither in errors nor by `Debug`. It comes from a URL's user part or from a caller (`url.rs`, `roles/`),
//! and `transport/attempt.rs` puts it into each request to the URL it belongs to; a cloud's client sends its
//! own to every node that the state names.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::error::Error;

#[derive(Clone, PartialEq, Eq)]
pub struct Login(Arc<str>);

impl Login {
    /// A user by `name:password`. Errors: [`Error::Login`] without a colon.
    pub fn user(pair: &str) -> Result<Self, Error> {
        match pair.split_once(':') {
            Some((name, _)) if !name.is_empty() => {
                Ok(Self(format!("Basic {}", STANDARD.encode(pair)).into()))
            }
            _ => Err(Error::Login("a user is written `name:password`")),
        }
    }

    /// A program by its key. Errors: [`Error::Login`] for what no header can hold.
    pub fn key(key: &str) -> Result<Self, Error> {
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::Login("a key is what `create-key` showed, without blanks"));
        }
        Ok(Self(format!("Bearer {key}").into()))
    }

    /// The header's value.
    pub fn header(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logins_become_headers_and_stay_hidden() {
        let check = |login: Result<Login, Error>, expected: Option<&str>| {
            assert_eq!(login.as_ref().ok().map(Login::header), expected);
            let shown =
                format!("{login:?} {}", login.as_ref().err().map(ToString::to_string).unwrap_or_default());
            assert!(!shown.contains("Rocks") && !shown.contains("U29sc"), "{shown}");
        };
        check(Login::user("solr:SolrRocks"), Some("Basic c29scjpTb2xyUm9ja3M="));
        check(Login::user("Rocks"), None);
        check(Login::user(":Rocks"), None);
        check(Login::key("phk_x"), Some("Bearer phk_x"));
        check(Login::key("Rocks\r\nX: y"), None);
    }
}
