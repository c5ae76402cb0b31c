//! Who serves which collection, where a cluster has several nodes. Each collection has one member that leads
//! it, and each of its shards one that serves it: its document `owner.json` names them. The shared documents
//! describe all collections, wherever they are served. That a member is named there is what it goes by; what
//! it may acknowledge, the homes of its shards decide (models `assign_collection`, `takeover`).

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use crate::collection_documents::CollectionDocument;
use crate::living::Living;
use crate::owners::{Follower, Member, Owned, Owners};
use crate::replacing::GoneMembers;
use crate::replica::Replica;
use crate::routing::{Router, ShardDocument};

/// What one of several members knows of its part.
pub(crate) struct Assignment {
    pub own: Member,
    pub secret: String,
    pub living: Arc<Living>,
    /// Who is gone, for how long.
    pub gone: GoneMembers,
    /// Ids of those that said nothing when they were asked, with when they are tried again.
    silent: Mutex<HashMap<String, i64>>,
}

/// How long a member that said nothing is passed over where another may be asked.
const SILENT_MS: i64 = 2_000;

impl Assignment {
    pub fn new(own: Member, secret: String, living: Arc<Living>) -> Self {
        living.set_own_id(&own.id);
        Self { own, secret, living, gone: GoneMembers::default(), silent: Mutex::default() }
    }

    /// Notes whether a member said anything when it was asked.
    pub fn heard_of(&self, member: &Member, now_ms: i64, said_anything: bool) {
        let mut silent = self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        match said_anything {
            true => drop(silent.remove(&member.id)),
            false => drop(silent.insert(member.id.clone(), now_ms.saturating_add(SILENT_MS))),
        }
    }

    /// Whether a member said nothing a moment ago. Once that is some time ago one of those who ask is told
    /// that it did not, and so tries it again; the others go on to pass it over.
    pub fn is_silent(&self, member: &Member, now_ms: i64) -> bool {
        let mut silent = self.silent.lock().unwrap_or_else(PoisonError::into_inner);
        match silent.get_mut(&member.id) {
            None => false,
            Some(until_ms) if now_ms < *until_ms => true,
            Some(until_ms) => {
                *until_ms = now_ms.saturating_add(SILENT_MS);
                false
            }
        }
    }

    /// What this member is to write of who has which part: of collections that it leads, and of those whose
    /// leads are gone and that are due to it, the parts of whoever is gone go to whoever has the fewest
    /// shards. All members work out the same from the same, so that each takes its part; where they differ,
    /// the first one has it.
    pub fn due<'a>(&self, owned: &'a BTreeMap<String, Owned>) -> BTreeMap<&'a str, Owners> {
        let living = self.living.list();
        // Nobody is chosen, and nothing taken, before it was told who lives.
        // Nor any that is not there for data, unless it has a replica by somebody's wish: better no leader
        // for a while than shards on a machine that was sized for none.
        let for_data = living.iter().filter(|it| it.roles.data);
        let mut load: BTreeMap<&str, usize> = for_data.map(|it| (it.member.id.as_str(), 0)).collect();
        let nobody = Owners::default();
        let owners = |owned: &'a Owned| owned.owners.as_ref().map(|owners| &owners.value);
        for owned in owned.values() {
            for shard in owned.entry.shards() {
                let owner = &owners(owned).unwrap_or(&nobody).of_shard(&shard.name).id;
                load.get_mut(owner.as_str()).into_iter().for_each(|count| *count += 1);
            }
        }
        let mut due = BTreeMap::new();
        for (key, owned) in owned {
            let before = owners(owned).unwrap_or(&nobody);
            let shards = owned.entry.shards();
            let is_alive = |member: &Member| living.iter().any(|it| it.member.id == member.id);
            let of = |id: &str| living.iter().map(|it| &it.member).find(|it| it.id == id);
            let Some(lead) = (match is_alive(&before.lead) {
                true => Some(&before.lead),
                // Whoever has a part of it has it open.
                false => {
                    let next = load.iter().min_by_key(|(id, count)| (!before.has(id), **count, **id));
                    next.and_then(|(id, _)| of(id))
                }
            }) else {
                break;
            };
            let mut after = before.clone();
            for shard in &shards {
                let (name, owner) = (&*shard.name, before.of_shard(&shard.name));
                // Who has a copy has its files at hand. In a rebuild all goes to the next lead, which ends it
                // before anything opens: another owner would acknowledge what the rebuild, were it accepted
                // after all, does not have (model `rebuild_shards`).
                let is_at_rest = |_: &&Follower| before.rebuilding.is_none();
                let followers = before.followers_of(name).iter().filter(is_at_rest);
                let may_lead = followers.filter(|it| it.replica.kind.may_lead());
                let follower = may_lead.map(|follower| &follower.member).find(|it| is_alive(it));
                // What no other was named for stays together, with the lead.
                let next = match (is_alive(owner), follower, before.shards.contains_key(name)) {
                    (true, ..) => owner,
                    (false, Some(follower), _) => follower,
                    (false, None, false) => lead,
                    (false, None, true) => {
                        let least = load.iter().min_by_key(|(id, count)| (**count, **id));
                        least.and_then(|(id, _)| of(id)).unwrap_or(lead)
                    }
                };
                if next.id != owner.id {
                    load.get_mut(next.id.as_str()).into_iter().for_each(|count| *count += 1);
                    after.hand_on((&owned.entry, name), next);
                }
            }
            let all: Vec<_> =
                shards.iter().map(|it| (it.name.clone(), after.of_shard(&it.name).clone())).collect();
            let Owners { lead: next, shards, .. } = Owners::of(lead.clone(), all);
            let after = Owners { lead: next, shards, created_ms: Some(owned.entry.created_ms), ..after };
            let is_changed = (&after.lead, &after.shards) != (&before.lead, &before.shards);
            if lead.id == self.own.id && is_changed {
                due.insert(key.as_str(), after);
            }
        }
        due
    }

    /// Whether, as far as it was told who lives, anything is this member's to take from one that is gone.
    pub fn wants_change(&self, owned: &BTreeMap<String, Owned>, begun: &BTreeMap<String, Owners>) -> bool {
        let may_end = |it: &Owners| !self.has_begun(it) && self.may_end(it);
        !self.due(owned).is_empty() || begun.values().any(may_end)
    }

    /// Whether this member is to end what was begun so: it began it, or is the first of those who live where
    /// whoever did is gone.
    pub fn may_end(&self, begun: &Owners) -> bool {
        let first = || self.living.list().into_iter().map(|it| it.member.id).min();
        self.has_begun(begun) || !self.living.has(&begun.lead) && first().as_ref() == Some(&self.own.id)
    }

    pub fn has_begun(&self, begun: &Owners) -> bool {
        begun.lead.id == self.own.id
    }

    /// Whether any part of it is this member's.
    pub fn has_part(&self, owned: &Owned) -> bool {
        owned.owners.as_ref().is_some_and(|owners| owners.value.has(&self.own.id))
    }
}

