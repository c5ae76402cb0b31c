//! Schemaless mode: what the chain of Solr's `_default` configset does to a document before the schema is asked. Documents
//! get ids, blanks go, names become plain, texts that look like booleans, numbers or dates become them, and fields that
//! the schema does not know are added to it. Figures and order are those of `_default`, recorded from Solr 9.10.1.

use std::collections::HashSet;
use std::sync::Arc;

use plan::{CopyField, FieldClass, FieldSource, Schema, SchemaSource};

use crate::update::command::RawValue;
use crate::update::document::{Field, Grouped, Targets};
use crate::update::{guess_date, guess_number};

/// Characters of a guessed text that its column `*_str` keeps.
const COLUMN_CHARS_MAX: usize = 256;

/// Changes a document's values as the chain's processors do, up to the one that adds fields.
pub fn prepare(document: &mut Grouped, targets: &mut Targets, new_uuid: &dyn Fn() -> String) {
    give_id(document, targets.schema(), new_uuid);
    for field in document.iter_mut() {
        field.values.retain(|value| !matches!(value, RawValue::Str(text) if text.is_empty()));
    }
    document.retain(|field| !field.values.is_empty());
    for Field { name, values, .. } in document.iter_mut() {
        if let Some(plain) = plain_name(name) {
            *name = plain;
        }
        parse(values, targets.get(name).spec.as_ref().map(|spec| spec.class()));
    }
}

fn give_id(document: &mut Grouped, schema: &Schema, new_uuid: &dyn Fn() -> String) {
    let Some(key) = &schema.unique_key else { return };
    let takes_text = schema.field(key).map(|spec| spec.class());
    let takes_text = matches!(takes_text, Some(FieldClass::Str | FieldClass::Uuid));
    if takes_text && !document.iter().any(|field| field.name == *key) {
        let values = vec![RawValue::Str(new_uuid())];
        document.push(Field { name: key.clone(), values, listed: false });
    }
}

/// The name with `_` for all but letters, digits, `_`, `-` and `.`, all ASCII; `None` when nothing changes.
fn plain_name(name: &str) -> Option<Arc<str>> {
    let plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.');
    if name.chars().all(plain) {
        return None;
    }
    Some(name.chars().map(|it| if plain(it) { it } else { '_' }).collect::<String>().into())
}

/// Turns texts into what they look like, all values of a field or none. A field with a type is parsed only as that type.
fn parse(values: &mut [RawValue], class: Option<FieldClass>) {
    type Parser = fn(&RawValue) -> Option<RawValue>;
    let parsers: [(FieldClass, Parser); 4] = [
        (FieldClass::Bool, boolean),
        (FieldClass::Long, long),
        (FieldClass::Double, double),
        (FieldClass::Date, date),
    ];
    let parsed = class.is_none_or(|class| parsers.iter().any(|(parsed, _)| *parsed == class));
    if !parsed || !values.iter().any(|value| matches!(value, RawValue::Str(_))) {
        return;
    }
    for (parsed_class, parser) in parsers {
        if class.is_some_and(|class| class != parsed_class) {
            continue;
        }
        let parse = |value: &RawValue| match value {
            RawValue::Null => Some(RawValue::Null),
            value => parser(value),
        };
        if let Some(parsed) = values.iter().map(parse).collect::<Option<Vec<_>>>() {
            return values.clone_from_slice(&parsed);
        }
    }
}

fn boolean(value: &RawValue) -> Option<RawValue> {
    match value {
        RawValue::Bool(flag) => Some(RawValue::Bool(*flag)),
        RawValue::Str(text) if text.eq_ignore_ascii_case("true") => Some(RawValue::Bool(true)),
        RawValue::Str(text) if text.eq_ignore_ascii_case("false") => Some(RawValue::Bool(false)),
        _ => None,
    }
}

fn long(value: &RawValue) -> Option<RawValue> {
    match value {
        RawValue::Long(number) => Some(RawValue::Long(*number)),
        RawValue::Str(text) => guess_number::long(text).map(RawValue::Long),
        _ => None,
    }
}

fn double(value: &RawValue) -> Option<RawValue> {
    match value {
        RawValue::Double(number) => Some(RawValue::Double(*number)),
        RawValue::Str(text) => guess_number::double(text).map(RawValue::Double),
        _ => None,
    }
}

fn date(value: &RawValue) -> Option<RawValue> {
    match value {
        RawValue::Date(ms) => Some(RawValue::Date(*ms)),
        RawValue::Str(text) => guess_date::instant(text).map(RawValue::Date),
        _ => None,
    }
}

/// The schema with a field for each name that it does not know; `None` when it knows them all. An edit (`{"set":…}`)
/// adds none, as in Solr: the chain calls it an undefined field.
pub fn grow(document: &Grouped, targets: &mut Targets) -> Option<SchemaSource> {
    let mut added: HashSet<&str> = HashSet::new();
    let mut source: Option<SchemaSource> = None;
    for Field { name, values, .. } in document {
        let edit = values.iter().any(|value| matches!(value, RawValue::Map(_)));
        if edit || name.is_empty() || targets.get(name).spec.is_some() || !added.insert(name) {
            continue;
        }
        let source = source.get_or_insert_with(|| targets.schema().source.clone());
        let type_name = type_of(values);
        source.fields.push(FieldSource {
            name: name.to_string(),
            type_name: type_name.to_owned(),
            attributes: Vec::new(),
        });
        if type_name == "text_general" {
            source.copy_fields.push(CopyField {
                source: name.to_string(),
                dest: format!("{name}_str"),
                max_chars: COLUMN_CHARS_MAX,
            });
        }
    }
    source
}

