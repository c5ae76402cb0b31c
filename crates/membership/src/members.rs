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
}

/// Those that were found, by their nodes' names.
#[derive(Default)]
pub(crate) struct Found(BTreeMap<String, Present>);

impl Found {
    /// Reads who is there, with `own` among them.
    pub async fn look(&mut self, tree: &impl Tree, own: &Member) -> Result<Vec<Member>, TreeError> {
        let names = tree.children(MEMBERS).await?;
        self.0.retain(|name, _| names.contains(name));
        for name in names {
            if self.0.contains_key(&name) {
                continue;
            }
            if let Some(present) = tree.read(&format!("{MEMBERS}/{name}")).await? {
                self.0.insert(name, present);
            }
        }
        self.appear(tree, own).await?;
        let member = |(name, present): (&String, &Present)| {
            let member: Member = serde_json::from_slice(&present.bytes).ok()?;
            (member.id == *name).then_some(member)
        };
        Ok(self.0.iter().filter_map(member).collect())
    }

    /// Puts the own node where it is not, or is of a session before, which may end at any moment.
    async fn appear(&mut self, tree: &impl Tree, own: &Member) -> Result<(), TreeError> {
        let bytes = serde_json::to_vec(own).map_err(|error| TreeError::Refused(error.to_string()))?;
        let path = format!("{MEMBERS}/{}", own.id);
        let mut changes = Vec::new();
        if let Some(known) = self.0.get(&own.id) {
            if known.session == tree.session() && known.bytes == bytes {
                return Ok(());
            }
            changes.push(Change::Delete { path: path.clone(), version: known.version });
        }
        changes.push(Change::Create { path, bytes: bytes.clone(), lifetime: Lifetime::Session });
        // Whatever is there is read again where it is not as it was known.
        self.0.remove(&own.id);
        tree.write(&changes).await?;
        self.0.insert(own.id.clone(), Present { bytes, version: 0, session: tree.session() });
        Ok(())
    }
}
