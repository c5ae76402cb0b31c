//! Writes a response as javabin, Solr's binary notation, with the types that Solr 9.10 gives: documents and
//! their list, maps and named lists, whole numbers of two sizes. The notation itself is `crate::javabin`'s.
//! Beside it stand the writers of other notations, which go through the same nodes.

use plan::Value;

use super::node::{DocList, DocumentNode, Entries, FieldNode, Node};
use crate::javabin::Encoder;

/// Appends the response to `out`.
pub fn write_javabin(entries: &Entries, out: &mut Vec<u8>) {
    ordered_map(&mut Encoder::new(out), entries);
}

fn ordered_map(to: &mut Encoder<'_>, entries: &Entries) {
    to.ordered_map(entries.len());
    for (name, value) in entries {
        to.name(Some(name));
        node(to, value);
    }
}

fn node(to: &mut Encoder<'_>, shown: &Node) {
    match shown {
        Node::Null => to.null(),
        Node::Bool(flag) => to.boolean(*flag),
        Node::Int(number) => to.int(*number),
        Node::Long(number) => to.long(*number),
        Node::Float(number) => to.float(*number),
        Node::Double(number) => to.double(*number),
        Node::Str(text) => to.text(text),
        Node::Json(text) | Node::Raw(text) => to.text(text),
        Node::Date(ms) => to.date(*ms),
        Node::Bytes(bytes) => to.bytes(bytes),
        Node::Array(items) => {
            to.array(items.len());
            items.iter().for_each(|item| node(to, item));
        }
        Node::Map(entries) => ordered_map(to, entries),
        Node::Groups(entries) => {
            to.ordered_map(entries.len());
            for (name, value) in entries {
                to.name(Some(&**name).filter(|name| !name.is_empty()));
                node(to, value);
            }
        }
        Node::JavaMap(entries) => {
            to.map(entries.len());
            for (name, value) in entries {
                to.name(Some(name));
                node(to, value);
            }
        }
        Node::NamedList(entries) => {
            to.named_list(entries.len());
            for (name, value) in entries {
                to.name(name.as_deref());
                node(to, value);
            }
        }
        Node::Document(shown) => document(to, shown),
        Node::DocList(list) => doc_list(to, list),
    }
}

fn document(to: &mut Encoder<'_>, shown: &DocumentNode) {
    to.document(shown.fields.len());
    for (name, field) in &shown.fields {
        to.name(Some(name));
        match field {
            FieldNode::One(one) => value(to, one),
            FieldNode::Many(values) => {
                to.array(values.len());
                values.iter().for_each(|one| value(to, one));
            }
            FieldNode::Computed(computed) => node(to, computed),
        }
    }
}

fn value(to: &mut Encoder<'_>, value: &Value) {
    match value {
        Value::Str(text) => to.text(text),
        Value::Int(number) => to.int(*number),
        Value::Long(number) => to.long(*number),
        Value::Float(number) => to.float(*number),
        Value::Double(number) => to.double(*number),
        Value::Bool(flag) => to.boolean(*flag),
        Value::Date(ms) => to.date(*ms),
        Value::Bytes(bytes) => to.bytes(bytes),
        Value::Enum(value) => to.text(&value.name),
    }
}

fn doc_list(to: &mut Encoder<'_>, list: &DocList) {
    let long = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    to.document_list();
    to.array(4);
    to.long(long(list.num_found));
    to.long(long(list.start));
    match list.max_score {
        Some(score) => to.float(score),
        None => to.null(),
    }
    to.boolean(list.num_found_exact);
    to.array(list.docs.len());
    list.docs.iter().for_each(|one| document(to, one));
}
