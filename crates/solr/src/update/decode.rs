//! Which decoder reads a body: by its content type, or by the path where that says it (`/update/json`,
//! `/update/csv`). A body may come in pieces: each is decoded as far as it goes, and the rest of it again
//! with what follows.

use plan::{Error, ErrorKind, Result};

use crate::params::Params;
use crate::params::update::JSON_COMMAND;
use crate::update::chunk::{Charset, ContentChunk};
use crate::update::command::{Decoded, UpdateCommand};
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

/// Reads a body. `content_type` is the header's value; `path` is the part below the collection, such as
/// `/update/json`.
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
    JsonCommands(Charset, json::Resume),
    JsonDocuments(Charset, json_docs::Resume),
    Xml(Charset, xml::Resume),
    Csv(Charset, csv::Resume),
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

/// Reads a body that is at hand.
pub fn decode(
    content_type: Option<&str>,
    path: &str,
    params: &Params,
    options: &UpdateOptions,
    body: &[u8],
) -> Decoded {
    Decoder { content_type, path, params, options }.decode(body, true, &Resume::default()).decoded
}

impl Decoder<'_> {
    /// Reads the commands of a piece; `is_last` says that nothing follows. A body that may be missing: the
    /// parameters ask for a commit. Commands read before an error are kept beside it.
    pub fn decode(&self, content: &[u8], is_last: bool, resume: &Resume) -> DecodedPiece {
        let mut found = DecodedPiece { resume: resume.clone(), ..DecodedPiece::default() };
        if !found.resume.has_begun() {
            // `/update?commit=true` comes with an empty body, and often without a content type, which then
            // must not be an error.
            let says_nothing = content.is_empty() && (self.options.finish.is_some() || !is_last);
            if says_nothing || !is_last && breaks_off_in_declaration(content) {
                return found;
            }
            match self.started(content) {
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

    fn started(&self, content: &[u8]) -> Result<State> {
        let format = self.format(content.is_empty())?;
        let charset = || {
            let declared = match (charset(self.content_type), format) {
                (Some(charset), _) => Some(charset),
                // The header goes before the declaration, as RFC 7303 has it.
                (None, Format::Xml) => xml_encoding(content),
                (None, _) => None,
            };
            Charset::named(declared.as_deref())
        };
        Ok(match format {
            Format::JsonCommands => State::JsonCommands(charset()?, json::Resume::default()),
            Format::JsonDocuments => State::JsonDocuments(charset()?, json_docs::Resume::default()),
            Format::Xml => State::Xml(charset()?, xml::Resume::default()),
            Format::Csv => State::Csv(charset()?, csv::Resume::default()),
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
            State::JsonCommands(charset, resume) => {
                charset.read(piece, |text| json::decode(text, resume, options, commands))
            }
            State::JsonDocuments(charset, resume) => charset.read(piece, |text| {
                json_docs::decode(text, resume, &Mapping::parse(params)?, options, commands)
            }),
            State::Xml(charset, resume) => {
                charset.read(piece, |text| xml::decode(text, resume, options, commands))
            }
            State::Csv(charset, resume) => {
                charset.read(piece, |text| csv::decode(text, resume, params, options, commands))
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

fn charset(content_type: Option<&str>) -> Option<String> {
    let parameters = content_type?.split(';').skip(1);
    let mut pairs = parameters.filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Some(value.trim().trim_matches('"').to_ascii_lowercase())
}

/// How far into a body the declaration of XML is looked for.
const DECLARATION_BYTES_MAX: usize = 200;

fn breaks_off_in_declaration(body: &[u8]) -> bool {
    const START: &[u8] = b"<?xml";
    let head = body.get(..body.len().min(START.len())).unwrap_or_default();
    let ended = body.windows(2).take(DECLARATION_BYTES_MAX).any(|end| end == b"?>");
    START.starts_with(head) && body.len() < DECLARATION_BYTES_MAX && !ended
}

/// The encoding named in the first line, which is ASCII in all encodings that are read here.
fn xml_encoding(body: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(body.get(..body.len().min(DECLARATION_BYTES_MAX))?).into_owned();
    let declaration = head.strip_prefix("<?xml")?.split("?>").next()?.to_owned();
    let (_, after) = declaration.split_once("encoding")?;
    let quoted = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = quoted.chars().next()?;
    Some(quoted.get(1..)?.split(quote).next()?.to_ascii_lowercase())
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
