//! What is done to the values of one field, and the step that does it to the chosen ones. Recorded from Solr
//! 9.10.1 (`compat/update/processors.yaml`). In: a field as it has come so far; which fields are concerned is
//! `choice.rs`. Values are raw, as the request
//! sent them: the schema reads them as its types only behind the chain.

use analysis::{JavaRegex, Replacement, strip_html};
use plan::{Change, Error, FieldChoice, FieldClass, Result, RootCause};

use super::choice::Choice;
use super::draft::{DocumentStep, Draft, ProcessorContext};
use super::parse::Parser;
use super::pattern::{compile_pattern, compile_replacement};
use crate::update::command::RawValue;
use crate::update::document::Field;

/// Changes the values of fields.
pub struct ChangeFields {
    choice: Choice,
    changer: Changer,
}

impl ChangeFields {
    pub fn new(fields: &FieldChoice, change: &Change) -> Result<Self> {
        Ok(Self { choice: Choice::new(fields)?, changer: Changer::new(change)? })
    }
}

impl DocumentStep for ChangeFields {
    fn add(&self, draft: &mut Draft, passing: &mut ProcessorContext<'_>) -> Result<()> {
        let own = self.changer.own_class();
        let mut emptied = false;
        for field in &mut draft.fields {
            let target = passing.targets.get(&field.name);
            if self.choice.takes(&field.name, target.spec.as_deref(), own) {
                self.changer.apply(field)?;
                emptied |= field.values.is_empty();
            }
        }
        if emptied {
            draft.fields.retain(|field| !field.values.is_empty());
        }
        Ok(())
    }
}

/// A change with its patterns compiled.
enum Changer {
    /// Of each text by itself.
    Text(Box<dyn Fn(&str) -> RawValue + Send + Sync>),
    RemoveBlank,
    Values(fn(&Field) -> Result<Vec<RawValue>>),
    Join(String),
    Parse(Parser),
}

impl Changer {
    fn new(change: &Change) -> Result<Self> {
        let text =
            |change: fn(&str) -> String| Changer::Text(Box::new(move |text| RawValue::Str(change(text))));
        Ok(match change {
            Change::Trim => text(|text| text.trim_matches(|it: char| it <= ' ').to_owned()),
            Change::StripHtml => text(strip_html),
            Change::Length => Changer::Text(Box::new(|text| RawValue::Long(length(text)))),
            Change::Truncate { chars_max } => {
                let chars_max = *chars_max;
                Changer::Text(Box::new(move |text| RawValue::Str(truncated(text, chars_max))))
            }
            Change::Replace { pattern, replacement, literal } => {
                let (pattern, replacement): (JavaRegex, Replacement) =
                    (compile_pattern(pattern)?, compile_replacement(pattern, replacement, *literal)?);
                Changer::Text(Box::new(move |text| RawValue::Str(pattern.replace_all(text, &replacement))))
            }
            Change::RemoveBlank => Changer::RemoveBlank,
            Change::Join { delimiter } => Changer::Join(delimiter.clone()),
            Change::Count => Changer::Values(|field| Ok(vec![RawValue::Long(count(field))])),
            Change::First => Changer::Values(|field| Ok(field.values.first().cloned().into_iter().collect())),
            Change::Last => Changer::Values(|field| Ok(field.values.last().cloned().into_iter().collect())),
            Change::Least => Changer::Values(|field| extreme(field, std::cmp::Ordering::Less)),
            Change::Greatest => Changer::Values(|field| extreme(field, std::cmp::Ordering::Greater)),
            Change::Unique => Changer::Values(|field| Ok(unique(field))),
            Change::Ignore => Changer::Values(|_| Ok(Vec::new())),
            Change::Parse(parsing) => Changer::Parse(Parser::new(parsing)?),
        })
    }

    /// The type that it makes of texts.
    fn own_class(&self) -> Option<FieldClass> {
        match self {
            Changer::Parse(parser) => Some(parser.class()),
            _ => None,
        }
    }

    /// Changes the values; a field without values goes.
    fn apply(&self, field: &mut Field) -> Result<()> {
        match self {
            Changer::Text(change) => {
                for value in &mut field.values {
                    if let RawValue::Str(text) = value {
                        *value = change(text);
                    }
                }
            }
            Changer::RemoveBlank => {
                field.values.retain(|value| !matches!(value, RawValue::Str(text) if text.is_empty()));
            }
            Changer::Values(change) => {
                field.values = change(field)?;
                field.listed &= field.values.len() != 1;
            }
            Changer::Join(delimiter) => {
                if field.values.len() > 1 {
                    let texts: Vec<_> = field.values.iter().map(RawValue::to_text).collect();
                    field.values = vec![RawValue::Str(texts.join(delimiter))];
                    field.listed = false;
                }
            }
            Changer::Parse(parser) => parser.apply(&mut field.values),
        }
        Ok(())
    }
}

