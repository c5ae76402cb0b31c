//! Which decoder reads a body: by its content type, or by the path where that says it (`/update/json`,
//! `/update/csv`). A body may come in pieces: each is decoded as far as it goes, and the rest of it again
//! with what follows.

use plan::{Error, ErrorKind, Result};

use crate::charset::{Charset, of_content_type, unknown};
use crate::params::Params;
use crate::params::update::JSON_COMMAND;
use crate::update::chunk::{ContentChunk, Malformed};
use crate::update::command::{Decoded, UpdateCommand};
use crate::update::encoding::BodyEncoding;
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

/// Reads a body of UTF-8, as [`Decoder::encoding`] makes it. `content_type` is the header's value; `path` is
/// the part below the collection, such as `/update/json`.
#[derive(Clone, Copy)]
pub struct Decoder<'a> {
    pub content_type: Option<&'a str>,
    pub path: &'a str,
    pub params: &'a Params,
    pub options: &'a UpdateOptions,
}

/// Where a body stands between two of its pieces.
#[derive(Clone, Debug, Default)]
pub struct Resume(State);

#[derive(Clone, Debug, Default)]
enum State {
    #[default]
    Start,
    JsonCommands(json::Resume),
    JsonDocuments(json_docs::Resume),
    Xml(Malformed, xml::Resume),
    Csv(csv::Resume),
    Javabin(javabin::Resume),
    Cbor(cbor::Resume),
}

impl Resume {
    /// Whether anything was read before.
    pub fn has_begun(&self) -> bool {
        !matches!(self.0, State::Start)
    }
}

/// What came of a piece.
#[derive(Debug, Default)]
pub struct DecodedPiece {
    pub decoded: Decoded,
    /// How many of its bytes are done with; the rest is to be given again, with what follows.
    pub bytes: usize,
    /// Where the next piece begins.
    pub resume: Resume,
}

/// Reads a body that is at hand, in whatever encoding.
pub fn decode(
    content_type: Option<&str>,
    path: &str,
    params: &Params,
    options: &UpdateOptions,
    body: &[u8],
) -> Decoded {
    let decoder = Decoder { content_type, path, params, options };
    let mut text = Vec::new();
    match decoder.encoding().and_then(|mut encoding| encoding.step(body, true, &mut text)) {
        Ok(()) => decoder.decode(&text, true, &Resume::default()).decoded,
        Err(failure) => Decoded { failure: Some(failure), ..Decoded::default() },
    }
}

impl Decoder<'_> {
    /// Reads the commands of a piece, in UTF-8 where it is text; `is_last` says that nothing follows. A body
    /// that may be missing: the parameters ask for a commit. Commands read before an error are kept beside
    /// it.
    pub fn decode(&self, content: &[u8], is_last: bool, resume: &Resume) -> DecodedPiece {
        let mut found = DecodedPiece { resume: resume.clone(), ..DecodedPiece::default() };
        if !found.resume.has_begun() {
            // `/update?commit=true` comes with an empty body, and often without a content type, which then
            // must not be an error.
            let says_nothing = content.is_empty() && (self.options.finish.is_some() || !is_last);
            if says_nothing {
                return found;
            }
            match self.started(content.is_empty()) {
                Ok(state) => found.resume = Resume(state),
                Err(error) => {
                    found.decoded.failure = Some(error);
                    return found;
                }
            }
        }
        found.decoded.echo = matches!(found.resume.0, State::JsonDocuments(..)) && self.options.echo;
        let piece = ContentChunk { content, is_last };
        match self.read(piece, &mut found.resume.0, &mut found.decoded.commands) {
            Ok(bytes) => found.bytes = bytes,
            Err(error) => found.decoded.failure = Some(error),
        }
        found
    }

    /// How the bytes of the body become the UTF-8 that is read here. Errors: `UnsupportedMedia` for a
    /// charset that is not known.
    pub fn encoding(&self) -> Result<BodyEncoding> {
        let declared = of_content_type(self.content_type);
        Ok(match (self.format(false), declared) {
            // Of what is refused, or is no text, nothing is to be made.
            (Err(_) | Ok(Format::Javabin | Format::Cbor), _) => BodyEncoding::of(Charset::UTF_8),
            (Ok(_), Some(name)) => BodyEncoding::of(Charset::named(name).ok_or_else(|| unknown(name))?),
            (Ok(Format::Xml), None) => BodyEncoding::of_xml(),
            (Ok(_), None) => BodyEncoding::of(Charset::UTF_8),
        })
    }

    fn started(&self, is_empty: bool) -> Result<State> {
        Ok(match self.format(is_empty)? {
            Format::JsonCommands => State::JsonCommands(json::Resume::default()),
            Format::JsonDocuments => State::JsonDocuments(json_docs::Resume::default()),
            // The header goes before the declaration, as RFC 7303 has it; and who says nothing in either
            // says UTF-8, which parsers of XML hold a body to.
            Format::Xml if of_content_type(self.content_type).is_some() => {
                State::Xml(Malformed::Replaced, xml::Resume::default())
            }
            Format::Xml => State::Xml(Malformed::Refused, xml::Resume::default()),
            Format::Csv => State::Csv(csv::Resume::default()),
            Format::Javabin => State::Javabin(javabin::Resume::default()),
            Format::Cbor => State::Cbor(cbor::Resume::default()),
        })
    }

    fn read(
        &self,
        piece: ContentChunk<'_, [u8]>,
        state: &mut State,
        commands: &mut Vec<UpdateCommand>,
    ) -> Result<usize> {
        let (options, params) = (self.options, self.params);
        match state {
            State::Start => Ok(0),
            State::JsonCommands(resume) => {
                Malformed::Replaced.read(piece, |text| json::decode(text, resume, options, commands))
            }
            State::JsonDocuments(resume) => Malformed::Replaced.read(piece, |text| {
                json_docs::decode(text, resume, &Mapping::parse(params)?, options, commands)
            }),
            State::Xml(malformed, resume) => {
                malformed.read(piece, |text| xml::decode(text, resume, options, commands))
            }
            State::Csv(resume) => {
                Malformed::Replaced.read(piece, |text| csv::decode(text, resume, params, options, commands))
            }
            State::Javabin(resume) => javabin::decode(piece, resume, options, commands),
            State::Cbor(resume) => cbor::decode(piece, resume, options, commands),
        }
    }

    fn format(&self, is_empty: bool) -> Result<Format> {
        let documents = !JSON_COMMAND.read(self.params)?;
        let json = if documents { Format::JsonDocuments } else { Format::JsonCommands };
        let below = self.path.split_once("/update").map_or("", |(_, below)| below).trim_end_matches('/');
        match below {
            // The path goes before the content type: clients send forms' types without meaning them.
            "/json/docs" => return Ok(Format::JsonDocuments),
            "/json" => return Ok(json),
            "/csv" => return Ok(Format::Csv),
            "/cbor" => return Ok(Format::Cbor),
            _ => {}
        }
        let kind = self.content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        match kind.to_ascii_lowercase().as_str() {
            "application/json" | "text/json" => Ok(json),
            "application/xml" | "text/xml" => Ok(Format::Xml),
            "application/csv" | "text/csv" => Ok(Format::Csv),
            "application/javabin" => Ok(Format::Javabin),
            "application/cbor" => Ok(Format::Cbor),
            "" if self.content_type.is_none() && !is_empty => {
                Err(Error::new(ErrorKind::UnsupportedMedia, "Missing ContentType"))
            }
            "" | "application/x-www-form-urlencoded" if is_empty || !kind.is_empty() => {
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
