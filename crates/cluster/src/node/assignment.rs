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

use super::lifecycle::{OPENINGS_MAX, changed_meanwhile};
use super::{Directory, Node, NodeConfig};
use crate::catalog::MetadataHomes;
use crate::collection::Collection;
use crate::collection_documents::CollectionDocument;
use crate::documents::Versioned;
use crate::living::Census;
use crate::member::{Assignment, Description};
use crate::offload;
use crate::owners::{Member, Owned, OwnedCollections, Owners};
use crate::placement::PlacementState;
use crate::remote::{RemoteMember, ShardAddress};
use crate::replacing::GoneMember;

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
        node.assignment = Some(Assignment::new(own, secret, node.views.exchange().living().clone()));
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
        let told = self.assignment.as_ref().map(|it| it.living.list()).unwrap_or_default();
        if told.is_empty() { vec![self.member()] } else { told }
    }

    /// Whether a member lives, as far as was told.
    pub fn is_alive(&self, member: &Member) -> bool {
        self.assignment.as_ref().is_some_and(|assignment| assignment.living.has(member))
    }

    /// Notes whether a member said anything when it was asked.
    pub fn heard_of(&self, member: &Member, said_anything: bool) {
        if let Some(assignment) = &self.assignment {
            assignment.heard_of(member, self.clock.now_ms(), said_anything);
        }
    }

    /// Whether a member that lives said nothing a moment ago, so that another is asked where one can be. Who
    /// asks this may be the one that tries it again.
    pub fn is_silent(&self, member: &Member) -> bool {
        self.assignment.as_ref().is_some_and(|it| it.is_silent(member, self.clock.now_ms()))
    }

    /// Tells it who lives.
    pub fn set_living(&self, members: Vec<Member>) {
        if let Some(assignment) = &self.assignment {
            assignment.living.set(members);
        }
    }

    /// How it is told anew, before it takes anything from one that is not there as far as it was told.
    pub fn set_census(&self, census: Census) {
        if let Some(assignment) = &self.assignment {
            assignment.living.set_census(census);
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
        let owners = collection.owners().or_else(|| Some(Arc::new(self.member().into())));
        Description { entry, owners, state_version }
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

    /// Who has which part of a collection, as the document says; `None` where this node owns all there is.
    pub(super) fn owners_of(&self, key: &str) -> Result<Option<Arc<Owners>>> {
        if !self.is_member() {
            return Ok(None);
        }
        Ok(self.catalog.owners(key)?.map(|owners| Arc::new(owners.value)))
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

    /// The same for who has the lock; returns what the documents say of each collection.
    pub(super) fn look_at_others(&self) -> Result<OwnedCollections> {
        let Some(assignment) = &self.assignment else { return Ok(OwnedCollections::default()) };
        // All of it before any of it counts: where a document cannot be read, nobody knows what is gone.
        self.uploads.refresh(&self.catalog)?;
        self.known_security.refresh(&self.catalog)?;
        let (_, state) = self.catalog.state()?;
        let found = self.catalog.owned()?;
        let owned = &found.there;
        let mut directory = Directory::clone(&self.directory.load());
        directory.state = Arc::new(state);
        let mut served = Vec::new();
        for collection in self.list() {
            let (key, created_ms) = (collection.entry().key().to_owned(), collection.entry().created_ms);
            let is_it = |owned: &&Owned| owned.entry.created_ms == created_ms;
            if owned.get(&key).filter(is_it).is_some_and(|owned| assignment.has_part(owned)) {
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
        for (key, document) in owned {
            let (Owned { entry, owners }, is_own) = (document, assignment.has_part(document));
            let is_unloaded = || Ok::<_, Error>(is_own && self.is_unloaded(entry)?);
            if served.contains(key) || is_unloaded()? {
                continue;
            }
            let shown = shown.iter().find(|shown| shown.name() == entry.name);
            let state_version = shown.map_or(entry.changes, Description::state_version);
            let owners = owners.as_ref().map(|owners| Arc::new(owners.value.clone()));
            let description = Description { entry: Arc::new(entry.clone()), owners, state_version };
            directory.elsewhere.insert(entry.name.clone(), description);
        }
        self.directory.store(Arc::new(directory));
        self.renew_views_now()?;
        Ok(found)
    }

    fn is_unloaded(&self, entry: &CollectionDocument) -> Result<bool> {
        Ok(self.catalog.placement_of(entry)?.state == PlacementState::Unloaded)
    }

    /// Closes what is no longer its own, opens what is, takes over what is due to it of those who are gone,
    /// and ends what they or an earlier start of its own left half-made or half-dropped. Returns whether
    /// anything changed. Blocks. Errors: what could not be done, beside what could; it is tried again the
    /// next time.
    pub fn take_part(&self) -> Result<bool, Vec<Error>> {
        let Some(assignment) = &self.assignment else { return Ok(false) };
        let OwnedCollections { there: owned, begun } = {
            let _changing = self.lock();
            self.look_at_others().map_err(|error| vec![error])?
        };
        // Without the lock: the view is made and collections are made and deleted between two of these steps.
        let lost = std::mem::take(&mut *self.lost.lock().unwrap_or_else(PoisonError::into_inner));
        // What could not be flushed is in the log, which is its new owner's.
        lost.iter().for_each(|collection| drop(collection.close()));
        let (mut changed, mut failures) = (!lost.is_empty(), Vec::new());
        let are_living_known = match assignment.wants_change(&owned, &begun) {
            // Behind the documents that are judged by it: one that came a moment ago may be named there, and
            // not have been told of yet.
            true => assignment.living.read_again().map_err(|error| failures.push(error)).is_ok(),
            false => true,
        };
        let mut due = if are_living_known { assignment.due(&owned) } else { BTreeMap::new() };
        for (key, owned) in &owned {
            let version = owned.owners.as_ref().map(|owners| owners.version);
            let taken = match due.remove(key.as_str()) {
                Some(owners) => self.catalog.set_owners(key, version, &owners).map(|_| Some(owners)),
                None => Ok(None),
            };
            let has_part = assignment.has_part(owned);
            let did = taken.and_then(|taken| {
                let did = (has_part || taken.is_some()) && self.take_up_own(key)?;
                taken.iter().for_each(|owners| self.tell_others(&owned.entry, owners));
                Ok(did || taken.is_some())
            });
            match did {
                Ok(did) => changed |= did,
                // Another was first, or it is gone: the next look says.
                Err(error) if error.kind == ErrorKind::Conflict => changed = true,
                Err(error) => failures.push(error.context(format!("collection `{}`: ", owned.entry.name))),
            }
        }
        changed |= are_living_known && self.replace_gone(&owned, &mut failures);
        let may_end =
            |begun: &Owners| assignment.has_begun(begun) || are_living_known && assignment.may_end(begun);
        for (key, owners) in begun.iter().filter(|(_, owners)| may_end(owners)) {
            match self.end_begun(key) {
                Ok(did) => changed |= did,
                Err(error) if error.kind == ErrorKind::Conflict => changed = true,
                Err(error) => {
                    let begun = format!("what `{}` began of `{key}`: ", owners.lead.name);
                    failures.push(error.context(begun));
                }
            }
        }
        if failures.is_empty() { Ok(changed) } else { Err(failures) }
    }

    /// Has others follow in the place of members that are gone for long; returns whether any does.
    fn replace_gone(&self, owned: &BTreeMap<String, Owned>, failures: &mut Vec<Error>) -> bool {
        let Some(assignment) = &self.assignment else { return false };
        let (living, now_ms) = (assignment.living.list(), self.clock.now_ms());
        if living.is_empty() {
            // Nobody told yet: all would be taken for gone.
            return false;
        }
        assignment.gone.look(owned, &living, now_ms);
        let mut changed = false;
        for (key, after) in assignment.gone.due(&assignment.own.id, owned, (&living, now_ms)) {
            let Some(Owned { entry, owners: Some(before) }) = owned.get(key) else { continue };
            let written = self.catalog.set_owners(key, Some(before.version), &after);
            match written.and_then(|_| self.take_up_own(key)) {
                Ok(_) => self.tell_others(entry, &after),
                // Another change came first, as the taking over of a shard: the next look says what is left.
                Err(error) if error.kind == ErrorKind::Conflict => {}
                Err(error) => failures.push(error.context(format!("collection `{}`: ", entry.name))),
            }
            changed = true;
        }
        changed
    }

    /// Has others follow where a member was gone for so long; never where nothing is said.
    pub fn replace_gone_after(&self, after_ms: Option<i64>) {
        self.assignment.iter().for_each(|assignment| assignment.gone.set_after(after_ms));
    }

    /// Who has replicas and does not live, as this member saw it.
    pub fn gone_members(&self) -> Vec<GoneMember> {
        self.assignment.as_ref().map(|assignment| assignment.gone.list()).unwrap_or_default()
    }

    /// Whether anything that it serves is to be opened anew: another fenced it, as far as was heard, or what
    /// it lacked is whole again. Asks nobody.
    pub fn has_shards_to_open(&self) -> bool {
        self.is_member() && self.list().iter().any(|collection| collection.wants_opening())
    }

    /// Has the other members that have a part of a collection take up what its documents say. Whoever cannot
    /// be told looks by itself, later. Asked without any lock: they may be asking here.
    pub(super) fn tell_others(&self, entry: &CollectionDocument, owners: &Owners) {
        for member in self.others_of(owners) {
            let _ = self.remote_part(member, entry).take_up();
        }
    }

    /// The same for whoever changed a collection that is open here.
    pub(super) fn tell_of(&self, collection: &Collection) {
        if let Some(owners) = collection.owners() {
            self.tell_others(&collection.entry(), &owners);
        }
    }

    /// The living members but this one that have a part of a collection.
    pub(super) fn others_of<'a>(&self, owners: &'a Owners) -> Vec<&'a Member> {
        let own = self.member();
        owners.members().into_iter().filter(|it| it.id != own.id && self.is_alive(it)).collect()
    }

    /// Who serves a shard, where that is another.
    pub(super) fn other_owner<'a>(&self, owners: &'a Owners, shard: &str) -> Option<&'a Member> {
        Some(owners.of_shard(shard)).filter(|owner| owner.id != self.member().id)
    }

    /// Whoever leads a collection, where that is another.
    pub(super) fn remote_lead(&self, owners: &Owners, entry: &CollectionDocument) -> Option<RemoteMember> {
        let is_other = owners.lead.id != self.member().id;
        is_other.then(|| self.remote_part(&owners.lead, entry))
    }

    pub(super) fn remote_part(&self, member: &Member, entry: &CollectionDocument) -> RemoteMember {
        self.remote_follower(member, ShardAddress::of(entry, ""))
    }

    /// A member that has a copy of the address's shard.
    pub(super) fn remote_follower(&self, member: &Member, address: ShardAddress) -> RemoteMember {
        let beside = (self.views.exchange().clone(), self.clock.clone());
        RemoteMember::new(beside, member.clone(), address)
    }

    /// Opens a collection of which it has a part, if it is not open, and sees to it that what is open is what
    /// the documents say: shards that became its own, or another's, or were deposed; schema and
    /// configuration. Returns whether anything changed.
    pub(super) fn take_up_own(&self, key: &str) -> Result<bool> {
        // What is opened beside a rebuild takes updates that it does not see (model `rebuild_shards`).
        if self.list().iter().any(|it| it.entry().key() == key && it.is_rebuilding()) {
            return Ok(false);
        }
        self.take_up_as_named(key)
    }

    /// The same of a collection that is rebuilt here, by whoever rebuilds it.
    pub(super) fn take_up_as_named(&self, key: &str) -> Result<bool> {
        let Some(assignment) = &self.assignment else { return Ok(false) };
        let _changing = self.lock();
        let served = self.list().into_iter().find(|collection| collection.entry().key() == key);
        let wants_opening = served.as_ref().is_some_and(|collection| collection.wants_opening());
        // Behind what made it deposed, so that nobody opens what became another's.
        let Some(entry) = self.catalog.collection(key)? else { return Ok(false) };
        let is_own = |it: &Owners| it.has_served(&entry) && it.has(&assignment.own.id);
        let Some(found) = self.catalog.owners(key)?.filter(|it| is_own(&it.value)) else { return Ok(false) };
        if self.is_unloaded(&entry)? {
            return Ok(false);
        }
        let is_rebuilt_here = served.as_ref().is_some_and(|served| served.is_rebuilding());
        let found = match found.value.rebuilding {
            Some(_) if !is_rebuilt_here => self.end_rebuilding(&entry, &found)?,
            _ => found,
        };
        let Versioned { version, value: mut owners } = found;
        let here = owners.at(&assignment.own);
        if owners != here {
            // It returned at another address.
            self.catalog.set_owners(key, Some(version), &here)?;
            owners = here;
        }
        match served.filter(|it| it.entry().created_ms == entry.created_ms) {
            None => {
                let opened = self.load(&entry)?;
                self.set_state(&opened.entry(), PlacementState::Served)?;
                self.enter(opened);
                Ok(true)
            }
            Some(served) => self.take_up_changes(&served, entry, (owners, wants_opening)),
        }
    }

    fn take_up_changes(
        &self,
        collection: &Arc<Collection>,
        entry: CollectionDocument,
        (owners, wants_opening): (Owners, bool),
    ) -> Result<bool> {
        let (owners, before) = (Some(Arc::new(owners)), collection.served());
        for _ in 0..OPENINGS_MAX {
            let (saved, config) =
                (self.catalog.schema(entry.key())?.value, self.catalog.config(entry.key())?);
            let are_alike = collection.owners() == owners;
            let is_led_here = collection.lead_elsewhere().is_none();
            let is_known = *collection.entry() == entry
                && collection.versioned_schema().version == saved.version
                && collection.versioned_config().version == config.version;
            // What it leads it changes itself.
            if are_alike && !wants_opening && (is_led_here || is_known) {
                return Ok(false);
            }
            let (schema, auto_commit) = (collection.succeeded_by(&saved)?, config.value.auto_commit);
            let beside = (owners.clone(), Some(&*before));
            let served = self.open_edition(&entry, saved.edition(), (&schema, auto_commit), beside)?;
            if !self.is_newest(entry.key(), saved.version)? {
                served.close_all_but(&before);
                continue;
            }
            collection.take_up((entry, saved), config, served)?;
            // Names and cores may be others.
            self.replace(Some(collection), collection.clone());
            return Ok(true);
        }
        Err(changed_meanwhile(&entry))
    }
}
