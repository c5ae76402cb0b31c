//! Who lives: each member has a node that goes with its session, named by the member's stored id, so that a
//! member that returns elsewhere is the same and another at an old address is not. What stands there is
//! untrusted: whatever is no member is passed over.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::tree::{Change, Lifetime, Present, Tree, TreeError};

pub(crate) const MEMBERS: &str = "/parhelion/members";

/// A process that serves the cluster's collections.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Member {
    /// Stored with the node's data: it outlives addresses.
    pub id: String,
    /// As SolrCloud calls it: `host:port_solr`.
    pub name: String,
    /// Where the others reach it, without a path.
    pub url: String,
    /// What else it says of itself to the others, by names that mean nothing here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, String>,
}

/// The nodes of members by their names, as they stand at the moment: a member that returned has one of the
/// same name that says another address.
pub(crate) struct Found(BTreeMap<String, Present>);

impl Found {
    pub async fn read(tree: &impl Tree) -> Result<Self, TreeError> {
        let mut found = BTreeMap::new();
        for name in tree.children(MEMBERS).await? {
            if let Some(present) = tree.read(&format!("{MEMBERS}/{name}")).await? {
                found.insert(name, present);
            }
        }
        Ok(Self(found))
    }

    fn members(&self) -> impl Iterator<Item = Member> {
        self.0.iter().filter_map(|(name, present)| {
            let member: Member = serde_json::from_slice(&present.bytes).ok()?;
            (member.id == *name).then_some(member)
        })
    }

    /// Errors: `Taken` where another member is called so, which two of them would take from each other for
    /// ever.
    pub fn check_free(&self, own: &Member) -> Result<(), TreeError> {
        match self.members().any(|member| member.name == own.name && member.id != own.id) {
            true => Err(TreeError::Taken(own.name.clone())),
            false => Ok(()),
        }
    }

    /// Those that live, once `own` is among them. Its node is put where it is not; one of a session before,
    /// which may end at any moment, is replaced, once in a session. Errors: `Refused` where another process
    /// replaced it since.
    pub async fn join(
        self,
        tree: &impl Tree,
        own: &Member,
        has_joined: &mut bool,
    ) -> Result<Vec<Member>, TreeError> {
        let bytes = serde_json::to_vec(own).map_err(|error| TreeError::Refused(error.to_string()))?;
        let path = format!("{MEMBERS}/{}", own.id);
        let known = self.0.get(&own.id);
        if !known.is_some_and(|known| known.session == tree.session() && known.bytes == bytes) {
            let mut changes = Vec::new();
            if let Some(known) = known {
                if *has_joined && known.session != tree.session() {
                    return Err(TreeError::Refused(
                        "another process is this member: it runs on a copy of this data directory; give it one of its own".to_owned(),
                    ));
                }
                changes.push(Change::Delete { path: path.clone(), version: known.version });
            }
            changes.push(Change::Create { path, bytes, lifetime: Lifetime::Session });
            tree.write(&changes).await?;
        }
        *has_joined = true;
        let mut members: Vec<Member> = self.members().filter(|member| member.id != own.id).collect();
        members.push(own.clone());
        members.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(members)
    }
}
