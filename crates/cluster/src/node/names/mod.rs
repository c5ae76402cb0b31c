//! What collections are called: cores that are renamed or swapped, aliases, and what is set for collections
//! and the node. Each change is on disk before it is in use. Looking a name up is `Directory`'s.
//!
//! A rename of several documents is written down as a whole before the first of them changes, and finished by
//! the next change or the next start if it was broken off. A collection's key, by which its documents and
//! folder are called, never changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use plan::{Error, Result, check_name};

use super::{Directory, Node, unknown};
use crate::collection::Collection;
use crate::collection_documents::CollectionDocument;
use crate::offload;
use crate::state::{ClusterState, Rename};

impl Node {
    /// Aliases and properties as they are now.
    pub fn state(&self) -> Arc<ClusterState> {
        self.directory.load().state.clone()
    }

    /// The id of the cluster whose documents these are; `new` becomes that of one that has none. Blocks.
    pub fn cluster_id(&self, new: &str) -> Result<String> {
        self.catalog.cluster_id(new)
    }

    /// The collections that a text of names stands for: aliases and collections, separated by commas, each
    /// once. Errors: `NotFound` with the first that is none.
    pub fn resolve(&self, names: &str) -> Result<Vec<Arc<Collection>>> {
        let directory = self.directory.load();
        let mut found: Vec<Arc<Collection>> = Vec::new();
        for member in directory.members_of(names) {
            let collection = directory.own(&member).ok_or_else(|| unknown(&member))?;
            if !found.iter().any(|known| Arc::ptr_eq(known, &collection)) {
                found.push(collection);
            }
        }
        Ok(found)
    }

    /// Applies `edit` to aliases and properties and keeps the result. Its error changes nothing.
    pub async fn edit_state(
        self: &Arc<Self>,
        edit: impl FnOnce(&mut ClusterState) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let node = self.clone();
        let work = move || {
            let _changing = node.lock();
            node.finish_renames()?;
            let (version, mut state) = node.catalog.state()?;
            edit(&mut state)?;
            node.catalog.set_state(version, &state)?;
            node.adopt_state(state);
            Ok(())
        };
        offload::update(work).await?
    }

    /// Makes `name` stand for collections or aliases that exist. Errors: `BadRequest`.
    pub async fn set_alias(self: &Arc<Self>, name: &str, members: Vec<String>) -> Result<()> {
        check_name("alias", name)?;
        let (node, name) = (self.clone(), name.to_owned());
        let edit = move |state: &mut ClusterState| {
            node.check_alias(state, &name, &members)?;
            state.aliases.entry(name).or_default().collections = members;
            Ok(())
        };
        self.edit_state(edit).await
    }

    /// Makes `target` stand for a collection, also wherever an alias names the collection. Errors:
    /// `BadRequest`.
    pub async fn rename_by_alias(self: &Arc<Self>, collection: &Arc<Collection>, target: &str) -> Result<()> {
        check_name("alias", target)?;
        let (node, name, target) = (self.clone(), collection.name(), target.to_owned());
        let edit = move |state: &mut ClusterState| {
            let members = vec![name.clone()];
            node.check_alias(state, &target, &members)?;
            state.replace_member(&name, &target);
            state.aliases.entry(target).or_default().collections = members;
            Ok(())
        };
        self.edit_state(edit).await
    }

    fn check_alias(&self, state: &ClusterState, name: &str, members: &[String]) -> Result<()> {
        let directory = self.directory.load();
        let is_core_elsewhere =
            !directory.elsewhere.contains_key(name) && directory.described(name).is_some();
        if directory.cores.contains_key(name) || is_core_elsewhere {
            let message = format!("cannot create the alias `{name}`: a core has this name; choose another");
            return Err(Error::bad_request(message));
        }
        let known = |name: &str| directory.is_taken(name) || state.aliases.contains_key(name);
        match members.iter().find(|member| !known(member)) {
            None => Ok(()),
            Some(unknown) => Err(Error::bad_request(format!(
                "Can't create collection alias for collections='{}', '{unknown}' is not an existing collection or alias",
                members.join(",")
            ))),
        }
    }

    /// Sets properties of a collection, or removes those without a value, and says whether it takes updates
    /// where that is to change: none that was not under way is acknowledged behind it.
    pub async fn set_properties(
        self: &Arc<Self>,
        collection: &Arc<Collection>,
        (values, read_only): (BTreeMap<String, Option<String>>, Option<bool>),
    ) -> Result<()> {
        let (node, collection) = (self.clone(), collection.clone());
        let work = move || {
            {
                let _changing = node.lock();
                collection.change_entry(|entry| {
                    for (name, value) in &values {
                        match value {
                            Some(value) => drop(entry.properties.insert(name.clone(), value.clone())),
                            None => drop(entry.properties.remove(name)),
                        }
                    }
                    entry.read_only = read_only.unwrap_or(entry.read_only);
                })?;
            }
            node.tell_of(&collection);
            Ok(())
        };
        offload::update(work).await?
    }

