//! Who may do what: Solr's `security.json`, read into users with the hashes of their passwords, keys, and the
//! rules of what roles may do; and edited by the commands of `/admin/authentication` and
//! `/admin/authorization`. Where the file is kept, and what a request asks for, is the business of those who
//! call. Shapes and wording are those recorded from Solr 9.10.1.
//!
//! What is not read here is refused by name: a part of such a file that is passed over leaves a door open.

mod edit;
mod keys;
mod password;
mod permission;
mod principal;
mod refusal;
mod rules;
mod shown;
mod view;

use std::collections::BTreeMap;
use std::sync::Arc;

use plan::Result;

pub use self::edit::{EditContext, Edited, edit};
pub use self::password::digest;
pub use self::permission::{AccessRequest, Predefined, Scope};
pub use self::principal::Principal;
pub use self::refusal::FILE;
pub use self::rules::Verdict;
pub use self::shown::{BadCredentials, Shown};
pub use self::view::view;

use self::keys::Keys;
use self::password::PasswordHash;
use self::refusal::{only, wrong};
use self::rules::Rules;
use crate::commands::{self, Fields, Object};
use crate::update::RawValue;

/// Larger files are refused.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// What a browser shows when it asks for a password, where the file names nothing.
const REALM: &str = "solr";

const AUTHENTICATION: &str = "authentication";
const AUTHORIZATION: &str = "authorization";
/// Solr's count of edits, under no name.
const VERSION: &str = "";

/// A part of the file, which an administrator reads and edits apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    Authentication,
    Authorization,
}

impl Section {
    /// Solr's, which also ends the path where it is edited.
    pub fn name(self) -> &'static str {
        match self {
            Section::Authentication => AUTHENTICATION,
            Section::Authorization => AUTHORIZATION,
        }
    }
}

/// A `security.json`, ready to be asked.
#[derive(Debug)]
pub struct Security {
    /// As the file has it, for what is shown and for the next edit.
    fields: Fields,
    realm: String,
    block_unknown: bool,
    users: BTreeMap<String, PasswordHash>,
    keys: Keys,
    rules: Option<Rules>,
}

impl Security {
    /// Reads the file; `None` when it configures nothing, as Solr's `{}`. Errors: `BadRequest` with what is
    /// not understood.
    pub fn read(text: &str) -> Result<Option<Self>> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(wrong(format!("has more than {TEXT_BYTES_MAX} bytes; make it smaller")));
        }
        if text.trim().is_empty() {
            return Ok(None);
        }
        let fields = commands::object(text)
            .map_err(|error| error.context(format!("`{FILE}`: ")))?
            .ok_or_else(|| wrong("is no JSON object"))?;
        Self::of(fields)
    }

    fn of(fields: Fields) -> Result<Option<Self>> {
        let file = Object { entries: &fields };
        only(&file, &[AUTHENTICATION, AUTHORIZATION, VERSION], FILE)?;
        let (authentication, authorization) =
            (section(&file, AUTHENTICATION)?, section(&file, AUTHORIZATION)?);
        let Some(authentication) = authentication else {
            return match authorization {
                None => Ok(None),
                Some(_) => {
                    Err(wrong("has `authorization` and no `authentication`: nobody could log in; add it"))
                }
            };
        };
        check_class(&authentication, AUTHENTICATION, "BasicAuthPlugin")?;
        only(&authentication, &AUTHENTICATION_KEYS, AUTHENTICATION)?;
        let rules = authorization.map(|section| read_rules(&section)).transpose()?;
        let realm = Some(authentication.text("realm")).filter(|realm| !realm.is_empty());
        let realm = realm.unwrap_or_else(|| REALM.to_owned());
        if !realm.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\') {
            return Err(wrong(format!("has the `realm` `{realm}`; use printable ASCII without quotes")));
        }
        let block_unknown = switch(authentication.get("blockUnknown"), "blockUnknown", true)?;
        switch(authentication.get("forwardCredentials"), "forwardCredentials", false)?;
        let (users, keys) = (users(&authentication)?, Keys::read(authentication.get(keys::SECTION))?);
        Ok(Some(Self { realm, block_unknown, users, keys, rules, fields }))
    }

    /// As the file has it.
    pub fn to_text(&self) -> String {
        commands::object_text(&self.fields)
    }

    /// What clients are asked to log in to.
    pub fn realm(&self) -> &str {
        &self.realm
    }

    /// Whether everybody must log in, whatever is asked for.
    pub fn blocks_unknown(&self) -> bool {
        self.block_unknown
    }

    /// Whether it keeps anybody from anything: with neither rules nor a log-in that is asked for, all is
    /// open.
    pub fn closes(&self) -> bool {
        self.block_unknown || self.rules.is_some()
    }

    /// Who the sender is by what is shown. A password that is wrong takes as long as one that is right, and
    /// so does a user that is not there.
    pub fn log_in(&self, shown: &Shown, now_ms: i64) -> Result<Principal, BadCredentials> {
        match shown {
            Shown::Key(key) => {
                let known = self.keys.find(key, now_ms).ok_or(BadCredentials)?;
                match known.user() {
                    None => Ok(known.principal()),
                    Some(user) if self.users.contains_key(user) => Ok(self.principal(user)),
                    Some(_) => Err(BadCredentials),
                }
            }
            Shown::Password { user, password } => {
                match PasswordHash::verify(self.users.get(user), password) {
                    true => Ok(self.principal(user)),
                    false => Err(BadCredentials),
                }
            }
        }
    }

    fn principal(&self, user: &str) -> Principal {
        let roles = self.rules.as_ref().map(|rules| rules.roles_of(user)).unwrap_or_default();
        Principal { name: user.to_owned(), roles }
    }

    /// Whether somebody, or nobody known, may have what is asked for.
    pub fn judge(&self, asked: &AccessRequest<'_>, who: Option<&Principal>) -> Verdict {
        self.rules.as_ref().map_or(Verdict::Permitted, |rules| rules.judge(asked, who))
    }
}

