//! `security.json`: kept here as text, for the node as a whole. What it says is the business of those who
//! read it.

use std::sync::Arc;

use plan::Result;

use crate::node::Node;
use crate::offload;

impl Node {
    /// The text of `security.json`; `None` where there is none.
    pub fn security(&self) -> Result<Option<String>> {
        self.catalog().security()
    }

    /// Keeps another text in its place: a crash leaves the old or the new. The caller makes one edit after
    /// the other.
    pub async fn save_security(self: &Arc<Self>, text: String) -> Result<()> {
        let node = self.clone();
        offload::update(move || node.catalog().save_security(&text)).await?
    }
}
