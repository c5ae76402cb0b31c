//! Writes a response as XML, byte for byte as Solr 9.10 does: the declaration, `<response>`, every value an
//! element named after its type with its key in `name`. Control characters, which XML 1.0 cannot hold, come
//! out as `#1;`, as Solr has it.

use std::io::Write as _;

use plan::{Value, format_instant};

use super::node::{DocList, DocumentNode, Entries, FieldNode, Node};
use super::number::{write_double, write_float, write_long};

/// Appends the response to `out`.
pub fn write_xml(entries: &Entries, indent: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<response>\n");
    let mut writer = Writer { out, indent, level: 0 };
    for (name, node) in entries {
        writer.node(Some(name), node);
    }
    out.extend_from_slice(b"\n</response>\n");
}

struct Writer<'a> {
    out: &'a mut Vec<u8>,
    indent: bool,
    level: usize,
}

impl Writer<'_> {
    fn node(&mut self, name: Option<&str>, node: &Node) {
        match node {
            Node::Null => self.empty("null", name),
            Node::Bool(flag) => self.leaf("bool", name, |out| write_flag(out, *flag)),
            Node::Int(number) => self.leaf("int", name, |out| write_long(out, i64::from(*number))),
            Node::Long(number) => self.leaf("long", name, |out| write_long(out, *number)),
            Node::Float(number) => self.leaf("float", name, |out| write_float(out, *number)),
            Node::Double(number) => self.leaf("double", name, |out| write_double(out, *number)),
            Node::Str(text) => self.text("str", name, text),
            Node::Json(text) => self.text("str", name, text),
            Node::Date(ms) => self.text("date", name, &format_instant(*ms)),
            Node::Bytes(bytes) => self.text("str", name, &super::base64(bytes)),
            Node::Array(items) => {
                self.branch("arr", name, items, |writer, item| writer.node(None, item));
            }
            Node::Map(entries) | Node::JavaMap(entries) => {
                self.branch("lst", name, entries, |writer, (name, node)| writer.node(Some(name), node));
            }
            Node::Groups(entries) => {
                self.branch("lst", name, entries, |writer, (name, node)| {
                    writer.node(Some(&**name).filter(|name| !name.is_empty()), node);
                });
            }
            Node::NamedList(entries) => {
                self.branch("lst", name, entries, |writer, (name, node)| writer.node(name.as_deref(), node));
            }
            Node::Document(document) => self.document(name, document),
            Node::DocList(list) => self.doc_list(name, list),
            Node::Raw(text) => self.leaf("raw", name, |out| out.extend_from_slice(text.as_bytes())),
        }
    }

    fn value(&mut self, name: Option<&str>, value: &Value) {
        match value {
            Value::Str(text) => self.text("str", name, text),
            Value::Int(number) => self.leaf("int", name, |out| write_long(out, i64::from(*number))),
            Value::Long(number) => self.leaf("long", name, |out| write_long(out, *number)),
            Value::Float(number) => self.leaf("float", name, |out| write_float(out, *number)),
            Value::Double(number) => self.leaf("double", name, |out| write_double(out, *number)),
            Value::Bool(flag) => self.leaf("bool", name, |out| write_flag(out, *flag)),
            Value::Date(_) => self.text("date", name, &value.to_text()),
            Value::Bytes(_) | Value::Enum(_) => self.text("str", name, &value.to_text()),
        }
    }

    /// Solr closes a document on the line of its last field.
    fn document(&mut self, name: Option<&str>, document: &DocumentNode) {
        self.open("doc", name);
        self.out.push(b'>');
        self.level += 1;
        for (name, field) in &document.fields {
            match field {
                FieldNode::One(value) => self.value(Some(name), value),
                FieldNode::Many(values) => {
                    self.branch("arr", Some(name), values, |writer, value| writer.value(None, value));
                }
                FieldNode::Computed(node) => self.node(Some(name), node),
            }
        }
        self.level -= 1;
        self.out.extend_from_slice(b"</doc>");
    }

    fn doc_list(&mut self, name: Option<&str>, list: &DocList) {
        self.open("result", name);
        // Writing to a vector cannot fail.
        let _ = write!(self.out, " numFound=\"{}\" start=\"{}\"", list.num_found, list.start);
        if let Some(score) = list.max_score {
            self.out.extend_from_slice(b" maxScore=\"");
            write_float(self.out, score);
            self.out.push(b'"');
        }
        let _ = write!(self.out, " numFoundExact=\"{}\">", list.num_found_exact);
        self.level += 1;
        for document in &list.docs {
            self.document(None, document);
        }
        self.level -= 1;
        self.new_line();
        self.out.extend_from_slice(b"</result>");
    }

    fn branch<T>(&mut self, tag: &str, name: Option<&str>, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        if items.is_empty() {
            return self.empty(tag, name);
        }
        self.open(tag, name);
        self.out.push(b'>');
        self.level += 1;
        for entry in items {
            item(self, entry);
        }
        self.level -= 1;
        self.new_line();
        self.close(tag);
    }

    fn text(&mut self, tag: &str, name: Option<&str>, text: &str) {
        if text.is_empty() {
            return self.empty(tag, name);
        }
        self.leaf(tag, name, |out| escape(out, text, false));
    }

    fn leaf(&mut self, tag: &str, name: Option<&str>, write: impl FnOnce(&mut Vec<u8>)) {
        self.open(tag, name);
        self.out.push(b'>');
        write(self.out);
        self.close(tag);
    }

    fn empty(&mut self, tag: &str, name: Option<&str>) {
        self.open(tag, name);
        self.out.extend_from_slice(b"/>");
    }

    /// The start tag, still open.
    fn open(&mut self, tag: &str, name: Option<&str>) {
        self.new_line();
        self.out.push(b'<');
        self.out.extend_from_slice(tag.as_bytes());
        if let Some(name) = name {
            self.out.extend_from_slice(b" name=\"");
            escape(self.out, name, true);
            self.out.push(b'"');
        }
    }

    fn close(&mut self, tag: &str) {
        self.out.extend_from_slice(b"</");
        self.out.extend_from_slice(tag.as_bytes());
        self.out.push(b'>');
    }

    fn new_line(&mut self) {
        if self.indent {
            self.out.push(b'\n');
            self.out.resize(self.out.len() + 2 * self.level, b' ');
        }
    }
}