/// The type that holds all the values; text when they do not agree, or when there are none.
fn type_of(values: &[RawValue]) -> &'static str {
    let present = || values.iter().filter(|value| **value != RawValue::Null);
    let all = |is: fn(&RawValue) -> bool| present().all(is);
    if present().next().is_none() {
        "text_general"
    } else if all(|value| matches!(value, RawValue::Bool(_))) {
        "booleans"
    } else if all(|value| matches!(value, RawValue::Date(_))) {
        "pdates"
    } else if all(|value| matches!(value, RawValue::Long(_))) {
        "plongs"
    } else if all(|value| matches!(value, RawValue::Long(_) | RawValue::Float(_) | RawValue::Double(_))) {
        "pdoubles"
    } else {
        "text_general"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::update::testing;

    fn text(text: &str) -> RawValue {
        RawValue::Str(text.to_owned())
    }

    fn field(name: &str, values: Vec<RawValue>) -> Field {
        Field { name: Arc::from(name), values, listed: true }
    }

    /// The type and the values that one new field gets.
    fn guess(values: &[RawValue]) -> String {
        let mut targets = Targets::new(testing::schema());
        let mut document = vec![field("id", vec![text("a")]), field("new", values.to_vec())];
        prepare(&mut document, &mut targets, &|| "u".to_owned());
        let Some(source) = grow(&document, &mut targets) else { return "none".to_owned() };
        format!(
            "{} {}",
            source.fields.last().unwrap().type_name,
            RawValue::List(document[1].values.clone()).to_text()
        )
    }

    #[test]
    fn types_follow_the_values() {
        let check = |values: &[RawValue], expected: &str| assert_eq!(guess(values), expected, "{values:?}");
        check(&[RawValue::Long(1)], "plongs [1]");
        check(&[RawValue::Double(1.5)], "pdoubles [1.5]");
        check(&[RawValue::Bool(true)], "booleans [true]");
        check(&[text("x")], "text_general [x]");
        check(&[RawValue::Null], "text_general [null]");
        check(&[text("")], "none");
        check(&[], "none");
        check(&[text("TRUE")], "booleans [true]");
        check(&[text("yes")], "text_general [yes]");
        check(&[text("1,000")], "plongs [1000]");
        check(&[text("1,000.5")], "pdoubles [1000.5]");
        check(&[RawValue::Long(1), RawValue::Double(2.5)], "pdoubles [1, 2.5]");
        check(&[text("1"), text("2.5")], "pdoubles [1.0, 2.5]");
        check(&[text("1"), text("x")], "text_general [1, x]");
        check(&[RawValue::Bool(true), RawValue::Long(1)], "text_general [true, 1]");
        check(&[text("true"), RawValue::Bool(true)], "booleans [true, true]");
        check(&[text("1"), RawValue::Long(2)], "plongs [1, 2]");
        check(&[text("1.5"), RawValue::Long(2)], "text_general [1.5, 2]");
        check(&[RawValue::Null, RawValue::Long(1)], "plongs [null, 1]");
        check(&[text(""), RawValue::Long(1)], "plongs [1]");
        check(
            &[text("2020-01-01"), text("2021-01-01T00:00:00Z")],
            "pdates [2020-01-01T00:00:00Z, 2021-01-01T00:00:00Z]",
        );
        check(&[text("2020-01-01"), text("x")], "text_general [2020-01-01, x]");
        check(&[RawValue::Map(vec![])], "none");
    }

    #[test]
    fn fields_with_a_type_are_parsed_as_that_type_only() {
        let mut targets = Targets::new(testing::schema());
        let mut document: Grouped = vec![
            field("a_s", vec![text("1")]),
            field("a_dt", vec![text("2020-01-01")]),
            field("a_l", vec![text("1,000")]),
            field("a b_s", vec![text("x")]),
        ];
        prepare(&mut document, &mut targets, &|| "u".to_owned());
        let shown: Vec<_> =
            document.iter().map(|it| format!("{}={}", it.name, it.values[0].to_text())).collect();
        assert_eq!(shown, ["a_s=1", "a_dt=2020-01-01T00:00:00Z", "a_l=1000", "a_b_s=x", "id=u"]);
        assert!(grow(&document, &mut targets).is_none());
    }

    #[test]
    fn text_gets_a_column_beside_it() {
        let mut targets = Targets::new(testing::schema());
        let document = vec![field("title", vec![text("x")])];
        let source = grow(&document, &mut targets).unwrap();
        let copy = source.copy_fields.last().unwrap();
        assert_eq!((copy.source.as_str(), copy.dest.as_str(), copy.max_chars), ("title", "title_str", 256));
    }
}
