//! Which writer answers: the `wt` parameter, the choices that go with it, and the content type of each. A format that Solr
//! has and this server does not yet write is refused by name; one that nobody knows falls back to JSON, as in Solr.

use plan::{Error, Result};

use super::csv::{CsvStyle, write_csv};
use super::javabin::write_javabin;
use super::json::{JsonStyle, NamedListStyle, write_json};
use super::node::Entries;
use super::xml::write_xml;
use crate::params::Params;

/// Solr's other writers.
const NOT_WRITTEN: &[&str] = &[
    "cbor",
    "smile",
    "python",
    "ruby",
    "php",
    "phps",
    "raw",
    "geojson",
    "graphml",
    "xslt",
    "schema.xml",
    "xlsx",
];

/// A writer with its choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    Json(JsonStyle),
    Xml { indent: bool },
    Javabin,
    Csv(Box<CsvStyle>),
}

impl Default for Format {
    fn default() -> Self {
        Format::Json(JsonStyle { indent: true, ..JsonStyle::default() })
    }
}

impl Format {
    /// Reads `wt`, `indent`, `json.nl` and `json.wrf`. `assumed` stands in for a `wt` that is not sent: an XML update is
    /// answered in XML.
    pub fn parse(params: &Params, assumed: Option<&str>) -> Result<Self> {
        let indent = !matches!(params.get("indent"), Some("off" | "false"));
        match params.get("wt").or(assumed) {
            Some("xml") => Ok(Format::Xml { indent }),
            Some("javabin") => Ok(Format::Javabin),
            Some("csv") => Ok(Format::Csv(Box::new(CsvStyle::parse(params)?))),
            Some(other) if NOT_WRITTEN.contains(&other) => Err(Error::bad_request(format!(
                "response format `wt={other}` is not supported; use json or xml"
            ))),
            _ => Ok(Format::Json(JsonStyle {
                indent,
                named_lists: NamedListStyle::parse(params.get("json.nl"))?,
                wrapper: params.get("json.wrf").map(str::to_owned),
            })),
        }
    }

    /// The header of the same name, as Solr 9.10 spells it.
    pub fn content_type(&self) -> &'static str {
        match self {
            Format::Json(_) => "application/json;charset=utf-8",
            Format::Xml { .. } => "application/xml; charset=UTF-8",
            Format::Javabin => "application/octet-stream",
            Format::Csv(_) => "text/plain;charset=utf-8",
        }
    }

    /// Appends the response to `out`.
    pub fn write(&self, entries: &Entries, out: &mut Vec<u8>) {
        match self {
            Format::Json(style) => write_json(entries, style, out),
            Format::Xml { indent } => write_xml(entries, *indent, out),
            Format::Javabin => write_javabin(entries, out),
            Format::Csv(style) => write_csv(entries, style, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wt_picks_the_writer() {
        let check = |pairs: &[(&str, &str)], assumed, expected: Option<&str>| {
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let format = Format::parse(&Params::new(pairs), assumed).ok();
            assert_eq!(format.as_ref().map(Format::content_type), expected);
        };
        let (json, xml) = (Some("application/json;charset=utf-8"), Some("application/xml; charset=UTF-8"));
        check(&[], None, json);
        check(&[], Some("xml"), xml);
        check(&[("wt", "json")], Some("xml"), json);
        check(&[("wt", "nope")], None, json);
        check(&[("wt", "javabin")], None, Some("application/octet-stream"));
        check(&[("json.nl", "tree")], None, None);
    }
}
