//! Processors that change the values of fields that they choose, and the one that renames fields. In: an
//! element of a chain; out: its settings as a `plan::Processor`, with which fields it takes where it does not
//! say. What they do is `crates/solr/src/update/processors/change.rs`.

use plan::{Change, FieldDefault, Processor, Result};

use super::fields::{self, pattern};
use crate::config::refusal::wrong;
use crate::config::settings::{Settings, check_known, required};
use crate::xml_tree::Element;

/// A processor that has settings of its own besides the choice of fields.
fn made(element: &Element, otherwise: FieldDefault, own: &[&str], change: Change) -> Result<Processor> {
    let known: Vec<&str> = fields::SETTINGS.iter().chain(own).copied().collect();
    check_known(&Settings::of(element), &known)?;
    Ok(Processor::Change { fields: fields::read(element, otherwise)?, change })
}

pub(super) fn trim(element: &Element) -> Result<Processor> {
    made(element, FieldDefault::All, &[], Change::Trim)
}

pub(super) fn remove_blank(element: &Element) -> Result<Processor> {
    made(element, FieldDefault::All, &[], Change::RemoveBlank)
}

pub(super) fn strip_html(element: &Element) -> Result<Processor> {
    made(element, FieldDefault::None, &[], Change::StripHtml)
}

pub(super) fn length(element: &Element) -> Result<Processor> {
    made(element, FieldDefault::None, &[], Change::Length)
}

pub(super) fn count(element: &Element) -> Result<Processor> {
    made(element, FieldDefault::None, &[], Change::Count)
}

pub(super) fn first(element: &Element) -> Result<Processor> {
    made(element, FieldDefault::None, &[], Change::First)
}

pub(super) fn last(element: &Element) -> Result<Processor> {
    made(element, FieldDefault::None, &[], Change::Last)
}

pub(super) fn least(element: &Element) -> Result<Processor> {
    made(element, FieldDefault::None, &[], Change::Least)
}

pub(super) fn greatest(element: &Element) -> Result<Processor> {
    made(element, FieldDefault::None, &[], Change::Greatest)
}

pub(super) fn unique(element: &Element) -> Result<Processor> {
    made(element, FieldDefault::None, &[], Change::Unique)
}

pub(super) fn ignore(element: &Element) -> Result<Processor> {
    made(element, FieldDefault::Unknown, &[], Change::Ignore)
}

pub(super) fn concat(element: &Element) -> Result<Processor> {
    let delimiter = Settings::of(element).raw("delimiter").unwrap_or(", ").to_owned();
    made(element, FieldDefault::SingleText, &["delimiter"], Change::Join { delimiter })
}

pub(super) fn truncate(element: &Element) -> Result<Processor> {
    let settings = Settings::of(element);
    required(&settings, "maxLength")?;
    let chars_max = settings.number("maxLength")?.unwrap_or_default();
    made(element, FieldDefault::None, &["maxLength"], Change::Truncate { chars_max })
}

pub(super) fn replace(element: &Element) -> Result<Processor> {
    let settings = Settings::of(element);
    let source = pattern(required(&settings, "pattern")?)?;
    let replacement = settings.raw("replacement");
    let replacement = replacement.ok_or_else(|| wrong("Init param is missing: `replacement`"))?.to_owned();
    let literal = settings.switch("literalReplacement", true);
    crate::update::compile_replacement(&source, &replacement, literal).map_err(|it| wrong(&it.message))?;
    let change = Change::Replace { pattern: source, replacement, literal };
    made(element, FieldDefault::None, &["pattern", "replacement", "literalReplacement"], change)
}

pub(super) fn rename(element: &Element) -> Result<Processor> {
    let settings = Settings::of(element);
    let source = pattern(required(&settings, "pattern")?)?;
    let replacement = settings.raw("replacement").unwrap_or_default().to_owned();
    crate::update::compile_replacement(&source, &replacement, false).map_err(|it| wrong(&it.message))?;
    let known: Vec<&str> = fields::SETTINGS.iter().chain(&["pattern", "replacement"]).copied().collect();
    check_known(&settings, &known)?;
    let fields = fields::read(element, FieldDefault::All)?;
    Ok(Processor::Rename { fields, pattern: source, replacement })
}
