//! Which writer answers: the `wt` parameter, the choices that go with it, and the content type of each. A
//! format that Solr has and this server does not yet write is refused by name; one that nobody knows falls
//! back to JSON, as in Solr.

use plan::{Error, Result};

use super::cbor::write_cbor;
use super::csv::{CsvStyle, write_csv};
use super::javabin::write_javabin;
use super::json::{JsonStyle, write_json};
use super::named_lists::NamedListStyle;
use super::node::Entries;
use super::php_serialized::write_php_serialized;
use super::script_spelling::Script;
use super::scripts::{ScriptStyle, write_script};
use super::xml::write_xml;
use crate::params::Params;
use crate::params::response::{GEOJSON_FIELD, INDENT, JSON_NAMED_LISTS, JSON_WRAPPER};

/// Solr's other writers.
const NOT_WRITTEN: &[&str] = &["smile", "graphml", "xslt", "schema.xml", "xlsx"];

/// A writer with its choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    Json(JsonStyle),
    Xml { indent: bool },
    Javabin,
    Csv(Box<CsvStyle>),
    Cbor(NamedListStyle),
    PhpSerialized,
    Script(Box<ScriptStyle>),
}

impl Default for Format {
    fn default() -> Self {
        Format::Json(JsonStyle { indent: true, ..JsonStyle::default() })
    }
}

/// Writers of Solr's that need no choices of their own. `raw` is another where there is no file to hand out:
/// the one that a collection has for what names none.
const KNOWN: &[&str] = &["json", "standard", "xml", "javabin", "csv", "cbor", "phps"];

impl Format {
    /// Whether it is a name of Solr's; any other is answered in JSON.
    pub fn knows(wt: &str) -> bool {
        KNOWN.contains(&wt) || NOT_WRITTEN.contains(&wt) || Script::named(wt).is_some()
    }

    /// The writer of a name, with what goes with it: `indent`, `json.nl`, `json.wrf`, `csv.*`,
    /// `geojson.field`.
    pub fn parse(params: &Params, wt: Option<&str>) -> Result<Self> {
        let indent = INDENT.read(params)?;
        let named_lists = || NamedListStyle::parse(JSON_NAMED_LISTS.text(params));
        let wrapper = JSON_WRAPPER.sent(params).map(str::to_owned);
        let wt = wt.unwrap_or_default();
        Ok(match wt {
            "xml" => Format::Xml { indent },
            "javabin" => Format::Javabin,
            "csv" => Format::Csv(Box::new(CsvStyle::parse(params)?)),
            "cbor" => Format::Cbor(named_lists()?),
            "phps" => Format::PhpSerialized,
            _ if NOT_WRITTEN.contains(&wt) => {
                return Err(Error::bad_request(format!(
                    "response format `wt={wt}` is not supported; use json, xml, javabin, csv or cbor"
                )));
            }
            _ => match Script::named(wt) {
                Some(script) => Format::Script(Box::new(ScriptStyle {
                    script,
                    indent,
                    named_lists: named_lists()?,
                    wrapper,
                    geometry: geometry(script, params)?,
                })),
                // As Solr has it, `raw` is JSON where there is no file to hand out, and so is what nobody
                // knows.
                None => Format::Json(JsonStyle { indent, named_lists: named_lists()?, wrapper }),
            },
        })
    }

    /// The header of the same name, as Solr 9.10 spells it.
    pub fn content_type(&self) -> &'static str {
        match self {
            Format::Json(_) => "application/json;charset=utf-8",
            Format::Xml { .. } => "application/xml; charset=UTF-8",
            Format::Javabin | Format::Cbor(_) => "application/octet-stream",
            Format::Csv(_) => "text/plain;charset=utf-8",
            Format::PhpSerialized => "text/x-php-serialized;charset=UTF-8",
            Format::Script(style) => style.script.content_type(),
        }
    }

    /// Appends the response to `out`.
    pub fn write(&self, entries: &Entries, out: &mut Vec<u8>) {
        match self {
            Format::Json(style) => write_json(entries, style, out),
            Format::Xml { indent } => write_xml(entries, *indent, out),
            Format::Javabin => write_javabin(entries, out),
            Format::Csv(style) => write_csv(entries, style, out),
            Format::Cbor(named_lists) => write_cbor(entries, *named_lists, out),
            Format::PhpSerialized => write_php_serialized(entries, out),
            Format::Script(style) => write_script(entries, style, out),
        }
    }
}

/// The field whose shapes the documents are, which GeoJSON has to have. Solr differs: it answers with a page
/// of its servlet container (`compat/select/geojson.yaml`).
fn geometry(script: Script, params: &Params) -> Result<Option<String>> {
    let field = GEOJSON_FIELD.sent(params).map(str::to_owned);
    match (script, field) {
        (Script::GeoJson, None) => Err(Error::bad_request("GeoJSON.  Missing parameter: 'geojson.field'")),
        (_, field) => Ok(field),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wt_picks_the_writer() {
        let check = |wt: Option<&str>, pairs: &[(&str, &str)], expected: Option<&str>| {
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let format = Format::parse(&Params::new(pairs), wt).ok();
            assert_eq!(format.as_ref().map(Format::content_type), expected);
        };
        let (json, xml) = (Some("application/json;charset=utf-8"), Some("application/xml; charset=UTF-8"));
        check(None, &[], json);
        check(Some("xml"), &[], xml);
        check(Some("json"), &[], json);
        check(Some("nope"), &[], json);
        check(Some("javabin"), &[], Some("application/octet-stream"));
        check(Some("raw"), &[], json);
        check(Some("python"), &[], Some("text/plain; charset=US-ASCII"));
        check(Some("geojson"), &[("geojson.field", "place")], json);
        check(Some("geojson"), &[], None);
        check(Some("smile"), &[], None);
        check(None, &[("json.nl", "tree")], None);
    }
}
