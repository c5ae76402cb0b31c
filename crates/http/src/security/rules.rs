//! Which `security.json` counts: the newest that can be understood. In: what the node knows of the file,
//! which other members change too; out: the rules in force, and whether they may be edited. A file that is no
//! `security.json`, that configures nothing, or that is gone opens no door: what was in force stays.

use std::sync::Arc;

use cluster::VersionedBytes;
use plan::{Error, ErrorKind, Result};
use solr::security::Security;

/// Those in force, and of which file they are.
pub(super) struct Rules {
    in_force: Option<Arc<Security>>,
    /// Of the file that was looked at last; `None`: there was none.
    version: Option<u64>,
    /// Why that file is not in force.
    refused: Option<String>,
}

impl Rules {
    pub fn new(in_force: Option<Arc<Security>>) -> Self {
        Self { in_force, version: None, refused: None }
    }

    pub fn in_force(&self) -> Option<&Arc<Security>> {
        self.in_force.as_ref()
    }

    /// Whether this is the file that was looked at last.
    pub fn is_of(&self, file: Option<&VersionedBytes>) -> bool {
        self.version == file.map(|file| file.version)
    }

    /// Takes up a file, where it is another and can be understood. Says in the log where it cannot.
    pub fn follow(&mut self, file: Option<&VersionedBytes>) {
        if self.is_of(file) {
            return;
        }
        self.version = file.map(|file| file.version);
        self.refused = None;
        match file.map(read) {
            Some(Ok(Some(security))) => self.in_force = Some(Arc::new(security)),
            Some(Ok(None)) if self.in_force.is_none() => {}
            Some(Ok(None)) => {
                self.refuse("it configures nothing; to let everybody in, stop all members, then start them");
            }
            Some(Err(why)) => self.refuse(&why),
            None => tracing::error!("security.json is gone; the one before goes on to count here"),
        }
    }

    fn refuse(&mut self, why: &str) {
        tracing::error!(why, "security.json was changed to what cannot count; the one before goes on to");
        self.refused = Some(why.to_owned());
    }

    /// The rules with the version that an edit is to take the place of. Errors: `Conflict` where there is a
    /// file that is not in force: an edit would undo what somebody made of it.
    pub fn to_edit(&self) -> Result<(Option<u64>, Option<Arc<Security>>)> {
        match &self.refused {
            None => Ok((self.version, self.in_force.clone())),
            Some(why) => {
                let message =
                    format!("the `security.json` that is kept cannot count: {why}; mend it there first");
                Err(Error::new(ErrorKind::Conflict, message))
            }
        }
    }
}

/// Errors: why it cannot be understood.
fn read(file: &VersionedBytes) -> Result<Option<Security>, String> {
    let text = std::str::from_utf8(&file.bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    Security::read(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: u64, bytes: impl Into<Vec<u8>>) -> VersionedBytes {
        VersionedBytes { version, bytes: bytes.into() }
    }

    /// One whose realm is the name.
    fn named(version: u64, realm: &str) -> VersionedBytes {
        let authentication = format!(r#"{{"class":"solr.BasicAuthPlugin","realm":"{realm}"}}"#);
        file(version, format!(r#"{{"authentication":{authentication}}}"#))
    }

    #[test]
    fn the_newest_that_can_be_understood_counts() {
        let mut rules = Rules::new(None);
        let mut check = |found: Option<&VersionedBytes>, realm: Option<&str>, may_edit: bool| {
            rules.follow(found);
            assert!(rules.is_of(found));
            assert_eq!(rules.in_force().map(|it| it.realm().to_owned()).as_deref(), realm, "{found:?}");
            let edit = rules.to_edit();
            assert_eq!(edit.is_ok(), may_edit, "{found:?}");
            if let Ok((version, _)) = edit {
                assert_eq!(version, found.map(|it| it.version));
            }
        };
        check(None, None, true);
        check(Some(&file(1, "{}")), None, true);
        check(Some(&named(2, "a")), Some("a"), true);
        check(Some(&named(3, "b")), Some("b"), true);
        check(Some(&file(4, "{")), Some("b"), false);
        check(Some(&file(5, [0xff])), Some("b"), false);
        check(Some(&file(6, "{}")), Some("b"), false);
        check(Some(&file(7, r#"{"authentication":{"class":"solr.JWTAuthPlugin"}}"#)), Some("b"), false);
        check(Some(&named(8, "c")), Some("c"), true);
        check(None, Some("c"), true);
    }
}
