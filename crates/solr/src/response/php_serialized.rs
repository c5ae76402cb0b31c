//! Writes a response in PHP's own serialized form (`wt=phps`): everything is a value or an array with keys,
//! each with its length in front. What has many values comes behind what has one. Form recorded from Solr
//! 9.10.1. Solr differs: a document outside of a list of them has a stray `i:0;` in front, which PHP cannot
//! read.

use std::io::Write as _;

use plan::Value;

use super::node::{DocList, DocumentNode, Entries, FieldNode, Node};

/// Appends the response to `out`.
pub fn write_php_serialized(entries: &Entries, out: &mut Vec<u8>) {
    Writer { out }.entries(entries);
}

struct Writer<'a> {
    out: &'a mut Vec<u8>,
}

impl Writer<'_> {
    fn node(&mut self, node: &Node) {
        match node {
            Node::Null => self.out.extend_from_slice(b"N;"),
            Node::Bool(flag) => self.value(&Value::Bool(*flag)),
            Node::Int(number) => self.whole(i64::from(*number)),
            Node::Long(number) => self.whole(*number),
            Node::Float(number) => self.value(&Value::Float(*number)),
            Node::Double(number) => self.value(&Value::Double(*number)),
            Node::Str(text) => self.text(text),
            Node::Json(text) | Node::Raw(text) => self.text(text),
            Node::Date(ms) => self.value(&Value::Date(*ms)),
            Node::Bytes(bytes) => self.text(&super::base64(bytes)),
            Node::Array(items) => self.list(items, Self::node),
            Node::Map(entries) | Node::Groups(entries) | Node::JavaMap(entries) => self.entries(entries),
            Node::NamedList(entries) => self.keyed(entries, |writer, (name, node)| {
                writer.text(name.as_deref().unwrap_or_default());
                writer.node(node);
            }),
            Node::Document(document) => self.document(document),
            Node::DocList(list) => self.doc_list(list),
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Int(number) => self.whole(i64::from(*number)),
            Value::Long(number) => self.whole(*number),
            // PHP's own form of these, `d:NAN`, is not Solr's.
            Value::Float(number) if !number.is_finite() => self.text(&value.to_text()),
            Value::Double(number) if !number.is_finite() => self.text(&value.to_text()),
            Value::Float(_) | Value::Double(_) => self.put(format_args!("d:{};", value.to_text())),
            Value::Bool(flag) => self.put(format_args!("b:{};", i32::from(*flag))),
            Value::Str(text) => self.text(text),
            Value::Date(_) | Value::Bytes(_) | Value::Enum(_) => self.text(&value.to_text()),
        }
    }

    fn entries(&mut self, entries: &Entries) {
        self.keyed(entries, |writer, (name, node)| {
            writer.text(name);
            writer.node(node);
        });
    }

    fn document(&mut self, document: &DocumentNode) {
        let is_many =
            |field: &FieldNode| matches!(field, FieldNode::Many(_) | FieldNode::Computed(Node::Array(_)));
        let (many, one): (Vec<_>, Vec<_>) = document.fields.iter().partition(|(_, field)| is_many(field));
        let fields: Vec<_> = one.into_iter().chain(many).collect();
        self.keyed(&fields, |writer, (name, field)| {
            writer.text(name);
            match field {
                FieldNode::One(value) => writer.value(value),
                FieldNode::Many(values) => writer.list(values, Self::value),
                FieldNode::Computed(node) => writer.node(node),
            }
        });
    }

    fn doc_list(&mut self, list: &DocList) {
        let long = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.put(format_args!("a:{}:{{", 4 + usize::from(list.max_score.is_some())));
        self.text("numFound");
        self.whole(long(list.num_found));
        self.text("start");
        self.whole(long(list.start));
        if let Some(score) = list.max_score {
            self.text("maxScore");
            self.value(&Value::Float(score));
        }
        self.text("numFoundExact");
        self.value(&Value::Bool(list.num_found_exact));
        self.text("docs");
        self.list(&list.docs, Self::document);
        self.out.push(b'}');
    }

    /// An array whose items bring their keys.
    fn keyed<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.put(format_args!("a:{}:{{", items.len()));
        items.iter().for_each(|one| item(self, one));
        self.out.push(b'}');
    }

    fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        let numbered: Vec<_> = items.iter().enumerate().collect();
        self.keyed(&numbered, |writer, (at, one)| {
            writer.put(format_args!("i:{at};"));
            item(writer, one);
        });
    }

    fn whole(&mut self, number: i64) {
        self.put(format_args!("i:{number};"));
    }

    fn text(&mut self, text: &str) {
        self.put(format_args!("s:{}:\"{text}\";", text.len()));
    }

    fn put(&mut self, what: std::fmt::Arguments<'_>) {
        // Writing to a vector cannot fail.
        let _ = self.out.write_fmt(what);
    }
}
