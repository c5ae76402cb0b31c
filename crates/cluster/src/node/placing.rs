//! Who is to have what of a collection that is made: of those that live and are there for data whoever has
//! the fewest shards, and the replicas of a shard in as many zones as there are. In: names of nodes and how
//! many replicas there are to be; out: the assignment, written by whoever makes the collection.

use std::collections::BTreeMap;

use plan::{Error, Result};

use super::Node;
use crate::collection_documents::CollectionDocument;
use crate::living::{LivingMember, Zones};
use crate::owners::{Member, Owners};
use crate::replica::ReplicaCounts;

/// Of the cluster, as Solr calls it: below zero there is no bound.
pub const CORES_MAX_PROPERTY: &str = "maxCoresPerNode";

impl Node {
    /// Who of these nodes, by their names, is to lead a new collection; of those that are there for data
    /// where none is named: whoever serves the fewest shards, this member among equals.
    pub fn least_loaded(&self, named: &[String]) -> Option<Member> {
        Dealer::new(self, named).least(None, &[])
    }

    /// How many replicas a node may have for one to be put there; what is there stays.
    fn cores_max(&self) -> usize {
        let state = self.state();
        let set = state.properties.get(CORES_MAX_PROPERTY).and_then(|value| value.parse().ok());
        set.unwrap_or(usize::MAX)
    }

    /// How many shards members serve or have copies of, by their ids.
    fn shards_served(&self) -> BTreeMap<String, usize> {
        let mut load: BTreeMap<String, usize> = BTreeMap::new();
        for description in self.descriptions() {
            for shard in description.shard_documents() {
                for (_, member) in description.replicas(&shard) {
                    *load.entry(member.id).or_default() += 1;
                }
            }
        }
        load
    }

    /// Who is to serve the shards of a new collection that this member leads, and who is to have the other
    /// replicas of each: of the living of these names, or of all where none is named, each time whoever has
    /// the fewest. Errors: `BadRequest` for more replicas than there are members.
    pub(super) fn spread(
        &self,
        entry: &CollectionDocument,
        nodes: &[String],
        replicas: ReplicaCounts,
    ) -> Result<Owners> {
        let mut dealer = Dealer::new(self, nodes);
        let mut owners = Owners::from(self.member());
        for shard in entry.shards() {
            dealer.deal((entry, &shard.name), replicas, &mut owners)?;
        }
        Ok(owners)
    }

    /// The same of a shard that comes to a collection.
    pub(super) fn place_shard(
        &self,
        (entry, shard): (&CollectionDocument, &str),
        (nodes, replicas): (&[String], ReplicaCounts),
        owners: &mut Owners,
    ) -> Result<()> {
        let mut dealer = Dealer::new(self, nodes);
        dealer.leaders = entry.shards().iter().map(|it| owners.of_shard(&it.name).id.clone()).collect();
        dealer.deal((entry, shard), replicas, owners)
    }
}

/// Deals out the replicas of one shard after the other.
pub(super) struct Dealer {
    own_id: String,
    living: Vec<LivingMember>,
    /// Who may have any, as long as it has fewer than `cores_max`.
    may: Vec<Member>,
    cores_max: usize,
    /// How many shards each has, by ids.
    load: BTreeMap<String, usize>,
    /// Who leads a shard of the collection, once for each.
    leaders: Vec<String>,
}

impl Dealer {
    /// Among the living of these names, or among all that are there for data where none is named.
    pub fn new(node: &Node, named: &[String]) -> Self {
        let living = node.living();
        // Whoever is named is meant, whatever it is there for.
        let may = |it: &&LivingMember| match named {
            [] => it.roles.data,
            named => named.contains(&it.member.name),
        };
        let may = living.iter().filter(may).map(|it| it.member.clone()).collect();
        let (own_id, cores_max) = (node.member().id, node.cores_max());
        Self { own_id, living, may, cores_max, load: node.shards_served(), leaders: Vec::new() }
    }

    /// Who is to lead a shard of the collection.
    fn leader(&self) -> Option<Member> {
        self.least(Some(&self.leaders), &[])
    }

    /// Who is to follow a shard of which these have replicas.
    pub fn follower(&self, have_one: &[Member]) -> Option<Member> {
        self.least(None, have_one)
    }

    /// Whoever leads has more to do than whoever follows: what a member leads of this collection, once for
    /// each in `leaders`, counts first.
    fn least(&self, leaders: Option<&[String]>, but: &[Member]) -> Option<Member> {
        let zones = Zones::of(&self.living);
        let load = |it: &Member| self.load.get(&it.id).copied().unwrap_or_default();
        let others = self.may.iter().filter(|it| !but.iter().any(|but| but.id == it.id));
        let least = others.filter(|it| load(it) < self.cores_max).min_by_key(|it| {
            // Not asked of who is only to follow: there copies and leaders weigh alike.
            let led = leaders.into_iter().flatten().filter(|lead| **lead == it.id).count();
            let same_zone = zones.shared(&it.id, but.iter().map(|it| &it.id));
            // A zone before an even load: two replicas that fail together are as good as one.
            (led, same_zone, load(it), it.id != self.own_id, &it.id)
        });
        least.cloned()
    }

    fn deal(
        &mut self,
        (entry, shard): (&CollectionDocument, &str),
        replicas: ReplicaCounts,
        owners: &mut Owners,
    ) -> Result<()> {
        let owner = self.leader().ok_or_else(|| {
            let (name, max) = (&entry.name, self.cores_max);
            if self.may.is_empty() {
                return Error::bad_request(format!(
                    "cannot make the shards of `{name}`: none of the nodes that may have them lives, or is there for \
                     data; start one (`--node-roles data:on`), or name some (createNodeSet)"
                ));
            }
            Error::bad_request(format!(
                "cannot make the shards of `{name}`: every node has {max} cores, as many as `{CORES_MAX_PROPERTY}` \
                 allows; start more nodes, or raise it (CLUSTERPROP)"
            ))
        })?;
        self.leaders.push(owner.id.clone());
        *self.load.entry(owner.id.clone()).or_default() += 1;
        owners.set_owner(shard, owner.clone());
        let mut chosen = vec![owner];
        for kind in replicas.follow() {
            let Some(member) = self.follower(&chosen) else {
                let message = format!(
                    "cannot make the shards of `{}`: there are to be {} replicas of each, but only {} nodes may \
                     have one; use fewer, or start more nodes",
                    entry.name,
                    replicas.total(),
                    chosen.len()
                );
                return Err(Error::bad_request(message));
            };
            *self.load.entry(member.id.clone()).or_default() += 1;
            owners.follow(shard, member.clone(), kind);
            chosen.push(member);
        }
        Ok(())
    }
}
