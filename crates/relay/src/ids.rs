//! Whose documents an update is about: the ids that its body names, in JSON and in XML. By these it goes to
//! the leader of their shard. Where they cannot be found for certain it goes to any leader, who passes on
//! what is not his: that costs a detour and no more.
//!
//! In: a body and what its header says of it; out: ids, or that they cannot be found. Whether the body is
//! well-formed otherwise is the server's to say.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde::de::IgnoredAny;

use crate::json_parts::{elements, members};

/// Documents whose ids are known.
pub(crate) enum Documents<'a> {
    /// An array in JSON, of which parts can be made: each with its id.
    Separable(Vec<(String, &'a str)>),
    /// Commands whose order may matter: the ids of all.
    Together(Vec<String>),
}

impl Documents<'_> {
    pub fn ids(&self) -> Vec<&str> {
        match self {
            Documents::Separable(documents) => documents.iter().map(|(id, _)| id.as_str()).collect(),
            Documents::Together(ids) => ids.iter().map(String::as_str).collect(),
        }
    }
}

/// `None` where not every id can be found, or there is none.
pub(crate) fn documents<'a>(content_type: &str, body: &'a [u8], id_field: &str) -> Option<Documents<'a>> {
    let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let body = std::str::from_utf8(body).ok()?;
    match media_type.as_str() {
        "application/json" | "text/json" => {
            // From here on it is known to be well-formed.
            serde_json::from_str::<IgnoredAny>(body).ok()?;
            json(body, id_field)
        }
        "application/xml" | "text/xml" => xml(body, id_field).map(Documents::Together),
        _ => None,
    }
}

fn json<'a>(body: &'a str, id_field: &str) -> Option<Documents<'a>> {
    if body.trim_start().starts_with('[') {
        let documents = elements(body)?.into_iter();
        let documents: Option<Vec<_>> =
            documents.map(|document| Some((document_id(document, id_field)?, document))).collect();
        return documents.filter(|documents| !documents.is_empty()).map(Documents::Separable);
    }
    let mut ids = Vec::new();
    for (command, argument) in members(body)? {
        match command.as_str() {
            "add" => {
                let (_, document) = members(argument)?.into_iter().find(|(name, _)| name == "doc")?;
                ids.push(document_id(document, id_field)?);
            }
            "delete" => ids.extend(deleted_ids(argument)?),
            _ => {}
        }
    }
    (!ids.is_empty()).then_some(Documents::Together(ids))
}

/// Of a document, which has one value for it; a part of a block belongs where its root does.
fn document_id(document: &str, id_field: &str) -> Option<String> {
    let members = members(document)?;
    if members.iter().any(|(name, _)| name == "_root_") {
        return None;
    }
    let mut ids = members.iter().filter(|(name, _)| name == id_field);
    let (_, id) = ids.next()?;
    if ids.next().is_some() {
        return None;
    }
    scalar(id)
}

/// An id, several, or `{"id": …}`. A query may delete anywhere.
fn deleted_ids(argument: &str) -> Option<Vec<String>> {
    match argument.as_bytes().first()? {
        b'[' => elements(argument)?.into_iter().map(scalar).collect(),
        b'{' => {
            let members = members(argument)?;
            let is_plain = members.iter().all(|(name, _)| matches!(name.as_str(), "id" | "_version_"));
            let id = members.iter().find(|(name, _)| name == "id").filter(|_| is_plain);
            id.and_then(|(_, id)| Some(vec![scalar(id)?]))
        }
        _ => scalar(argument).map(|id| vec![id]),
    }
}

/// A text or a number, as Solr would write it.
fn scalar(text: &str) -> Option<String> {
    match text.as_bytes().first()? {
        b'"' => serde_json::from_str(text).ok(),
        b'-' | b'0'..=b'9' => text.parse::<i64>().ok().map(|number| number.to_string()),
        _ => None,
    }
}

