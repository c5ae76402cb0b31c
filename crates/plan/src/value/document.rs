//! A typed document: what was sent, after the schema gave its values their types, before copy fields. Copies,
//! terms and columns are the engine's to make when it prepares the document; what is stored is this. Names
//! are shared among documents, which mostly have the same; a field's values keep the order in which they were
//! sent.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::value::Value;

/// Fields in the order first seen, each once, with its values in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    pub fields: Vec<(Arc<str>, Vec<Value>)>,
}

impl Document {
    pub fn get(&self, name: &str) -> Option<&[Value]> {
        self.fields.iter().find(|(field, _)| &**field == name).map(|(_, values)| values.as_slice())
    }

    pub fn first(&self, name: &str) -> Option<&Value> {
        self.get(name)?.first()
    }

    /// Adds values behind those the field already has.
    pub fn append(&mut self, name: &Arc<str>, values: impl IntoIterator<Item = Value>) {
        match self.fields.iter_mut().find(|(field, _)| field == name) {
            Some((_, present)) => present.extend(values),
            None => self.fields.push((name.clone(), values.into_iter().collect())),
        }
    }

    /// Puts `values` in place of the field's values; an empty list removes the field.
    pub fn replace(&mut self, name: &Arc<str>, values: Vec<Value>) {
        if values.is_empty() {
            return self.fields.retain(|(field, _)| field != name);
        }
        match self.fields.iter_mut().find(|(field, _)| field == name) {
            Some((_, present)) => *present = values,
            None => self.fields.push((name.clone(), values)),
        }
    }
}
