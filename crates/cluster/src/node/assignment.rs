//! One of several members: of all collections it serves those whose documents name it, takes over those whose
//! owners are gone, and knows of the others what clients ask any member for. Who lives it is told; that may
//! be wrong, and then a collection changes hands for nothing, but nothing is lost: homes are fenced (models
//! `assign_collection`, `takeover`).
//!
//! All of it goes by what is, not by what happened: whoever calls [`Node::take_part`] again and again comes
//! to rest where the documents say.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use plan::{Error, ErrorKind, Result};
use store::Site;

use super::{Directory, Node, NodeConfig};
use crate::catalog::MetadataHomes;
use crate::collection::Collection;
use crate::collection_documents::CollectionDocument;
use crate::member::{Assignment, Description, Member, Owned};
use crate::offload;
use crate::placement::PlacementState;

impl Node {
    /// One of the members of a cluster whose documents and shards they share; the others reach it at `url`.
    /// `new_id` becomes the id of one that has none, `new_secret` what the members know one another by. What
    /// is its own is opened by [`take_part`](Self::take_part). Blocks.
    pub fn open_member(
        config: NodeConfig,
        homes: MetadataHomes,
        site: Arc<dyn Site>,
        (url, new_id, new_secret): (String, &str, &str),
    ) -> Result<Arc<Self>> {
        let mut node = Self::begin(config, homes, site)?;
        let id = node.catalog.member_id(new_id)?;
        let own = Member { id, name: node.name.clone(), url };
        let secret = node.catalog.member_secret(new_secret)?;
        node.assignment = Some(Assignment::new(own, secret));
        node.clear_unfinished()?;
        node.refresh()?;
        Ok(Arc::new(node))
    }

    /// Itself; without an id where it owns all there is.
    pub fn member(&self) -> Member {
        let alone = || Member { name: self.name.clone(), ..Member::default() };
        self.assignment.as_ref().map_or_else(alone, |assignment| assignment.own.clone())
    }

    /// Whether it shares the cluster with others.
    pub fn is_member(&self) -> bool {
        self.assignment.is_some()
    }

    /// What members sign their messages with: it lies with the documents, which whoever may read them is
    /// trusted with.
    pub fn member_secret(&self) -> Option<&str> {
        self.assignment.as_ref().map(|assignment| &*assignment.secret)
    }

    /// Who lives, itself among them, as it was told last.
    pub fn living(&self) -> Vec<Member> {
        let told = self.assignment.as_ref().map(Assignment::living).unwrap_or_default();
        if told.is_empty() { vec![self.member()] } else { told }
    }

    /// Whether a member lives, as far as was told.
    pub fn is_alive(&self, member: &Member) -> bool {
        self.assignment.as_ref().is_some_and(|assignment| assignment.is_alive(member))
    }

    /// Tells it who lives.
    pub fn set_living(&self, members: Vec<Member>) {
        if let Some(assignment) = &self.assignment {
            assignment.set_living(members);
        }
    }

    /// All collections, by name, whoever serves them.
    pub fn descriptions(&self) -> Vec<Description> {
        let directory = self.directory.load();
        let mut found: BTreeMap<String, Description> = directory.elsewhere.clone();
        for (name, collection) in &directory.collections {
            found.insert(name.clone(), self.describe(collection));
        }
        found.into_values().collect()
    }

    /// Those that a text of names stands for, as [`Node::resolve`] takes it. Errors: `NotFound`.
    pub fn resolve_described(&self, names: &str) -> Result<Vec<Description>> {
        let directory = self.directory.load();
        let mut found: Vec<Description> = Vec::new();
        for member in directory.members_of(names) {
            let own = directory.own(&member).map(|collection| self.describe(&collection));
            let described = own.or_else(|| directory.described(&member).cloned());
            let described = described.ok_or_else(|| super::unknown(&member))?;
            if !found.iter().any(|known| known.name() == described.name()) {
                found.push(described);
            }
        }
        Ok(found)
    }

    /// As clients are shown a collection that is served here.
    pub fn describe(&self, collection: &Collection) -> Description {
        let (entry, state_version) = (collection.entry(), collection.state_version());
        Description { entry, owner: Some(self.member()), state_version }
    }

    /// Clients read states elsewhere too, where they have these versions, by the collections' names.
    pub fn show_as(&self, versions: &BTreeMap<String, u32>) {
        for collection in self.list() {
            versions.get(&collection.name()).into_iter().for_each(|version| collection.show_as(*version));
        }
        if !self.is_member() {
            return;
        }
        // Without the lock, which whoever opens a shard holds for long: what others put in meanwhile stays.
        self.directory.rcu(|directory| {
            let mut directory = Directory::clone(directory);
            for (name, description) in &mut directory.elsewhere {
                versions.get(name).into_iter().for_each(|version| description.state_version = *version);
            }
            directory
        });
    }

