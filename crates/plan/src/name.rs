//! Which names collections, cores, configsets and their files may bear: safe as a path segment on every home.
//! Asked by `cluster` and `http` before a name reaches `store`, which checks again what it is given. One rule
//! for every home: a name that a folder allows and a bucket does not would bind a node to where it began.

use crate::error::{Error, Result};

/// Accepts `[A-Za-z0-9_.-]+` without a leading dot or dash, at most 200 bytes. `what` says what is being
/// named, in the error.
pub fn check_name(what: &str, name: &str) -> Result<()> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let first_ok = !name.starts_with(['.', '-']);
    if !name.is_empty() && name.len() <= 200 && first_ok && name.bytes().all(allowed) {
        return Ok(());
    }
    Err(Error::bad_request(format!(
        "Invalid {what}: [{name}]. {what} names must consist entirely of periods, underscores, hyphens, and \
         alphanumerics as well as not start with a hyphen or a period"
    )))
}

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn names_are_path_safe() {
        for good in ["films", "a-b_c.d", "F1"] {
            assert!(check_name("collection", good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", ".x", "-x", "a/b", "a b", "ä", "a\\b", &"x".repeat(201)] {
            assert!(check_name("collection", bad).is_err(), "{bad}");
        }
    }
}
