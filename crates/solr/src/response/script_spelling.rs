//! How Python, Ruby, PHP and GeoJSON spell what all of them have: brackets, flags, numbers that are none,
//! texts. A spelling is a value with texts and functions, so that one writer (`scripts.rs`) serves them all
//! and a difference stands in one place.

use std::io::Write as _;

use super::json::write_string;

/// What a response is a literal of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    Python,
    Ruby,
    Php,
    GeoJson,
}

/// How a notation spells what all have.
pub(super) struct Spelling {
    pub map: [&'static str; 2],
    pub list: [&'static str; 2],
    pub pair: &'static str,
    pub null: &'static str,
    /// False and true.
    pub flags: [&'static str; 2],
    /// No number, what is above all numbers, and what is below them.
    pub special: [&'static str; 3],
    pub text: fn(&mut Vec<u8>, &str),
}

impl Script {
    /// The one that `wt` names.
    pub fn named(wt: &str) -> Option<Self> {
        Some(match wt {
            "python" => Script::Python,
            "ruby" => Script::Ruby,
            "php" => Script::Php,
            "geojson" => Script::GeoJson,
            _ => return None,
        })
    }

    /// As Solr 9.10 spells it.
    pub fn content_type(self) -> &'static str {
        match self {
            Script::Python => "text/plain; charset=US-ASCII",
            Script::Ruby => "text/plain;charset=utf-8",
            Script::Php => "text/x-php;charset=UTF-8",
            Script::GeoJson => "application/json;charset=utf-8",
        }
    }

    pub(super) fn spelling(self) -> Spelling {
        let python = Spelling {
            map: ["{", "}"],
            list: ["[", "]"],
            pair: ":",
            null: "None",
            flags: ["False", "True"],
            special: ["float('NaN')", "float('Inf')", "-float('Inf')"],
            text: python_text,
        };
        let flags = ["false", "true"];
        match self {
            Script::Python => python,
            Script::Ruby => Spelling {
                pair: "=>",
                null: "nil",
                flags,
                special: ["(0.0/0.0)", "(1.0/0.0)", "-(1.0/0.0)"],
                text: quoted_text,
                ..python
            },
            Script::Php => Spelling {
                map: ["array(", ")"],
                list: ["array(", ")"],
                pair: "=>",
                null: "null",
                flags,
                special: ["'NaN'", "'Infinity'", "'-Infinity'"],
                text: quoted_text,
            },
            Script::GeoJson => Spelling {
                null: "null",
                flags,
                special: ["\"NaN\"", "\"Infinity\"", "\"-Infinity\""],
                text: write_string,
                ..python
            },
        }
    }
}

/// As Ruby and PHP have it: all is itself but the quote and the backslash.
fn quoted_text(out: &mut Vec<u8>, text: &str) {
    let escaped = text.replace('\\', "\\\\").replace('\'', "\\'");
    out.extend_from_slice(format!("'{escaped}'").as_bytes());
}

/// In ASCII; a text with more than that is marked as Unicode.
fn python_text(out: &mut Vec<u8>, text: &str) {
    let is_plain = |it: char| matches!(it, '\n' | '\r' | '\t' | ' '..='\u{7f}');
    if !text.chars().all(is_plain) {
        out.push(b'u');
    }
    out.push(b'\'');
    for character in text.chars() {
        match character {
            '\'' | '\\' => out.extend_from_slice(&[b'\\', character as u8]),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            ' '..='\u{7f}' => out.push(character as u8),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    // Writing to a vector cannot fail.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push(b'\'');
}
