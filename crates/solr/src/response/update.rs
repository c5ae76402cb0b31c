//! What an update answers beyond its header: with `versions=true`, the version of each operation, lists that
//! are empty left out; with `echo=true`, the documents that were read. In: the outcome as `cluster` put it
//! together; out: entries, whose place in the answer is the handler's.

use std::sync::Arc;

use plan::{Refusal, RefusalKind, UpdateOutcome, Version};

use super::node::{Entries, Name, Node};
use crate::update::{RawValue, UpdateCommand};

/// On how many replicas an update is, `rf`: where no shard has another, on one.
pub fn replication_factor() -> (Name, Node) {
    ("rf".into(), Node::Int(1))
}

/// `adds`, `deletes` and `deleteByQuery`, taken out of the outcome.
pub fn versions(outcome: &mut UpdateOutcome) -> Entries {
    let lists = [
        ("adds", std::mem::take(&mut outcome.added)),
        ("deletes", std::mem::take(&mut outcome.deleted)),
        ("deleteByQuery", std::mem::take(&mut outcome.deleted_by_query)),
    ];
    lists
        .into_iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(name, list)| (name.into(), named(list)))
        .collect()
}

/// What the header tells of errors that were tolerated, and how many might have been.
pub fn tolerated(refused: &[Refusal], errors_max: u64) -> Entries {
    let errors = refused.iter().map(|refusal| {
        let text = |text: &str| Node::Str(text.to_owned().into());
        Node::map([
            ("type", Node::str(kind_name(refusal.kind))),
            ("id", text(&refusal.of)),
            ("message", text(&refusal.error.message)),
        ])
    });
    let most = i32::try_from(errors_max).unwrap_or(-1);
    vec![("errors".into(), Node::Array(errors.collect())), ("maxErrors".into(), Node::Int(most))]
}

/// Puts the errors of a request that had too many into the `metadata` of its `error` entry, before what is
/// there.
pub fn add_refusals((_, entry): &mut (Name, Node), refused: &[Refusal]) {
    const CLASS: &str = "org.apache.solr.common.ToleratedUpdateError";
    let Node::Map(parts) = entry else { return };
    let metadata = parts.iter_mut().find(|(name, _)| &**name == "metadata");
    if let Some((_, Node::NamedList(list))) = metadata {
        let told = refused.iter().map(|refusal| {
            let name = format!("{CLASS}--{}:{}", kind_name(refusal.kind), refusal.of);
            (Some(Name::from(name)), Node::Str(refusal.error.message.clone().into()))
        });
        let told: Vec<_> = told.collect();
        list.splice(0..0, told);
    }
}

fn kind_name(kind: RefusalKind) -> &'static str {
    match kind {
        RefusalKind::Add => "ADD",
        RefusalKind::Delete => "DELID",
        RefusalKind::DeleteByQuery => "DELQ",
    }
}

/// `docs`: documents as they were read, under `echo=true`.
pub fn echoed(commands: Vec<UpdateCommand>) -> Entries {
    let read = commands.into_iter().filter_map(|command| match command {
        UpdateCommand::Add(add) => Some(fields(add.document.fields)),
        _ => None,
    });
    vec![("docs".into(), Node::Array(read.collect()))]
}

fn shown(value: RawValue) -> Node {
    match value {
        RawValue::Map(entries) => fields(entries),
        RawValue::List(values) => Node::Array(values.into_iter().map(shown).collect()),
        other => Node::from(other),
    }
}

/// Values by name, several as a list.
fn fields(pairs: Vec<(Arc<str>, RawValue)>) -> Node {
    let mut grouped: Vec<(Arc<str>, Vec<Node>)> = Vec::new();
    for (name, value) in pairs {
        let node = shown(value);
        match grouped.iter_mut().find(|(known, _)| *known == name) {
            Some((_, nodes)) => nodes.push(node),
            None => grouped.push((name, vec![node])),
        }
    }
    let entries = grouped.into_iter().map(|(name, mut nodes)| {
        let node = if nodes.len() == 1 { nodes.remove(0) } else { Node::Array(nodes) };
        (Name::Owned(name.to_string()), node)
    });
    Node::Map(entries.collect())
}

fn named(list: Vec<(String, Version)>) -> Node {
    Node::NamedList(
        list.into_iter().map(|(id, version)| (Some(Name::Owned(id)), Node::Long(version))).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::{Format, JsonStyle};

    #[test]
    fn versions_are_flat_lists() {
        let mut outcome =
            UpdateOutcome { added: vec![("a".into(), 7), ("b".into(), 8)], ..UpdateOutcome::default() };
        let mut out = Vec::new();
        Format::Json(JsonStyle::default()).write(&versions(&mut outcome), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "{\"adds\":[\"a\",7,\"b\",8]}");
    }
}
