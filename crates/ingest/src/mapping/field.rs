//! One field: where its values come from, what is done to them, of what type they end up.
//!
//! In: a field of the file, compiled once, then records; out: the field's values, or its part of the
//! document's JSON. Templates and steps are in files beside; which fields a document has, and its id, is the
//! mapping's (`mod.rs`).

use std::borrow::Cow;

use jiff::tz::TimeZone;

use super::column::unknown_column;
use super::convert::{convert, write_value};
use super::json::{json_of, write_key};
use super::template::Template;
use super::transform::Transform;
use crate::config::{FieldConfig, FieldKind, SourceConfig, nearest};
use crate::record::{Record, Value};

#[derive(Debug)]
pub struct FieldSteps {
    pub name: String,
    origin: Origin,
    transforms: Vec<Transform>,
    kind: Option<FieldKind>,
    zone: TimeZone,
    required: bool,
}

#[derive(Debug)]
enum Origin {
    Column(String),
    /// Of the rows of the child at this place.
    Child {
        child: usize,
        column: String,
    },
    Template(Template),
    Constant(Value),
}

impl FieldSteps {
    /// A column as it is.
    pub fn of_column(name: &str, column: &str) -> Self {
        Self {
            name: name.to_owned(),
            origin: Origin::Column(column.to_owned()),
            transforms: Vec::new(),
            kind: None,
            zone: TimeZone::UTC,
            required: true,
        }
    }

    /// Errors: one line that names `place` and the field.
    pub fn compile(field: &FieldConfig, source: &SourceConfig, place: &str) -> Result<Self, String> {
        let explain = |reason: String| format!("`source.{place}`: field `{}`: {reason}", field.name);
        let transforms: Result<Vec<_>, _> = field.transform.iter().map(Transform::compile).collect();
        let zone = field.zone.as_deref().map_or(Ok(TimeZone::UTC), |zone| {
            TimeZone::get(zone)
                .map_err(|_| format!("there is no time zone `{zone}`; write one such as `Europe/London`"))
        });
        Ok(Self {
            name: field.name.clone(),
            origin: Origin::compile(field, source).map_err(explain)?,
            transforms: transforms.map_err(explain)?,
            kind: field.kind,
            zone: zone.map_err(explain)?,
            required: field.required,
        })
    }

    /// Whether a row that has nothing but this column has all that the field needs.
    pub fn is_made_of(&self, key_column: &str) -> bool {
        match &self.origin {
            Origin::Column(column) => column == key_column,
            Origin::Template(template) => template.columns().all(|column| column == key_column),
            Origin::Child { .. } | Origin::Constant(_) => false,
        }
    }

    /// Whether its values are of this column: of the rows of the child at this place, or of the row itself.
    pub fn reads(&self, of_child: Option<usize>, name: &str) -> bool {
        match &self.origin {
            Origin::Column(column) => of_child.is_none() && column == name,
            Origin::Template(template) => {
                of_child.is_none() && template.columns().any(|column| column == name)
            }
            Origin::Child { child, column } => of_child == Some(*child) && column == name,
            Origin::Constant(_) => false,
        }
    }

    /// The field's values, transformed and typed; empty when it has none. Errors: the reason, with the
    /// field's name.
    pub fn values<'a>(&'a self, record: &'a Record) -> Result<Vec<Cow<'a, Value>>, String> {
        let raw = self.origin.values(record);
        let values = raw.map_err(|reason| format!("field `{}`: {reason}", self.name))?;
        if self.transforms.is_empty() && self.kind.is_none() {
            return Ok(values);
        }
        let mut typed = Vec::with_capacity(values.len());
        for value in values {
            self.finish(&value, &mut typed).map_err(|reason| format!("field `{}`: {reason}", self.name))?;
        }
        Ok(typed)
    }

    /// Writes `,"name":value`, or nothing when there is no value.
    pub fn write(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), String> {
        let values = self.values(record)?;
        if values.is_empty() {
            let missing = format!("field `{}` is required and has no value", self.name);
            return if self.required { Err(missing) } else { Ok(()) };
        }
        out.push(b',');
        write_key(&self.name, out);
        // Of a child there may be one row or many: the field is multi-valued either way.
        let array = values.len() > 1 || matches!(self.origin, Origin::Child { .. });
        for (at, value) in values.iter().enumerate() {
            if array {
                out.push(if at == 0 { b'[' } else { b',' });
            }
            write_value(value, out).map_err(|reason| format!("field `{}`: {reason}", self.name))?;
        }
        if array {
            out.push(b']');
        }
        Ok(())
    }

    fn finish<'a>(&self, value: &Value, typed: &mut Vec<Cow<'a, Value>>) -> Result<(), String> {
        if self.transforms.is_empty() {
            typed.push(Cow::Owned(self.convert(value)?));
            return Ok(());
        }
        let mut texts = vec![value.to_string()];
        for transform in &self.transforms {
            texts = texts.into_iter().flat_map(|text| transform.apply(text)).collect();
        }
        for text in texts {
            typed.push(Cow::Owned(self.convert(&Value::Text(text))?));
        }
        Ok(())
    }

    fn convert(&self, value: &Value) -> Result<Value, String> {
        self.kind.map_or_else(|| Ok(value.clone()), |kind| convert(value, kind, &self.zone))
    }
}

impl Origin {
    fn compile(field: &FieldConfig, source: &SourceConfig) -> Result<Self, String> {
        match (&field.column, &field.child, &field.template, &field.constant) {
            (Some(column), None, None, None) => Ok(Self::Column(column.clone())),
            (Some(column), Some(child), None, None) => {
                let names = || source.children.iter().map(|child| child.name.as_str());
                let at = names().position(|name| name == child).ok_or_else(|| {
                    let meant = nearest(child, names()).map(|name| format!("; did you mean `{name}`?"));
                    format!("there is no child `{child}`{}", meant.unwrap_or_default())
                })?;
                Ok(Self::Child { child: at, column: column.clone() })
            }
            (None, None, Some(template), None) => Ok(Self::Template(Template::parse(template)?)),
            (None, None, None, Some(constant)) => Ok(Self::Constant(Value::Json(json_of(constant)))),
            _ => Err("name one of `column`, `column` with `child`, `template` or `constant`".to_owned()),
        }
    }

    fn values<'a>(&'a self, record: &'a Record) -> Result<Vec<Cow<'a, Value>>, String> {
        let mut values = Vec::new();
        match self {
            Self::Column(column) => {
                let value =
                    record.row.get(column).ok_or_else(|| unknown_column(column, &record.row.columns))?;
                flatten(value, &mut values);
            }
            Self::Child { child, column } => {
                for row in record.children.get(*child).into_iter().flatten() {
                    let value = row.get(column).ok_or_else(|| unknown_column(column, &row.columns))?;
                    flatten(value, &mut values);
                }
            }
            Self::Template(template) => {
                values.extend(template.fill(&record.row)?.map(|text| Cow::Owned(Value::Text(text))));
            }
            Self::Constant(value) => values.push(Cow::Borrowed(value)),
        }
        Ok(values)
    }
}

fn flatten<'a>(value: &'a Value, values: &mut Vec<Cow<'a, Value>>) {
    match value {
        Value::Null => {}
        Value::List(items) => items.iter().for_each(|item| flatten(item, values)),
        value => values.push(Cow::Borrowed(value)),
    }
}
