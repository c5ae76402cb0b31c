//! The commands of `/admin/authentication` and `/admin/authorization`. All of a body's commands apply, or
//! none does and the answer tells what is wrong with each: with status 200, as Solr's does. Wording recorded
//! from Solr 9.10.1.

use std::borrow::Cow;

use plan::Error;

use super::password::{PasswordHash, Sha};
use super::permission::{Permission, listed, texts};
use super::{Section, Security, VERSION, keys};
use crate::commands::{Command, Complaint, Fields, Object, commands, object_in, put};
use crate::response::{Entries, Node};
use crate::update::RawValue;

/// What came of an edit.
pub struct Edited {
    /// To be kept; `None` when a command was refused.
    pub security: Option<Security>,
    /// For the answer's body.
    pub entries: Entries,
}

/// Where an edit takes what is not in its body: 32 random bytes at a time, and the time.
pub struct EditContext<'a> {
    pub random: &'a dyn Fn() -> [u8; 32],
    pub now_ms: i64,
}

type Done = Result<(), Complaint>;

/// Applies a body's commands to a section. Errors: `BadRequest` for a body that is no commands, a section
/// that is not there.
pub fn edit(
    security: &Security,
    section: Section,
    body: &str,
    context: &EditContext<'_>,
) -> plan::Result<Edited> {
    let name = section.name();
    let mut file = security.fields.clone();
    if (Object { entries: &file }).get(name).and_then(Object::of).is_none() {
        return Err(Error::bad_request(format!("No {name} plugin configured")));
    }
    let commands = commands(body)?;
    let mut edit = Edit { fields: object_in(&mut file, name), context, made: Vec::new() };
    let failures: Vec<_> =
        commands.iter().filter_map(|command| Some((command, edit.apply(section, command).err()?))).collect();
    if !failures.is_empty() {
        return Ok(Edited { security: None, entries: refused(&failures) });
    }
    let made = std::mem::take(&mut edit.made);
    put(edit.fields, VERSION, RawValue::Map(vec![("v".into(), RawValue::Long(0))]));
    let entries = if made.is_empty() { vec![] } else { vec![("keys".into(), Node::Map(made))] };
    let text = crate::commands::object_text(&file);
    Ok(Edited { security: Security::read(&text)?, entries })
}

fn refused(failures: &[(&Command, Complaint)]) -> Entries {
    let shown = failures.iter().map(|(command, complaint)| {
        Node::Map(vec![
            (Cow::Owned(command.name.clone()), Node::from(command.value.clone())),
            ("errorMessages".into(), Node::Array(vec![Node::from(complaint.clone())])),
        ])
    });
    vec![("errorMessages".into(), Node::Array(shown.collect()))]
}

struct Edit<'a> {
    /// Of the section.
    fields: &'a mut Fields,
    context: &'a EditContext<'a>,
    /// New keys, to be shown this once.
    made: Entries,
}

