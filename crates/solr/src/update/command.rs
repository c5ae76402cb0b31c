//! What a client asked for, before the schema is consulted: documents with untyped values, deletes, commits. Decoders
//! make it, the chain turns it into a `plan::UpdateBatch`.

use std::sync::Arc;

use plan::{Commit, Error};

use crate::response::base64;

/// A body as read. What stands before the place where reading failed is carried out, as Solr does.
#[derive(Debug, Default)]
pub struct Decoded {
    pub commands: Vec<UpdateCommand>,
    /// Why reading stopped early.
    pub failure: Option<Error>,
    /// Whether the documents are only to be shown.
    pub echo: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum UpdateCommand {
    Add(AddCommand),
    Delete {
        id: String,
        version: Option<i64>,
        commit_within_ms: Option<u64>,
    },
    /// The query's text is parsed by the chain.
    DeleteByQuery {
        query: String,
        version: Option<i64>,
        commit_within_ms: Option<u64>,
    },
    Commit(Commit),
    Rollback,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AddCommand {
    pub document: RawDocument,
    pub overwrite: bool,
    pub commit_within_ms: Option<u64>,
}

/// Fields in the order sent; a name may come more than once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawDocument {
    pub fields: Vec<(Arc<str>, RawValue)>,
}

/// A value as the wire carried it.
#[derive(Clone, Debug, PartialEq)]
pub enum RawValue {
    Null,
    Bool(bool),
    Long(i64),
    /// Of a binary format: as text it has fewer digits than the same number as a `Double`.
    Float(f32),
    Double(f64),
    Str(String),
    /// An instant, in milliseconds since the epoch: what guessing makes of text, or a binary format carries.
    Date(i64),
    /// Of a binary format.
    Bytes(Vec<u8>),
    List(Vec<RawValue>),
    /// An atomic update (`{"set":1}`), an extended value (`{"value":1}`) or, with the unique key in it, a child document.
    Map(Vec<(Arc<str>, RawValue)>),
}

impl RawValue {
    /// Java's class of it, which Solr's messages name.
    pub fn java_class(&self) -> &'static str {
        match self {
            RawValue::Null => "null",
            RawValue::Bool(_) => "java.lang.Boolean",
            RawValue::Long(_) => "java.lang.Long",
            RawValue::Float(_) => "java.lang.Float",
            RawValue::Double(_) => "java.lang.Double",
            RawValue::Str(_) => "java.lang.String",
            RawValue::Date(_) => "java.util.Date",
            RawValue::Bytes(_) => "[B",
            RawValue::List(_) => "java.util.ArrayList",
            RawValue::Map(_) => "java.util.LinkedHashMap",
        }
    }

    /// The text form Solr shows in messages and indexes in text fields.
    pub fn to_text(&self) -> String {
        match self {
            RawValue::Null => "null".to_owned(),
            RawValue::Bool(flag) => flag.to_string(),
            RawValue::Long(number) => number.to_string(),
            RawValue::Float(number) => plan::Value::Float(*number).to_text(),
            RawValue::Double(number) => plan::Value::Double(*number).to_text(),
            RawValue::Str(text) => text.clone(),
            RawValue::Date(ms) => java_date(*ms),
            RawValue::Bytes(bytes) => base64(bytes),
            RawValue::List(values) => {
                let shown: Vec<_> = values.iter().map(RawValue::to_text).collect();
                format!("[{}]", shown.join(", "))
            }
            RawValue::Map(entries) => {
                let shown: Vec<_> =
                    entries.iter().map(|(key, value)| format!("{key}={}", value.to_text())).collect();
                format!("{{{}}}", shown.join(", "))
            }
        }
    }
}

/// A date as Java prints it.
fn java_date(ms: i64) -> String {
    let shown =
        jiff::Timestamp::from_millisecond(ms).map(|at| at.strftime("%a %b %d %H:%M:%S UTC %Y").to_string());
    shown.unwrap_or_else(|_| plan::format_instant(ms))
}

/// Field names, each kept once: batches repeat the same few names in the same order.
#[derive(Clone, Debug, Default)]
pub struct Names {
    known: Vec<Arc<str>>,
    /// Where the next name is looked for first.
    next: usize,
}

/// Beyond this many, names are not kept: looking them up would cost more than a copy.
const NAMES_MAX: usize = 64;

impl Names {
    pub fn intern(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.known.get(self.next).filter(|known| &***known == name) {
            self.next += 1;
            return known.clone();
        }
        if let Some(at) = self.known.iter().position(|known| &**known == name) {
            self.next = at + 1;
            return self.known.get(at).cloned().unwrap_or_else(|| Arc::from(name));
        }
        let fresh: Arc<str> = Arc::from(name);
        if self.known.len() < NAMES_MAX {
            self.known.push(fresh.clone());
            self.next = self.known.len();
        }
        fresh
    }
}
