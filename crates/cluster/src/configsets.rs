//! The configsets that clients uploaded: `configsets/<name>.json`, each document one object of names and
//! texts, so that an upload is whole or not there. What the texts mean is the business of those who read
//! them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use plan::{Resources, Result, check_name};

use crate::catalog::Catalog;
use crate::node::Node;
use crate::offload;

/// Names with their files.
type Known = BTreeMap<String, Arc<Resources>>;

/// The configsets of a node, in memory as on disk.
pub(crate) struct Uploads {
    known: ArcSwap<Known>,
    changing: Mutex<()>,
}

impl Uploads {
    pub fn open(catalog: &Catalog) -> Result<Self> {
        let mut known = Known::new();
        for name in catalog.configset_names()? {
            if let Some(found) = catalog.configset(&name)? {
                known.insert(name, Arc::new(found.value));
            }
        }
        Ok(Self { known: ArcSwap::from_pointee(known), changing: Mutex::new(()) })
    }
}

impl Node {
    /// The files of an uploaded configset, by their names below it.
    pub fn configset(&self, name: &str) -> Option<Arc<Resources>> {
        self.uploads().known.load().get(name).cloned()
    }

    /// Names of uploaded configsets, in order.
    pub fn configset_names(&self) -> Vec<String> {
        self.uploads().known.load().keys().cloned().collect()
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
        let work = move || {
            let uploads = node.uploads();
            let _changing = uploads.changing.lock().unwrap_or_else(PoisonError::into_inner);
            let mut known = Known::clone(&uploads.known.load());
            let saved = node.catalog().configset(&name)?;
            match edit(saved.as_ref().map(|saved| &saved.value))? {
                Some(files) => {
                    node.catalog().set_configset(&name, saved.map(|saved| saved.version), &files)?;
                    known.insert(name, Arc::new(files));
                }
                None => {
                    node.catalog().remove_configset(&name)?;
                    known.remove(&name);
                }
            }
            uploads.known.store(Arc::new(known));
            Ok(())
        };
        offload::update(work).await?
    }
}
