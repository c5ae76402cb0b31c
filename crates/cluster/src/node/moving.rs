//! Moving house: all that a node serves, copied to another place, where a node then takes it up as its own.
//! In: a node that nobody sends updates to any more, and the place; out: documents and shards there, in their
//! own form. Nothing is changed here.
//!
//! A collection is at the new place once its `collection.json` is, which comes last. A copy that broke off is
//! gone on with: what is there is looked at and not copied again. So most of it can be copied ahead, beside
//! the node that goes on serving it (`Node::copy_ahead`). Snapshots and backups stay where they are.

use std::collections::BTreeSet;
use std::sync::Arc;

use plan::{Error, ErrorKind, Result};
use store::{MetadataStore, ShardImage, Site};

use super::Node;
use crate::catalog::path;
use crate::collection::Collection;
use crate::documents::{Documents, lift};

/// Where to.
pub struct NewHouse {
    pub documents: Arc<dyn MetadataStore>,
    pub site: Arc<dyn Site>,
}

/// A collection that is at the new place, and what it took to bring it there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MovedCollection {
    pub name: String,
    pub shards: u64,
    pub files: u64,
    pub bytes: u64,
    /// Of these; the others were there from an earlier attempt.
    pub copied_files: u64,
    pub copied_bytes: u64,
}

impl Node {
    /// Copies all collections, then aliases, properties, configsets and logins. Blocks.
    ///
    /// Errors: `Conflict`, before anything is copied, where the place has something of its own, and where it
    /// has a collection that has changed, here or there, since it was brought; `Unavailable` where one is not
    /// loaded here. Otherwise what the place says: call it again.
    pub fn move_to(&self, house: &NewHouse, told: &mut dyn FnMut(&MovedCollection)) -> Result<()> {
        let _changing = self.lock();
        self.finish_renames()?;
        let there = Documents::new(house.documents.clone());
        let common = self.catalog.common_documents()?;
        self.check_movable(&there, &common)?;
        for collection in self.list() {
            let name = collection.name();
            let in_context = |error: Error| error.context(format!("collection `{name}`: "));
            told(&self.move_collection(&collection, house, &there).map_err(in_context)?);
        }
        common.iter().try_for_each(|name| self.copy_document(name, &there))
    }

    /// Copies the files of all that is flushed, and none of the documents that would make collections of
    /// them: a move finds them there. Of a node that only reads, too; called again, it copies what has come
    /// since. Blocks.
    ///
    /// Errors: as [`Node::move_to`]; `Conflict` for a collection that was moved already.
    pub fn copy_ahead(&self, house: &NewHouse, told: &mut dyn FnMut(&MovedCollection)) -> Result<()> {
        let there = Documents::new(house.documents.clone());
        self.check_movable(&there, &self.catalog.common_documents()?)?;
        for collection in self.list() {
            let name = collection.name();
            let in_context = |error: Error| error.context(format!("collection `{name}`: "));
            if self.is_there(&collection, &there).map_err(in_context)? {
                let message = "it is at the new place already, with nothing left to copy ahead";
                return Err(in_context(Error::new(ErrorKind::Conflict, message)));
            }
            told(&self.bring_shards(&collection, house, false).map_err(in_context)?);
        }
        Ok(())
    }

    fn is_there(&self, collection: &Collection, there: &Documents) -> Result<bool> {
        Ok(there.text(&path(collection.entry().key(), "collection.json"))?.is_some())
    }

    fn check_movable(&self, there: &Documents, common: &[String]) -> Result<()> {
        let served: BTreeSet<String> = self.list().iter().map(|it| it.entry().key().to_owned()).collect();
        let unloaded = self.catalog.shared_keys()?.into_iter().find(|key| !served.contains(key));
        if let Some(key) = unloaded {
            let message = format!("`{key}` is not loaded, so it would stay behind; load or delete it first");
            return Err(Error::new(ErrorKind::Unavailable, message));
        }
        let own = there.list(crate::catalog::COLLECTIONS)?.into_iter().find(|key| !served.contains(key));
        if let Some(key) = own {
            let message = format!(
                "the new place has the collection `{key}`, which is not from here; choose an empty place"
            );
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        for name in common {
            let (here, there) = (self.catalog.shared.text(name)?, there.text(name)?);
            if there.is_some() && there != here {
                let message = format!("the new place has another `{name}`; choose an empty place");
                return Err(Error::new(ErrorKind::Conflict, message));
            }
        }
        Ok(())
    }

    fn move_collection(
        &self,
        collection: &Collection,
        house: &NewHouse,
        there: &Documents,
    ) -> Result<MovedCollection> {
        let is_there = self.is_there(collection, there)?;
        let moved = self.bring_shards(collection, house, is_there)?;
        if !is_there {
            // Invariant: the last of them makes it a collection.
            for document in ["schema.json", "config.json", "collection.json"] {
                self.copy_document(&path(collection.entry().key(), document), there)?;
            }
        }
        Ok(moved)
    }

    /// Brings what the place does not have of the shards; of a collection that is there it is to be the same.
    fn bring_shards(
        &self,
        collection: &Collection,
        house: &NewHouse,
        is_there: bool,
    ) -> Result<MovedCollection> {
        let entry = collection.entry();
        let (images, ..) = collection.capture()?;
        let mut moved = MovedCollection { name: collection.name(), ..MovedCollection::default() };
        for (folder, image) in entry.folders(&collection.edition()).iter().zip(&images) {
            let id = self.place(&entry, folder).id;
            moved.shards += 1;
            moved.files += image.files.len() as u64;
            moved.bytes += image.files.iter().map(|(file, _)| file.size).sum::<u64>();
            if is_there {
                let newest = house.site.archive(&id).and_then(|archive| archive.newest()).map_err(lift)?;
                check_unchanged(image, newest.as_ref().map(|(_, manifest)| manifest.as_slice()))?;
            } else {
                let home = house.site.home(&id).map_err(lift)?;
                let (files, bytes) = image.bring(&*home).map_err(lift)?;
                moved.copied_files += files;
                moved.copied_bytes += bytes;
            }
        }
        Ok(moved)
    }

    fn copy_document(&self, name: &str, there: &Documents) -> Result<()> {
        match self.catalog.shared.text(name)? {
            Some(text) if there.text(name)?.as_ref() != Some(&text) => there.put_text(name, &text),
            _ => Ok(()),
        }
    }
}

fn check_unchanged(image: &ShardImage, there: Option<&[u8]>) -> Result<()> {
    if there == Some(&image.manifest) {
        return Ok(());
    }
    let message = "it is at the new place already and has changed, here or there, since it was brought; \
                   delete the copy that is not to be served, and move again";
    Err(Error::new(ErrorKind::Conflict, message))
}
