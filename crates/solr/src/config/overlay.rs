//! What the Config API changed: Solr's `configoverlay.json`, and how it lies over a `solrconfig.xml`. Its
//! parts become elements in the tree of the file, so that all that reads the file reads the changes. It is
//! the text of one file of the collection's configuration: a command makes the next text of it and the whole
//! configuration is read anew.

use plan::Result;

use crate::commands::{self, Fields, object_in, put};
use crate::config::kinds::Kind;
use crate::config::properties;
use crate::config::refusal::wrong;
use crate::response::Entries;
use crate::update::RawValue;
use crate::xml_tree::Element;

const PROPERTIES: &str = "props";
const USER_PROPERTIES: &str = "userProps";

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Overlay {
    fields: Fields,
}

impl Overlay {
    /// Nothing is an overlay that changes nothing.
    pub fn parse(text: &str) -> Result<Self> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let fields = commands::object(text)?;
        Ok(Self { fields: fields.ok_or_else(|| wrong("configoverlay.json is no JSON object"))? })
    }

    pub fn to_text(&self) -> String {
        commands::object_text(&self.fields)
    }

    pub fn shown(&self) -> Entries {
        commands::shown(&self.fields)
    }

    fn section(&self, name: &str) -> &[(std::sync::Arc<str>, RawValue)] {
        match self.fields.iter().find(|(known, _)| &**known == name) {
            Some((_, RawValue::Map(inside))) => inside,
            _ => &[],
        }
    }

    /// What `${name}` stands for.
    pub fn user_property(&self, name: &str) -> Option<String> {
        let found = self.section(USER_PROPERTIES).iter().find(|(known, _)| &**known == name);
        found.map(|(_, value)| value.to_text())
    }

    pub fn set_user_property(&mut self, name: &str, value: RawValue) {
        put(object_in(&mut self.fields, USER_PROPERTIES), name, value);
    }

    pub fn unset_user_property(&mut self, name: &str) {
        object_in(&mut self.fields, USER_PROPERTIES).retain(|(known, _)| &**known != name);
    }

    pub fn set_property(&mut self, property: &properties::Property, value: RawValue) {
        let mut inside = object_in(&mut self.fields, PROPERTIES);
        let mut parts = property.parts().peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                return put(inside, part, value);
            }
            inside = object_in(inside, part);
        }
    }

    pub fn unset_property(&mut self, property: &properties::Property) {
        let parts: Vec<&str> = property.parts().collect();
        remove(object_in(&mut self.fields, PROPERTIES), &parts);
    }

    pub fn has(&self, kind: &Kind, name: &str) -> bool {
        self.section(kind.element).iter().any(|(known, _)| &**known == name)
    }

    pub fn set(&mut self, kind: &Kind, name: &str, value: RawValue) {
        put(object_in(&mut self.fields, kind.element), name, value);
    }

    pub fn remove(&mut self, kind: &Kind, name: &str) {
        remove(&mut self.fields, &[kind.element, name]);
    }

    /// Lays itself over a `solrconfig.xml`.
    pub fn apply(&self, root: &mut Element) {
        let mut leaves = Vec::new();
        leaves_of(self.section(PROPERTIES), "", &mut leaves);
        for (path, value) in leaves {
            if let Ok(property) = properties::find(&path) {
                property.write(root, value);
            }
        }
        for kind in Kind::all() {
            for (name, value) in self.section(kind.element) {
                let element = part(kind.element, name, value);
                let same = |it: &&mut Element| it.name == kind.element && it.attribute("name") == Some(name);
                match root.children.iter_mut().find(same) {
                    Some(present) => *present = element,
                    None => root.children.push(element),
                }
            }
        }
    }
}

/// Removes what a path names, and the objects that are empty then.
fn remove(fields: &mut Fields, path: &[&str]) {
    let Some((first, rest)) = path.split_first() else { return };
    fields.retain_mut(|(name, value)| match value {
        _ if &**name != *first => true,
        RawValue::Map(inside) if !rest.is_empty() => {
            remove(inside, rest);
            !inside.is_empty()
        }
        _ => false,
    });
}

fn leaves_of<'a>(
    fields: &'a [(std::sync::Arc<str>, RawValue)],
    above: &str,
    leaves: &mut Vec<(String, &'a RawValue)>,
) {
    for (name, value) in fields {
        let path = if above.is_empty() { name.to_string() } else { format!("{above}.{name}") };
        match value {
            RawValue::Map(inside) => leaves_of(inside, &path, leaves),
            leaf => leaves.push((path, leaf)),
        }
    }
}

