//! Who writes the view. A chroot belongs to one cluster, which its claim names; another product's, or another
//! cluster's, is refused and not touched. Within a cluster the newest opening of its documents has the claim:
//! it takes it with a greater number than whoever had it, and every write of the view checks the node it took
//! (the model `publish_view` says what breaks without either).

use serde::{Deserialize, Serialize};

use crate::tree::{Change, Lifetime, Tree, TreeError};

/// The node that says whose chroot it is.
pub(crate) const CLAIM: &str = "/parhelion";
/// What every root of a ZooKeeper has.
const OF_ZOOKEEPER: &str = "zookeeper";

/// One opening of a cluster's documents for writing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// The cluster's id.
    pub cluster: String,
    /// Greater than that of every opening before.
    pub number: u64,
}

/// A claim that was taken: the version of its node, which later writes check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claimed(pub i32);

impl Claimed {
    pub fn check(self) -> Change {
        Change::Check { path: CLAIM.to_owned(), version: self.0 }
    }
}

/// Takes the view for `opening`, or finds that it has it. Errors: `Replaced` where a newer one has it,
/// `Refused` where the chroot is not this cluster's, `Changed` where another came in between.
pub(crate) async fn claim(tree: &impl Tree, opening: &Opening) -> Result<Claimed, TreeError> {
    let bytes = serde_json::to_vec(opening).map_err(|error| TreeError::Refused(error.to_string()))?;
    let Some(present) = tree.read(CLAIM).await? else {
        check_empty(tree).await?;
        let create = Change::Create { path: CLAIM.to_owned(), bytes, lifetime: Lifetime::Lasting };
        tree.write(&[create]).await?;
        return Ok(Claimed(0));
    };
    let Ok(last) = serde_json::from_slice::<Opening>(&present.bytes) else {
        let advice = "give this cluster a chroot of its own, such as HOST:PORT/parhelion";
        return Err(TreeError::Refused(format!("`{CLAIM}` in ZooKeeper is none of ours; {advice}")));
    };
    if last.cluster != opening.cluster {
        return Err(TreeError::Refused(format!(
            "the chroot belongs to cluster `{}`, this node to `{}`: give each a chroot of its own, such as \
             HOST:PORT/NAME",
            last.cluster, opening.cluster
        )));
    }
    match last.number.cmp(&opening.number) {
        std::cmp::Ordering::Greater => Err(TreeError::Replaced { newer: last.number }),
        std::cmp::Ordering::Equal => Ok(Claimed(present.version)),
        std::cmp::Ordering::Less => {
            let version = present.version;
            tree.write(&[Change::Set { path: CLAIM.to_owned(), bytes, version }]).await?;
            Ok(Claimed(version + 1))
        }
    }
}

async fn check_empty(tree: &impl Tree) -> Result<(), TreeError> {
    let mut found = tree.children("/").await?;
    found.retain(|name| name != OF_ZOOKEEPER);
    if found.is_empty() {
        return Ok(());
    }
    found.sort();
    found.truncate(5);
    Err(TreeError::Refused(format!(
        "the chroot is another's: it has `{}` and no `{CLAIM}`; give this cluster one of its own, such as \
         HOST:PORT/parhelion",
        found.join("`, `")
    )))
}
