//! JSON of managed resources: bodies that clients send, and files as Solr writes them. Lists and what is made
//! of them are `list.rs`, which resources there are `registry.rs`.

use plan::{Error, Result};

use crate::response::{Entries, Node};
use crate::update::{JsonReader, Names, RawValue, value};

/// The one value of a body.
pub(super) fn parse(body: &str) -> Result<RawValue> {
    if body.trim().is_empty() {
        return Err(Error::bad_request("the body is empty; send a JSON list or object"));
    }
    let mut reader = JsonReader::new(body);
    let first = reader.next_event()?;
    value(&mut reader, first, &mut Names::default())
}

/// The text of `node` as JSON, for a file.
pub(super) fn to_json(entries: &Entries) -> String {
    let mut out = Vec::new();
    crate::response::Format::default().write(entries, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Strings as a list.
pub(super) fn strings<'a>(texts: impl IntoIterator<Item = &'a String>) -> Node {
    Node::Array(texts.into_iter().map(|text| Node::str(text.clone())).collect())
}
