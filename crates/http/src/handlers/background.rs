//! Requests with `async`: the work goes on beside, and the client asks later how it went. Solr's shapes,
//! which are others for collections than for cores.
//!
//! A task is a call without a connection: no body, no kept answer, the rights of who began it. What is known
//! of tasks is kept by `server/tasks.rs`; which actions may go on beside is decided by `collections` and
//! `cores`.

use std::sync::Arc;

use meter::Trace;
use plan::{Error, Result};
use solr::Params;
use solr::params::admin::{collections, cores};
use solr::response::{Entries, Node};

use crate::request::call::{Call, Sender};
use crate::security::Access;
use crate::server::tasks::Progress;

/// A request that outlives its connection.
pub(super) struct Task {
    pub(super) id: String,
    method: hyper::Method,
    params: Params,
    access: Access,
    sender: Sender,
    started_ms: i64,
}

impl Task {
    pub(super) fn of(call: &Call<'_>, id: &str) -> Self {
        let (method, params, access) = (call.method.clone(), call.params.clone(), call.access.clone());
        let sender = call.sender.clone();
        Self { id: id.to_owned(), method, params, access, sender, started_ms: call.started_ms }
    }

    pub(super) fn call<'a>(&self, server: &'a Arc<crate::server::Server>) -> Call<'a> {
        let Self { id: _, method, params, access, sender, started_ms } = self;
        Call {
            server,
            method: method.clone(),
            target: None,
            core: None,
            beside: Vec::new(),
            params: params.clone(),
            access: access.clone(),
            sender: sender.clone(),
            content: None,
            more_files: Vec::new(),
            trace: Trace::default(),
            started_ms: *started_ms,
            tally: None,
            room: None,
        }
    }
}

pub(super) fn outcome(done: Result<Entries>) -> Progress {
    match done {
        Ok(entries) => Progress::Completed(entries),
        Err(error) => Progress::Failed(solr::error::status(error.kind), error.message),
    }
}

/// `REQUESTSTATUS` of collections.
pub(super) fn collection_task(call: &Call<'_>) -> Result<Entries> {
    let id = call.required(&collections::REQUEST)?;
    let (mut entries, state, place) = match call.server.collection_tasks.progress(id) {
        None => (vec![], "notfound", None),
        Some(Progress::Running) => (vec![], "running", Some("running")),
        Some(Progress::Completed(entries)) => (entries, "completed", Some("completed")),
        Some(Progress::Failed(status, message)) => (failure(status, message), "failed", Some("failed")),
    };
    let told = match place {
        Some(place) => format!("found [{id}] in {place} tasks"),
        None => format!("Did not find [{id}] in any tasks queue"),
    };
    let status = Node::map([("state", Node::str(state)), ("msg", Node::Str(told.into()))]);
    entries.push(("status".into(), status));
    Ok(entries)
}

fn failure(status: u16, message: String) -> Entries {
    vec![(
        "exception".into(),
        Node::map([("msg", Node::Str(message.into())), ("rspCode", Node::Int(i32::from(status)))]),
    )]
}

/// `DELETESTATUS`.
pub(super) fn forget(call: &Call<'_>) -> Result<Entries> {
    let tasks = &call.server.collection_tasks;
    let flush = call.value(&collections::FLUSH)?;
    let told = match call.text(&collections::REQUEST) {
        _ if flush => {
            tasks.forget_all();
            "successfully cleared stored collection api responses".to_owned()
        }
        Some(id) if tasks.forget(id) => format!("successfully removed stored response for [{id}]"),
        Some(id) => format!("[{id}] not found in stored responses"),
        None => return Err(Error::bad_request("Either requestid or flush parameter must be specified.")),
    };
    Ok(vec![("status".into(), Node::Str(told.into()))])
}

/// `REQUESTSTATUS` of cores.
pub(super) fn core_task(call: &Call<'_>) -> Result<Entries> {
    let id = call.required(&cores::REQUEST)?;
    let state = |state: &'static str| ("STATUS".into(), Node::str(state));
    Ok(match call.server.core_tasks.progress(id) {
        None => {
            vec![
                state("notfound"),
                ("msg".into(), Node::str("No task found in running, completed or failed tasks")),
            ]
        }
        Some(Progress::Running) => vec![state("running")],
        Some(Progress::Completed(entries)) if entries.is_empty() => vec![state("completed")],
        Some(Progress::Completed(entries)) => {
            vec![state("completed"), ("response".into(), Node::Map(entries))]
        }
        Some(Progress::Failed(_, message)) => {
            vec![state("failed"), ("response".into(), Node::Str(message.into()))]
        }
    })
}
