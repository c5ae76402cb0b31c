//! Which names may become file names: `[A-Za-z0-9_.-]+` without a leading dot, so that no name can climb out
//! of its folder, hide, or collide with the store's own temporary files (which begin with a dot). Checked
//! wherever a name comes from above, by each home itself, since a name may come over HTTP: what folders and
//! collections are called is the callers' business.

use crate::{Error, ErrorKind, Result};

/// Longest name, in bytes: what common file systems take, less room for the store's own suffix.
const NAME_BYTES_MAX: usize = 200;

pub(crate) fn check_name(name: &str) -> Result<()> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let fine = !name.is_empty() && name.len() <= NAME_BYTES_MAX && !name.starts_with('.');
    if fine && name.bytes().all(plain) {
        return Ok(());
    }
    let rule = "use letters, digits, `_`, `.` and `-`, no leading dot, at most 200 characters";
    Err(Error::new(ErrorKind::Invalid, format!("`{}` is not a file name here; {rule}", name.escape_debug())))
}

/// A relative path whose parts, separated by `/`, are all names.
pub(crate) fn check_path(path: &str) -> Result<()> {
    path.split('/').try_for_each(check_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let check = |path: &str, fine: bool| assert_eq!(check_path(path).is_ok(), fine, "{path:?}");
        check("schema.xml", true);
        check("lang/stopwords_en.txt", true);
        check("a-b_c.9", true);
        check("", false);
        check("/etc/passwd", false);
        check("a//b", false);
        check("a/", false);
        check("..", false);
        check("a/../b", false);
        check(".hidden", false);
        check("a b", false);
        check("a\\b", false);
        check("naïve", false);
        check("a\0b", false);
        check(&"x".repeat(200), true);
        check(&"x".repeat(201), false);
    }
}
