//! Whole JSON values from the reader's events, for where a value is small: a field of a document, a command
//! of the schema API. Documents are not read by it: they go from events to commands without a tree in between
//! (`json.rs`), as one may be as long as the body.

use std::sync::Arc;

use plan::Result;

use crate::update::command::{Names, RawValue};
use crate::update::json_reader::{Event, JsonReader};

/// The value that starts with the event given. Recurses into lists and maps; the reader bounds how deep.
pub fn value<'a>(reader: &mut JsonReader<'a>, first: Event<'a>, names: &mut Names) -> Result<RawValue> {
    Ok(match first {
        Event::Str(text) => RawValue::Str(text.into_owned()),
        Event::Long(number) => RawValue::Long(number),
        Event::Real(number) => RawValue::Double(number),
        Event::Big(text) => RawValue::Str(text.to_owned()),
        Event::Bool(flag) => RawValue::Bool(flag),
        Event::ArrayStart => RawValue::List(list(reader, names)?),
        Event::ObjectStart => RawValue::Map(entries(reader, names)?),
        _ => RawValue::Null,
    })
}

/// The entries of an object whose start has been read, up to its end, in order; keys may repeat.
pub fn entries(reader: &mut JsonReader<'_>, names: &mut Names) -> Result<Vec<(Arc<str>, RawValue)>> {
    let mut entries = Vec::with_capacity(8);
    while let Event::Key(key) = reader.next_event()? {
        let name = names.intern(&key);
        let first = reader.next_event()?;
        entries.push((name, value(reader, first, names)?));
    }
    Ok(entries)
}

fn list(reader: &mut JsonReader<'_>, names: &mut Names) -> Result<Vec<RawValue>> {
    let mut values = Vec::new();
    loop {
        match reader.next_event()? {
            Event::ArrayEnd => return Ok(values),
            first => values.push(value(reader, first, names)?),
        }
    }
}
