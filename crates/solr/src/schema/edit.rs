//! The Schema API's writes: JSON commands that make one schema of another. All of a request's commands apply,
//! or none does and each failure is reported. Names and wording are Solr's, recorded from 9.10.1. Nothing is
//! stored here: whoever keeps schemas publishes the result.

use plan::{CopyField, FieldSource, SchemaSource};

use crate::commands::{Command, Complaint, EditError, Object, commands, refused};
use crate::schema::arguments::{OF_FIELDS, is_switch};
use crate::schema::load::{is_pattern, validate_edit};
use crate::schema::{edit_type, enumerations, resources};
use crate::update::RawValue;

/// What the errors of this API begin with.
const ABOUT: &str = "commands";

/// Applies the commands of a body. `read_resource` gives files that new types name. What is new
/// in the result has passed validation.
pub fn edit(
    source: &SchemaSource,
    body: &str,
    read_resource: &dyn Fn(&str) -> Option<String>,
) -> Result<SchemaSource, EditError> {
    let commands = commands(body).map_err(EditError::Malformed)?;
    let mut failures = Vec::new();
    for command in commands.iter().filter(|command| operation(&command.name).is_none()) {
        failures.push((command, vec![format!("No such operation : {}", command.name)]));
    }
    let mut edited = source.clone();
    if failures.is_empty() {
        for command in &commands {
            if let Err(complaints) = apply(command, &mut edited) {
                failures.push((command, complaints));
            }
        }
    }
    if !failures.is_empty() {
        return Err(refused(ABOUT, &failures));
    }
    let keep = |name: &str| source.resources.get(name).cloned().or_else(|| read_resource(name));
    let checked = resources::collect(&edited, &keep).and_then(|resources| {
        edited.resources.extend(resources);
        enumerations::read(&mut edited)?;
        validate_edit(&edited, source)
    });
    match (checked, commands.last()) {
        (Err(error), Some(last)) => Err(refused(ABOUT, &[(last, vec![format!("{error}\n")])])),
        _ => Ok(edited),
    }
}

type Operation = fn(&Object<'_>, &mut SchemaSource) -> Result<(), Complaint>;

/// A command's function, and the keys it cannot do without.
fn operation(name: &str) -> Option<(Operation, &'static [&'static str])> {
    Some(match name {
        "add-field" => (add_field, &["name", "type"]),
        "replace-field" => (replace_field, &["name", "type"]),
        "delete-field" => (delete_field, &["name"]),
        "add-dynamic-field" => (add_dynamic_field, &["name", "type"]),
        "replace-dynamic-field" => (replace_dynamic_field, &["name", "type"]),
        "delete-dynamic-field" => (delete_dynamic_field, &["name"]),
        "add-field-type" => (edit_type::add, &["name", "class"]),
        "replace-field-type" => (edit_type::replace, &["name", "class"]),
        "delete-field-type" => (edit_type::delete, &["name"]),
        "add-copy-field" => (add_copy_field, &["source", "dest"]),
        "delete-copy-field" => (delete_copy_field, &["source", "dest"]),
        _ => return None,
    })
}

fn apply(command: &Command, schema: &mut SchemaSource) -> Result<(), Vec<Complaint>> {
    let Some((operation, required)) = operation(&command.name) else { return Ok(()) };
    let object = Object::with_keys(command, required)?;
    operation(&object, schema).map_err(|complaint| vec![complaint])
}

/// A field as declared; its type must be there.
fn field_of(object: &Object<'_>, schema: &SchemaSource) -> Result<FieldSource, Complaint> {
    let (name, type_name) = (object.text("name"), object.text("type"));
    if name.is_empty() {
        return Err("'name' is a required field".to_owned());
    }
    if !schema.types.iter().any(|known| known.name == type_name) {
        return Err(format!("Field '{name}': Field type '{type_name}' not found.\n"));
    }
    let mut attributes = Vec::new();
    for (key, value) in object.entries.iter().filter(|(key, _)| !["name", "type"].contains(&&**key)) {
        if !is_switch(key) && !OF_FIELDS.contains(&&**key) {
            let told = format!("Invalid field property: {key}\n");
            return Err(format!("java.lang.IllegalArgumentException: {told}{told}"));
        }
        if OF_FIELDS.contains(&&**key) {
            text_only(value)?;
        }
        attributes.push((key.to_string(), value.to_text()));
    }
    Ok(FieldSource { name, type_name, attributes })
}

/// Refuses a value that is no text where Solr takes only text, in its words.
fn text_only(value: &RawValue) -> Result<(), Complaint> {
    let class = match value {
        RawValue::Bool(_) => "Boolean",
        RawValue::Long(_) => "Long",
        RawValue::Double(_) => "Double",
        _ => return Ok(()),
    };
    let told = format!(
        "class java.lang.{class} cannot be cast to class java.lang.String (java.lang.{class} and java.lang.String are \
         in module java.base of loader 'bootstrap')\n"
    );
    Err(format!("java.lang.ClassCastException: {told}{told}"))
}

fn position(fields: &[FieldSource], name: &str) -> Option<usize> {
    fields.iter().position(|field| field.name == name)
}