/// Of `<add>` and `<delete>`, also several below one root.
fn xml(body: &str, id_field: &str) -> Option<Vec<String>> {
    let mut reader = Reader::from_str(body);
    let (mut ids, mut docs_open, mut ids_before, mut id) = (Vec::new(), 0_u32, 0, None::<String>);
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) => match tag.name().0 {
                "doc" => {
                    docs_open += 1;
                    if docs_open == 1 {
                        ids_before = ids.len();
                    }
                }
                // Of a document below another the root says where it goes.
                "field" if docs_open == 1 && names_field(&tag, id_field) => id = Some(String::new()),
                "field" if docs_open == 1 && names_field(&tag, "_root_") => return None,
                "id" if docs_open == 0 => id = Some(String::new()),
                "query" if docs_open == 0 => return None,
                _ => {}
            },
            Event::Text(text) => {
                if let Some(id) = &mut id {
                    id.push_str(&text.xml10_content());
                }
            }
            Event::CData(text) => {
                if let Some(id) = &mut id {
                    id.push_str(&text.xml10_content());
                }
            }
            // Rare in ids: whoever leads some shard will know.
            Event::GeneralRef(_) if id.is_some() => return None,
            Event::End(tag) => match tag.name().0 {
                "doc" => {
                    docs_open = docs_open.checked_sub(1)?;
                    if docs_open == 0 && ids.len() != ids_before + 1 {
                        return None;
                    }
                }
                _ => ids.extend(id.take()),
            },
            Event::DocType(_) => return None,
            Event::Eof => return (!ids.is_empty() && docs_open == 0).then_some(ids),
            Event::Empty(_) | Event::GeneralRef(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
}

fn names_field(tag: &BytesStart<'_>, name: &str) -> bool {
    tag.attributes().flatten().any(|attribute| attribute.key.0 == "name" && *attribute.value == *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_in_json_and_xml() {
        let check = |content_type: &str, body: &str, expected: Option<&[&str]>| {
            let found = documents(content_type, body.as_bytes(), "id");
            assert_eq!(found.as_ref().map(Documents::ids).as_deref(), expected, "{body}");
        };
        let json =
            |body: &str, expected: Option<&[&str]>| check("application/json; charset=utf-8", body, expected);
        json(r#"[{"id":"a","n":1},{"n":{"set":2},"id":7}]"#, Some(&["a", "7"]));
        json(r#"[{"id":"\u00e4!\"b"}]"#, Some(&["ä!\"b"]));
        json(r#"[{"id":"a","_childDocuments_":[{"id":"c"}]}]"#, Some(&["a"]));
        json(
            r#"{"add":{"doc":{"id":"a"}},"add":{"overwrite":false,"doc":{"id":"b"}},"commit":{}}"#,
            Some(&["a", "b"]),
        );
        json(r#"{"delete":["a",3]}"#, Some(&["a", "3"]));
        json(r#"{"delete":{"id":"a","_version_":1},"delete":"b"}"#, Some(&["a", "b"]));
        json(r#"{"add":{"doc":{"id":"a"}},"delete":{"query":"*:*"}}"#, None);
        json(r#"[{"id":"a"},{"n":1}]"#, None);
        json(r#"[{"id":"a","id":"b"}]"#, None);
        json(r#"[{"id":"c","_root_":"a"}]"#, None);
        json(r#"[{"id":["a"]}]"#, None);
        json(r#"[{"id":1.50}]"#, None);
        json(r#"{"commit":{}}"#, None);
        json("[]", None);
        json(r#"[{"id":"a"}"#, None);
        json("", None);
        let xml = |body: &str, expected: Option<&[&str]>| check("text/xml", body, expected);
        xml(r#"<add><doc><field name="id">a</field><field name="t">x</field></doc></add>"#, Some(&["a"]));
        xml(
            r#"<?xml version="1.0"?><add><doc><field name="id">a</field><doc><field name="id">c</field></doc></doc><doc><field name="id"><![CDATA[b]]></field></doc></add>"#,
            Some(&["a", "b"]),
        );
        xml("<delete><id>a</id><id>b</id></delete>", Some(&["a", "b"]));
        xml(
            "<update><delete><id>a</id></delete><add><doc><field name='id'>b</field></doc></add></update>",
            Some(&["a", "b"]),
        );
        xml("<delete><id>a</id><query>t:x</query></delete>", None);
        xml(r#"<add><doc><field name="t">x</field></doc></add>"#, None);
        xml(r#"<add><doc><field name="id">a&amp;b</field></doc></add>"#, None);
        xml(r#"<add><doc><field name="id">a</field>"#, None);
        xml("<commit/>", None);
        check("application/javabin", "x", None);
        check("text/csv", "id\n1", None);
    }
}
