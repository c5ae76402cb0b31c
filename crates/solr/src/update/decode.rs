//! Which decoder reads a body: by its content type, or by the path where that says it (`/update/json`, `/update/csv`).

use std::borrow::Cow;

use plan::{Error, ErrorKind, Result};

use crate::params::Params;
use crate::update::command::Decoded;
use crate::update::json_mapping::Mapping;
use crate::update::options::UpdateOptions;
use crate::update::{cbor, csv, javabin, json, json_docs, xml};

/// The formats of update bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    JsonCommands,
    JsonDocuments,
    Xml,
    Csv,
    Javabin,
    Cbor,
}

/// Reads a body. `content_type` is the header's value; `path` is the part below the collection, such as `/update/json`.
/// A body that may be missing: the parameters ask for a commit.
/// Commands read before an error are kept beside it. Bytes that are no UTF-8 become replacement characters, as in Java.
pub fn decode(
    content_type: Option<&str>,
    path: &str,
    params: &Params,
    options: &UpdateOptions,
    body: &[u8],
) -> Decoded {
    let mut decoded = Decoded::default();
    if body.is_empty() && options.finish.is_some() {
        return decoded;
    }
    let format = match format_of(content_type, path, params, body) {
        Ok(format) => format,
        Err(error) => return Decoded { failure: Some(error), ..decoded },
    };
    let commands = &mut decoded.commands;
    let text = || text_of(content_type, format, body);
    let read = match format {
        Format::JsonCommands => text().and_then(|text| json::decode(&text, options, commands)),
        Format::JsonDocuments => {
            decoded.echo = options.echo;
            text().and_then(|text| json_docs::decode(&text, &Mapping::parse(params)?, options, commands))
        }
        Format::Xml => text().and_then(|text| xml::decode(&text, options, commands)),
        Format::Csv => text().and_then(|text| csv::decode(&text, params, options, commands)),
        Format::Javabin => javabin::decode(body, options, commands),
        Format::Cbor => cbor::decode(body, options, commands),
    };
    decoded.failure = read.err();
    decoded
}

/// The body as text: UTF-8, or Latin-1 where the header or the XML declaration says so.
fn text_of<'a>(content_type: Option<&str>, format: Format, body: &'a [u8]) -> Result<Cow<'a, str>> {
    let declared = match (charset(content_type), format) {
        (Some(charset), _) => Some(charset),
        (None, Format::Xml) => xml_encoding(body),
        (None, _) => None,
    };
    match declared.as_deref() {
        None | Some("utf-8" | "utf8" | "us-ascii" | "ascii") => Ok(from_utf8(body)),
        Some("iso-8859-1" | "latin1" | "iso8859-1") => {
            Ok(Cow::Owned(body.iter().map(|byte| char::from(*byte)).collect()))
        }
        Some(other) => Err(Error::new(
            ErrorKind::UnsupportedMedia,
            format!("the encoding `{other}` is not supported; send UTF-8"),
        )),
    }
}

/// The lossy conversion walks every byte even where all is well, which the check alone does many at a time.
fn from_utf8(body: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(body).map_or_else(|_| String::from_utf8_lossy(body), Cow::Borrowed)
}

fn charset(content_type: Option<&str>) -> Option<String> {
    let parameters = content_type?.split(';').skip(1);
    let mut pairs = parameters.filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Some(value.trim().trim_matches('"').to_ascii_lowercase())
}

/// The encoding named in the first line, which is ASCII in all encodings that are read here.
fn xml_encoding(body: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(body.get(..body.len().min(200))?).into_owned();
    let declaration = head.strip_prefix("<?xml")?.split("?>").next()?.to_owned();
    let (_, after) = declaration.split_once("encoding")?;
    let quoted = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = quoted.chars().next()?;
    Some(quoted.get(1..)?.split(quote).next()?.to_ascii_lowercase())
}

fn format_of(content_type: Option<&str>, path: &str, params: &Params, body: &[u8]) -> Result<Format> {
    let documents = params.get("json.command") == Some("false");
    let json = if documents { Format::JsonDocuments } else { Format::JsonCommands };
    let below = path.split_once("/update").map_or("", |(_, below)| below).trim_end_matches('/');
    match below {
        "/json/docs" => return Ok(Format::JsonDocuments),
        "/json" => return Ok(json),
        "/csv" => return Ok(Format::Csv),
        "/cbor" => return Ok(Format::Cbor),
        _ => {}
    }
    let kind = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    match kind.to_ascii_lowercase().as_str() {
        "application/json" | "text/json" => Ok(json),
        "application/xml" | "text/xml" => Ok(Format::Xml),
        "application/csv" | "text/csv" => Ok(Format::Csv),
        "application/javabin" => Ok(Format::Javabin),
        "application/cbor" => Ok(Format::Cbor),
        "" | "application/x-www-form-urlencoded" if body.is_empty() || !kind.is_empty() => {
            Err(Error::bad_request("missing content stream"))
        }
        _ => Err(Error::new(
            ErrorKind::UnsupportedMedia,
            format!(
                "Unsupported ContentType: {kind}  Not in: [application/xml, application/csv, application/json, \
                 text/json, text/csv, text/xml, application/javabin, application/cbor]"
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(content_type: Option<&str>, path: &str, body: &[u8]) -> String {
        let decoded = decode(content_type, path, &Params::default(), &UpdateOptions::default(), body);
        match decoded.failure {
            Some(error) => format!("{:?} {}", error.kind, error.message),
            None => format!("{} commands", decoded.commands.len()),
        }
    }

    #[test]
    fn type_or_path_choose_the_decoder() {
        let check = |content_type: Option<&str>, path: &str, body: &str, expected: &str| {
            assert_eq!(show(content_type, path, body.as_bytes()), expected, "{content_type:?} {path}");
        };
        check(Some("application/json; charset=utf-8"), "/update", "[{}]", "1 commands");
        check(Some("text/xml"), "/update", "<commit/>", "1 commands");
        check(Some("TEXT/CSV"), "/update", "id\n1\n2", "2 commands");
        check(Some("text/plain"), "/update/json", "[{}]", "1 commands");
        check(None, "/update/json/docs", "{}{}", "2 commands");
        check(None, "/update/csv", "id\n1", "1 commands");
        check(None, "/update", "", "BadRequest missing content stream");
        check(
            Some("application/x-www-form-urlencoded"),
            "/update",
            "a=b",
            "BadRequest missing content stream",
        );
        assert!(
            show(Some("text/plain"), "/update", b"x").starts_with("UnsupportedMedia Unsupported ContentType")
        );
        assert!(show(Some("text/xml; charset=ebcdic"), "/update", b"x").contains("`ebcdic`"));
    }

    #[test]
    fn latin_1_is_read_where_it_is_declared() {
        let body = b"<?xml version='1.0' encoding='ISO-8859-1'?><delete><id>\xe9</id></delete>";
        let decoded =
            decode(Some("text/xml"), "/update", &Params::default(), &UpdateOptions::default(), body);
        let [crate::update::UpdateCommand::Delete { id, .. }] = decoded.commands.as_slice() else {
            panic!("{decoded:?}");
        };
        assert_eq!(id, "é");
    }
}
