//! Makes the nodes what the view says, in requests that ZooKeeper takes, each under the claim. In: a view and
//! what a session knows of the nodes; out: changes written, and the versions that nodes have now.

use std::collections::BTreeMap;

use crate::changes::{Step, steps};
use crate::claim::{CLAIM, Claim};
use crate::members::MEMBERS;
use crate::tree::{Change, Lifetime, Present, Tree, TreeError};
use crate::view::{FILES, FOLDERS, View};

/// Half of what one request may have: envelopes and paths come on top.
const REQUEST_BYTES: usize = 512 << 10;
/// What a server takes in one transaction without keeping others waiting.
const REQUEST_CHANGES: usize = 500;

/// The view as it is now, in ZooKeeper's own numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The version of each node.
    pub versions: BTreeMap<String, i32>,
    /// Nodes that are too large for ZooKeeper, and are not there.
    pub left_out: Vec<String>,
}

/// What one session knows of the nodes. Read whole at first, then kept along with what is written, for as
/// long as nobody else claims the view.
#[derive(Default)]
pub(crate) struct Known {
    nodes: Option<BTreeMap<String, Present>>,
    /// Of which it is what was there, or was written under it.
    claim: Option<Claim>,
}

impl Known {
    /// They are read again at the next repair, and the truth too.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Whether the nodes are known as of this claim.
    pub fn is_of(&self, claim: Claim) -> bool {
        self.claim == Some(claim) && self.nodes.is_some()
    }

    /// Takes away what lives as long as the session, so that nobody has to wait for its end to know.
    pub async fn leave(&mut self, tree: &impl Tree, own: &str) -> Result<(), TreeError> {
        let session = tree.session();
        let nodes = self.nodes.take().unwrap_or_default();
        let own = std::iter::once(format!("{MEMBERS}/{own}"));
        let of_session = nodes.into_iter().rev().filter(|(_, node)| node.session == session);
        for path in own.chain(of_session.map(|(path, _)| path)) {
            // Whoever took over has nodes of the same names by now.
            if let Some(node) = tree.read(&path).await?.filter(|node| node.session == session) {
                tree.write(&[Change::Delete { path, version: node.version }]).await?;
            }
        }
        Ok(())
    }

    /// Reads all nodes, as of a claim that was looked at before.
    pub async fn read(&mut self, tree: &impl Tree, claim: Claim) -> Result<(), TreeError> {
        self.forget();
        let present = read_all(tree).await?;
        let own = ["/", CLAIM, MEMBERS].into_iter();
        tree.protect(&own.chain(present.keys().map(String::as_str)).collect::<Vec<_>>()).await?;
        (self.nodes, self.claim) = (Some(present), Some(claim));
        Ok(())
    }

    /// Whether the nodes are what the view says, as far as is known.
    pub fn shows(&self, view: &View, session: i64) -> bool {
        self.nodes.as_ref().is_some_and(|present| steps(present, view, session).is_empty())
    }

    /// Writes what is other than the view, which was made of what was read behind the claim. Errors:
    /// `Changed` where nodes are not as they were known: they are to be read again.
    pub async fn write(&mut self, tree: &impl Tree, claim: Claim, view: &View) -> Result<(), TreeError> {
        // Whatever fails on the way may have changed nodes.
        let Self { nodes: Some(mut present), .. } = std::mem::take(self) else {
            return Err(TreeError::Changed);
        };
        for request in requests(steps(&present, view, tree.session()), claim) {
            tree.write(&request).await?;
            request.into_iter().for_each(|change| apply(&mut present, change, tree.session()));
        }
        (self.nodes, self.claim) = (Some(present), Some(claim));
        Ok(())
    }

    /// In ZooKeeper's own numbers.
    pub fn versions(&self) -> BTreeMap<String, i32> {
        let nodes = self.nodes.iter().flatten();
        nodes.map(|(path, node)| (path.clone(), node.version)).collect()
    }
}

async fn read_all(tree: &impl Tree) -> Result<BTreeMap<String, Present>, TreeError> {
    let mut found = BTreeMap::new();
    let mut waiting: Vec<String> = FOLDERS.iter().chain(&FILES).map(|path| (*path).to_owned()).collect();
    while let Some(path) = waiting.pop() {
        let Some(node) = tree.read(&path).await? else { continue };
        // What lives as long as a session has nothing below it.
        if node.session == 0 {
            let below = tree.children(&path).await?;
            waiting.extend(below.into_iter().map(|name| format!("{path}/{name}")));
        }
        found.insert(path, node);
    }
    Ok(found)
}

/// In pieces that a request may have, each behind the check of the claim.
fn requests(steps: Vec<Step>, claim: Claim) -> Vec<Vec<Change>> {
    let mut requests: Vec<Vec<Change>> = Vec::new();
    let mut bytes = 0;
    for step in steps {
        let size: usize = step.iter().map(Change::size).sum();
        bytes += size;
        match requests.last_mut() {
            Some(last) if last.len() < REQUEST_CHANGES && bytes <= REQUEST_BYTES => last.extend(step),
            _ => {
                requests.push(std::iter::once(claim.check()).chain(step).collect());
                bytes = size;
            }
        }
    }
    requests
}

fn apply(present: &mut BTreeMap<String, Present>, change: Change, session: i64) {
    match change {
        Change::Check { .. } => {}
        Change::Create { path, bytes, lifetime } => {
            let session = if lifetime == Lifetime::Session { session } else { 0 };
            present.insert(path, Present { bytes, version: 0, session });
        }
        Change::Set { path, bytes, version } => {
            let session = present.get(&path).map_or(0, |node| node.session);
            present.insert(path, Present { bytes, version: version + 1, session });
        }
        Change::Delete { path, .. } => drop(present.remove(&path)),
    }
}
