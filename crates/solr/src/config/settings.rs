//! The settings of a component, a dictionary or a suggester: named values of any type in a list, read by
//! their names. In: an element; out: texts, numbers and switches. What cannot be read, is missing or is not
//! known is refused here, so that all components word it alike.

use plan::{Error, Result};

use crate::config::refusal::wrong;
use crate::xml_tree::Element;

/// The named values directly inside an element.
pub(super) struct Settings<'a> {
    element: &'a Element,
}

impl<'a> Settings<'a> {
    pub(super) fn of(element: &'a Element) -> Self {
        Self { element }
    }

    /// The first value of this name that is not empty.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.raw(name).map(str::trim).filter(|value| !value.is_empty())
    }

    /// As [`Settings::get`], with the white space around it.
    pub(super) fn raw(&self, name: &str) -> Option<&'a str> {
        let named = |it: &&Element| it.attribute("name") == Some(name);
        self.element.children.iter().find(named).map(|it| it.text.as_str())
    }

    /// Every value of this name.
    pub(super) fn all(&self, name: &str) -> Vec<&'a str> {
        let named = self.element.children.iter().filter(|it| it.attribute("name") == Some(name));
        named.map(Element::trimmed).collect()
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }

    /// Errors: a value that does not read as a `T`.
    pub(super) fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>> {
        let parse = |value: &str| {
            value.parse().map_err(|_| wrong(&format!("`{name}` is `{value}`; write a number from 0 up")))
        };
        self.get(name).map(parse).transpose()
    }

    pub(super) fn switch(&self, name: &str, default: bool) -> bool {
        self.get(name).map_or(default, |value| matches!(value.to_ascii_lowercase().as_str(), "true" | "on"))
    }

    /// The names that are set and are none of `known`.
    pub(super) fn others(&self, known: &[&str]) -> Vec<&'a str> {
        let names = self.element.children.iter().filter_map(|it| it.attribute("name"));
        names.filter(|name| !known.contains(name)).collect()
    }
}

/// A value of a setting that cannot be.
pub(super) fn refuse(settings: &Settings<'_>, name: &str, allowed: &str) -> Error {
    let value = settings.get(name).unwrap_or_default();
    wrong(&format!("`{name}` is `{value}`; use {allowed}"))
}

/// A setting that has to be there.
pub(super) fn required<'a>(settings: &Settings<'a>, name: &str) -> Result<&'a str> {
    settings.get(name).ok_or_else(|| wrong(&format!("Init param is missing: `{name}`")))
}

/// Refuses settings that the class does not know.
pub(super) fn check_known(settings: &Settings<'_>, known: &[&str]) -> Result<()> {
    match settings.others(known).first() {
        Some(name) => Err(wrong(&format!("Unexpected init param(s): '{name}'"))),
        None => Ok(()),
    }
}
