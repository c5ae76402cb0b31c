//! The rules of a file and how they are applied: of all permissions about a request, the one that says most
//! of where it goes decides; of several such, the first (`RuleBasedAuthorizationPluginBase` of Solr 9.10). A
//! permission that names the collection comes before one about all, one that names the path before one that
//! does not.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan::Result;

use super::permission::{AccessRequest, Permission, Roles, Scope, read_all, texts};
use super::principal::Principal;
use super::refusal::wrong;
use crate::commands::Object;

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Permitted,
    /// For those who have logged in, and nobody has.
    LogIn,
    Forbidden,
}

#[derive(Debug, Default)]
pub(super) struct Rules {
    permissions: Vec<Permission>,
    roles: BTreeMap<String, Arc<[String]>>,
}

impl Rules {
    pub fn read(section: &Object<'_>) -> Result<Self> {
        let users = match section.get("user-role") {
            None => Object::default(),
            Some(value) => Object::of(value).ok_or_else(|| wrong("has a `user-role` that is no object"))?,
        };
        let roles = users.entries.iter().map(|(user, roles)| (user.to_string(), texts(Some(roles)).into()));
        Ok(Self { roles: roles.collect(), permissions: read_all(section.get("permissions"))? })
    }

    pub fn roles_of(&self, user: &str) -> Arc<[String]> {
        self.roles.get(user).cloned().unwrap_or_default()
    }

    /// Every collection that is touched must be permitted. What no permission is about is permitted, as in
    /// Solr.
    pub fn judge(&self, asked: &AccessRequest<'_>, who: Option<&Principal>) -> Verdict {
        let of =
            |permission: Option<&Permission>| permission.map_or(Verdict::Permitted, |it| it.verdict(who));
        match &asked.scope {
            Scope::Node(named) => {
                let node = of(self.first(asked, &Permission::is_of_node));
                let own = named.iter().map(|names| of(self.first(asked, &|it| it.names(names))));
                worst(own.chain([node]))
            }
            Scope::Collections(collections) => worst(collections.iter().map(|names| {
                let own = self.first(asked, &|it| it.names(names));
                of(own.or_else(|| self.first(asked, &Permission::is_of_all)))
            })),
        }
    }

    /// Of those that are meant, the first that is about the request: by its path, by a folder above it, by no
    /// path.
    fn first(&self, asked: &AccessRequest<'_>, meant: &dyn Fn(&Permission) -> bool) -> Option<&Permission> {
        let here = |placed: &dyn Fn(&Permission) -> bool| {
            self.permissions.iter().find(|it| meant(it) && placed(it) && it.governs(asked))
        };
        here(&|it| it.paths.iter().any(|path| path == asked.path))
            .or_else(|| here(&|it| it.paths.iter().any(|path| covers(path, asked.path))))
            .or_else(|| here(&|it| it.paths.is_empty()))
    }
}

impl Permission {
    fn verdict(&self, who: Option<&Principal>) -> Verdict {
        match (&self.roles, who) {
            (Roles::Nobody, _) | (Roles::Anybody, Some(_)) => Verdict::Permitted,
            (_, None) => Verdict::LogIn,
            (Roles::These(these), Some(who)) if who.roles.iter().any(|role| these.contains(role)) => {
                Verdict::Permitted
            }
            (Roles::These(_), Some(_)) => Verdict::Forbidden,
        }
    }
}

/// Whether a pattern such as `/update/*` is about a path: that of the folder or one below it.
fn covers(pattern: &str, path: &str) -> bool {
    pattern.strip_suffix("/*").is_some_and(|folder| {
        path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

fn worst(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Permitted => 0,
        Verdict::LogIn => 1,
        Verdict::Forbidden => 2,
    };
    verdicts.max_by_key(rank).unwrap_or(Verdict::Permitted)
}
