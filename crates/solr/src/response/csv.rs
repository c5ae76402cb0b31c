//! Writes the documents of a response as a table, row by row, and nothing else of it. Columns come in the
//! order of `fl`; with patterns the index says which there are. When a text is quoted and what a list of
//! values looks like in a cell is as Solr 9.10.1 has it. Solr differs: of an error it writes the head of the
//! table (`compat/select/tables.yaml`).

use std::borrow::Cow;
use std::sync::Arc;

use plan::{Result, Schema, Value, java_bucket};

use super::columns::Columns;
use super::json::{JsonStyle, write_json};
use super::node::{DocList, DocumentNode, Entries, FieldNode, Node};
use crate::params::{Params, fields_with, response};
use crate::update::Dialect;

/// The choices a request has for its table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvStyle {
    row: Dialect,
    /// Between the values of one cell.
    cell: Dialect,
    /// The same, for fields that have their own.
    own: Vec<(String, Dialect)>,
    header: bool,
    newline: String,
    null: String,
    /// Whether `fl` has patterns.
    needs_fields: bool,
    /// The fields of the index, and whether a document shows them.
    fields: Vec<(Arc<str>, bool)>,
}

impl CsvStyle {
    /// Reads `csv.*`. Solr differs: to what it cannot read it answers with a page of its servlet container
    /// (`compat/select/tables.yaml`).
    pub fn parse(params: &Params) -> Result<Self> {
        let row = row(params)?;
        let cell = cell(params, row.separator)?;
        let mut own: Vec<(String, Dialect)> = Vec::new();
        for field in fields_with(params, ".csv.") {
            if !own.iter().any(|(known, _)| known == field) {
                own.push((field.to_owned(), of_field(params, field, cell)?));
            }
        }
        let lists = || response::FL.sent_all(params);
        Ok(Self {
            row,
            cell,
            own,
            header: response::CSV_HEADER.read(params)?,
            newline: response::CSV_NEWLINE.read(params)?,
            null: response::CSV_NULL.read(params)?,
            needs_fields: lists().all(str::is_empty) || lists().any(|list| list.contains(['*', '?'])),
            fields: Vec::new(),
        })
    }

    pub fn needs_fields(&self) -> bool {
        self.needs_fields
    }

    /// Tells which fields the index has.
    pub fn tell_fields(&mut self, names: impl Iterator<Item = String>, schema: &Schema) {
        let shown = |name: &str| schema.field(name).is_some_and(|spec| spec.properties.retrievable());
        self.fields = names.map(|name| (Arc::from(name.as_str()), shown(&name))).collect();
    }

    /// With `*` Solr keeps names in a hash table; what patterns add to names comes behind them. Solr differs:
    /// in one bucket names come as the index met them (`compat/select/tables.yaml`).
    fn columns(&self, asked: &Columns) -> Vec<Arc<str>> {
        let mut columns: Vec<Arc<str>> = asked.labels.clone();
        if asked.patterns.all {
            let known = self.fields.iter().map(|(name, _)| name);
            columns.extend(known.filter(|name| !asked.labels.contains(name)).cloned());
            let count = columns.len();
            columns.sort_by_key(|name| java_bucket(name, count));
            let hidden = |name: &Arc<str>| self.fields.iter().any(|(known, shown)| known == name && !shown);
            columns.retain(|name| !hidden(name));
        } else if !asked.patterns.globs.is_empty() {
            let covered = |name: &Arc<str>| asked.patterns.contains(name) && !asked.labels.contains(name);
            let shown = self.fields.iter().filter(|(name, shown)| *shown && covered(name));
            columns.extend(shown.map(|(name, _)| name.clone()));
        }
        columns
    }
}

fn row(params: &Params) -> Result<Dialect> {
    let escape = response::CSV_ESCAPE.read(params)?;
    let separator = response::CSV_SEPARATOR.read(params)?;
    let usual = Dialect { separator, encapsulator: Some('"'), escape: None };
    Ok(usual.overridden(escape, response::CSV_ENCAPSULATOR.read(params)?))
}

/// Between the values of a cell; without a character of its own that of the rows.
fn cell(params: &Params, separator: char) -> Result<Dialect> {
    let escape = response::CSV_VALUE_ESCAPE.read(params)?;
    let separator = response::CSV_VALUE_SEPARATOR.read(params)?.unwrap_or(separator);
    let encapsulator = response::CSV_VALUE_ENCAPSULATOR.read(params)?;
    Ok(Dialect { separator, encapsulator, escape: Some(escape) })
}