    /// Who of the living is to serve a new collection: of those that may, whoever serves the fewest, this
    /// member among equals.
    pub fn least_loaded(&self, may: impl Fn(&Member) -> bool) -> Option<Member> {
        let own = self.member();
        let mut owned: BTreeMap<String, usize> = BTreeMap::new();
        for description in self.descriptions() {
            *owned.entry(description.owner.unwrap_or_default().id).or_default() += 1;
        }
        let load = |member: &Member| owned.get(&member.id).copied().unwrap_or_default();
        let living = self.living().into_iter().filter(may);
        living.min_by_key(|it| (load(it), it.id != own.id, it.id.clone()))
    }

    /// Reads what other members changed of the documents. What is another's now is no longer served, and what
    /// others serve is known. Blocks.
    pub fn refresh(&self) -> Result<()> {
        let _changing = self.lock();
        self.look_at_others().map(drop)
    }

    /// As [`Node::refresh`], off the runtime's threads.
    pub async fn refreshed(self: &Arc<Self>) -> Result<()> {
        let node = self.clone();
        offload::update(move || node.refresh()).await?
    }

    /// The same for who has the lock; returns what the documents say of each collection, by key.
    pub(super) fn look_at_others(&self) -> Result<BTreeMap<String, Owned>> {
        let Some(assignment) = &self.assignment else { return Ok(BTreeMap::new()) };
        // All of it before any of it counts: where a document cannot be read, nobody knows what is gone.
        self.uploads.refresh(&self.catalog)?;
        self.known_security.refresh(&self.catalog)?;
        let (_, state) = self.catalog.state()?;
        let owned = self.catalog.owned()?;
        let mut directory = Directory::clone(&self.directory.load());
        directory.state = Arc::new(state);
        let mut served = Vec::new();
        for collection in self.list() {
            let key = collection.entry().key().to_owned();
            if owned.get(&key).is_some_and(|owned| assignment.is_own(owned)) {
                served.push(key);
            } else {
                // At once, since clients may not find here what another serves by now; closing takes longer.
                directory.take_out(&collection);
                self.lost.lock().unwrap_or_else(PoisonError::into_inner).push(collection);
            }
        }
        // Of what clients were shown, until they are shown another.
        let shown = self.descriptions();
        directory.elsewhere.clear();
        for (key, document) in &owned {
            let (Owned { entry, owner }, is_own) = (document, assignment.is_own(document));
            let is_unloaded = || Ok::<_, Error>(is_own && self.is_unloaded(entry)?);
            if served.contains(key) || is_unloaded()? {
                continue;
            }
            let shown = shown.iter().find(|shown| shown.name() == entry.name);
            let state_version = shown.map_or(entry.changes, Description::state_version);
            let owner = owner.as_ref().map(|owner| owner.value.clone());
            let description = Description { entry: Arc::new(entry.clone()), owner, state_version };
            directory.elsewhere.insert(entry.name.clone(), description);
        }
        self.directory.store(Arc::new(directory));
        self.renew_views_now()?;
        Ok(owned)
    }

    fn is_unloaded(&self, entry: &CollectionDocument) -> Result<bool> {
        Ok(self.catalog.placement_of(entry)?.state == PlacementState::Unloaded)
    }

    /// Closes what is no longer its own, opens what is, and takes over what is due to it of those who are
    /// gone. Returns whether anything changed. Blocks. Errors: what could not be done, beside what could; it
    /// is tried again the next time.
    pub fn take_part(&self) -> Result<bool, Vec<Error>> {
        let Some(assignment) = &self.assignment else { return Ok(false) };
        let owned = {
            let _changing = self.lock();
            self.look_at_others().map_err(|error| vec![error])?
        };
        // Without the lock: the view is made and collections are made and deleted between two of these steps.
        let lost = std::mem::take(&mut *self.lost.lock().unwrap_or_else(PoisonError::into_inner));
        // What could not be flushed is in the log, which is its new owner's.
        lost.iter().for_each(|collection| drop(collection.close()));
        let due = due(&owned, assignment);
        let (mut changed, mut failures) = (!lost.is_empty(), Vec::new());
        for (key, owned) in &owned {
            let version = owned.owner.as_ref().map(|owner| owner.version);
            let taken = match due.contains(&key.as_str()) {
                true => self.catalog.set_owner(key, version, &assignment.own).map(|_| true),
                false => Ok(assignment.is_own(owned)),
            };
            match taken.and_then(|is_own| Ok(is_own && self.take_up_own(key)?)) {
                Ok(did) => changed |= did,
                // Another was first, or it is gone: the next look says.
                Err(error) if error.kind == ErrorKind::Conflict => changed = true,
                Err(error) => failures.push(error.context(format!("collection `{}`: ", owned.entry.name))),
            }
        }
        if failures.is_empty() { Ok(changed) } else { Err(failures) }
    }

