//! Writes a response as JSON, byte for byte as Solr 9.10 does: two spaces a level, nothing after `:`, arrays
//! on one line whatever they hold, `{ }` and `[ ]` when empty. Solr writes through Jackson, so strings are
//! escaped as Jackson does: short escapes, upper-case hex, characters past U+FFFF as two surrogates, all else
//! raw.

use std::io::Write as _;

use plan::{Value, format_instant};

use super::named_lists::NamedListStyle;
use super::node::{DocList, DocumentNode, Entries, FieldNode, Node};
use super::number::{write_double, write_float, write_long};

/// The choices a request has for its JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JsonStyle {
    pub indent: bool,
    pub named_lists: NamedListStyle,
    /// The function that the answer is an argument of (`json.wrf`).
    pub wrapper: Option<String>,
}

/// Appends the response to `out`.
pub fn write_json(entries: &Entries, style: &JsonStyle, out: &mut Vec<u8>) {
    if let Some(function) = &style.wrapper {
        out.extend_from_slice(function.as_bytes());
        out.extend_from_slice(b"( ");
    }
    let mut writer = Writer { out, indent: style.indent, named_lists: style.named_lists, level: 0 };
    writer.entries(entries);
    if style.wrapper.is_some() {
        out.extend_from_slice(b" )");
    }
}

struct Writer<'a> {
    out: &'a mut Vec<u8>,
    indent: bool,
    named_lists: NamedListStyle,
    level: usize,
}

impl Writer<'_> {
    fn node(&mut self, node: &Node) {
        match node {
            Node::Null => self.raw("null"),
            Node::Bool(flag) => self.raw(if *flag { "true" } else { "false" }),
            Node::Int(number) => write_long(self.out, i64::from(*number)),
            Node::Long(number) => write_long(self.out, *number),
            Node::Float(number) => self.float(*number),
            Node::Double(number) => self.double(*number),
            Node::Str(text) => write_string(self.out, text),
            Node::Json(text) => self.out.extend_from_slice(text.as_bytes()),
            Node::Date(ms) => write_string(self.out, &format_instant(*ms)),
            Node::Bytes(bytes) => write_string(self.out, &super::base64(bytes)),
            Node::Array(items) => self.array(items, Self::node),
            Node::Map(entries) | Node::Groups(entries) | Node::JavaMap(entries) => self.entries(entries),
            Node::NamedList(entries) => self.node(&self.named_lists.shaped(entries)),
            Node::Document(document) => self.document(document),
            Node::DocList(list) => self.doc_list(list),
            Node::Raw(text) => self.raw(text),
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Str(text) => write_string(self.out, text),
            Value::Int(number) => write_long(self.out, i64::from(*number)),
            Value::Long(number) => write_long(self.out, *number),
            Value::Float(number) => self.float(*number),
            Value::Double(number) => self.double(*number),
            Value::Bool(flag) => self.raw(if *flag { "true" } else { "false" }),
            Value::Date(_) | Value::Bytes(_) | Value::Enum(_) => write_string(self.out, &value.to_text()),
        }
    }

    fn entries(&mut self, entries: &Entries) {
        self.object(entries, |writer, (name, node)| {
            writer.key(name);
            writer.node(node);
        });
    }

    fn document(&mut self, document: &DocumentNode) {
        self.object(&document.fields, |writer, (name, field)| {
            writer.key(name);
            match field {
                FieldNode::One(value) => writer.value(value),
                FieldNode::Many(values) => writer.array(values, Self::value),
                FieldNode::Computed(node) => writer.node(node),
            }
        });
    }

    fn doc_list(&mut self, list: &DocList) {
        self.open(b'{');
        self.next(true);
        self.key("numFound");
        write_long(self.out, i64::try_from(list.num_found).unwrap_or(i64::MAX));
        self.next(false);
        self.key("start");
        write_long(self.out, i64::try_from(list.start).unwrap_or(i64::MAX));
        if let Some(score) = list.max_score {
            self.next(false);
            self.key("maxScore");
            self.float(score);
        }
        self.next(false);
        self.key("numFoundExact");
        self.raw(if list.num_found_exact { "true" } else { "false" });
        self.next(false);
        self.key("docs");
        self.array(&list.docs, Self::document);
        self.close(b'}');
    }

    fn object<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        if items.is_empty() {
            return self.empty("{ }", "{}");
        }
        self.open(b'{');
        for (index, entry) in items.iter().enumerate() {
            self.next(index == 0);
            item(self, entry);
        }
        self.close(b'}');
    }

    fn array<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        if items.is_empty() {
            return self.empty("[ ]", "[]");
        }
        self.out.push(b'[');
        for (index, entry) in items.iter().enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            item(self, entry);
        }
        self.out.push(b']');
    }

    fn empty(&mut self, indented: &str, plain: &str) {
        self.raw(if self.indent { indented } else { plain });
    }

    fn open(&mut self, bracket: u8) {
        self.out.push(bracket);
        self.level += 1;
    }

    fn close(&mut self, bracket: u8) {
        self.level -= 1;
        self.new_line();
        self.out.push(bracket);
    }

    fn next(&mut self, first: bool) {
        if !first {
            self.out.push(b',');
        }
        self.new_line();
    }

    fn new_line(&mut self) {
        if self.indent {
            self.out.push(b'\n');
            self.out.resize(self.out.len() + 2 * self.level, b' ');
        }
    }

    fn key(&mut self, name: &str) {
        write_string(self.out, name);
        self.out.push(b':');
    }

    /// JSON has no NaN and no infinities: they go as strings, as Jackson writes them.
    fn float(&mut self, number: f32) {
        self.quoted_unless(number.is_finite(), |out| write_float(out, number));
    }

    fn double(&mut self, number: f64) {
        self.quoted_unless(number.is_finite(), |out| write_double(out, number));
    }

    fn quoted_unless(&mut self, plain: bool, write: impl FnOnce(&mut Vec<u8>)) {
        let quote: &[u8] = if plain { b"" } else { b"\"" };
        self.out.extend_from_slice(quote);
        write(self.out);
        self.out.extend_from_slice(quote);
    }

    fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }
}

/// Appends `text` in quotes, escaped.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(needs_escape) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain.as_bytes());
        let mut characters = special.chars();
        if let Some(character) = characters.next() {
            write_escape(out, character);
        }
        rest = characters.as_str();
    }
    out.extend_from_slice(rest.as_bytes());
    out.push(b'"');
}

/// Whether a byte begins a character that is not written as it is. A byte from 0xF0 begins one past U+FFFF.
fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\' || byte >= 0xF0
}

fn write_escape(out: &mut Vec<u8>, character: char) {
    let short = match character {
        '"' => b'"',
        '\\' => b'\\',
        '\n' => b'n',
        '\r' => b'r',
        '\t' => b't',
        '\u{8}' => b'b',
        '\u{c}' => b'f',
        _ => {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a vector cannot fail.
                let _ = write!(out, "\\u{unit:04X}");
            }
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests;
