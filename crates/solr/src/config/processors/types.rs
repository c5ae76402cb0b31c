//! Processors that read texts as other types, and the one that adds fields to the schema by the types of
//! their values. In: XML; out: settings of the plan. What is done with them is
//! `crates/solr/src/update/processors/{parse,grow}.rs`.

use plan::{
    AddFields, Change, FieldDefault, NumberStyle, Parsing, Processor, Result, TypeMapping, ValueClass,
};

use super::fields;
use crate::config::refusal::wrong;
use crate::config::settings::{Settings, check_known, required};
use crate::update::DatePatterns;
use crate::xml_tree::Element;

fn parser(element: &Element, own: &[&str], parsing: Parsing) -> Result<Processor> {
    let known: Vec<&str> = fields::SETTINGS.iter().chain(own).copied().collect();
    check_known(&Settings::of(element), &known)?;
    let fields = fields::read(element, FieldDefault::UnknownOrOfItsType)?;
    Ok(Processor::Change { fields, change: Change::Parse(parsing) })
}

pub(super) fn parse_bool(element: &Element) -> Result<Processor> {
    let words = |name: &str, standard: &str| {
        let own = fields::texts(element, name);
        if own.is_empty() { vec![standard.to_owned()] } else { own }
    };
    let case_sensitive = Settings::of(element).switch("caseSensitive", false);
    let parsing =
        Parsing::Bool { yes: words("trueValue", "true"), no: words("falseValue", "false"), case_sensitive };
    parser(element, &["trueValue", "falseValue", "caseSensitive"], parsing)
}

pub(super) fn parse_int(element: &Element) -> Result<Processor> {
    parser(element, &["locale"], Parsing::Int(number_style(element)?))
}

pub(super) fn parse_long(element: &Element) -> Result<Processor> {
    parser(element, &["locale"], Parsing::Long(number_style(element)?))
}

pub(super) fn parse_float(element: &Element) -> Result<Processor> {
    parser(element, &["locale"], Parsing::Float(number_style(element)?))
}

pub(super) fn parse_double(element: &Element) -> Result<Processor> {
    parser(element, &["locale"], Parsing::Double(number_style(element)?))
}

/// Languages by how they write numbers: what stands between groups, what before the fraction. Swiss and
/// Indian ways of grouping are not among them.
const NUMBER_STYLES: &[(&str, char, char)] = &[
    ("en ja ko zh th he", ',', '.'),
    ("de nl it es pt da id tr el", '.', ','),
    ("fr", '\u{202f}', ','),
    ("ru pl cs uk sv nb no fi hu bg sk", '\u{a0}', ','),
];

fn number_style(element: &Element) -> Result<NumberStyle> {
    let Some(locale) = Settings::of(element).get("locale") else { return Ok(NumberStyle::ROOT) };
    let language = locale.split(['_', '-']).next().unwrap_or_default();
    let found = NUMBER_STYLES.iter().find(|(languages, ..)| languages.split(' ').any(|it| it == language));
    let (_, group, point) = found.ok_or_else(|| {
        wrong(&format!(
            "`locale` is `{locale}`, whose numbers are not known; use one of en, de, fr, es, it, ru"
        ))
    })?;
    Ok(NumberStyle { group: *group, point: *point })
}

pub(super) fn parse_date(element: &Element) -> Result<Processor> {
    let settings = Settings::of(element);
    if let Some(locale) = settings.get("locale").filter(|locale| !locale.starts_with("en")) {
        return Err(wrong(&format!(
            "`locale` is `{locale}`; names of months and days are read in English: use en"
        )));
    }
    let patterns = fields::texts(element, "format");
    if patterns.is_empty() {
        return Err(wrong("Init param is missing: `format`"));
    }
    let zone = settings.text("defaultTimeZone");
    DatePatterns::new(&patterns, zone.as_deref()).map_err(|error| wrong(&error.message))?;
    parser(element, &["format", "locale", "defaultTimeZone"], Parsing::Date { patterns, zone })
}

pub(super) fn add_fields(element: &Element) -> Result<Processor> {
    let settings = Settings::of(element);
    let known: Vec<&str> =
        fields::SETTINGS.iter().chain(&["defaultFieldType", "typeMapping"]).copied().collect();
    check_known(&settings, &known)?;
    let mut default_type = settings.text("defaultFieldType");
    let mut mappings = Vec::new();
    for list in element.children.iter().filter(|it| it.attribute("name") == Some("typeMapping")) {
        let mapping = mapping(list)?;
        if Settings::of(list).switch("default", false) && default_type.is_none() {
            default_type = Some(mapping.field_type.clone());
        }
        mappings.push(mapping);
    }
    let default_type = default_type.ok_or_else(|| {
        wrong("Must specify either `defaultFieldType` or declare one typeMapping as default")
    })?;
    let fields = fields::read(element, FieldDefault::Unknown)?;
    Ok(Processor::AddFields(AddFields { fields, default_type, mappings }))
}

fn mapping(list: &Element) -> Result<TypeMapping> {
    let settings = Settings::of(list);
    check_known(&settings, &["valueClass", "fieldType", "default", "copyField"])?;
    let values =
        fields::texts(list, "valueClass").iter().map(|class| value_class(class)).collect::<Result<_>>()?;
    let copies = list.children.iter().filter(|it| it.attribute("name") == Some("copyField"));
    let copies = copies.map(|it| {
        let settings = Settings::of(it);
        let chars_max = settings.number("maxChars")?.unwrap_or_default();
        Ok((required(&settings, "dest")?.to_owned(), chars_max))
    });
    Ok(TypeMapping {
        field_type: required(&settings, "fieldType")?.to_owned(),
        values,
        copies: copies.collect::<Result<_>>()?,
    })
}

fn value_class(name: &str) -> Result<ValueClass> {
    Ok(match name {
        "java.lang.String" | "java.lang.CharSequence" => ValueClass::Text,
        "java.lang.Boolean" => ValueClass::Bool,
        "java.util.Date" => ValueClass::Date,
        "java.lang.Integer" | "java.lang.Long" => ValueClass::Whole,
        "java.lang.Float" => ValueClass::Float,
        "java.lang.Double" => ValueClass::Double,
        "java.lang.Number" => ValueClass::Number,
        "java.lang.Object" => ValueClass::Any,
        other => {
            return Err(wrong(&format!(
                "`valueClass` is `{other}`; use a class of java.lang such as java.lang.String, or java.util.Date"
            )));
        }
    })
}
