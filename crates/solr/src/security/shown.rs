//! What an `Authorization` header shows: a user's name with a password, or a key. Whether it holds is not
//! looked at here, so that who guesses can be turned away before. In: the header's text; out: who is claimed
//! to ask. `http` hands it to `Security`, which checks; what the user may do then is the rules'.

use crate::update::decode_base64;

/// A user, password or key that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadCredentials;

/// What a client shows of itself. No `Debug`: it is secret.
pub enum Shown {
    Password { user: String, password: String },
    Key(String),
}

impl Shown {
    /// `None` of a scheme that is not served, as without the header. Errors: what cannot be read.
    pub fn read(header: &str) -> Result<Option<Self>, BadCredentials> {
        let Some((scheme, rest)) = header.trim_start().split_once(' ') else { return Ok(None) };
        if scheme.eq_ignore_ascii_case("bearer") {
            return Ok(Some(Shown::Key(rest.trim().to_owned())));
        }
        if !scheme.eq_ignore_ascii_case("basic") {
            return Ok(None);
        }
        let decoded = decode_base64(rest.trim()).map_err(|_| BadCredentials)?;
        let decoded = String::from_utf8(decoded).map_err(|_| BadCredentials)?;
        let (user, password) = decoded.split_once(':').ok_or(BadCredentials)?;
        Ok(Some(Shown::Password { user: user.to_owned(), password: password.to_owned() }))
    }

    /// The user whose password is shown; none of a key, which nobody guesses.
    pub fn user(&self) -> Option<&str> {
        match self {
            Shown::Password { user, .. } => Some(user),
            Shown::Key(_) => None,
        }
    }
}
