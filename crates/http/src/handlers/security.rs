//! The file that says who may do what, shown and edited. What is in it and who is let in is
//! `crates/http/src/security`; whoever comes here has been let in already.

use plan::Result;
use solr::response::Entries;
use solr::security::{self as file, Section};

use crate::request::call::Call;
use crate::security::Editor;

/// `/admin/authentication` and `/admin/authorization`: a body makes it an edit.
pub(super) async fn administrate(call: &Call<'_>, section: Section) -> Result<Entries> {
    let guard = &call.server.guard;
    let Some(content) = &call.content else {
        return Ok(file::view(guard.security().as_deref(), section));
    };
    let editor = Editor { new_uuid: &call.server.config.new_uuid, now_ms: call.started_ms };
    Ok(guard.edit(&editor, section, content.text()?).await?.entries)
}
