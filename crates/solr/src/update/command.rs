//! What a client asked for, before the schema is consulted: documents with untyped values, deletes, commits.
//! Decoders make it, the chain turns it into a `plan::UpdateBatch`. Nothing here knows a field's type or that
//! a field exists; numbers keep the width they had on the wire, since texts and messages show it. How several
//! `commitWithin` merge is decided here, once for all decoders.

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
        /// Where the document lies, where its id does not say so.
        route: Option<String>,
        version: Option<i64>,
        commit_within: CommitWithin,
    },
    /// The query's text is parsed by the chain.
    DeleteByQuery {
        query: String,
        version: Option<i64>,
        commit_within: CommitWithin,
    },
    Commit(Commit),
    Rollback,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AddCommand {
    pub document: RawDocument,
    pub overwrite: bool,
    pub commit_within: CommitWithin,
}

/// Within how many milliseconds searches are to see what a command does, as the body says it and as it was
/// read there.
///
/// Invariant: decoders put in what they read and get nothing out but by [`merged_ms`](Self::merged_ms). Six
/// of them once decided each for itself which of several counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CommitWithin {
    /// Beside one document, which only javabin has.
    document_ms: Option<i64>,
    /// Of the command that it is part of, or of the request inside a body of javabin.
    command_ms: Option<i64>,
}

impl CommitWithin {
    pub fn of_command(ms: Option<i64>) -> Self {
        Self { document_ms: None, command_ms: ms }
    }

    /// The same, with what stands beside one document.
    #[must_use]
    pub fn beside_document(self, ms: i64) -> Self {
        Self { document_ms: Some(ms), ..self }
    }

    /// With what the request's own parameters say: the nearest counts. What is below 0 says nothing, but
    /// beside a document, where it takes back what the others say.
    pub fn merged_ms(self, request_ms: Option<i64>) -> Option<u64> {
        let bound = |ms: i64| u64::try_from(ms).ok();
        match self.document_ms {
            Some(ms) => bound(ms),
            None => self.command_ms.and_then(bound).or(request_ms.and_then(bound)),
        }
    }
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
    /// An atomic update (`{"set":1}`), an extended value (`{"value":1}`) or, with the unique key in it, a
    /// child document.
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
            // Not by way of a double: 0.1 as a float has one digit, and seventeen as the double nearest to
            // it.
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
        // Documents of a batch mostly repeat the names in one order: the next is where the last was, behind
        // one comparison.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_on_commits_counts() {
        let check = |document_ms, command_ms, request_ms, expected| {
            let said = CommitWithin { document_ms, command_ms };
            assert_eq!(said.merged_ms(request_ms), expected, "{said:?} {request_ms:?}");
        };
        check(None, None, None, None);
        check(None, None, Some(3), Some(3));
        check(None, Some(2), Some(3), Some(2));
        check(Some(1), Some(2), Some(3), Some(1));
        check(None, None, Some(-1), None);
        check(None, Some(-1), Some(3), Some(3));
        check(Some(-1), Some(2), Some(3), None);
        check(Some(0), None, None, Some(0));
    }
}
