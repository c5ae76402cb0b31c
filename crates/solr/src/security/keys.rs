//! Keys for programs (ours, ADR 11): `authentication.apiKeys` of `security.json`, each with a name, the
//! SHA-256 of the key, and the roles it has or the user it stands for, perhaps until a moment. The key itself
//! is shown once, when it is made.

use std::sync::Arc;

use plan::{Error, Result, format_instant};
use subtle::ConstantTimeEq as _;

use super::password::{Sha, digest};
use super::principal::Principal;
use super::refusal::{only, wrong};
use crate::commands::{Fields, Object};
use crate::date_math::DateMath;
use crate::response::base64;
use crate::update::{RawValue, decode_base64};

pub(super) const SECTION: &str = "apiKeys";
pub(super) const HASH: &str = "hash";
/// What a key begins with, so that tools that look for leaked secrets find it.
const PREFIX: &str = "phk_";
/// More keys are refused: each log-in compares with all.
pub(super) const KEYS_MAX: usize = 1000;

/// The keys of a file.
#[derive(Debug, Default)]
pub(super) struct Keys(Vec<Key>);

#[derive(Debug)]
pub(super) struct Key {
    name: String,
    hash: Sha,
    holder: Holder,
    expires_ms: Option<i64>,
}

#[derive(Debug)]
enum Holder {
    User(String),
    Roles(Arc<[String]>),
}

impl Key {
    /// The user that it stands for, if it stands for one.
    pub fn user(&self) -> Option<&str> {
        match &self.holder {
            Holder::User(user) => Some(user),
            Holder::Roles(_) => None,
        }
    }

    pub fn principal(&self) -> Principal {
        let roles = match &self.holder {
            Holder::User(_) => Arc::default(),
            Holder::Roles(roles) => roles.clone(),
        };
        Principal { name: format!("key:{}", self.name), roles }
    }

    fn read(name: &str, value: &RawValue) -> Result<Self> {
        let object =
            Object::of(value).ok_or_else(|| wrong(format!("has a key `{name}` that is no object")))?;
        only(&object, &[HASH, "user", "roles", "created", "expires"], name)?;
        let hash = decode_base64(&object.text(HASH)).ok().and_then(|bytes| Sha::try_from(bytes).ok());
        let hash = hash.ok_or_else(|| wrong(format!("has no hash for the key `{name}`; delete the key")))?;
        let holder = holder(&object).map_err(|what| wrong(format!("has a key `{name}`: {what}")))?;
        let expires_ms = object.get("expires").map(|value| expiry(value, 0)).transpose()?;
        Ok(Self { name: name.to_owned(), hash, holder, expires_ms })
    }
}

impl Keys {
    pub fn read(section: Option<&RawValue>) -> Result<Self> {
        let Some(section) = section else { return Ok(Self::default()) };
        let object =
            Object::of(section).ok_or_else(|| wrong(format!("has `{SECTION}` that are no object")))?;
        if object.entries.len() > KEYS_MAX {
            return Err(wrong(format!("has more than {KEYS_MAX} keys; delete some")));
        }
        object.entries.iter().map(|(name, value)| Key::read(name, value)).collect::<Result<_>>().map(Self)
    }

    /// The key that a client shows, unless its time is over. All are looked at, whichever it is.
    pub fn find(&self, shown: &str, now_ms: i64) -> Option<&Key> {
        let hash = digest(shown);
        let mut found = None;
        for key in &self.0 {
            if bool::from(key.hash.ct_eq(&hash)) {
                found = Some(key);
            }
        }
        found.filter(|key| key.expires_ms.is_none_or(|expires_ms| now_ms < expires_ms))
    }
}

/// Roles or a user, one of both.
fn holder(object: &Object<'_>) -> Result<Holder, String> {
    match (object.get("user"), object.get("roles")) {
        (Some(RawValue::Str(user)), None) if !user.is_empty() => Ok(Holder::User(user.clone())),
        (None, Some(RawValue::Str(role))) => Ok(Holder::Roles([role.clone()].into())),
        (None, Some(RawValue::List(roles))) => {
            Ok(Holder::Roles(roles.iter().map(RawValue::to_text).collect()))
        }
        _ => Err("it needs either `user` (a name) or `roles` (a list of names)".to_owned()),
    }
}

/// An instant, or a time from now such as `NOW+90DAYS`.
fn expiry(value: &RawValue, now_ms: i64) -> Result<i64> {
    let text = value.to_text();
    DateMath::new(now_ms).parse(&text).map_err(|_| {
        Error::bad_request(format!(
            "`expires` is `{text}`; write an instant such as 2030-01-31T00:00:00Z, or NOW+90DAYS"
        ))
    })
}

/// A new key from 32 random bytes: the text to show, and what is kept of it. `wanted` are its `user` or
/// `roles`, and `expires`.
pub(super) fn made(wanted: &Object<'_>, random: Sha, now_ms: i64) -> Result<(String, RawValue), String> {
    if let Some((other, _)) =
        wanted.entries.iter().find(|(name, _)| !["name", "user", "roles", "expires"].contains(&&**name))
    {
        return Err(format!("Unknown key, {other}"));
    }
    holder(wanted)?;
    let mut kept: Fields = Vec::new();
    let key =
        format!("{PREFIX}{}", base64(&random).trim_end_matches('=').replace('+', "-").replace('/', "_"));
    kept.push((HASH.into(), RawValue::Str(base64(&digest(&key)))));
    for name in ["user", "roles"] {
        kept.extend(wanted.get(name).map(|value| (name.into(), value.clone())));
    }
    kept.push(("created".into(), RawValue::Str(format_instant(now_ms))));
    if let Some(expires) = wanted.get("expires") {
        let expires_ms = expiry(expires, now_ms).map_err(|error| error.message)?;
        kept.push(("expires".into(), RawValue::Str(format_instant(expires_ms))));
    }
    Ok((key, RawValue::Map(kept)))
}
