//! Writes a response as CBOR (RFC 8949), byte for byte as Solr 9.10 does: what JSON has as objects and lists,
//! of open length, and a text that has been written before by its number (the registered extension of string
//! references).

use std::collections::HashMap;

use minicbor::Encoder;
use minicbor::data::Tag;
use plan::Value;

use super::named_lists::NamedListStyle;
use super::node::{DocList, DocumentNode, Entries, FieldNode, Node};

/// Begins what has a numbering of texts of its own.
const NAMESPACE: Tag = Tag::new(256);
/// Before the number of a text.
const REFERENCE: Tag = Tag::new(25);

/// Longer texts come in parts, and are not numbered.
const NUMBERED_BYTES_MAX: usize = 3_996;

/// Appends the response to `out`.
pub fn write_cbor(entries: &Entries, named_lists: NamedListStyle, out: &mut Vec<u8>) {
    let mut writer = Writer { to: Encoder::new(out), named_lists, numbers: HashMap::new() };
    // Writing to a vector cannot fail.
    let _ = writer.whole(entries);
}

type Written = Result<(), minicbor::encode::Error<std::convert::Infallible>>;

struct Writer<'a> {
    to: Encoder<&'a mut Vec<u8>>,
    named_lists: NamedListStyle,
    numbers: HashMap<String, u32>,
}

impl Writer<'_> {
    fn whole(&mut self, entries: &Entries) -> Written {
        self.to.tag(NAMESPACE)?;
        self.entries(entries)
    }

    fn node(&mut self, node: &Node) -> Written {
        match node {
            Node::Null => self.to.null()?.ok(),
            Node::Bool(flag) => self.to.bool(*flag)?.ok(),
            Node::Int(number) => self.to.i32(*number)?.ok(),
            Node::Long(number) => self.to.i64(*number)?.ok(),
            Node::Float(number) => self.to.f32(*number)?.ok(),
            Node::Double(number) => self.to.f64(*number)?.ok(),
            Node::Str(text) => self.text(text),
            Node::Json(text) | Node::Raw(text) => self.text(text),
            Node::Date(ms) => self.value(&Value::Date(*ms)),
            Node::Bytes(bytes) => self.text(&super::base64(bytes)),
            Node::Array(items) => self.array(items, Self::node),
            Node::Map(entries) | Node::Groups(entries) | Node::JavaMap(entries) => self.entries(entries),
            Node::NamedList(entries) => self.node(&self.named_lists.shaped(entries)),
            Node::Document(document) => self.document(document),
            Node::DocList(list) => self.doc_list(list),
        }
    }

    fn value(&mut self, value: &Value) -> Written {
        match value {
            Value::Str(text) => self.text(text),
            Value::Int(number) => self.to.i32(*number)?.ok(),
            Value::Long(number) => self.to.i64(*number)?.ok(),
            Value::Float(number) => self.to.f32(*number)?.ok(),
            Value::Double(number) => self.to.f64(*number)?.ok(),
            Value::Bool(flag) => self.to.bool(*flag)?.ok(),
            Value::Date(_) | Value::Bytes(_) | Value::Enum(_) => self.text(&value.to_text()),
        }
    }

    fn entries(&mut self, entries: &Entries) -> Written {
        self.to.begin_map()?;
        for (name, node) in entries {
            self.text(name)?;
            self.node(node)?;
        }
        self.to.end()?.ok()
    }

    fn document(&mut self, document: &DocumentNode) -> Written {
        self.to.begin_map()?;
        for (name, field) in &document.fields {
            self.text(name)?;
            match field {
                FieldNode::One(value) => self.value(value)?,
                FieldNode::Many(values) => self.array(values, Self::value)?,
                FieldNode::Computed(node) => self.node(node)?,
            }
        }
        self.to.end()?.ok()
    }

    fn doc_list(&mut self, list: &DocList) -> Written {
        self.to.begin_map()?;
        self.text("numFound")?;
        self.to.u64(list.num_found)?;
        self.text("start")?;
        self.to.u64(list.start)?;
        if let Some(score) = list.max_score {
            self.text("maxScore")?;
            self.to.f32(score)?;
        }
        self.text("numFoundExact")?;
        self.to.bool(list.num_found_exact)?;
        self.text("docs")?;
        self.array(&list.docs, Self::document)?;
        self.to.end()?.ok()
    }

    fn array<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T) -> Written) -> Written {
        self.to.begin_array()?;
        items.iter().try_for_each(|one| item(self, one))?;
        self.to.end()?.ok()
    }

    fn text(&mut self, text: &str) -> Written {
        if let Some(number) = self.numbers.get(text) {
            return self.to.tag(REFERENCE)?.u32(*number)?.ok();
        }
        let number = self.numbers.len();
        if text.len() >= numbered_bytes_min(number) && text.len() <= NUMBERED_BYTES_MAX {
            self.numbers.insert(text.to_owned(), number as u32);
        }
        self.to.str(text)?.ok()
    }
}

/// A text shorter than its number would be is not numbered: lengths are the extension's.
pub(crate) fn numbered_bytes_min(next: usize) -> usize {
    match next {
        0..24 => 3,
        24..256 => 4,
        256..65_536 => 5,
        _ => 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes recorded from Solr 9.10.1.
    #[test]
    fn texts_are_told_once() {
        let text = |text: &str| FieldNode::One(Value::Str(text.to_owned()));
        let document = |title: &str| DocumentNode {
            fields: vec![
                ("id".into(), text("b1")),
                ("title_t".into(), text(title)),
                ("pages_i".into(), FieldNode::One(Value::Int(120))),
            ],
        };
        let list = DocList {
            num_found: 21,
            num_found_exact: true,
            docs: vec![document("Zero"), document("Zero")],
            ..DocList::default()
        };
        let mut out = Vec::new();
        write_cbor(&vec![("response".into(), Node::DocList(list))], NamedListStyle::Flat, &mut out);
        let hex: String = out.iter().map(|byte| format!("{byte:02x}")).collect();
        let expected = "d90100bf68726573706f6e7365bf686e756d466f756e6415657374617274006d6e756d466f756e644578616374f564646f63739f\
                        bf6269646262316774\
                        69746c655f74645a65726f6770616765735f691878ff\
                        bf626964626231d81905d81906d819071878ffffffff";
        assert_eq!(hex, expected);
    }
}
