//! Actions of the collections' administration that are another member's to do: of a collection that it
//! serves, or of one that is to be made there. They are asked of it as any client asks, and what it answers
//! is told as if it had been done here.
//!
//! In: a call and its action; out: the owner, and the entries of its answer.

use cluster::Member;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use plan::Result;
use solr::error::told;
use solr::params::Param;
use solr::params::admin::collections as params;
use solr::params::response::{OMIT_HEADER, WT};
use solr::response::{Entries, read_javabin};

use super::replicas;
use crate::members::{FORWARDED_BY, Forwarded, while_alive};
use crate::request::call::Call;
use crate::request::elsewhere::reachable;

/// Who is to do it, where that is another member. Errors: `Unavailable` where nobody can at the moment.
pub(super) fn owner(call: &Call<'_>, action: &str) -> Result<Option<Member>> {
    let node = &call.server.node;
    if !node.is_member() || call.sender.is_forwarded {
        return Ok(None);
    }
    if action == "CREATE" {
        // Where the nodes that were asked for do not live, the check of the parameters says so, here.
        let chosen = node.least_loaded(&replicas::nodes(call));
        return Ok(chosen.filter(|member| member.id != node.member().id));
    }
    let Some(name) = collection_of(action).and_then(|param| call.text(&param)) else { return Ok(None) };
    if let Some(collection) = node.find(name) {
        let lead = collection.lead_elsewhere();
        let lead = lead.map(|lead| reachable(call.server, name, Some(&lead)).map(|(_, lead)| lead.clone()));
        return lead.transpose();
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
        "MODIFYCOLLECTION" | "CREATESHARD" | "DELETESHARD" | "ADDREPLICA" | "DELETEREPLICA"
        | "MOVEREPLICA" | "ADDREPLICAPROP" | "DELETEREPLICAPROP" | "BALANCESHARDUNIQUE"
        | "REBALANCELEADERS" | "FORCELEADER" | "BACKUP" | "CREATESNAPSHOT" | "LISTSNAPSHOTS"
        | "DELETESNAPSHOT" => Some(params::COLLECTION),
        _ => None,
    }
}

/// Has the owner do it, and takes up what it changed. Errors: the owner's own.
pub(super) async fn ask(call: &Call<'_>, owner: &Member) -> Result<Entries> {
    // Whoever was asked keeps the task, waits for its end and writes the answer: the owner is asked plainly.
    let own = [params::ASYNC.name, WT.name, OMIT_HEADER.name];
    let sent = call.params.pairs().iter().filter(|(name, _)| !own.contains(&name.as_str()));
    ask_for(call, owner, sent.map(|(name, value)| (&**name, &**value))).await
}

/// Has another do what these parameters say, for whoever called.
pub(super) async fn ask_for(
    call: &Call<'_>,
    owner: &Member,
    asked: impl Iterator<Item = (&str, &str)>,
) -> Result<Entries> {
    let (forward, owner) = reachable(call.server, &owner.name, Some(owner))?;
    let escaped = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let mut form: Vec<String> =
        asked.map(|(name, value)| format!("{}={}", escaped(name), escaped(value))).collect();
    // It keeps the types of numbers and maps, which clients of clusters look for.
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
        is_safe: false,
    };
    let answer = while_alive(&call.server.node, owner, forward.forward(request)).await?;
    let mut entries = read_javabin(&answer.body).map_err(|_| told(answer.status, None))?;
    if answer.status != 200 {
        return Err(told(answer.status, Some(&entries)));
    }
    entries.retain(|(name, _)| *name != "responseHeader");
    // Before the answer: the next request may come here, too, and ask for what was made.
    call.server.node.refreshed().await?;
    Ok(entries)
}
