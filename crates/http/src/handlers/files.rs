//! `/admin/file`: the files of a collection's configset, by name or one as it is. Only those that the schema names are kept as
//! they came; the schema itself is written anew, `solrconfig.xml` is not kept.

use std::sync::Arc;

use cluster::Collection;
use plan::{Error, Result, Value};
use solr::Params;
use solr::response::{Entries, Name, Node};

use crate::call::Call;
use crate::reply::Reply;

const SCHEMA: &str = "managed-schema.xml";

/// The names. A file that is asked for and was not found is an error.
pub(super) fn run(collection: &Arc<Collection>, params: &Params) -> Result<Entries> {
    if let Some(file) = params.get("file").filter(|file| !file.is_empty()) {
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
    let file = call.optional("file")?;
    let source = &collection.schema().source;
    let body = match file {
        SCHEMA | "managed-schema" | "schema.xml" => solr::schema::to_xml(source),
        _ => source.resources.get(file)?.clone(),
    };
    let content_type =
        if file.ends_with(".xml") { "application/xml; charset=UTF-8" } else { "text/plain; charset=UTF-8" };
    Some(Reply { status: 200, content_type, body: body.into(), ..Reply::default() })
}
