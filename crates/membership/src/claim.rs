//! Whose a chroot is, and who may write the view at the moment. A chroot belongs to one cluster, which the
//! claimed node names; another product's, or another cluster's, is refused and not touched. Within a cluster
//! whoever finds the view other than the truth claims it by writing that node anew, reads the truth behind
//! that, and checks the node's version with each write (the model `publish_view` says what breaks without
//! either).

use serde::{Deserialize, Serialize};

use crate::members::MEMBERS;
use crate::tree::{Change, Lifetime, Tree, TreeError};

/// The node that says whose chroot it is.
pub(crate) const CLAIM: &str = "/parhelion";
/// What every root of a ZooKeeper has.
const OF_ZOOKEEPER: &str = "zookeeper";

#[derive(Serialize, Deserialize)]
struct Cluster {
    cluster: String,
}

/// The claimed node as it was read or written last: its version, which writes check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claim(i32);

impl Claim {
    pub fn check(self) -> Change {
        Change::Check { path: CLAIM.to_owned(), version: self.0 }
    }
}

/// As it stands; made where nobody has been here before. Errors: `Refused` where the chroot is not this
/// cluster's, `Changed` where another came in between.
pub(crate) async fn look(tree: &impl Tree, cluster: &str) -> Result<Claim, TreeError> {
    let Some(present) = tree.read(CLAIM).await? else {
        check_empty(tree).await?;
        let create =
            |path: &str, bytes| Change::Create { path: path.to_owned(), bytes, lifetime: Lifetime::Lasting };
        tree.write(&[create(CLAIM, content(cluster)?), create(MEMBERS, Vec::new())]).await?;
        return Ok(Claim(0));
    };
    match serde_json::from_slice::<Cluster>(&present.bytes) {
        Ok(found) if found.cluster == cluster => Ok(Claim(present.version)),
        Ok(found) => Err(TreeError::Refused(format!(
            "the chroot belongs to cluster `{}`, this node to `{cluster}`: give each a chroot of its own, such \
             as HOST:PORT/NAME",
            found.cluster
        ))),
        Err(_) => {
            let advice = "give this cluster a chroot of its own, such as HOST:PORT/parhelion";
            Err(TreeError::Refused(format!("`{CLAIM}` in ZooKeeper is none of ours; {advice}")))
        }
    }
}

/// Takes the view from whoever had it. Errors: `Changed` where another did since `seen`.
pub(crate) async fn take(tree: &impl Tree, cluster: &str, seen: Claim) -> Result<Claim, TreeError> {
    let Claim(version) = seen;
    tree.write(&[Change::Set { path: CLAIM.to_owned(), bytes: content(cluster)?, version }]).await?;
    Ok(Claim(version + 1))
}

fn content(cluster: &str) -> Result<Vec<u8>, TreeError> {
    serde_json::to_vec(&Cluster { cluster: cluster.to_owned() })
        .map_err(|error| TreeError::Refused(error.to_string()))
}

async fn check_empty(tree: &impl Tree) -> Result<(), TreeError> {
    let mut found = tree.children("/").await?;
    found.retain(|name| name != OF_ZOOKEEPER);
    if found.is_empty() {
        return Ok(());
    }
    // Two members started in one moment; the claim is the first node that any of them makes.
    if found.iter().any(|name| CLAIM.strip_prefix('/') == Some(name)) {
        return Err(TreeError::Changed);
    }
    found.sort();
    found.truncate(5);
    Err(TreeError::Refused(format!(
        "the chroot is another's: it has `{}` and no `{CLAIM}`; give this cluster one of its own, such as \
         HOST:PORT/parhelion",
        found.join("`, `")
    )))
}

#[cfg(test)]
mod tests {
    use super::{CLAIM, Claim, content, look};
    use crate::memory::MemoryTree;
    use crate::{TreeError, Trees};

    #[tokio::test]
    async fn a_claim_made_while_one_looks_for_it_is_no_strangers() {
        let tree = MemoryTree::default();
        let session = tree.connect().await.unwrap();
        tree.put_behind_next_read(CLAIM, &content("one").unwrap());
        assert_eq!(look(&session, "one").await, Err(TreeError::Changed));
        assert_eq!(look(&session, "one").await, Ok(Claim(0)));
        assert!(matches!(look(&session, "another").await, Err(TreeError::Refused(_))));
    }
}