    /// Calls a core by another name, and its collection too where that is called as its core is. Errors:
    /// `NotFound` for a core that is not there, `BadRequest` for a name that is taken or not allowed.
    pub async fn rename(self: &Arc<Self>, core: &str, other: &str) -> Result<()> {
        check_name("core", other)?;
        let (node, core, other) = (self.clone(), core.to_owned(), other.to_owned());
        let work = move || {
            let _changing = node.lock();
            let collection = node.own(&core)?;
            if other == core {
                return Ok(());
            }
            only_shard(&collection)?;
            node.check_free([&other])?;
            let entry = collection.entry();
            let name = if entry.name == entry.core { other.clone() } else { entry.name.clone() };
            let rename = Rename { key: entry.key().to_owned(), name, core: other };
            node.call(&[(collection, rename)])
        };
        offload::update(work).await?
    }

    /// Lets two cores change their names. Errors: `NotFound`.
    pub async fn swap(self: &Arc<Self>, core: &str, other: &str) -> Result<()> {
        let (node, core, other) = (self.clone(), core.to_owned(), other.to_owned());
        let work = move || {
            let _changing = node.lock();
            let (one, two) = (node.own(&core)?, node.own(&other)?);
            only_shard(&one).and_then(|()| only_shard(&two))?;
            let (first, second) =
                (take_names(&one.entry(), &two.entry()), take_names(&two.entry(), &one.entry()));
            node.call(&[(one, first), (two, second)])
        };
        offload::update(work).await?
    }

    /// What a crash left half-renamed gets its names. Before any collection is opened.
    pub(super) fn take_up_state(&self) -> Result<()> {
        self.finish_renames()?;
        self.adopt_state(self.catalog.state()?.1);
        Ok(())
    }

    /// Gives the names that were under way when their change failed. Before any other change of what there
    /// is: written down for longer, they would undo a later one at the next start, or rename a collection
    /// that came since.
    pub(super) fn finish_renames(&self) -> Result<()> {
        let (version, mut state) = self.catalog.state()?;
        if state.renames.is_empty() {
            return Ok(());
        }
        let directory = self.directory.load_full();
        let mut open = Vec::new();
        for rename in std::mem::take(&mut state.renames) {
            match directory.collections.values().find(|it| it.entry().key() == rename.key) {
                Some(collection) => open.push((collection.clone(), rename)),
                None => self.catalog.call(&rename)?,
            }
        }
        self.change_names(&open)?;
        self.catalog.set_state(version, &state).map(drop)
    }

    /// Gives collections their new names, all or none of them, for clients in one step.
    fn call(&self, renames: &[(Arc<Collection>, Rename)]) -> Result<()> {
        self.finish_renames()?;
        let (version, state) = self.catalog.state()?;
        let under_way = renames.iter().map(|(_, rename)| rename.clone()).collect();
        let version =
            self.catalog.set_state(version, &ClusterState { renames: under_way, ..state.clone() })?;
        // Invariant: what fails from here on, the next start or the next change finishes.
        self.change_names(renames)?;
        self.catalog.set_state(Some(version), &ClusterState { renames: Vec::new(), ..state }).map(drop)
    }

    /// Clients see the new names once all documents have them, and the old ones where one has not.
    fn change_names(&self, renames: &[(Arc<Collection>, Rename)]) -> Result<()> {
        renames
            .iter()
            .try_for_each(|(collection, rename)| collection.change_entry(|entry| rename.apply(entry)))?;
        let mut directory = Directory::clone(&self.directory.load());
        // All before the first comes back: two may have exchanged their names.
        renames.iter().for_each(|(collection, _)| directory.take_out(collection));
        renames.iter().for_each(|(collection, _)| directory.insert(collection.clone()));
        self.directory.store(Arc::new(directory));
        Ok(())
    }

    pub(in crate::node) fn adopt_state(&self, state: ClusterState) {
        let directory = Directory { state: Arc::new(state), ..Directory::clone(&self.directory.load()) };
        self.directory.store(Arc::new(directory));
    }
}

impl Rename {
    pub(crate) fn apply(&self, entry: &mut CollectionDocument) {
        entry.key = (self.key != self.name).then(|| self.key.clone());
        self.name.clone_into(&mut entry.name);
        self.core.clone_into(&mut entry.core);
    }
}

/// A core that is one of several is called by its collection.
fn only_shard(collection: &Collection) -> Result<()> {
    if collection.entry().shards.is_empty() {
        return Ok(());
    }
    Err(Error::bad_request(format!(
        "cannot change the name of a core of `{}`, which has shards of its own; give the collection an alias instead",
        collection.name()
    )))
}

fn take_names(entry: &CollectionDocument, from: &CollectionDocument) -> Rename {
    Rename { key: entry.key().to_owned(), name: from.name.clone(), core: from.core.clone() }
}

#[cfg(test)]
mod tests;