fn add_field(object: &Object<'_>, schema: &mut SchemaSource) -> Result<(), Complaint> {
    let field = field_of(object, schema)?;
    let name = &field.name;
    if name.starts_with('*') || name.ends_with('*') {
        return Err(format!("Can't add dynamic field '{name}'.\n"));
    }
    if position(&schema.fields, name).is_some() {
        return Err(format!("Field '{name}' already exists.\n"));
    }
    schema.fields.push(field);
    Ok(())
}

fn replace_field(object: &Object<'_>, schema: &mut SchemaSource) -> Result<(), Complaint> {
    let name = object.text("name");
    let absent = || format!("The field '{name}' is not present in this schema, and so cannot be replaced.\n");
    let at = position(&schema.fields, &name).ok_or_else(absent)?;
    let field = field_of(object, schema)?;
    schema.fields.splice(at..=at, [field]);
    Ok(())
}

fn delete_field(object: &Object<'_>, schema: &mut SchemaSource) -> Result<(), Complaint> {
    let name = object.text("name");
    let absent = || format!("The field '{name}' is not present in this schema, and so cannot be deleted.\n");
    let at = position(&schema.fields, &name).ok_or_else(absent)?;
    if is_copied(schema, &name) {
        return Err(format!(
            "Can't delete field '{name}' because it's referred to by at least one copy field directive.\n"
        ));
    }
    schema.fields.remove(at);
    Ok(())
}

fn is_copied(schema: &SchemaSource, name: &str) -> bool {
    schema.copy_fields.iter().any(|copy| copy.source == name || copy.dest == name)
}

fn add_dynamic_field(object: &Object<'_>, schema: &mut SchemaSource) -> Result<(), Complaint> {
    let field = field_of(object, schema)?;
    let name = &field.name;
    if !is_pattern(name) {
        return Err(format!(
            "Dynamic field name '{name}' should have either a leading or a trailing asterisk, and no others.\n"
        ));
    }
    if position(&schema.dynamic_fields, name).is_some() {
        return Err(format!("[schema.xml] Duplicate DynamicField definition for '{name}'\n"));
    }
    schema.dynamic_fields.push(field);
    Ok(())
}

fn replace_dynamic_field(object: &Object<'_>, schema: &mut SchemaSource) -> Result<(), Complaint> {
    let name = object.text("name");
    let absent =
        || format!("The dynamic field '{name}' is not present in this schema, and so cannot be replaced.\n");
    let at = position(&schema.dynamic_fields, &name).ok_or_else(absent)?;
    let field = field_of(object, schema)?;
    schema.dynamic_fields.splice(at..=at, [field]);
    Ok(())
}

fn delete_dynamic_field(object: &Object<'_>, schema: &mut SchemaSource) -> Result<(), Complaint> {
    let name = object.text("name");
    let absent =
        || format!("The dynamic field '{name}' is not present in this schema, and so cannot be deleted.\n");
    let at = position(&schema.dynamic_fields, &name).ok_or_else(absent)?;
    if is_copied(schema, &name) {
        return Err(format!(
            "Can't delete dynamic field '{name}' because it's referred to by at least one copy field directive.\n"
        ));
    }
    schema.dynamic_fields.remove(at);
    Ok(())
}

fn destinations(object: &Object<'_>) -> Vec<String> {
    match object.get("dest") {
        Some(RawValue::List(names)) => names.iter().map(RawValue::to_text).collect(),
        Some(name) => vec![name.to_text()],
        None => Vec::new(),
    }
}

fn add_copy_field(object: &Object<'_>, schema: &mut SchemaSource) -> Result<(), Complaint> {
    if object.entries.iter().any(|(key, _)| !["source", "dest", "maxChars"].contains(&&**key)) {
        return Err(
            "Only the 'source', 'dest' and 'maxChars' params are allowed with the 'add-copy-field' operation"
                .to_owned(),
        );
    }
    let source = object.text("source");
    let text = object.text("maxChars");
    let max_chars = match text.as_str() {
        "" => 0,
        _ => text
            .parse()
            .map_err(|_| format!("Exception parsing maxChars '{text}': For input string: \"{text}\"\n"))?,
    };
    if !is_known(schema, &source) {
        return Err(format!(
            "copyField source :'{source}' is not a glob and doesn't match any explicit field or dynamicField.\n"
        ));
    }
    for dest in destinations(object) {
        if !is_known(schema, &dest) {
            return Err(format!(
                "copyField dest :'{dest}' is not an explicit field and doesn't match a dynamicField.\n"
            ));
        }
        schema.copy_fields.push(CopyField { source: source.clone(), dest, max_chars });
    }
    Ok(())
}

/// Whether a name is a pattern, a field, or falls under a dynamic field.
fn is_known(schema: &SchemaSource, name: &str) -> bool {
    let covered = |pattern: &str| match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => false,
    };
    name.contains('*')
        || position(&schema.fields, name).is_some()
        || schema.dynamic_fields.iter().any(|field| covered(&field.name))
}

fn delete_copy_field(object: &Object<'_>, schema: &mut SchemaSource) -> Result<(), Complaint> {
    let source = object.text("source");
    for dest in destinations(object) {
        let before = schema.copy_fields.len();
        schema.copy_fields.retain(|copy| copy.source != source || copy.dest != dest);
        if schema.copy_fields.len() == before {
            return Err(format!("Copy field directive not found: '{source}' -> '{dest}'\n"));
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
