//! Writes a response as a literal of Python, Ruby or PHP, and as GeoJSON, all of which Solr writes with the
//! same old hand: an entry a line, lists broken behind their first value, a document on a line of its own.
//! Forms recorded from Solr 9.10.1.

use plan::{Area, Value};

use super::named_lists::NamedListStyle;
use super::node::{DocList, DocumentNode, Entries, FieldNode, Name, Node};
use super::script_spelling::{Script, Spelling};
use super::shapes::geo_json;

/// The choices a request has for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptStyle {
    pub script: Script,
    pub indent: bool,
    pub named_lists: NamedListStyle,
    /// The function that the answer is an argument of (`json.wrf`).
    pub wrapper: Option<String>,
    /// The field whose shape a document is (`geojson.field`).
    pub geometry: Option<String>,
}

/// Appends the response to `out`.
pub fn write_script(entries: &Entries, style: &ScriptStyle, out: &mut Vec<u8>) {
    if let Some(function) = &style.wrapper {
        out.extend_from_slice(function.as_bytes());
        out.push(b'(');
    }
    let mut writer = Writer { out, style, spelling: style.script.spelling(), level: 0 };
    match entries.as_slice() {
        // Without a header GeoJSON is the collection itself.
        [(_, Node::DocList(list))] if style.script == Script::GeoJson => writer.doc_list(list),
        _ => writer.entries(entries),
    }
    if style.wrapper.is_some() {
        out.push(b')');
    }
    out.push(b'\n');
}

struct Writer<'a> {
    out: &'a mut Vec<u8>,
    style: &'a ScriptStyle,
    spelling: Spelling,
    level: usize,
}

