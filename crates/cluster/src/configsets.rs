//! The configsets that clients uploaded: `configsets/<name>.json`, each document one object of names and
//! texts, so that an upload is whole or not there. What the texts mean is the business of those who read
//! them; clients reach them through the node (`node/configsets.rs`).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use plan::{Resources, Result};

use crate::catalog::Catalog;

/// Names with their files.
type Known = BTreeMap<String, Arc<Resources>>;

/// The configsets of a node, in memory as on disk.
pub(crate) struct Uploads {
    known: ArcSwap<Known>,
    changing: Mutex<()>,
}

impl Uploads {
    pub fn open(catalog: &Catalog) -> Result<Self> {
        Ok(Self { known: ArcSwap::from_pointee(read(catalog)?), changing: Mutex::new(()) })
    }

    /// Takes up what others changed. Blocks.
    pub fn refresh(&self, catalog: &Catalog) -> Result<()> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        self.known.store(Arc::new(read(catalog)?));
        Ok(())
    }

    /// The files of a configset, by their names below it.
    pub fn get(&self, name: &str) -> Option<Arc<Resources>> {
        self.known.load().get(name).cloned()
    }

    /// In order.
    pub fn names(&self) -> Vec<String> {
        self.known.load().keys().cloned().collect()
    }

    /// Saves what `edit` makes of a configset's files, one edit after the other; `None` deletes it. Blocks.
    pub fn edit(
        &self,
        catalog: &Catalog,
        name: String,
        edit: impl FnOnce(Option<&Resources>) -> Result<Option<Resources>>,
    ) -> Result<()> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = Known::clone(&self.known.load());
        let saved = catalog.configset(&name)?;
        match edit(saved.as_ref().map(|saved| &saved.value))? {
            Some(files) => {
                catalog.set_configset(&name, saved.map(|saved| saved.version), &files)?;
                known.insert(name, Arc::new(files));
            }
            None => {
                catalog.remove_configset(&name)?;
                known.remove(&name);
            }
        }
        self.known.store(Arc::new(known));
        Ok(())
    }
}

fn read(catalog: &Catalog) -> Result<Known> {
    Ok(catalog.configsets()?.into_iter().map(|(name, files)| (name, Arc::new(files))).collect())
}