fn count(field: &Field) -> i64 {
    i64::try_from(field.values.len()).unwrap_or(i64::MAX)
}

fn length(text: &str) -> i64 {
    i64::try_from(text.encode_utf16().count()).unwrap_or(i64::MAX)
}

/// At most this many UTF-16 units; half a pair goes as well.
fn truncated(text: &str, chars_max: usize) -> String {
    let mut units = 0;
    text.chars()
        .take_while(|it| {
            units += it.len_utf16();
            units <= chars_max
        })
        .collect()
}

fn unique(field: &Field) -> Vec<RawValue> {
    // A few values are scanned; what is long is compared by its text as well.
    let mut seen = std::collections::HashSet::with_capacity(field.values.len());
    let mut kept = field.values.clone();
    kept.retain(|value| seen.insert((value.java_class(), value.to_text())));
    kept
}

fn extreme(field: &Field, wanted: std::cmp::Ordering) -> Result<Vec<RawValue>> {
    let mut values = field.values.iter();
    let Some(mut best) = values.next() else { return Ok(Vec::new()) };
    for value in values {
        let order = compare(value, best).ok_or_else(|| not_comparable(&field.name, best, value))?;
        if order == wanted {
            best = value;
        }
    }
    Ok(vec![best.clone()])
}

fn compare(left: &RawValue, right: &RawValue) -> Option<std::cmp::Ordering> {
    match (left, right) {
        (RawValue::Str(left), RawValue::Str(right)) => Some(left.encode_utf16().cmp(right.encode_utf16())),
        (RawValue::Long(left), RawValue::Long(right)) | (RawValue::Date(left), RawValue::Date(right)) => {
            Some(left.cmp(right))
        }
        (RawValue::Double(left), RawValue::Double(right)) => Some(left.total_cmp(right)),
        (RawValue::Float(left), RawValue::Float(right)) => Some(left.total_cmp(right)),
        (RawValue::Bool(left), RawValue::Bool(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

fn not_comparable(name: &str, present: &RawValue, other: &RawValue) -> Error {
    let (present, other) = (present.java_class(), other.java_class());
    Error::bad_request(format!(
        "Unable to mutate field '{name}': Field values are not mutually comparable: class {present} cannot be cast to \
         class {other} ({present} and {other} are in module java.base of loader 'bootstrap')"
    ))
    .with_root(RootCause::ClassCast)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn text(text: &str) -> RawValue {
        RawValue::Str(text.to_owned())
    }

    #[test]
    fn values_change() {
        let check = |change: Change, values: &[RawValue], expected: &str| {
            let mut field = Field { name: Arc::from("f"), values: values.to_vec(), listed: true };
            let shown = match Changer::new(&change).unwrap().apply(&mut field) {
                Ok(()) => RawValue::List(field.values).to_text(),
                Err(error) => error.message,
            };
            assert_eq!(shown, expected, "{change:?} {values:?}");
        };
        let words = [text("m"), text("z"), text("a"), text("z")];
        check(Change::First, &words, "[m]");
        check(Change::Last, &words, "[z]");
        check(Change::Least, &words, "[a]");
        check(Change::Greatest, &words, "[z]");
        check(Change::Unique, &words, "[m, z, a]");
        check(Change::Count, &words, "[4]");
        check(Change::Join { delimiter: "+".into() }, &words, "[m+z+a+z]");
        check(Change::Ignore, &words, "[]");
        check(Change::Unique, &[RawValue::Long(5), text("5")], "[5, 5]");
        check(Change::Trim, &[text(" \t x "), RawValue::Long(1)], "[x, 1]");
        check(Change::RemoveBlank, &[text(""), text(" "), RawValue::Null], "[ , null]");
        check(Change::Length, &[text("a😀"), RawValue::Long(12)], "[3, 12]");
        check(Change::Truncate { chars_max: 2 }, &[text("a😀b"), text("ab")], "[a, ab]");
        check(Change::Least, &[RawValue::Double(2.5), RawValue::Double(-1.0)], "[-1.0]");
        check(Change::Least, &[], "[]");
        let replace =
            |literal| Change::Replace { pattern: "(b+)".into(), replacement: "<$1>".into(), literal };
        check(replace(false), &[text("abbc")], "[a<bb>c]");
        check(replace(true), &[text("abbc")], "[a<$1>c]");
        check(
            Change::Least,
            &[RawValue::Long(5), text("2")],
            "Unable to mutate field 'f': Field values are not mutually comparable: class java.lang.Long cannot be \
             cast to class java.lang.String (java.lang.Long and java.lang.String are in module java.base of loader \
             'bootstrap')",
        );
    }
}
