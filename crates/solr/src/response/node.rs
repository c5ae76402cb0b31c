//! The one tree that every writer walks: what a response holds, in order, with the exact types Solr's clients
//! see (an `Int` is not a `Long` in XML and javabin). Built by the modules beside and by `debug`, `facet`,
//! `schema`; written by `json` and `xml`. Documents hold the engine's own values, moved here, never copied.

use std::borrow::Cow;
use std::sync::Arc;

use plan::Value;

use super::columns::Columns;
use crate::update::RawValue;

/// A key: most are literals of ours.
pub type Name = Cow<'static, str>;

/// Keys and values in order. The top of a response is one.
pub type Entries = Vec<(Name, Node)>;

/// One value of a response.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    Null,
    Bool(bool),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Str(Cow<'static, str>),
    /// JSON text: in JSON what it says, elsewhere a string.
    Json(String),
    /// Text in the notation of the answer, written as it is.
    Raw(String),
    /// Milliseconds since the epoch.
    Date(i64),
    Bytes(Vec<u8>),
    Array(Vec<Node>),
    /// Solr's `SimpleOrderedMap` and maps: always a JSON object.
    Map(Entries),
    /// As [`Node::Map`]; XML and javabin have no name where it is empty: what has no value.
    Groups(Entries),
    /// A Java map, which javabin keeps apart from the above: older clients of clusters look for one.
    JavaMap(Entries),
    /// Solr's plain `NamedList`: in JSON as `json.nl` says, by default a flat array. A name may be null.
    NamedList(Vec<(Option<Name>, Node)>),
    Document(DocumentNode),
    DocList(DocList),
}

/// A document as the response shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocumentNode {
    pub fields: Vec<(Arc<str>, FieldNode)>,
}

/// What one field of a document shows: a scalar, a list (always one for a multi-valued field), or a computed
/// value.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldNode {
    One(Value),
    Many(Vec<Value>),
    Computed(Node),
}

/// A page of documents with the facts of its query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DocList {
    pub num_found: u64,
    pub start: u64,
    /// Present when scores were asked for.
    pub max_score: Option<f32>,
    pub num_found_exact: bool,
    pub docs: Vec<DocumentNode>,
    /// For those who show the documents as a table.
    pub columns: Box<Columns>,
}

impl DocList {
    /// Puts more columns behind the fields of the documents, which are in the same order.
    pub fn add_columns(&mut self, columns: Vec<Vec<(String, DocList)>>) {
        for (document, columns) in self.docs.iter_mut().zip(columns) {
            let nodes = columns.into_iter().map(|(label, list)| (label.into(), Node::DocList(list)));
            document.fields.extend(nodes.map(|(label, node)| (label, FieldNode::Computed(node))));
        }
    }
}

impl Node {
    pub fn str(text: impl Into<Cow<'static, str>>) -> Self {
        Node::Str(text.into())
    }

    /// A map from literal keys.
    pub fn map<const N: usize>(entries: [(&'static str, Node); N]) -> Self {
        Node::Map(entries.into_iter().map(|(name, node)| (Name::Borrowed(name), node)).collect())
    }

    /// Counts as Solr writes most of them: an `Int`, and a `Long` only where it must be.
    pub fn count(count: u64) -> Self {
        i32::try_from(count).map_or_else(|_| Node::long(count), Node::Int)
    }

    /// The name of the type, as the XML writer spells it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Node::Null => "null",
            Node::Bool(_) => "bool",
            Node::Int(_) => "int",
            Node::Long(_) => "long",
            Node::Float(_) => "float",
            Node::Double(_) => "double",
            Node::Str(_) | Node::Json(_) | Node::Bytes(_) => "str",
            Node::Raw(_) => "raw",
            Node::Date(_) => "date",
            Node::Array(_) => "arr",
            Node::Map(_) | Node::Groups(_) | Node::JavaMap(_) | Node::NamedList(_) => "lst",
            Node::Document(_) => "doc",
            Node::DocList(_) => "result",
        }
    }

    /// A `Long`, saturating at its top.
    pub fn long(number: u64) -> Self {
        Node::Long(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<Value> for Node {
    fn from(value: Value) -> Self {
        match value {
            Value::Str(text) => Node::Str(text.into()),
            Value::Int(number) => Node::Int(number),
            Value::Long(number) => Node::Long(number),
            Value::Float(number) => Node::Float(number),
            Value::Double(number) => Node::Double(number),
            Value::Bool(flag) => Node::Bool(flag),
            Value::Date(ms) => Node::Date(ms),
            Value::Bytes(bytes) => Node::Bytes(bytes),
            Value::Enum(value) => Node::Str(value.name.to_string().into()),
        }
    }
}

impl From<RawValue> for Node {
    fn from(value: RawValue) -> Self {
        match value {
            RawValue::Null => Node::Null,
            RawValue::Bool(flag) => Node::Bool(flag),
            RawValue::Long(number) => Node::Long(number),
            RawValue::Float(number) => Node::Float(number),
            RawValue::Double(number) => Node::Double(number),
            RawValue::Str(text) => Node::Str(text.into()),
            RawValue::Date(ms) => Node::Date(ms),
            RawValue::Bytes(bytes) => Node::Bytes(bytes),
            RawValue::List(values) => Node::Array(values.into_iter().map(Node::from).collect()),
            RawValue::Map(entries) => {
                let entries = entries.into_iter();
                Node::Map(entries.map(|(key, value)| (key.to_string().into(), value.into())).collect())
            }
        }
    }
}

impl From<bool> for Node {
    fn from(flag: bool) -> Self {
        Node::Bool(flag)
    }
}

impl From<i32> for Node {
    fn from(number: i32) -> Self {
        Node::Int(number)
    }
}

impl From<i64> for Node {
    fn from(number: i64) -> Self {
        Node::Long(number)
    }
}

impl From<String> for Node {
    fn from(text: String) -> Self {
        Node::Str(text.into())
    }
}

impl From<&'static str> for Node {
    fn from(text: &'static str) -> Self {
        Node::Str(text.into())
    }
}
