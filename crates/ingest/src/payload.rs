//! What a file is to the update API: its content type and path, or a text to be wrapped as a document.

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

    pub fn payload(self) -> Payload {
        match self {
            Format::Json | Format::Text => Payload { path: "update", content_type: "application/json" },
            Format::JsonLines => Payload { path: "update/json/docs", content_type: "application/json" },
            Format::Xml => Payload { path: "update", content_type: "application/xml" },
            Format::Csv => Payload { path: "update", content_type: "text/csv" },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
