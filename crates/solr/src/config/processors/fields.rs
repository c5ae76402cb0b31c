//! Which fields a processor concerns: `fieldName`, `fieldRegex`, `typeName`, `typeClass`,
//! `fieldNameMatchesSchemaField`, and `exclude` with the same inside. In: the element of a processor; out:
//! `plan`'s settings, which `update/processors/choice.rs` compiles. What a processor concerns without any of
//! them differs by its class, so whoever calls says it.

use plan::{Error, FieldChoice, FieldConditions, FieldDefault, Result};

use crate::config::refusal::wrong;
use crate::config::settings::Settings;
use crate::xml_tree::Element;

/// The settings read here.
pub(super) const SETTINGS: [&str; 6] =
    ["fieldName", "fieldRegex", "typeName", "typeClass", "fieldNameMatchesSchemaField", "exclude"];

/// The fields that an element chooses, or `otherwise`.
pub(super) fn read(element: &Element, otherwise: FieldDefault) -> Result<FieldChoice> {
    let excludes = element.children.iter().filter(|it| it.attribute("name") == Some("exclude"));
    let excluded = excludes.map(conditions).collect::<Result<Vec<_>>>()?;
    let wanted = Some(conditions(element)?).filter(|it| *it != FieldConditions::default());
    let excluded = excluded.into_iter().filter(|it| *it != FieldConditions::default()).collect();
    Ok(FieldChoice { wanted, excluded, otherwise })
}

fn conditions(element: &Element) -> Result<FieldConditions> {
    let texts = |name: &str| texts(element, name);
    let patterns = texts("fieldRegex").iter().map(|source| pattern(source)).collect::<Result<_>>()?;
    let classes = texts("typeClass");
    let known = match Settings::of(element).get("fieldNameMatchesSchemaField") {
        None => None,
        Some("true") => Some(true),
        Some("false") => Some(false),
        Some(other) => {
            return Err(wrong(&format!("`fieldNameMatchesSchemaField` is `{other}`; write true or false")));
        }
    };
    Ok(FieldConditions {
        names: texts("fieldName"),
        patterns,
        type_names: texts("typeName"),
        type_classes: classes
            .iter()
            .map(|class| class.rsplit('.').next().unwrap_or(class).to_owned())
            .collect(),
        known,
    })
}

/// Values of a setting: one each, or a list.
pub(super) fn texts(element: &Element, name: &str) -> Vec<String> {
    let named = element.children.iter().filter(|it| it.attribute("name") == Some(name));
    let each = |it: &Element| match it.name.as_str() {
        "arr" => it.children.iter().map(|value| value.trimmed().to_owned()).collect(),
        _ => vec![it.trimmed().to_owned()],
    };
    named.flat_map(each).collect()
}

/// A pattern of Java's that compiles.
pub(super) fn pattern(source: &str) -> Result<String> {
    crate::update::compile_pattern(source).map_err(|error: Error| wrong(&error.message))?;
    Ok(source.to_owned())
}
