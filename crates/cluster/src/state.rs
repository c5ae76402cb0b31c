//! What is kept for all collections together, in one document: names that stand for collections, properties
//! that clients set, and changes of names that are under way, so that a crash in the middle of one is made
//! good at the next start.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// A name that stands for one or more collections.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alias {
    /// Names of collections or of other aliases, at least one.
    pub collections: Vec<String>,
    #[serde(default)]
    pub properties: BTreeMap<String, String>,
}

/// Aliases and properties of the cluster, as one version of the file has them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterState {
    #[serde(default)]
    pub aliases: BTreeMap<String, Alias>,
    #[serde(default)]
    pub properties: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) renames: Vec<Rename>,
}

/// What the collection of a key is to be called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rename {
    #[serde(rename = "folder")]
    pub key: String,
    pub name: String,
    pub core: String,
}

/// `identity.json` of a cluster and `member.json` of a node: made once, never changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ClusterIdentity {
    pub id: String,
}

impl ClusterState {
    /// The collections that a name stands for, in order, each once; `None` when it is no alias. Aliases may
    /// stand for aliases; one that comes back to itself ends there.
    pub fn resolve(&self, name: &str) -> Option<Vec<String>> {
        self.aliases.get(name)?;
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        let mut waiting = vec![name];
        while let Some(name) = waiting.pop() {
            if !seen.insert(name) {
                continue;
            }
            match self.aliases.get(name) {
                Some(alias) => waiting.extend(alias.collections.iter().rev().map(String::as_str)),
                None => found.push(name.to_owned()),
            }
        }
        // A name may be that of an alias and of its collection.
        if found.is_empty() { Some(vec![name.to_owned()]) } else { Some(found) }
    }

    /// The aliases that name a collection or alias.
    pub fn aliases_of(&self, member: &str) -> Vec<&str> {
        let names = |(_, alias): &(&String, &Alias)| alias.collections.iter().any(|name| name == member);
        self.aliases.iter().filter(names).map(|(name, _)| name.as_str()).collect()
    }

    /// Puts `name` wherever an alias names `member`.
    pub(crate) fn replace_member(&mut self, member: &str, name: &str) {
        for known in self.aliases.values_mut().flat_map(|alias| &mut alias.collections) {
            if known == member {
                name.clone_into(known);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_stand_for_collections() {
        let mut state = ClusterState::default();
        for (name, members) in
            [("one", "a"), ("two", "a,b"), ("both", "two,one,c"), ("round", "again"), ("again", "round,d")]
        {
            let collections = members.split(',').map(str::to_owned).collect();
            state.aliases.insert(name.to_owned(), Alias { collections, ..Alias::default() });
        }
        let check = |name: &str, expected: Option<&str>| {
            assert_eq!(state.resolve(name).map(|found| found.join(",")).as_deref(), expected, "{name}");
        };
        check("a", None);
        check("one", Some("a"));
        check("both", Some("a,b,c"));
        check("round", Some("d"));
        assert_eq!(state.aliases_of("a"), ["one", "two"]);
    }
}
