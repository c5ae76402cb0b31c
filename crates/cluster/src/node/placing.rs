//! Who is to have what of a collection that is made: of the living whoever has the fewest shards. In: names
//! of nodes and how many replicas there are to be; out: the assignment, written by whoever makes the
//! collection.

use std::collections::BTreeMap;

use plan::{Error, Result};

use super::Node;
use crate::collection_documents::CollectionDocument;
use crate::owners::{Member, Owners};
use crate::replica::ReplicaCounts;

impl Node {
    /// Who of the living is to lead a new collection: of those that may, whoever serves the fewest shards,
    /// this member among equals.
    pub fn least_loaded(&self, may: impl Fn(&Member) -> bool) -> Option<Member> {
        let (own, load) = (self.member(), self.shards_served());
        let load = |member: &Member| load.get(&member.id).copied().unwrap_or_default();
        let living = self.living().into_iter().filter(may);
        living.min_by_key(|it| (load(it), it.id != own.id, it.id.clone()))
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
    /// replicas of each: of the living of these names, each time whoever has the fewest. Where none is named,
    /// this member serves all, and any of the living may have the others. Errors: `BadRequest` for more
    /// replicas than there are members.
    pub(super) fn spread(
        &self,
        entry: &CollectionDocument,
        nodes: &[String],
        replicas: ReplicaCounts,
    ) -> Result<Owners> {
        let (own, mut load) = (self.member(), self.shards_served());
        let living = self.living();
        let is_named = |it: &&Member| nodes.contains(&it.name);
        let may: Vec<&Member> = living.iter().filter(is_named).collect();
        let may_copy = living.iter().filter(|it| nodes.is_empty() || is_named(it));
        let may_copy: Vec<&Member> = may_copy.collect();
        // Whoever leads has more to do than whoever follows: what a member leads of this collection counts
        // first.
        let least = |(load, leads): (&BTreeMap<String, usize>, &[Member]),
                     may: &[&Member],
                     but: &[Member]| {
            let of = |it: &&&Member| load.get(&it.id).copied().unwrap_or_default();
            let leads_already = |it: &&&Member| leads.iter().filter(|lead| lead.id == it.id).count();
            let others = may.iter().filter(|it| !but.iter().any(|but| but.id == it.id));
            let least = others.min_by_key(|it| (leads_already(it), of(it), it.id != own.id, it.id.clone()));
            least.map(|member| Member::clone(member))
        };
        let (mut chosen, mut followers, mut leaders) = (Vec::new(), Vec::new(), Vec::new());
        for shard in entry.shards() {
            let owner = least((&load, &leaders), &may, &[]).unwrap_or_else(|| own.clone());
            leaders.push(owner.clone());
            *load.entry(owner.id.clone()).or_default() += 1;
            let mut chosen_for = vec![owner.clone()];
            for kind in replicas.follow() {
                let Some(member) = least((&load, &[]), &may_copy, &chosen_for) else {
                    let message = format!(
                        "cannot create `{}`: it is to have {} replicas of each shard, but only {} may have one; \
                         use fewer, or start more nodes",
                        entry.name,
                        replicas.total(),
                        chosen_for.len()
                    );
                    return Err(Error::bad_request(message));
                };
                *load.entry(member.id.clone()).or_default() += 1;
                chosen_for.push(member.clone());
                followers.push((shard.name.clone(), member, kind));
            }
            chosen.push((shard.name, owner));
        }
        let mut owners = Owners::of(own, chosen);
        for (shard, member, kind) in followers {
            owners.follow(&shard, member, kind);
        }
        Ok(owners)
    }
}
