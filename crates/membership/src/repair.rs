//! Makes the nodes what the view says, in requests that ZooKeeper takes, each under the claim. In: a view and
//! what a session knows of the nodes; out: changes written, and the versions that nodes have now.

use std::collections::BTreeMap;

use crate::changes::{Step, steps};
use crate::claim::{CLAIM, Claimed};
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

/// What one session knows of the nodes. Read whole at first, then kept along with what is written: nobody
/// else writes under the claim.
#[derive(Default)]
pub(crate) struct Known {
    nodes: Option<BTreeMap<String, Present>>,
    /// Under which the last repair wrote.
    claimed: Option<Claimed>,
}

impl Known {
    /// They are read again at the next repair.
    pub fn forget(&mut self) {
        self.nodes = None;
    }

    /// Takes away what lives as long as the session, so that nobody has to wait for its end to know.
    pub async fn leave(&mut self, tree: &impl Tree) -> Result<(), TreeError> {
        let (session, nodes) = (tree.session(), self.nodes.take().unwrap_or_default());
        let own = nodes.into_iter().rev().filter(|(_, node)| node.session == session);
        let deletions = own.map(|(path, node)| Change::Delete { path, version: node.version });
        // Whoever took the view over has nodes of the same names.
        let Some(check) = self.claimed.map(Claimed::check) else { return Ok(()) };
        tree.write(&std::iter::once(check).chain(deletions).collect::<Vec<_>>()).await
    }

    /// Errors: `Changed` where nodes are not as they were known: they are read again at the next call.
    pub async fn repair(
        &mut self,
        tree: &impl Tree,
        claimed: Claimed,
        mut view: View,
    ) -> Result<Shown, TreeError> {
        let left_out = view.take_oversized();
        self.claimed = Some(claimed);
        // Whatever fails on the way may have changed nodes.
        let mut present = match self.nodes.take() {
            Some(known) => known,
            None => {
                let present = read_all(tree).await?;
                let paths: Vec<&str> =
                    ["/", CLAIM].into_iter().chain(present.keys().map(String::as_str)).collect();
                tree.protect(&paths).await?;
                present
            }
        };
        for request in requests(steps(&present, &view, tree.session()), claimed) {
            tree.write(&request).await?;
            request.into_iter().for_each(|change| apply(&mut present, change, tree.session()));
        }
        let versions = present.iter().map(|(path, node)| (path.clone(), node.version)).collect();
        self.nodes = Some(present);
        Ok(Shown { versions, left_out })
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
fn requests(steps: Vec<Step>, claimed: Claimed) -> Vec<Vec<Change>> {
    let mut requests: Vec<Vec<Change>> = Vec::new();
    let mut bytes = 0;
    for step in steps {
        let size: usize = step.iter().map(Change::size).sum();
        bytes += size;
        match requests.last_mut() {
            Some(last) if last.len() < REQUEST_CHANGES && bytes <= REQUEST_BYTES => last.extend(step),
            _ => {
                requests.push(std::iter::once(claimed.check()).chain(step).collect());
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
