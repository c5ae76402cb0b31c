//! What an update answers beyond its header: with `versions=true`, the version of each operation, lists that are empty
//! left out.

use plan::{UpdateOutcome, Version};

use super::node::{Entries, Name, Node};

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
