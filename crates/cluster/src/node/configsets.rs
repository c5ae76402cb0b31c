//! The configsets that clients uploaded, as callers of the node see them: looked up without a lock, edited
//! one after the other off the runtime's threads. How they are kept in memory and on disk is in
//! `crate::configsets`.

use std::sync::Arc;

use plan::{Resources, Result, check_name};

use super::Node;
use crate::offload;

impl Node {
    /// The files of an uploaded configset, by their names below it.
    pub fn configset(&self, name: &str) -> Option<Arc<Resources>> {
        self.uploads.get(name)
    }

    /// Names of uploaded configsets, in order.
    pub fn configset_names(&self) -> Vec<String> {
        self.uploads.names()
    }

    /// Saves what `edit` makes of a configset's files, one edit after the other; `None` deletes it. Errors:
    /// `BadRequest` for a name that is not allowed.
    pub async fn edit_configset(
        self: &Arc<Self>,
        name: &str,
        edit: impl FnOnce(Option<&Resources>) -> Result<Option<Resources>> + Send + 'static,
    ) -> Result<()> {
        check_name("configset", name)?;
        let (node, name) = (self.clone(), name.to_owned());
        offload::update(move || node.uploads.edit(&node.catalog, name, edit)).await?
    }
}
