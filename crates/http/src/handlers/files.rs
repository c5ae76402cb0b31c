//! `/admin/file`: the files of a collection's configset, by name or one as it is. Only those that the schema
//! names are kept as they came; the schema itself is written anew, `solrconfig.xml` is not kept.
//!
//! Nothing is read from disk here: files are texts that the collection's schema holds. No content type is
//! given under which a browser would run one.

use std::sync::Arc;

use cluster::Collection;
use plan::{Error, Result, Value};
use solr::Params;
use solr::params::admin::files::{CONTENT_TYPE, FILE};
use solr::response::{Entries, Name, Node};

use crate::request::call::Call;
use crate::request::reply::Reply;

const SCHEMA: &str = "managed-schema.xml";

/// What `contentType` may ask for, and what that is answered with, alone and with the character set. What a
/// browser would run as a page is plain text, as in Solr. Solr differs: it knows types of pictures and
/// archives too, of which there are no files here (`compat/admin/names.yaml`).
const CONTENT_TYPES: [(&str, [&str; 2]); 10] = [
    ("text/plain", ["text/plain", "text/plain;charset=utf-8"]),
    ("text/html", ["text/plain", "text/plain;charset=utf-8"]),
    ("application/xhtml+xml", ["text/plain", "text/plain;charset=utf-8"]),
    ("text/xml", ["text/xml", "text/xml;charset=utf-8"]),
    ("text/csv", ["text/csv", "text/csv;charset=utf-8"]),
    ("text/css", ["text/css", "text/css;charset=utf-8"]),
    ("text/javascript", ["text/javascript", "text/javascript;charset=utf-8"]),
    ("application/xml", ["application/xml", "application/xml;charset=utf-8"]),
    ("application/json", ["application/json", "application/json;charset=utf-8"]),
    ("application/octet-stream", ["application/octet-stream", "application/octet-stream"]),
];

/// The names. A file that is asked for and was not found is an error.
pub(super) fn run(collection: &Arc<Collection>, params: &Params) -> Result<Entries> {
    if let Some(file) = FILE.sent(params).filter(|file| !file.is_empty()) {
        if let Some(asked) = CONTENT_TYPE.sent(params).filter(|asked| content_type(asked).is_none()) {
            return Err(Error::bad_request(format!("Requested content type '{asked}' is not supported.")));
        }
        let outside = file.starts_with('/') || file.split('/').any(|part| part == "..");
        return Err(match outside {
            true => Error::bad_request("Path must be inside core config directory"),
            false => Error::not_found(format!("Can not find: {file}")),
        });
    }
    let source = &collection.schema().source;
    let schema = (SCHEMA.to_owned(), solr::schema::to_xml(source).len());
    let files = source.resources.iter().map(|(name, text)| (name.clone(), text.len())).chain([schema]);
    let modified = || Node::from(Value::Date(collection.opened_ms()).to_text());
    let one = |(name, size): (String, usize)| {
        let facts = Node::map([("size", Node::count(size as u64)), ("modified", modified())]);
        (Name::Owned(name), facts)
    };
    Ok(vec![("files".into(), Node::Map(files.map(one).collect()))])
}

/// The file that is asked for, as text: no browser is to take it for anything else.
pub(super) fn as_file(call: &Call<'_>, collection: &Arc<Collection>) -> Option<Reply> {
    let file = call.text(&FILE)?;
    let source = &collection.schema().source;
    let body = match file {
        SCHEMA | "managed-schema" | "schema.xml" => solr::schema::to_xml(source),
        _ => source.resources.get(file)?.clone(),
    };
    let content_type = match call.text(&CONTENT_TYPE) {
        Some(asked) => content_type(asked)?,
        None if file.ends_with(".xml") => "application/xml; charset=UTF-8",
        None => "text/plain; charset=UTF-8",
    };
    Some(Reply { status: 200, content_type: content_type.into(), body: body.into(), ..Reply::default() })
}

/// `None` for one that is not served.
fn content_type(asked: &str) -> Option<&'static str> {
    let (kind, charset) = asked.split_once(';').map_or((asked, None), |(kind, rest)| (kind, Some(rest)));
    let known = CONTENT_TYPES.iter().find(|(known, _)| kind.trim().eq_ignore_ascii_case(known));
    known.map(|(_, answered)| answered[usize::from(charset.is_some())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_types_that_are_no_pages_are_served() {
        let check =
            |asked: &str, expected: Option<&str>| assert_eq!(content_type(asked), expected, "{asked}");
        check("text/xml", Some("text/xml"));
        check("TEXT/CSV; charset=UTF-8", Some("text/csv;charset=utf-8"));
        check("text/html; charset=utf-8", Some("text/plain;charset=utf-8"));
        check("application/xhtml+xml", Some("text/plain"));
        check("foo", None);
    }
}