impl Edit<'_> {
    fn apply(&mut self, section: Section, command: &Command) -> Done {
        match (section, command.name.as_str()) {
            (Section::Authentication, "set-user") => self.set_users(command),
            (Section::Authentication, "delete-user") => self.delete_users(&command.value),
            (Section::Authentication, "set-property") => self.set_properties(command),
            (Section::Authentication, "create-key") => self.create_key(command),
            (Section::Authentication, "delete-key") => self.delete_key(&command.value),
            (Section::Authorization, "set-user-role") => self.set_roles(command),
            (Section::Authorization, "set-permission") => self.set_permission(command),
            (Section::Authorization, "update-permission") => self.update_permission(command),
            (Section::Authorization, "delete-permission") => self.delete_permission(&command.value),
            (_, other) => Err(format!("Unknown operation '{other}' ")),
        }
    }

    /// Solr differs: it takes names that nobody can log in with, and empty passwords
    /// (`compat/security/users.yaml`).
    fn set_users(&mut self, command: &Command) -> Done {
        for (name, password) in values(command)? {
            let password = match password {
                RawValue::Null | RawValue::List(_) | RawValue::Map(_) => None,
                password => Some(password.to_text()).filter(|password| !password.is_empty()),
            };
            let Some(password) = password.filter(|_| !name.is_empty()) else {
                return Err("name and password must be non-null".to_owned());
            };
            if name.contains(':') {
                return Err(format!(
                    "the name `{name}` has a colon, which parts name and password; leave it out"
                ));
            }
            let hash = PasswordHash::of(&password, (self.context.random)());
            put(object_in(self.fields, "credentials"), name, RawValue::Str(hash.to_text()));
        }
        Ok(())
    }

    fn delete_users(&mut self, names: &RawValue) -> Done {
        let (names, users) = (texts(Some(names)), object_in(self.fields, "credentials"));
        if names.iter().any(|name| !users.iter().any(|(user, _)| **user == **name)) {
            return Err(format!("No such user(s) [{}]", names.join(", ")));
        }
        users.retain(|(user, _)| !names.iter().any(|name| **user == **name));
        Ok(())
    }

    fn set_properties(&mut self, command: &Command) -> Done {
        for (name, value) in values(command)? {
            match &**name {
                "blockUnknown" | "forwardCredentials" => {
                    super::switch(Some(value), name, false).map_err(|error| error.message)?;
                }
                "realm" => {}
                other => return Err(format!("Unknown property {other}")),
            }
            put(self.fields, name, value.clone());
        }
        Ok(())
    }

    fn create_key(&mut self, command: &Command) -> Done {
        let object = Object::with_keys(command, &["name"]).map_err(|complaints| complaints.join("; "))?;
        let (name, random) = (object.text("name"), Sha::from((self.context.random)()));
        plan::check_name("key", &name).map_err(|error| error.message)?;
        let (key, kept) = keys::made(&object, random, self.context.now_ms)?;
        let known = object_in(self.fields, keys::SECTION);
        if known.iter().any(|(known, _)| **known == *name) {
            return Err(format!("there is a key `{name}`; delete it first, or choose another name"));
        }
        if known.len() >= keys::KEYS_MAX {
            return Err(format!("there are `{}` keys; delete some first", known.len()));
        }
        known.push((name.as_str().into(), kept));
        self.made.push((name.into(), Node::from(key)));
        Ok(())
    }

    fn delete_key(&mut self, names: &RawValue) -> Done {
        let (names, known) = (texts(Some(names)), object_in(self.fields, keys::SECTION));
        if let Some(missing) = names.iter().find(|name| !known.iter().any(|(key, _)| **key == ***name)) {
            return Err(format!("No such key {missing}"));
        }
        known.retain(|(key, _)| !names.iter().any(|name| **key == **name));
        Ok(())
    }

    fn set_roles(&mut self, command: &Command) -> Done {
        for (user, roles) in values(command)? {
            let known = object_in(self.fields, "user-role");
            match roles {
                RawValue::Null => known.retain(|(name, _)| name != user),
                RawValue::Str(_) | RawValue::List(_) => put(known, user, roles.clone()),
                _ => return Err("Unexpected value ".to_owned()),
            }
        }
        Ok(())
    }

    fn set_permission(&mut self, command: &Command) -> Done {
        let mut wanted = values(command)?.to_vec();
        let before = take(&mut wanted, "before");
        Permission::read(&Object { entries: &wanted })?;
        let mut all = self.permissions();
        let at = match before {
            None => all.len(),
            Some(before) => number(&before)
                .and_then(|index| place(index, &all))
                .ok_or(format!("Invalid 'before' :{}", before.to_text()))?,
        };
        all.insert(at, wanted);
        self.keep(all);
        Ok(())
    }

    fn update_permission(&mut self, command: &Command) -> Done {
        let changes = values(command)?;
        let object = Object { entries: changes };
        let Some(index) = object.get("index") else {
            return Err("'index' is a required field".to_owned());
        };
        if object.get("before").is_some() {
            return Err("Cannot use 'index' and 'before together ".to_owned());
        }
        let mut all = self.permissions();
        let permission = number(index).and_then(|index| place(index, &all)).and_then(|at| all.get_mut(at));
        let permission = permission.ok_or("No such permission update-permission")?;
        changes.iter().for_each(|(name, value)| put(permission, name, value.clone()));
        Permission::read(&Object { entries: permission })?;
        self.keep(all);
        Ok(())
    }

    fn delete_permission(&mut self, index: &RawValue) -> Done {
        let index = number(index).ok_or(" is not a valid integer")?;
        let mut all = self.permissions();
        let at = place(index, &all).ok_or(format!("No such index: {index}"))?;
        all.remove(at);
        self.keep(all);
        Ok(())
    }

    fn permissions(&self) -> Vec<Fields> {
        listed(Object { entries: self.fields }.get("permissions"))
    }

    /// With their places, counted from 1.
    fn keep(&mut self, mut all: Vec<Fields>) {
        for (index, permission) in (1..).zip(&mut all) {
            put(permission, "index", RawValue::Long(index));
        }
        put(self.fields, "permissions", RawValue::List(all.into_iter().map(RawValue::Map).collect()));
    }
}

fn values(command: &Command) -> Result<&[(std::sync::Arc<str>, RawValue)], Complaint> {
    Object::of(&command.value).map(|object| object.entries).ok_or_else(|| {
        format!(
            "The command '{}' should have the values as a json object {{key:val}} format but is '{}'",
            command.name,
            command.value.to_text()
        )
    })
}

fn take(fields: &mut Fields, name: &str) -> Option<RawValue> {
    let at = fields.iter().position(|(known, _)| &**known == name)?;
    Some(fields.remove(at).1)
}

fn number(value: &RawValue) -> Option<i64> {
    match value {
        RawValue::Long(number) => Some(*number),
        RawValue::Str(text) => text.parse().ok(),
        _ => None,
    }
}

/// Where the permission with this number is.
fn place(index: i64, all: &[Fields]) -> Option<usize> {
    let at = usize::try_from(index).ok()?.checked_sub(1)?;
    (at < all.len()).then_some(at)
}