/// Keys of a part that are attributes of its element and no settings.
const ATTRIBUTES: &[&str] = &[
    "name",
    "class",
    "path",
    "startup",
    "useParams",
    "event",
    "default",
    "processor",
    "runtimeLib",
    "version",
];

/// A part's JSON as the element that it would be in a file.
fn part(element: &str, name: &str, value: &RawValue) -> Element {
    let mut part = Element { name: element.to_owned(), ..Element::default() };
    part.set_attribute("name", name.to_owned());
    let RawValue::Map(fields) = value else { return part };
    for (key, value) in fields {
        if ATTRIBUTES.contains(&&**key) {
            part.set_attribute(key, value.to_text());
        } else {
            settings(key, value, &mut part.children);
        }
    }
    part
}

/// A setting as the elements that it would be: a list of objects is as many of them.
fn settings(key: &str, value: &RawValue, into: &mut Vec<Element>) {
    match value {
        RawValue::List(all) if all.iter().all(|it| matches!(it, RawValue::Map(_))) => {
            into.extend(all.iter().map(|value| setting(Some(key), value)));
        }
        value => into.push(setting(Some(key), value)),
    }
}

fn setting(key: Option<&str>, value: &RawValue) -> Element {
    let (name, text, children) = match value {
        RawValue::Map(fields) => {
            let mut children = Vec::new();
            fields.iter().for_each(|(key, value)| settings(key, value, &mut children));
            ("lst", String::new(), children)
        }
        RawValue::List(all) => ("arr", String::new(), all.iter().map(|it| setting(None, it)).collect()),
        RawValue::Bool(flag) => ("bool", flag.to_string(), vec![]),
        RawValue::Long(number) if i32::try_from(*number).is_ok() => ("int", number.to_string(), vec![]),
        RawValue::Long(number) => ("long", number.to_string(), vec![]),
        RawValue::Float(_) | RawValue::Double(_) => ("double", value.to_text(), vec![]),
        other => ("str", other.to_text(), vec![]),
    };
    let mut element = Element { name: name.to_owned(), text, children, ..Element::default() };
    if let Some(key) = key {
        element.set_attribute("name", key.to_owned());
    }
    element
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml_tree;

    #[test]
    fn changes_lie_over_the_file() {
        let overlay = r#"{"props":{"updateHandler":{"autoCommit":{"maxDocs":100}}},"userProps":{"df":"t"},
            "requestHandler":{"/a":{"name":"/a","class":"solr.SearchHandler","useParams":"x","defaults":{"rows":3,"fq":["a","b"]}}}}"#;
        let overlay = Overlay::parse(overlay).unwrap();
        let xml = "<config><requestHandler name='/a' class='solr.Old'/><requestHandler name='/b'/></config>";
        let mut root = xml_tree::parse("t", xml, &|_| None).unwrap();
        overlay.apply(&mut root);
        let names: Vec<_> = root.children.iter().map(|it| it.attribute("class").unwrap_or("-")).collect();
        assert_eq!(names, ["solr.SearchHandler", "-", "-"]);
        let handler = &root.children[0];
        assert_eq!(handler.attribute("useParams"), Some("x"));
        let defaults = &handler.children[0];
        assert_eq!((defaults.name.as_str(), defaults.children.len()), ("lst", 2));
        assert_eq!(root.first("updateHandler").unwrap().children[0].children[0].trimmed(), "100");
        assert_eq!(overlay.user_property("df").as_deref(), Some("t"));
    }

    #[test]
    fn what_is_taken_away_leaves_nothing() {
        let mut overlay = Overlay::parse("").unwrap();
        let property = properties::find("query.filterCache.size").unwrap();
        overlay.set_property(property, RawValue::Str("7".into()));
        let handler = Kind::of_command("requesthandler").unwrap();
        overlay.set(handler, "/a", RawValue::Map(vec![]));
        let text = overlay.to_text();
        assert_eq!(Overlay::parse(&text).unwrap(), overlay, "{text}");
        overlay.unset_property(property);
        overlay.remove(handler, "/a");
        assert!(!overlay.to_text().contains('a'), "{}", overlay.to_text());
        assert!(Overlay::parse("[]").is_err());
    }
}
