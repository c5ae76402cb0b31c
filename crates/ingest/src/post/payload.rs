//! What a file is to the update API: its content type and path, or a text to be wrapped as a document.
//!
//! In: a file's name and the beginning of its bytes; out: where it is posted and as what. Formats are those
//! that Solr's own tool posts; the bytes are neither changed nor checked.

use std::path::Path;

/// How the bytes of a file are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Json,
    /// One JSON document a line.
    JsonLines,
    Xml,
    Csv,
    /// Sources and prose: one document a file.
    Text,
}

/// Where and as what a [`Format`] is posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload {
    /// Below the collection.
    pub path: &'static str,
    pub content_type: &'static str,
}

impl Format {
    /// By extension: `.json .jsonl .ndjson .xml .csv .tsv`; all else is text.
    pub fn of(path: &Path) -> Self {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("json") => Format::Json,
            Some("jsonl" | "ndjson") => Format::JsonLines,
            Some("xml") => Format::Xml,
            Some("csv" | "tsv") => Format::Csv,
            _ => Format::Text,
        }
    }

    /// Where `body` goes. JSON that begins with an object is a document, as Solr's own tool takes it, unless
    /// its first key is a command.
    pub fn payload(self, body: &[u8]) -> Payload {
        match self {
            Format::Json if is_document(body) => Format::JsonLines.payload(body),
            Format::Json | Format::Text => Payload { path: "update", content_type: "application/json" },
            Format::JsonLines => Payload { path: "update/json/docs", content_type: "application/json" },
            Format::Xml => Payload { path: "update", content_type: "application/xml" },
            Format::Csv => Payload { path: "update", content_type: "text/csv" },
        }
    }
}

/// The keys by which an object is a set of update commands.
const COMMANDS: [&str; 5] = ["add", "delete", "commit", "optimize", "rollback"];

fn is_document(body: &[u8]) -> bool {
    let Some(inside) = body.trim_ascii_start().strip_prefix(b"{") else { return false };
    let Some(key) = inside.trim_ascii_start().strip_prefix(b"\"") else { return false };
    let key = key.split(|byte| *byte == b'"').next().unwrap_or_default();
    !COMMANDS.iter().any(|command| command.as_bytes() == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_a_document_unless_it_is_a_command() {
        for (body, path) in [
            (r#"[{"id":1}]"#, "update"),
            (r#" { "id":1}"#, "update/json/docs"),
            (r#"{"delete":{"query":"*:*"}}"#, "update"),
            ("{}", "update"),
            ("", "update"),
        ] {
            assert_eq!(Format::Json.payload(body.as_bytes()).path, path, "{body}");
        }
    }

    #[test]
    fn extensions_choose_the_format() {
        for (name, format) in [
            ("a.json", Format::Json),
            ("a.JSONL", Format::JsonLines),
            ("a.xml", Format::Xml),
            ("a.tsv", Format::Csv),
            ("a.rs", Format::Text),
            ("README", Format::Text),
        ] {
            assert_eq!(Format::of(Path::new(name)), format, "{name}");
        }
    }
}