/// Between the values of one field; what it does not say is as in `cell`.
fn of_field(params: &Params, field: &str, cell: Dialect) -> Result<Dialect> {
    let escape = response::CSV_ESCAPE.read_own(params, field)?;
    let separator = response::CSV_SEPARATOR.sent_own(params, field);
    let separator = separator.map(response::CSV_SEPARATOR.parse).transpose()?.unwrap_or(cell.separator);
    let encapsulator = response::CSV_ENCAPSULATOR.read_own(params, field)?;
    Ok(Dialect { separator, ..cell }.overridden(escape, encapsulator))
}

/// Appends the table to `out`; the message where there is an error. Solr differs: for groups it writes the
/// head of a table (`compat/select/tables.yaml`).
pub fn write_csv(entries: &Entries, style: &CsvStyle, out: &mut Vec<u8>) {
    let entry = |wanted: &str| entries.iter().find(|(name, _)| name == wanted).map(|(_, node)| node);
    match (entry("error"), entry("response").or_else(|| entry("doc"))) {
        (Some(Node::Map(error)), _) => {
            let message = error.iter().find(|(name, _)| name == "msg").map(|(_, node)| node);
            if let Some(Node::Str(message)) = message {
                out.extend_from_slice(message.as_bytes());
                out.push(b'\n');
            }
        }
        (_, Some(Node::DocList(list))) => table(list, style, out),
        _ => {}
    }
}

fn table(list: &DocList, style: &CsvStyle, out: &mut Vec<u8>) {
    let columns = style.columns(&list.columns);
    let mut row = Row { style, out: Printer { dialect: style.row, out, is_first: true } };
    if style.header {
        columns.iter().for_each(|name| row.out.checked(name));
        row.end();
    }
    for document in &list.docs {
        columns.iter().for_each(|name| row.field(name, document));
        row.end();
    }
}

struct Row<'a> {
    style: &'a CsvStyle,
    out: Printer<'a>,
}

impl Row<'_> {
    fn end(&mut self) {
        self.out.out.extend_from_slice(self.style.newline.as_bytes());
        self.out.is_first = true;
    }

    fn field(&mut self, name: &Arc<str>, document: &DocumentNode) {
        let found = document.fields.iter().find(|(known, _)| known == name).map(|(_, field)| field);
        match found {
            None | Some(FieldNode::Computed(Node::Null)) => self.out.checked(&self.style.null),
            Some(FieldNode::One(value)) => self.out.value(value),
            Some(FieldNode::Many(values)) => self.many(name, values, |to, value| to.value(value)),
            Some(FieldNode::Computed(Node::Array(nodes))) => self.many(name, nodes, |to, node| to.node(node)),
            Some(FieldNode::Computed(node)) => self.out.node(node),
        }
    }

    fn many<T>(&mut self, name: &str, items: &[T], print: fn(&mut Printer<'_>, &T)) {
        let own = self.style.own.iter().find(|(field, _)| field == name).map(|(_, dialect)| *dialect);
        let mut cell = Vec::new();
        let mut inner = Printer { dialect: own.unwrap_or(self.style.cell), out: &mut cell, is_first: true };
        items.iter().for_each(|item| print(&mut inner, item));
        self.out.checked(&String::from_utf8_lossy(&cell));
    }
}

/// Writes what is between separators.
struct Printer<'a> {
    dialect: Dialect,
    out: &'a mut Vec<u8>,
    is_first: bool,
}

