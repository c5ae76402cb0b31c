//! One of several members: who it is, who else lives, what of all collections it serves and what it knows of
//! those of others, as clients ask any member for. Who lives it is told; that may be wrong, and then a
//! collection changes hands for nothing, but nothing is lost: homes are fenced (models `assign_collection`,
//! `takeover`). What it does about its part is `taking_part`'s.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use plan::{Error, Result};
use store::Site;

use super::{Directory, Node, NodeConfig};
use crate::catalog::MetadataHomes;
use crate::collection::Collection;
use crate::collection_documents::CollectionDocument;
use crate::living::{Census, LivingMember};
use crate::member::{Assignment, Description};
use crate::offload;
use crate::owners::{Member, Owned, OwnedCollections, Owners};
use crate::placement::PlacementState;
use crate::remote::{RemoteMember, ShardAddress};

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
    pub fn living(&self) -> Vec<LivingMember> {
        let told = self.assignment.as_ref().map(|it| it.living.list()).unwrap_or_default();
        if told.is_empty() { vec![self.member().into()] } else { told }
    }

    /// Itself, with what it says of itself; `None` before it was told who lives.
    pub fn living_self(&self) -> Option<LivingMember> {
        let assignment = self.assignment.as_ref()?;
        assignment.living.list().into_iter().find(|it| it.member.id == assignment.own.id)
    }

    /// Those of them that are given replicas for which no request names them.
    pub fn living_for_data(&self) -> Vec<LivingMember> {
        self.living().into_iter().filter(|it| it.roles.data).collect()
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
    pub fn set_living(&self, members: impl IntoIterator<Item: Into<LivingMember>>) {
        if let Some(assignment) = &self.assignment {
            assignment.living.set(members.into_iter().map(Into::into).collect());
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

    pub(super) fn is_unloaded(&self, entry: &CollectionDocument) -> Result<bool> {
        Ok(self.catalog.placement_of(entry)?.state == PlacementState::Unloaded)
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
}