fn write_flag(out: &mut Vec<u8>, flag: bool) {
    out.extend_from_slice(if flag { b"true" } else { b"false" });
}

/// Solr escapes `>` in text only and quotes in attributes only.
fn escape(out: &mut Vec<u8>, text: &str, attribute: bool) {
    let mut plain_from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let control;
        let replacement: &[u8] = match byte {
            b'<' => b"&lt;",
            b'&' => b"&amp;",
            b'>' if !attribute => b"&gt;",
            b'"' if attribute => b"&quot;",
            b'\t' | b'\n' | b'\r' => continue,
            0..0x20 => {
                control = format!("#{byte};");
                control.as_bytes()
            }
            _ => continue,
        };
        out.extend_from_slice(text.as_bytes().get(plain_from..at).unwrap_or_default());
        out.extend_from_slice(replacement);
        plain_from = at + 1;
    }
    out.extend_from_slice(text.as_bytes().get(plain_from..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected bytes were recorded from Solr 9.10.1.
    fn check(node: Node, indent: bool, expected: &str) {
        let mut out = Vec::new();
        write_xml(&vec![("a".into(), node)], indent, &mut out);
        let text = String::from_utf8(out).unwrap();
        let body = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<response>\n").unwrap();
        assert_eq!(body.strip_suffix("\n</response>\n").unwrap(), expected);
    }

    #[test]
    fn text_is_escaped_as_solr_does() {
        check(
            Node::str("a \"q\" \\ / <b> & ' \u{1}\t\n\r\u{8}\u{c} é 😀"),
            false,
            "<str name=\"a\">a \"q\" \\ / &lt;b&gt; &amp; ' #1;\t\n\r#8;#12; é 😀</str>",
        );
        check(Node::str(""), false, "<str name=\"a\"/>");
        check(Node::Null, true, "\n<null name=\"a\"/>");
        let quoted = Node::Map(vec![("a\"b<>".into(), Node::Int(0))]);
        check(quoted, false, "<lst name=\"a\"><int name=\"a&quot;b&lt;>\">0</int></lst>");
    }

    #[test]
    fn lists_nest() {
        let counts = Node::NamedList(vec![(Some("only".into()), Node::Int(1)), (None, Node::Int(0))]);
        check(counts, true, "\n<lst name=\"a\">\n  <int name=\"only\">1</int>\n  <int>0</int>\n</lst>");
        check(Node::Map(vec![]), true, "\n<lst name=\"a\"/>");
        let items = Node::Array(vec![Node::str("x"), Node::str("y")]);
        check(items.clone(), true, "\n<arr name=\"a\">\n  <str>x</str>\n  <str>y</str>\n</arr>");
        check(items, false, "<arr name=\"a\"><str>x</str><str>y</str></arr>");
    }

    #[test]
    fn documents_end_on_the_line_of_their_last_field() {
        let document = DocumentNode {
            fields: vec![
                ("id".into(), FieldNode::One(Value::Str("1".into()))),
                ("score".into(), FieldNode::Computed(Node::Float(1.0))),
            ],
        };
        let list = DocList {
            num_found: 2,
            start: 0,
            max_score: Some(1.0),
            num_found_exact: true,
            docs: vec![document],
            ..DocList::default()
        };
        let node = Node::DocList(list.clone());
        check(
            node,
            true,
            "\n<result name=\"a\" numFound=\"2\" start=\"0\" maxScore=\"1.0\" numFoundExact=\"true\">\n  <doc>\n    \
             <str name=\"id\">1</str>\n    <float name=\"score\">1.0</float></doc>\n</result>",
        );
        let bare = DocList { max_score: None, docs: vec![DocumentNode::default()], ..list };
        check(
            Node::DocList(bare),
            false,
            "<result name=\"a\" numFound=\"2\" start=\"0\" numFoundExact=\"true\"><doc></doc></result>",
        );
        check(
            Node::DocList(DocList { num_found_exact: true, ..DocList::default() }),
            true,
            "\n<result name=\"a\" numFound=\"0\" start=\"0\" numFoundExact=\"true\">\n</result>",
        );
    }
}
