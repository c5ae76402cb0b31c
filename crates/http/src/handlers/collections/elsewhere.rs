//! Actions of the collections' administration that are another member's to do: of a collection that it
//! serves, or of one that is to be made there. They are asked of it as any client asks, and what it answers
//! is told as if it had been done here.
//!
//! In: a call and its action; out: the owner, and the entries of its answer.

use cluster::Member;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use plan::{Error, ErrorKind, Result};
use solr::params::Param;
use solr::params::admin::collections as params;
use solr::params::response::{OMIT_HEADER, WT};
use solr::response::{Entries, Node, read_javabin};

use super::replicas;
use crate::members::{FORWARDED_BY, Forwarded};
use crate::request::call::Call;
use crate::request::elsewhere::{reachable, while_alive};

/// Who is to do it, where that is another member. Errors: `Unavailable` where nobody can at the moment.
pub(super) fn owner(call: &Call<'_>, action: &str) -> Result<Option<Member>> {
    let node = &call.server.node;
    if !node.is_member() || call.sender.is_forwarded {
        return Ok(None);
    }
    if action == "CREATE" {
        let chosen = node.least_loaded(|member| replicas::may_be_on(call, member));
        return Ok(chosen.filter(|member| member.id != node.member().id));
    }
    let Some(name) = collection_of(action).and_then(|param| call.text(&param)) else { return Ok(None) };
    if node.find(name).is_some() {
        return Ok(None);
    }
    match node.resolve_described(name).unwrap_or_default().as_slice() {
        [one] => reachable(call.server, name, one.owner()).map(|(_, owner)| Some(owner.clone())),
        _ => Ok(None),
    }
}

/// The parameter by which an action names the collection whose owner has to do it.
fn collection_of(action: &str) -> Option<Param<String>> {
    match action {
        "DELETE" | "RELOAD" | "RENAME" | "COLLECTIONPROP" => Some(params::NAME),
        "MODIFYCOLLECTION" | "CREATESHARD" | "DELETESHARD" | "BACKUP" | "CREATESNAPSHOT"
        | "LISTSNAPSHOTS" | "DELETESNAPSHOT" => Some(params::COLLECTION),
        _ => None,
    }
}

/// Has the owner do it, and takes up what it changed. Errors: the owner's own.
pub(super) async fn ask(call: &Call<'_>, owner: &Member) -> Result<Entries> {
    let (forward, owner) = reachable(call.server, &owner.name, Some(owner))?;
    let escaped = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let own = [params::ASYNC.name, WT.name, OMIT_HEADER.name];
    let sent = call.params.pairs().iter().filter(|(name, _)| !own.contains(&name.as_str()));
    let mut form: Vec<String> =
        sent.map(|(name, value)| format!("{}={}", escaped(name), escaped(value))).collect();
    form.push(format!("{}=javabin", WT.name));
    let mut headers = vec![
        ("content-type".to_owned(), b"application/x-www-form-urlencoded".to_vec()),
        (FORWARDED_BY.to_owned(), call.server.node.member().id.into_bytes()),
    ];
    headers.extend(call.sender.authorization.clone().map(|shown| ("authorization".to_owned(), shown)));
    let request = Forwarded {
        url: owner.url.clone(),
        method: "POST".to_owned(),
        target: "/solr/admin/collections".to_owned(),
        headers,
        body: Some(form.join("&").into()),
    };
    let answer = while_alive(call.server, owner, forward.forward(request)).await?;
    let mut entries = read_javabin(&answer.body).map_err(|_| refused(answer.status, None))?;
    if answer.status != 200 {
        return Err(refused(answer.status, Some(&entries)));
    }
    entries.retain(|(name, _)| *name != "responseHeader");
    call.server.node.refreshed().await?;
    Ok(entries)
}

/// As the owner said it.
fn refused(status: u16, entries: Option<&Entries>) -> Error {
    let entry = |entries: &Entries, wanted: &str| {
        entries.iter().find(|(name, _)| *name == wanted).map(|(_, node)| node.clone())
    };
    let message = match entries.and_then(|entries| entry(entries, "error")) {
        Some(Node::Map(error)) => match entry(&error, "msg") {
            Some(Node::Str(message)) => Some(message.into_owned()),
            _ => None,
        },
        _ => None,
    };
    let message = message.unwrap_or_else(|| format!("the node that serves it answered with status {status}"));
    let kind = match status {
        400 => ErrorKind::BadRequest,
        401 | 403 => ErrorKind::InUse,
        404 => ErrorKind::NotFound,
        409 => ErrorKind::Conflict,
        429 => ErrorKind::Busy,
        503 => ErrorKind::Unavailable,
        _ => ErrorKind::Internal,
    };
    Error::new(kind, message)
}
