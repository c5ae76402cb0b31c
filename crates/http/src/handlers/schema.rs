//! `/schema` and what lies below it: reads of the schema as it is now, and the Schema API's edits. What is
//! shown is `solr`'s; an edit is accepted by the collection, or tried again behind another
//! (`schema_commands.rs`).

use std::sync::Arc;

use cluster::Collection;
use plan::ErrorKind;
use solr::Params;
use solr::params::response::WT;
use solr::response::Entries;

use super::schema_commands::after_commands;
use crate::request::call::{Call, Content, Failure};
use crate::request::reply::Reply;

/// A body makes it an edit.
pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    path: &str,
    params: &Params,
) -> Result<Entries, Failure> {
    if let Some(answer) = Box::pin(super::rebuild::run(call, collection, path)).await {
        return answer;
    }
    match call.content.as_ref().filter(|content| !content.bytes.is_empty()) {
        None => Ok(solr::schema::view(&collection.schema(), below(path), params)?),
        Some(content) => {
            edit(collection, content).await?;
            Ok(vec![])
        }
    }
}

/// `wt=schema.xml` asks for the schema as a file, not for an answer about it.
pub(super) fn as_file(call: &Call<'_>, collection: &Arc<Collection>) -> Option<Reply> {
    let asked = call.content.is_none() && WT.sent(&call.params) == Some("schema.xml");
    asked.then(|| Reply {
        status: 200,
        content_type: "application/xml; charset=UTF-8".into(),
        body: solr::schema::to_xml(&collection.schema().source).into(),
        ..Reply::default()
    })
}

/// Applies the commands to the schema as it is, again when another change came in between.
async fn edit(collection: &Arc<Collection>, content: &Content) -> Result<(), Failure> {
    let body = content.text()?;
    loop {
        let versioned = collection.versioned_schema();
        let edited = after_commands(&versioned.value.source, body)?;
        match collection.change_schema(versioned.version, edited).await {
            Err(error) if error.kind == ErrorKind::Conflict => {}
            Err(error) => return Err(error.into()),
            // In Solr an edit reloads the core: lists that clients changed are in use from then on.
            Ok(_) if collection.has_pending_files() => return Ok(collection.reload().await?),
            Ok(_) => return Ok(()),
        }
    }
}

fn below(path: &str) -> &str {
    path.strip_prefix("/schema").unwrap_or(path)
}