/// A collection as the shared documents describe it, wherever it is served.
#[derive(Clone)]
pub struct Description {
    pub(crate) entry: Arc<CollectionDocument>,
    pub(crate) owners: Option<Arc<Owners>>,
    pub(crate) state_version: u32,
}

impl Description {
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    pub fn configset(&self) -> &str {
        &self.entry.configset
    }

    /// Whether it takes no updates.
    pub fn is_read_only(&self) -> bool {
        self.entry.read_only
    }

    pub fn created_ms(&self) -> i64 {
        self.entry.created_ms
    }

    pub fn router(&self) -> &Router {
        &self.entry.router
    }

    /// Its shards, in order; the first may be the only one.
    pub fn shard_documents(&self) -> Vec<ShardDocument> {
        self.entry.shards()
    }

    /// What clients set for it.
    pub fn properties(&self) -> &BTreeMap<String, String> {
        &self.entry.properties
    }

    /// Grows when its names or properties change, so that clients that keep them know.
    pub fn state_version(&self) -> u32 {
        self.state_version
    }

    /// Who leads it: carries out what changes it, and serves what no other is named for. `None` where nobody
    /// is named.
    pub fn owner(&self) -> Option<&Member> {
        self.owners.as_ref().map(|owners| &owners.lead)
    }

    /// Who serves a shard, by its name.
    pub fn shard_owner(&self, shard: &str) -> Option<&Member> {
        self.owners.as_ref().map(|owners| owners.of_shard(shard))
    }

    /// Who has any part of it, each once, its lead first.
    pub fn members(&self) -> Vec<&Member> {
        self.owners.as_ref().map(|owners| owners.members()).unwrap_or_default()
    }

    /// What clients set for a replica.
    pub fn replica_properties(&self, replica: &Replica) -> BTreeMap<String, String> {
        let owners = self.owners.as_ref();
        owners.and_then(|owners| owners.properties.get(&replica.node_name())).cloned().unwrap_or_default()
    }

    /// A shard's replicas, each with who has it: the one that leads first, those that follow it behind.
    pub fn replicas(&self, shard: &ShardDocument) -> Vec<(Replica, Member)> {
        let nobody = Owners::default();
        let owners = self.owners.as_deref().unwrap_or(&nobody);
        let leads = (owners.leading(&self.entry, &shard.name), owners.of_shard(&shard.name));
        let follow = owners.followers_of(&shard.name).iter().map(|it| (it.replica, &it.member));
        let all = std::iter::once(leads).chain(follow);
        all.map(|(replica, member)| (Replica::of(self.name(), shard, replica), member.clone())).collect()
    }
}
