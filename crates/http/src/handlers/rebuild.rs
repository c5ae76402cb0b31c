//! `/schema/plan`, `/schema/apply` and `/schema/undo`, beside Solr's Schema API: what an edit means for the
//! documents that are there, the edit with a rebuild in the background, and the way back. `GET /schema/apply`
//! tells how far a rebuild is.

use std::sync::Arc;

use cluster::{Collection, RebuildState, RebuildStatus, SchemaEdit};
use plan::{Error, Schema, SchemaSource};
use solr::response::{Entries, Node};
use solr::schema::{impact, impact_node};

use super::schema_commands::after_commands;
use crate::request::call::{Call, Content, Failure};

/// Documents a second, for estimates: a careful guess for documents of a kilobyte on one processor, not
/// measured.
const DOCUMENTS_A_SECOND: u64 = 5_000;

/// `None` for a path that is not served here.
pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    path: &str,
) -> Option<Result<Entries, Failure>> {
    let body = call.content.as_ref().map(Content::text).transpose();
    let body = match body {
        Ok(body) => body.filter(|body| !body.trim().is_empty()),
        Err(error) => return Some(Err(error.into())),
    };
    Some(match (path, body) {
        ("/schema/plan", Some(body)) => shown_plan(collection, body).await,
        ("/schema/apply", None) => Ok(status(collection)),
        ("/schema/apply", Some(body)) => apply(call, collection, body).await,
        ("/schema/undo", _) if call.content.is_some() => undo(call, collection).await,
        ("/schema/plan" | "/schema/undo", _) => Err(Error::bad_request(
            "send it by POST: to `/schema/plan` and `/schema/apply` the commands of a schema edit, to `/schema/undo` nothing",
        )
        .into()),
        _ => return None,
    })
}

async fn shown_plan(collection: &Arc<Collection>, body: &str) -> Result<Entries, Failure> {
    let before = collection.schema();
    let after = Schema::build(after_commands(&before.source, body)?)?;
    let fields = collection.luke_fields().await?;
    let present: Vec<_> = fields.into_iter().filter(|it| it.in_index).map(|it| (it.name, it.docs)).collect();
    let impacts = impact(&before, &after, &present);
    let documents = if impacts.is_empty() { 0 } else { collection.stats().num_docs };
    let plan = Node::map([
        ("rebuild", Node::Bool(!impacts.is_empty())),
        ("documents", Node::long(documents)),
        ("estimatedSeconds", Node::long(documents.div_ceil(DOCUMENTS_A_SECOND))),
        ("fields", impact_node(&impacts)),
    ]);
    Ok(vec![("plan".into(), plan)])
}

/// What is to be done, and a rebuild that does it.
async fn apply(call: &Call<'_>, collection: &Arc<Collection>, body: &str) -> Result<Entries, Failure> {
    let mut entries = shown_plan(collection, body).await?;
    let body = body.to_owned();
    let edit = move |source: &SchemaSource| {
        after_commands(source, &body).map_err(|_| {
            Error::bad_request(
                "the commands do not apply to the schema as it is now; look at it and plan again",
            )
        })
    };
    start(call, collection, Box::new(edit))?;
    entries.extend(status(collection));
    Ok(entries)
}

/// A rebuild under the schema before the last one: what was updated since stays.
async fn undo(call: &Call<'_>, collection: &Arc<Collection>) -> Result<Entries, Failure> {
    collection.schema_before_rebuild()?;
    let undone = collection.clone();
    start(call, collection, Box::new(move |_: &SchemaSource| undone.schema_before_rebuild()))?;
    Ok(status(collection))
}

fn start(call: &Call<'_>, collection: &Arc<Collection>, edit: SchemaEdit) -> Result<(), Failure> {
    Ok(collection.start_rebuild(&call.server.node, edit)?)
}

fn status(collection: &Collection) -> Entries {
    let node = collection.rebuild_status().map_or(Node::map([("state", Node::str("none"))]), |it| shown(&it));
    vec![("rebuild".into(), node)]
}

fn shown(status: &RebuildStatus) -> Node {
    let state = match status.state {
        RebuildState::Running => "running",
        RebuildState::Done => "done",
        RebuildState::Failed => "failed",
    };
    let elapsed_ms = u64::try_from(status.until_ms.saturating_sub(status.started_ms)).unwrap_or_default();
    let mut entries: Entries = vec![
        ("state".into(), Node::str(state)),
        ("documents".into(), Node::long(status.documents)),
        ("copiedBytes".into(), Node::long(status.bytes)),
        ("elapsedMs".into(), Node::long(elapsed_ms)),
    ];
    entries.extend(status.failure.clone().map(|failure| ("failure".into(), Node::str(failure))));
    Node::Map(entries)
}
