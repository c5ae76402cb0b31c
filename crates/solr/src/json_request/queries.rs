//! Query objects such as `{"bool":{"must":["a:b",{"term":{"f":"c","query":"d"}}]}}` as local parameters.
//! Parts that are text become parameters of their own, named `_tt0` and on, so that nothing in them needs
//! escaping.

use plan::{Error, Result};

use super::values::Entries;
use crate::params::Params;
use crate::update::RawValue;

/// Numbers the parameters made so far.
#[derive(Default)]
pub(super) struct Queries {
    made: usize,
}

impl Queries {
    /// A query as the text of a parameter. What it refers to is added to `params`.
    pub(super) fn text(&mut self, value: &RawValue, params: &mut Params) -> Result<String> {
        match value {
            RawValue::Str(text) => Ok(text.clone()),
            RawValue::Long(_) | RawValue::Double(_) => Ok(value.to_text()),
            RawValue::Map(entries) => match tagged(entries)? {
                Tagged::Text(text) => Ok(text),
                Tagged::Param(name) => Ok(format!("{{!v=${name}}}")),
                Tagged::Parser { tag, name, arguments } => self.parser(tag, name, arguments, params),
            },
            other => Err(no_object(other)),
        }
    }

    /// A query as the value of a local parameter.
    fn nested(&mut self, value: &RawValue, params: &mut Params) -> Result<String> {
        let text = match value {
            RawValue::Long(_) | RawValue::Double(_) => return Ok(value.to_text()),
            RawValue::Map(entries) => match tagged(entries)? {
                Tagged::Param(name) => return Ok(format!("${name}")),
                Tagged::Text(text) => text,
                Tagged::Parser { tag, name, arguments } => self.parser(tag, name, arguments, params)?,
            },
            other => self.text(other, params)?,
        };
        let name = format!("_tt{}", self.made);
        self.made += 1;
        params.set(&name, text);
        params.check_count()?;
        Ok(format!("${name}"))
    }

    fn parser(
        &mut self,
        tag: Option<&str>,
        name: &str,
        arguments: &RawValue,
        params: &mut Params,
    ) -> Result<String> {
        let RawValue::Map(arguments) = arguments else { return Err(no_object(arguments)) };
        let tag = tag.map(|tag| format!("tag={tag} ")).unwrap_or_default();
        let mut text = format!("{{!{name} {tag}");
        for (key, value) in arguments {
            let key = match (&**key, value) {
                ("param", value) if arguments.len() == 1 => {
                    text.push_str(&format!("v=${} ", value.to_text()));
                    continue;
                }
                ("query", RawValue::List(_)) => {
                    let message =
                        "Error when parsing json query, value of query field should not be a list, found : ";
                    return Err(Error::bad_request(format!("{message}{}", value.to_text())));
                }
                ("query", _) => "v",
                (key, _) => key,
            };
            let values = match value {
                RawValue::List(values) => values.as_slice(),
                one => std::slice::from_ref(one),
            };
            for value in values {
                let value = self.nested(value, params)?;
                text.push_str(&format!("{key}={value} "));
            }
        }
        text.push('}');
        Ok(text)
    }
}

/// The forms of a query object.
enum Tagged<'a> {
    Text(String),
    /// `{"param":"name"}`
    Param(String),
    Parser {
        tag: Option<&'a str>,
        name: &'a str,
        arguments: &'a RawValue,
    },
}

fn tagged(entries: &Entries) -> Result<Tagged<'_>> {
    let [(name, value)] = entries.as_slice() else {
        let names: Vec<&str> = entries.iter().map(|(name, _)| &**name).collect();
        let message = "Error when parsing json query, expect only one query parser here, but found : ";
        return Err(Error::bad_request(format!("{message}[{}]", names.join(", "))));
    };
    let tag = name.strip_prefix('#');
    Ok(match (tag, value) {
        (Some(tag), RawValue::Str(text)) => Tagged::Text(format!("{{!tag={tag}}}{text}")),
        (Some(_), RawValue::Map(inner)) => match inner.first() {
            Some((name, arguments)) => Tagged::Parser { tag, name, arguments },
            None => return Err(no_object(value)),
        },
        (None, value) if &**name == "param" => Tagged::Param(value.to_text()),
        _ => Tagged::Parser { tag: None, name, arguments: value },
    })
}

fn no_object(found: &RawValue) -> Error {
    let found = found.to_text();
    Error::bad_request(format!(
        "Error when parsing json query, expect a json object here, but found : {found}"
    ))
}