impl Writer<'_> {
    fn node(&mut self, node: &Node) {
        match node {
            Node::Null => self.raw(self.spelling.null),
            Node::Bool(flag) => self.value(&Value::Bool(*flag)),
            Node::Int(number) => self.value(&Value::Int(*number)),
            Node::Long(number) => self.value(&Value::Long(*number)),
            Node::Float(number) => self.value(&Value::Float(*number)),
            Node::Double(number) => self.value(&Value::Double(*number)),
            Node::Date(ms) => self.value(&Value::Date(*ms)),
            Node::Str(text) => self.text(text),
            Node::Json(text) => self.text(text),
            Node::Raw(text) => self.raw(text),
            Node::Bytes(bytes) => self.text(&super::base64(bytes)),
            Node::Array(items) => self.list(items, Self::node),
            Node::Map(entries) | Node::Groups(entries) | Node::JavaMap(entries) => self.entries(entries),
            Node::NamedList(entries) => self.named_list(entries),
            Node::Document(document) => self.document(document),
            Node::DocList(list) => self.doc_list(list),
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Bool(flag) => self.raw(self.spelling.flags[usize::from(*flag)]),
            Value::Float(number) if !number.is_finite() => self.special(f64::from(*number)),
            Value::Double(number) if !number.is_finite() => self.special(*number),
            Value::Int(_) | Value::Long(_) | Value::Float(_) | Value::Double(_) => self.raw(&value.to_text()),
            Value::Str(text) => self.text(text),
            Value::Date(_) | Value::Bytes(_) | Value::Enum(_) => self.text(&value.to_text()),
        }
    }

    fn special(&mut self, number: f64) {
        let [none, infinite, least] = self.spelling.special;
        self.raw(match number {
            _ if number.is_nan() => none,
            _ if number < 0.0 => least,
            _ => infinite,
        });
    }

    fn entries(&mut self, entries: &Entries) {
        self.map(entries, |writer, (name, node)| writer.pair(name, node));
    }

    fn pair(&mut self, name: &str, node: &Node) {
        self.key(name);
        self.node(node);
    }

    /// PHP has one thing for lists and maps: a map it is.
    fn named_list(&mut self, entries: &[(Option<Name>, Node)]) {
        let named = |writer: &mut Self, (name, node): &(Option<Name>, Node)| {
            writer.pair(name.as_deref().unwrap_or_default(), node);
        };
        match (self.style.script, self.style.named_lists) {
            (Script::Php, _) | (_, NamedListStyle::Map) => self.map(entries, named),
            (_, NamedListStyle::Flat) => {
                self.block(self.spelling.list, entries, |writer, (name, node)| {
                    writer.name_or_null(name.as_deref());
                    writer.raw(",");
                    writer.node(node);
                });
            }
            (_, style) => {
                self.new_line();
                self.block(self.spelling.list, entries, |writer, entry| writer.item(style, entry));
            }
        }
    }

    fn item(&mut self, style: NamedListStyle, (name, node): &(Option<Name>, Node)) {
        let [open, close] = self.spelling.map;
        match (style, name) {
            (NamedListStyle::ArrayOfMaps, None) => self.node(node),
            (NamedListStyle::ArrayOfMaps, Some(name)) => {
                self.raw(open);
                self.pair(name, node);
                self.raw(close);
            }
            (NamedListStyle::ArrayOfNameTypeValue, _) => {
                self.raw(open);
                self.pair("name", &name.clone().map_or(Node::Null, Node::Str));
                self.raw(",");
                self.pair("type", &Node::str(node.type_name()));
                self.raw(",");
                self.pair("value", node);
                self.raw(close);
            }
            _ => {
                let [open, close] = self.spelling.list;
                self.raw(open);
                self.name_or_null(name.as_deref());
                self.raw(",");
                self.node(node);
                self.raw(close);
            }
        }
    }

    fn name_or_null(&mut self, name: Option<&str>) {
        match name {
            Some(name) => self.text(name),
            None => self.raw(self.spelling.null),
        }
    }

    fn document(&mut self, document: &DocumentNode) {
        self.new_line();
        match self.style.script {
            Script::GeoJson => self.feature(document),
            _ => self.map(&document.fields, Self::field),
        }
    }

    fn field(&mut self, (name, field): &(std::sync::Arc<str>, FieldNode)) {
        self.key(name);
        match field {
            FieldNode::One(value) => self.value(value),
            FieldNode::Many(values) => self.list(values, Self::value),
            FieldNode::Computed(node) => self.node(node),
        }
    }

    /// A shape with properties: the other fields.
    fn feature(&mut self, document: &DocumentNode) {
        let is_shape = |name: &str| self.style.geometry.as_deref() == Some(name);
        let (shapes, others): (Vec<_>, Vec<_>) =
            document.fields.iter().cloned().partition(|(name, _)| is_shape(name));
        self.raw("{\"type\":\"Feature\",");
        self.level += 1;
        if let Some(shape) = shapes.first().and_then(|(_, field)| geometry(field)) {
            self.new_line();
            self.raw("\"geometry\":");
            self.raw(&shape);
            self.raw(",");
        }
        self.new_line();
        self.raw("\"properties\":");
        self.map(&others, Self::field);
        self.level -= 1;
        self.raw("}");
    }

    fn doc_list(&mut self, list: &DocList) {
        let is_geo = self.style.script == Script::GeoJson;
        self.raw(self.spelling.map[0]);
        if is_geo {
            self.raw("\"type\":\"FeatureCollection\",");
        }
        let facts = [
            ("numFound", Some(Node::long(list.num_found))),
            ("start", Some(Node::long(list.start))),
            ("maxScore", list.max_score.map(Node::Float)),
            ("numFoundExact", Some(Node::Bool(list.num_found_exact))),
        ];
        for (name, fact) in facts.into_iter().filter_map(|(name, fact)| Some((name, fact?))) {
            self.pair(name, &fact);
            self.raw(",");
        }
        self.key(if is_geo { "features" } else { "docs" });
        self.raw(self.spelling.list[0]);
        self.level += 2;
        for (at, document) in list.docs.iter().enumerate() {
            if at > 0 {
                self.raw(",");
            }
            self.document(document);
        }
        self.level -= 2;
        self.raw(self.spelling.list[1]);
        self.new_line();
        self.raw(self.spelling.map[1]);
    }

    fn map<T>(&mut self, items: &[T], item: impl FnMut(&mut Self, &T)) {
        self.block(self.spelling.map, items, item);
    }

    /// An item a line.
    fn block<T>(&mut self, brackets: [&str; 2], items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.between(brackets, items, |writer, one, at| {
            if at == 0 {
                writer.new_line();
            }
            item(writer, one);
        });
    }

    /// The first item where the list begins, the others a line each.
    fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.between(self.spelling.list, items, |writer, one, _| item(writer, one));
    }

    /// Items with their places, each but the first on a line of its own.
    fn between<T>(&mut self, brackets: [&str; 2], items: &[T], mut item: impl FnMut(&mut Self, &T, usize)) {
        self.raw(brackets[0]);
        self.level += 1;
        for (at, one) in items.iter().enumerate() {
            if at > 0 {
                self.raw(",");
                self.new_line();
            }
            item(self, one, at);
        }
        self.level -= 1;
        self.raw(brackets[1]);
    }

    fn key(&mut self, name: &str) {
        self.text(name);
        self.raw(self.spelling.pair);
    }

    fn text(&mut self, text: &str) {
        (self.spelling.text)(self.out, text);
    }

    fn new_line(&mut self) {
        if self.style.indent {
            self.out.push(b'\n');
            self.out.resize(self.out.len() + 2 * self.level, b' ');
        }
    }

    fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }
}

/// The GeoJSON of a field's one shape.
fn geometry(field: &FieldNode) -> Option<String> {
    match field {
        FieldNode::One(value) => Area::parse(&value.to_text()).ok().map(|area| geo_json(&area)),
        FieldNode::Computed(Node::Json(json)) => Some(json.clone()),
        _ => None,
    }
}