const AUTHENTICATION_KEYS: [&str; 7] =
    ["class", "blockUnknown", "credentials", "realm", "forwardCredentials", keys::SECTION, VERSION];
const AUTHORIZATION_KEYS: [&str; 5] = ["class", "permissions", "user-role", "useShortName", VERSION];

fn read_rules(section: &Object<'_>) -> Result<Rules> {
    check_class(section, AUTHORIZATION, "RuleBasedAuthorizationPlugin")?;
    only(section, &AUTHORIZATION_KEYS, AUTHORIZATION)?;
    Rules::read(section)
}

fn users(section: &Object<'_>) -> Result<BTreeMap<String, PasswordHash>> {
    let credentials = match section.get("credentials") {
        None => Object::default(),
        Some(value) => Object::of(value).ok_or_else(|| wrong("has `credentials` that are no object"))?,
    };
    let user = |(name, value): &(Arc<str>, RawValue)| {
        let hash = PasswordHash::parse(&value.to_text()).ok_or_else(|| {
            wrong(format!(
                "has no usable credential for `{name}`; write base64(sha256(sha256(salt, password))), a blank and base64(salt)"
            ))
        })?;
        Ok((name.to_string(), hash))
    };
    credentials.entries.iter().map(user).collect()
}

fn section<'a>(file: &Object<'a>, name: &str) -> Result<Option<Object<'a>>> {
    match file.get(name) {
        None | Some(RawValue::Null) => Ok(None),
        Some(value) => match Object::of(value) {
            Some(section) if section.entries.is_empty() => Ok(None),
            Some(section) => Ok(Some(section)),
            None => Err(wrong(format!("has an `{name}` that is no object"))),
        },
    }
}

/// The one class that is served, by any of the names that Solr knows it by.
fn check_class(section: &Object<'_>, what: &str, served: &str) -> Result<()> {
    let class = section.text("class");
    let known =
        ["solr.", "org.apache.solr.security.", ""].iter().any(|prefix| class == format!("{prefix}{served}"));
    match known {
        true => Ok(()),
        false => {
            Err(wrong(format!("names `{class}` for `{what}`, which is not supported; use `solr.{served}`")))
        }
    }
}

fn switch(value: Option<&RawValue>, name: &str, default: bool) -> Result<bool> {
    match value {
        None | Some(RawValue::Null) => Ok(default),
        Some(RawValue::Bool(flag)) => Ok(*flag),
        Some(RawValue::Str(text)) if text == "true" => Ok(true),
        Some(RawValue::Str(text)) if text == "false" => Ok(false),
        Some(other) => Err(wrong(format!("has `{}` for `{name}`; use true or false", other.to_text()))),
    }
}

#[cfg(test)]
mod tests;
