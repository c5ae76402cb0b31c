//! The Schema API's commands on field types. A type's analyzers come as JSON and are read by the code that
//! reads them from XML, through the same tree. In: a command's object and the declared schema; out: the
//! declared schema with the type in it. Whether the type can be built is seen when the whole is resolved,
//! behind the last command.

use plan::{SchemaSource, TypeSource};

use crate::commands::{Complaint, Object};
use crate::schema::analyzer_xml;
use crate::update::RawValue;
use crate::xml_tree::Element;

pub(super) fn add(object: &Object<'_>, schema: &mut SchemaSource) -> Result<(), Complaint> {
    let name = object.text("name");
    if position(schema, &name).is_some() {
        return Err(format!("Field type '{name}' already exists.\n"));
    }
    schema.types.push(type_of(object)?);
    Ok(())
}

pub(super) fn replace(object: &Object<'_>, schema: &mut SchemaSource) -> Result<(), Complaint> {
    let name = object.text("name");
    let absent =
        || format!("The field type '{name}' is not present in this schema, and so cannot be replaced.\n");
    let at = position(schema, &name).ok_or_else(absent)?;
    schema.types.splice(at..=at, [type_of(object)?]);
    Ok(())
}

pub(super) fn delete(object: &Object<'_>, schema: &mut SchemaSource) -> Result<(), Complaint> {
    let name = object.text("name");
    let absent =
        || format!("The field type '{name}' is not present in this schema, and so cannot be deleted.\n");
    let at = position(schema, &name).ok_or_else(absent)?;
    let users = [("field", &schema.fields), ("dynamic field", &schema.dynamic_fields)];
    for (kind, fields) in users {
        let users = fields.iter().filter(|field| field.type_name == name);
        if let Some(user) = users.map(|field| &field.name).min() {
            return Err(format!("Can't delete '{name}' because it's the field type of {kind} '{user}'.\n"));
        }
    }
    schema.types.remove(at);
    Ok(())
}

fn position(schema: &SchemaSource, name: &str) -> Option<usize> {
    schema.types.iter().position(|known| known.name == name)
}

fn type_of(object: &Object<'_>) -> Result<TypeSource, Complaint> {
    let mut declared =
        TypeSource { name: object.text("name"), class: object.text("class"), ..TypeSource::default() };
    for (key, value) in object.entries {
        let kind = match &**key {
            "name" | "class" => continue,
            "analyzer" => None,
            "indexAnalyzer" => Some("index"),
            "queryAnalyzer" => Some("query"),
            "multiTermAnalyzer" => Some("multiterm"),
            "similarity" => {
                declared.similarity = Some(attributes(value));
                continue;
            }
            other => {
                declared.attributes.push((other.to_owned(), value.to_text()));
                continue;
            }
        };
        let element = analyzer(value, kind);
        analyzer_xml::read(&element, &mut declared).map_err(|error| format!("{error}\n"))?;
    }
    Ok(declared)
}

/// An analyzer's JSON as the element it would be in a file.
fn analyzer(value: &RawValue, kind: Option<&str>) -> Element {
    let mut element = Element { name: "analyzer".to_owned(), ..Element::default() };
    element.attributes.extend(kind.map(|kind| ("type".to_owned(), kind.to_owned())));
    let RawValue::Map(entries) = value else { return element };
    for (key, value) in entries {
        match (&**key, value) {
            ("charFilters", RawValue::List(all)) => {
                element.children.extend(all.iter().map(|it| component("charFilter", it)));
            }
            ("filters", RawValue::List(all)) => {
                element.children.extend(all.iter().map(|it| component("filter", it)));
            }
            ("tokenizer", value) => element.children.push(component("tokenizer", value)),
            (other, RawValue::Map(_) | RawValue::List(_)) => element.children.push(component(other, value)),
            (other, value) => element.attributes.push((other.to_owned(), value.to_text())),
        }
    }
    element
}

fn component(name: &str, value: &RawValue) -> Element {
    Element { name: name.to_owned(), attributes: attributes(value), ..Element::default() }
}

fn attributes(value: &RawValue) -> Vec<(String, String)> {
    match value {
        RawValue::Map(entries) => {
            entries.iter().map(|(key, value)| (key.to_string(), value.to_text())).collect()
        }
        _ => Vec::new(),
    }
}
