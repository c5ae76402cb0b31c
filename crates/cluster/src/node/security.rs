//! `security.json`: kept for the node as a whole, or for all members of a cluster. Each knows what it read
//! last; a change names the version that it was made of, so that none made elsewhere is lost.

use std::sync::Arc;

use plan::Result;
use store::VersionedBytes;

use super::Node;
use crate::offload;

impl Node {
    /// The text of `security.json`; `None` where there is none.
    pub fn security(&self) -> Result<Option<String>> {
        self.catalog.security()
    }

    /// As it was when this node looked last ([`refresh`](Self::refresh) does); `None` where there was none,
    /// or it never looked. Asks nobody.
    pub fn known_security(&self) -> Option<Arc<VersionedBytes>> {
        self.known_security.newest()
    }

    /// Reads what other members may have made of it.
    pub async fn refresh_security(self: &Arc<Self>) -> Result<()> {
        let node = self.clone();
        offload::update(move || node.known_security.refresh(&node.catalog)).await?
    }

    /// Keeps another text in its place, whatever is there: a crash leaves the old or the new.
    pub async fn save_security(self: &Arc<Self>, text: String) -> Result<()> {
        let node = self.clone();
        offload::update(move || node.known_security.put(&node.catalog, &text)).await?
    }

    /// The same in place of version `expected` (`None`: of nothing). Errors: `Conflict` when another change
    /// came first.
    pub async fn change_security(self: &Arc<Self>, expected: Option<u64>, text: String) -> Result<()> {
        let node = self.clone();
        offload::update(move || node.known_security.change(&node.catalog, expected, text)).await?
    }
}
