//! Single options of a facet: their types, and Solr's words where one is of another. In: the object of a
//! facet as its JSON has it; out: one option at a time, `None` where it is absent. Which options a facet has
//! is its own file's.

use std::sync::Arc;

use plan::Result;

use super::path::TreePath;
use crate::json_request::type_name;
use crate::update::RawValue;

#[derive(Clone, Copy)]
pub(super) struct Options<'a> {
    pub(super) entries: &'a [(Arc<str>, RawValue)],
    pub(super) place: &'a TreePath<'a>,
}

impl<'a> Options<'a> {
    /// `null` is as good as nothing.
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        let found = self.entries.iter().find(|(key, _)| &**key == name).map(|(_, value)| value);
        found.filter(|value| **value != RawValue::Null)
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>> {
        match self.get(name) {
            None => Ok(None),
            Some(RawValue::Str(text)) => Ok(Some(text)),
            Some(other) => Err(self.mistyped("string", name, other)),
        }
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>> {
        match self.get(name) {
            None => Ok(None),
            Some(RawValue::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(self.mistyped("boolean", name, other)),
        }
    }

    pub(super) fn integer(&self, name: &str) -> Result<Option<i64>> {
        match self.get(name) {
            None => Ok(None),
            Some(RawValue::Long(number)) => Ok(Some(*number)),
            Some(other) => Err(self.mistyped("integer", name, other)),
        }
    }

    pub(super) fn real(&self, name: &str) -> Result<Option<f64>> {
        match self.get(name) {
            None => Ok(None),
            // JSON has one kind of number; `1` is as good a double as `1.0`.
            Some(RawValue::Long(number)) => Ok(Some(*number as f64)),
            Some(RawValue::Double(number)) => Ok(Some(*number)),
            Some(other) => Err(self.mistyped("double", name, other)),
        }
    }

    /// A list of strings, or one string cut at commas.
    pub(super) fn list(&self, name: &str) -> Result<Vec<String>> {
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(RawValue::List(values)) => Ok(values.iter().map(RawValue::to_text).collect()),
            Some(RawValue::Str(text)) => {
                let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
                Ok(parts.map(str::to_owned).collect())
            }
            Some(other) => {
                let found = format!("{}={}", type_name(other), other.to_text());
                Err(self.place.error(&format!(
                    "Expected list of string or comma separated string values for '{name}', received {found}"
                )))
            }
        }
    }

    /// What is wrong with an option that is there but of another type.
    pub(super) fn unfit(&self, wanted: &str, name: &str) -> plan::Error {
        let found = self.get(name).map(RawValue::to_text).unwrap_or_default();
        self.place.error(&format!("Expected {wanted} type for param '{name}' but got {found}"))
    }

    fn mistyped(&self, wanted: &str, name: &str, found: &RawValue) -> plan::Error {
        let found = format!("{} = {}", type_name(found), found.to_text());
        self.place.error(&format!("Expected {wanted} type for param '{name}' but got {found}"))
    }
}
