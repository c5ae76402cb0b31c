//! What administrators are shown of a `security.json`, a section at a time. Hashes stay on disk: what is
//! shown in their place says only that there is one. In: the file as it was read; out: nodes in its order.
//! Who may see it is a rule like any other (`http`).

use super::{Section, Security, keys};
use crate::commands::{Object, shown};
use crate::response::{Entries, Node};
use crate::update::RawValue;

/// Stands where a hash would.
const HIDDEN: &str = "***";

/// The answer to a reading of a section.
pub fn view(security: Option<&Security>, section: Section) -> Entries {
    let name = section.name();
    let object =
        security.and_then(|security| Object { entries: &security.fields }.get(name)).and_then(Object::of);
    let Some(object) = object.filter(|object| !object.entries.is_empty()) else {
        return vec![(
            "errorMessages".into(),
            Node::Array(vec![Node::from(format!("No {name} configured"))]),
        )];
    };
    let mut fields = object.entries.to_vec();
    for (name, value) in &mut fields {
        match (&**name, value) {
            ("credentials", RawValue::Map(users)) => users.iter_mut().for_each(|(_, hash)| hide(hash)),
            (keys::SECTION, RawValue::Map(keys)) => {
                for (_, key) in keys {
                    let RawValue::Map(facts) = key else { continue };
                    facts.retain(|(name, _)| &**name != keys::HASH);
                }
            }
            _ => {}
        }
    }
    vec![(format!("{name}.enabled").into(), Node::Bool(true)), (name.into(), Node::Map(shown(&fields)))]
}

/// Solr differs: it shows the hashes of all passwords to whoever may read this
/// (`compat/security/users.yaml`).
fn hide(value: &mut RawValue) {
    *value = RawValue::Str(HIDDEN.to_owned());
}
