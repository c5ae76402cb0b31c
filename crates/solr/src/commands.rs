//! Bodies of Solr's edit APIs (schema, configuration, sets of parameters): an object whose keys are commands,
//! and the error that tells what is wrong with each. What a command does is its API's business. Shapes and
//! wording are those recorded from Solr 9.10.1.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use plan::Error;

use crate::response::{Entries, JsonStyle, Node, write_json};
use crate::update::{Event, JsonReader, Names, RawValue, entries, value};

/// Why an edit was refused.
#[derive(Debug)]
pub enum EditError {
    /// The body is not JSON commands.
    Malformed(Error),
    /// Commands that do not apply. Solr's status is 400, its error class `ApiBag$ExceptionWithErrObject`.
    Refused {
        message: String,
        /// For `error.details`: each command with its `errorMessages`.
        details: Node,
    },
}

impl From<Error> for EditError {
    fn from(error: Error) -> Self {
        EditError::Malformed(error)
    }
}

/// What a command says is wrong with it.
pub(crate) type Complaint = String;

/// Keys and values of a JSON object, in order.
pub(crate) type Fields = Vec<(Arc<str>, RawValue)>;

/// One command of a request: its name and its value.
pub(crate) struct Command {
    pub name: String,
    pub value: RawValue,
}

/// Most commands of one body.
const COMMANDS_MAX: usize = 10_000;

const SHAPE: &str = "The JSON must be an Object of the form {\"command\": {...},...";

/// A list of objects is as many commands.
///
/// Solr differs: a body that is no JSON is an error 500 there; here it is the client's
/// (`compat/schema/edit.yaml`, `compat/admin/config.yaml`).
pub(crate) fn commands(body: &str) -> plan::Result<Vec<Command>> {
    let mut commands = Vec::new();
    for (name, value) in object(body)?.ok_or_else(|| Error::bad_request(SHAPE))? {
        let values = match value {
            RawValue::List(values) if values.iter().all(|it| matches!(it, RawValue::Map(_))) => values,
            single => vec![single],
        };
        commands.extend(values.into_iter().map(|value| Command { name: name.to_string(), value }));
    }
    if commands.len() > COMMANDS_MAX {
        return Err(Error::bad_request(format!(
            "the body has `{}` commands; send {COMMANDS_MAX} or fewer at once",
            commands.len()
        )));
    }
    Ok(commands)
}

/// A text that is one JSON object; `None` when it is something else.
pub(crate) fn object(text: &str) -> plan::Result<Option<Fields>> {
    let mut reader = JsonReader::new(text);
    let mut names = Names::default();
    if reader.next_event()? != Event::ObjectStart {
        return Ok(None);
    }
    let fields = entries(&mut reader, &mut names)?;
    match reader.next_event()? {
        Event::End => Ok(Some(fields)),
        other => {
            value(&mut reader, other, &mut names)?;
            Ok(None)
        }
    }
}

/// The JSON of an object, indented.
pub(crate) fn object_text(fields: &Fields) -> String {
    let mut bytes = Vec::new();
    write_json(&shown(fields), &JsonStyle { indent: true, ..JsonStyle::default() }, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An object as part of a response.
pub(crate) fn shown(fields: &Fields) -> Entries {
    fields.iter().map(|(name, value)| (Cow::Owned(name.to_string()), Node::from(value.clone()))).collect()
}

/// `about` is what is edited, in the plural.
///
/// Solr differs: in its message either of a command and its complaints may come first, as Java's salted maps
/// have it (see `compat/schema/edit.yaml`).
pub(crate) fn refused(about: &str, failures: &[(&Command, Vec<Complaint>)]) -> EditError {
    let mut message = format!("error processing {about}, errors: [");
    let mut details = Vec::new();
    for (at, (command, complaints)) in failures.iter().enumerate() {
        let separator = if at == 0 { "" } else { ", " };
        let (name, value) = (&command.name, command.value.to_text());
        let _ = write!(message, "{separator}{{{name}={value}, errorMessages=[{}]}}", complaints.join(", "));
        let shown = complaints.iter().map(|complaint| Node::str(complaint.clone())).collect();
        details.push(Node::Map(vec![
            (Cow::Owned(name.clone()), Node::from(command.value.clone())),
            (Cow::Borrowed("errorMessages"), Node::Array(shown)),
        ]));
    }
    message.push_str("], ");
    EditError::Refused { message, details: Node::Array(details) }
}

/// The entries of a command.
#[derive(Default)]
pub(crate) struct Object<'a> {
    pub entries: &'a [(Arc<str>, RawValue)],
}

impl<'a> Object<'a> {
    pub fn of(value: &'a RawValue) -> Option<Self> {
        match value {
            RawValue::Map(entries) => Some(Self { entries }),
            _ => None,
        }
    }

    /// As [`Object::of`], with what is wrong with the command: no object, or a key that is missing.
    pub fn with_keys(command: &'a Command, required: &[&str]) -> Result<Self, Vec<Complaint>> {
        let object = Object::of(&command.value);
        let mut complaints = Vec::new();
        if object.is_none() {
            complaints.push(format!(" value has to be an object for operation :{}", command.name));
        }
        let object = object.unwrap_or_default();
        let missing = required.iter().filter(|key| object.get(key).is_none());
        complaints.extend(missing.map(|key| format!("'{key}' is a required field")));
        if complaints.is_empty() { Ok(object) } else { Err(complaints) }
    }

    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.entries.iter().find(|(name, _)| &**name == key).map(|(_, value)| value)
    }

    pub fn text(&self, key: &str) -> String {
        self.get(key).map(RawValue::to_text).unwrap_or_default()
    }
}

/// Puts a value in place of the one of this name, or behind all.
pub(crate) fn put(fields: &mut Fields, name: &str, value: RawValue) {
    match fields.iter_mut().find(|(known, _)| &**known == name) {
        Some((_, known)) => *known = value,
        None => fields.push((name.into(), value)),
    }
}

/// The object of this name, made if it is not there.
pub(crate) fn object_in<'a>(fields: &'a mut Fields, name: &str) -> &'a mut Fields {
    let at = fields.iter().position(|(known, value)| &**known == name && matches!(value, RawValue::Map(_)));
    let at = at.unwrap_or_else(|| {
        fields.retain(|(known, _)| &**known != name);
        fields.push((name.into(), RawValue::Map(vec![])));
        fields.len() - 1
    });
    match fields.get_mut(at) {
        Some((_, RawValue::Map(inside))) => inside,
        _ => unreachable!("an object stands there"),
    }
}
