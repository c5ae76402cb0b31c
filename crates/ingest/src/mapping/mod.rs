//! A record becomes a document: `compile` turns the file's fields into steps once, `write` runs them for each
//! record and writes the document's JSON. What cannot be written is a reason for the dead-letter file, never
//! a document with less than was asked for.

mod column;
mod convert;
mod field;
mod json;
mod template;
mod transform;

use crate::config::{FieldConfig, SourceConfig, TargetConfig};
use crate::record::{Record, Row, Value};

pub use column::unknown_column;
pub use convert::{to_instant, write_value};
use field::FieldSteps;
pub use json::json_of;
use json::{write_json_text, write_key};
pub use transform::strip_html;

/// The steps from the records of one source to documents.
#[derive(Debug)]
pub struct Mapping {
    id: FieldSteps,
    fields: Vec<FieldSteps>,
    /// Columns that go along under their own names, but for these.
    other_columns: Option<Vec<String>>,
    nested: Vec<NestedSteps>,
    digest_field: Option<String>,
}

/// One child's rows as documents below.
#[derive(Debug)]
struct NestedSteps {
    child: usize,
    name: String,
    fields: Vec<FieldSteps>,
    /// Without fields of its own: all columns but this.
    columns_but: Option<String>,
}

/// What was written of one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub id: String,
    /// Of everything in the document but the digest itself.
    pub digest: u64,
}

impl Mapping {
    /// Errors: one line for each field that makes no sense.
    pub fn compile(source: &SourceConfig, target: &TargetConfig) -> Result<Self, Vec<String>> {
        let mut findings = Vec::new();
        let mut compile = |fields: &[FieldConfig], place: &str| -> Vec<FieldSteps> {
            let steps = fields.iter().map(|field| FieldSteps::compile(field, source, place));
            steps.filter_map(|steps| steps.map_err(|finding| findings.push(finding)).ok()).collect()
        };
        let mut fields = compile(&source.fields, &source.name);
        let nested = source
            .children
            .iter()
            .enumerate()
            .filter(|(_, child)| child.nested)
            .map(|(at, child)| NestedSteps {
                child: at,
                name: child.name.clone(),
                fields: compile(&child.fields, &format!("{}.{}", source.name, child.name)),
                columns_but: child.fields.is_empty().then(|| child.parent_key.clone()),
            })
            .collect();
        if !findings.is_empty() {
            return Err(findings);
        }
        let own_id = fields.iter().position(|field| field.name == target.id_field);
        let id = match own_id {
            Some(at) => fields.remove(at),
            None => FieldSteps::of_column(&target.id_field, source.key_column()),
        };
        let whole = source.fields.is_empty() || source.other_columns;
        let named = || {
            let columns = source.fields.iter().filter(|field| field.child.is_none());
            let columns = columns.filter_map(|field| field.column.clone());
            columns.chain([target.id_field.clone()]).collect()
        };
        let digest_field = target.digest_field.clone();
        Ok(Self { id, fields, other_columns: whole.then(named), nested, digest_field })
    }

    /// Writes the record's document at the end of `out`. Errors: the reason, with nothing written.
    pub fn write(&self, record: &Record, out: &mut Vec<u8>) -> Result<Written, String> {
        let start = out.len();
        let written = self.write_open(record, out);
        if written.is_err() {
            out.truncate(start);
        }
        written
    }

    /// The document's id alone: what a record that is gone, or may not be seen, is deleted by.
    pub fn id_of(&self, record: &Record) -> Result<String, String> {
        let values = self.id.values(record)?;
        match values.as_slice() {
            [value] if !value.is_null() && !value.to_string().is_empty() => Ok(value.to_string()),
            _ => Err(format!("the document would have no single `{}`", self.id.name)),
        }
    }

    /// The id of a record of which only its key is known. `None` where the id is made of more than the key.
    pub fn id_of_key(&self, key: &str, key_column: &str) -> Option<String> {
        if !self.id.is_made_of(key_column) {
            return None;
        }
        let row = Row { columns: [key_column.to_owned()].into(), values: vec![Value::Text(key.to_owned())] };
        self.id_of(&Record { key: key.to_owned(), row, children: Vec::new() }).ok()
    }

    /// Whether documents are made of this column: of the rows of the child at this place, or of the row
    /// itself.
    pub fn reads(&self, of_child: Option<usize>, column: &str) -> bool {
        let fields = std::iter::once(&self.id).chain(&self.fields);
        let mut nested = self.nested.iter().filter(|nested| Some(nested.child) == of_child);
        (of_child.is_none() && self.other_columns.is_some())
            || fields.into_iter().any(|field| field.reads(of_child, column))
            || nested.any(|nested| {
                nested.columns_but.is_some() || nested.fields.iter().any(|field| field.reads(None, column))
            })
    }

    fn write_open(&self, record: &Record, out: &mut Vec<u8>) -> Result<Written, String> {
        let start = out.len();
        let id = self.id_of(record)?;
        out.push(b'{');
        write_key(&self.id.name, out);
        write_json_text(&id, out);
        for field in &self.fields {
            field.write(record, out)?;
        }
        if let Some(named) = &self.other_columns {
            write_columns(&record.row, |column| !named.iter().any(|name| name == column), out)?;
        }
        for nested in &self.nested {
            nested.write(record, out)?;
        }
        let digest = digest_of(&out[start..]);
        if let Some(field) = &self.digest_field {
            out.push(b',');
            write_key(field, out);
            write_json_text(&digest_text(digest), out);
        }
        out.push(b'}');
        Ok(Written { id, digest })
    }
}

impl SourceConfig {
    /// The column that names a row.
    pub fn key_column(&self) -> &str {
        match (&self.key, &self.folder) {
            (Some(key), _) => key,
            (None, Some(_)) => "path",
            (None, None) => "id",
        }
    }
}

impl NestedSteps {
    fn write(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), String> {
        let rows = record.children.get(self.child).map_or(&[][..], Vec::as_slice);
        if rows.is_empty() {
            return Ok(());
        }
        out.push(b',');
        write_key(&self.name, out);
        for (at, row) in rows.iter().enumerate() {
            out.push(if at == 0 { b'[' } else { b',' });
            let open = out.len();
            out.push(b'{');
            let child = Record { key: record.key.clone(), row: row.clone(), children: Vec::new() };
            for field in &self.fields {
                field.write(&child, out)?;
            }
            if let Some(left_out) = &self.columns_but {
                write_columns(row, |column| column != left_out, out)?;
            }
            close_object(open, out);
        }
        out.push(b']');
        Ok(())
    }
}

/// Each field begins with a comma: the first of an object has it taken back.
fn close_object(open: usize, out: &mut Vec<u8>) {
    if out.get(open + 1) == Some(&b',') {
        out.remove(open + 1);
    }
    out.push(b'}');
}

fn write_columns(row: &Row, wanted: impl Fn(&str) -> bool, out: &mut Vec<u8>) -> Result<(), String> {
    for (column, value) in row.columns.iter().zip(&row.values) {
        if !wanted(column) || value.is_null() {
            continue;
        }
        out.push(b',');
        write_key(column, out);
        write_value(value, out).map_err(|reason| format!("`{column}`: {reason}"))?;
    }
    Ok(())
}

/// What the digest field keeps.
pub fn digest_text(digest: u64) -> String {
    format!("{digest:016x}")
}

/// FNV-1a with a final mix. No secret: it is to tell documents apart that differ by accident.
pub fn digest_of(bytes: &[u8]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    // SplitMix64's finaliser: FNV alone leaves the upper bits of short texts alike, and buckets are chosen by
    // them.
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests;