    /// Whether anything that it serves was fenced by another, as far as was heard. Asks nobody.
    pub fn is_deposed_anywhere(&self) -> bool {
        self.is_member() && self.list().iter().any(|collection| collection.is_deposed())
    }

    /// Opens a collection if it is still its own and not open, or open and deposed. Returns whether it did.
    fn take_up_own(&self, key: &str) -> Result<bool> {
        let Some(assignment) = &self.assignment else { return Ok(false) };
        let _changing = self.lock();
        let served = self.list().into_iter().find(|collection| collection.entry().key() == key);
        if served.as_ref().is_some_and(|collection| !collection.is_deposed()) {
            return Ok(false);
        }
        // Behind what made it deposed, so that nobody opens what became another's.
        let Some(entry) = self.catalog.collection(key)? else { return Ok(false) };
        let Some(owner) = self.catalog.owner(key)?.filter(|owner| owner.value.id == assignment.own.id) else {
            return Ok(false);
        };
        if self.is_unloaded(&entry)? {
            return Ok(false);
        }
        if owner.value != assignment.own {
            // It returned at another address.
            self.catalog.set_owner(key, Some(owner.version), &assignment.own)?;
        }
        if let Some(deposed) = &served {
            self.leave(deposed);
            let _ = deposed.close();
        }
        let opened = self.load(entry)?;
        self.set_state(&opened.entry(), PlacementState::Served)?;
        self.enter(opened);
        Ok(true)
    }

    /// Errors: `Conflict` where another member took the collection over, as while it was unloaded here.
    pub(super) fn check_own(&self, entry: &CollectionDocument) -> Result<()> {
        let Some(assignment) = &self.assignment else { return Ok(()) };
        match self.catalog.owner(entry.key())? {
            Some(owner) if owner.value.id != assignment.own.id => {
                let (collection, owner) = (&entry.name, owner.value.name);
                Err(Error::new(ErrorKind::Conflict, format!("`{collection}` is served by `{owner}` now")))
            }
            _ => Ok(()),
        }
    }

    /// Before anything else is made under this key. Errors: `Conflict` where another member was first.
    pub(crate) fn claim_key(&self, key: &str) -> Result<()> {
        let Some(assignment) = &self.assignment else { return Ok(()) };
        self.catalog.set_owner(key, None, &assignment.own).map(drop)
    }

    /// Whether a key without a collection is left of one that never came to be, or was deleted, and nobody is
    /// at it. Errors: `Conflict` where another member is.
    pub(super) fn may_clear_away(&self, key: &str) -> Result<bool> {
        let Some(assignment) = &self.assignment else { return self.has_ended(key) };
        let Some(owner) = self.catalog.owner(key)? else { return self.has_ended(key) };
        if owner.value.id != assignment.own.id && assignment.is_alive(&owner.value) {
            let message = format!("`{key}` is being made or deleted by `{}`; try again", owner.value.name);
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        self.catalog.set_owner(key, Some(owner.version), &assignment.own)?;
        Ok(true)
    }

    /// What a crash of this member left half-made or half-deleted.
    fn clear_unfinished(&self) -> Result<()> {
        let Some(assignment) = &self.assignment else { return Ok(()) };
        for key in self.catalog.keys()? {
            let owner = self.catalog.owner(&key)?;
            let is_own = owner.is_some_and(|owner| owner.value.id == assignment.own.id);
            if is_own && self.catalog.collection(&key)?.is_none() {
                self.clear_away(&key)?;
            }
        }
        Ok(())
    }
}

/// The keys of those whose owners are gone that are this member's to take over. All members work out the same
/// from the same, so that each takes its part; where they differ, the first one has it.
fn due<'a>(owned: &'a BTreeMap<String, Owned>, assignment: &Assignment) -> Vec<&'a str> {
    let living = assignment.living();
    // Nobody is chosen, and nothing taken, before it was told who lives.
    let mut load: BTreeMap<&str, usize> = living.iter().map(|member| (member.id.as_str(), 0)).collect();
    let mut orphans = Vec::new();
    for (key, owned) in owned {
        let owner = owned.owner.as_ref().map_or("", |owner| owner.value.id.as_str());
        match load.get_mut(owner) {
            Some(count) => *count += 1,
            None => orphans.push(key.as_str()),
        }
    }
    let mut due = Vec::new();
    for key in orphans {
        let Some((id, count)) = load.iter_mut().min_by_key(|(id, count)| (**count, **id)) else { break };
        *count += 1;
        if *id == assignment.own.id {
            due.push(key);
        }
    }
    due
}