impl Printer<'_> {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Str(text) => self.checked(text),
            other => self.plain(&other.to_text()),
        }
    }

    fn node(&mut self, node: &Node) {
        let text = |text: &Cow<'static, str>| text.to_string();
        match node {
            Node::Str(shown) => self.checked(&text(shown)),
            Node::Json(shown) | Node::Raw(shown) => self.checked(shown),
            Node::Bool(flag) => self.plain(&flag.to_string()),
            Node::Int(number) => self.plain(&number.to_string()),
            Node::Long(number) => self.plain(&number.to_string()),
            Node::Float(number) => self.plain(&Value::Float(*number).to_text()),
            Node::Double(number) => self.plain(&Value::Double(*number).to_text()),
            Node::Date(ms) => self.plain(&Value::Date(*ms).to_text()),
            other => {
                let mut json = Vec::new();
                write_json(&vec![("".into(), other.clone())], &JsonStyle::default(), &mut json);
                let json = String::from_utf8_lossy(&json);
                let value = json.strip_prefix("{\"\":").and_then(|json| json.strip_suffix('}'));
                self.checked(value.unwrap_or_default());
            }
        }
    }

    /// Numbers and their like are not looked at.
    fn plain(&mut self, text: &str) {
        self.separate();
        self.out.extend_from_slice(text.as_bytes());
    }

    fn checked(&mut self, text: &str) {
        let is_first = self.separate();
        let Dialect { separator, encapsulator, escape } = self.dialect;
        match (encapsulator, escape) {
            (Some(quote), _) if needs_quotes(text, is_first, [separator, quote]) => {
                let mark = quote.to_string();
                let doubled = text.replace(quote, &mark.repeat(2));
                self.out.extend_from_slice(format!("{mark}{doubled}{mark}").as_bytes());
            }
            (None, Some(escape)) => self.escaped(text, escape),
            _ => self.out.extend_from_slice(text.as_bytes()),
        }
    }

    fn escaped(&mut self, text: &str, escape: char) {
        let mut buffer = [0; 4];
        for character in text.chars() {
            let shown = match character {
                '\n' => 'n',
                '\r' => 'r',
                other => other,
            };
            if shown != character || character == self.dialect.separator || character == escape {
                self.out.extend_from_slice(escape.encode_utf8(&mut buffer).as_bytes());
            }
            self.out.extend_from_slice(shown.encode_utf8(&mut buffer).as_bytes());
        }
    }

    /// Whether nothing stands before in this row.
    fn separate(&mut self) -> bool {
        let is_first = std::mem::replace(&mut self.is_first, false);
        if !is_first {
            self.out.extend_from_slice(self.dialect.separator.encode_utf8(&mut [0; 4]).as_bytes());
        }
        is_first
    }
}

/// The rule of the library that Solr has for it: a row begins with a letter or a digit or a quote, and so
/// that old readers stay calm, no cell begins with what ASCII has before `$` or ends in blanks.
fn needs_quotes(text: &str, is_first: bool, special: [char; 2]) -> bool {
    let Some(first) = text.chars().next() else { return is_first };
    (is_first && !first.is_ascii_alphanumeric())
        || first <= '#'
        || text.chars().any(|it| matches!(it, '\n' | '\r') || special.contains(&it))
        || text.ends_with(|last| last <= ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(fields: &[(&str, FieldNode)]) -> DocumentNode {
        DocumentNode {
            fields: fields.iter().map(|(name, field)| (Arc::from(*name), field.clone())).collect(),
        }
    }

    /// Forms recorded from Solr 9.10.1.
    #[test]
    fn documents_are_rows() {
        let many = |texts: &[&str]| {
            FieldNode::Many(texts.iter().map(|text| Value::Str((*text).to_owned())).collect())
        };
        let one = |text: &str| FieldNode::One(Value::Str(text.to_owned()));
        let check = |params: &str, expected: &str| {
            let pairs = params.split('&').filter_map(|pair| pair.split_once('='));
            let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            let docs = vec![
                document(&[
                    ("id", one("b 13/x")),
                    ("g", many(&["sci-fi", "a,b", "x y"])),
                    ("n", FieldNode::One(Value::Int(-7))),
                ]),
                document(&[("id", one("Élan \"x\"")), ("n", one("two\nlines"))]),
            ];
            let labels = ["id", "g", "n"].map(Arc::from).to_vec();
            let columns = Box::new(Columns { labels, ..Columns::default() });
            let list = DocList { docs, columns, ..DocList::default() };
            let style = CsvStyle::parse(&Params::new(pairs)).unwrap();
            let mut out = Vec::new();
            write_csv(&vec![("response".into(), Node::DocList(list))], &style, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{params}");
        };
        check("", "id,g,n\nb 13/x,\"sci-fi,a\\,b,x y\",-7\n\"Élan \"\"x\"\"\",,\"two\nlines\"\n");
        check(
            "csv.header=false&csv.null=-",
            "b 13/x,\"sci-fi,a\\,b,x y\",-7\n\"Élan \"\"x\"\"\",-,\"two\nlines\"\n",
        );
        check(
            "csv.separator=;",
            "id;g;n\nb 13/x;\"sci-fi;a,b;x y\";-7\n\"Élan \"\"x\"\"\";;\"two\nlines\"\n",
        );
        check("csv.escape=\\", "id,g,n\nb 13/x,sci-fi\\,a\\\\\\,b\\,x y,-7\nÉlan \"x\",,two\\nlines\n");
        check(
            "f.g.csv.separator=|&csv.newline=;",
            "id,g,n;b 13/x,\"sci-fi|a,b|x y\",-7;\"Élan \"\"x\"\"\",,\"two\nlines\";",
        );
    }
}
