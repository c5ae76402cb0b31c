//! Followers of members that are gone for long: whoever leads a collection has others follow in their place,
//! as an operator would with MOVEREPLICA. A member that restarts, or whose machine does, is back before that,
//! and has its files. Shards whose owners are gone are taken over at once, by [`crate::member`].
//!
//! In: what the documents say of all collections, who lives, and the time; out: assignments to be written, a
//! few at a time, so that copying leaves room for everything else.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::living::{LivingMember, Zones};
use crate::owners::{Member, Owned, Owners};

/// Replicas that one look replaces; the next one goes on.
const AT_ONCE_MAX: usize = 2;

/// Who is gone, as this member saw it. It forgets with the process: the time begins anew.
#[derive(Default)]
pub(crate) struct GoneMembers {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// `None`: nobody is replaced.
    after_ms: Option<i64>,
    since_ms: BTreeMap<String, (Member, i64)>,
}

/// A member that is gone and has replicas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoneMember {
    pub name: String,
    /// When this member noticed.
    pub since_ms: i64,
    /// When others are to follow in its place, if ever.
    pub replaced_at_ms: Option<i64>,
}

impl GoneMembers {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long a member may be gone before others follow in its place; `None`: for ever.
    pub fn set_after(&self, after_ms: Option<i64>) {
        self.state().after_ms = after_ms;
    }

    /// Who has replicas and does not live.
    pub fn look(&self, owned: &BTreeMap<String, Owned>, living: &[LivingMember], now_ms: i64) {
        let owners = owned.values().filter_map(|owned| owned.owners.as_ref());
        let named = owners.flat_map(|owners| owners.value.members().into_iter().cloned().collect::<Vec<_>>());
        let gone: BTreeMap<String, Member> = named
            .filter(|it| !living.iter().any(|living| living.member.id == it.id))
            .map(|it| (it.id.clone(), it))
            .collect();
        let since_ms = &mut self.state().since_ms;
        // Who came back, for a moment even, begins anew.
        since_ms.retain(|id, _| gone.contains_key(id));
        for (id, member) in gone {
            since_ms.entry(id).or_insert((member, now_ms));
        }
    }

    pub fn list(&self) -> Vec<GoneMember> {
        let State { after_ms, since_ms } = &*self.state();
        let told = |(member, since_ms): &(Member, i64)| GoneMember {
            name: member.name.clone(),
            since_ms: *since_ms,
            replaced_at_ms: after_ms.map(|after_ms| since_ms.saturating_add(after_ms)),
        };
        since_ms.values().map(told).collect()
    }

    /// What this member is to write of the collections that it leads, where followers are gone for too long:
    /// each is replaced by the living member that is there for data, is in another zone than the other
    /// replicas, has the fewest shards, and none of its replicas. Where there is none it stays.
    pub fn due<'a>(
        &self,
        own_id: &str,
        owned: &'a BTreeMap<String, Owned>,
        (living, now_ms): (&[LivingMember], i64),
    ) -> BTreeMap<&'a str, Owners> {
        let State { after_ms: Some(after_ms), since_ms } = &*self.state() else { return BTreeMap::new() };
        let is_due = |it: &Member| {
            since_ms.get(&it.id).is_some_and(|(_, since_ms)| now_ms.saturating_sub(*since_ms) >= *after_ms)
        };
        // Leaders and followers alike: a copy takes as much room as what it is a copy of.
        let mut load: BTreeMap<&str, usize> = living.iter().map(|it| (it.member.id.as_str(), 0)).collect();
        let zones = Zones::of(living);
        let of = |owned: &'a Owned| owned.owners.as_ref().map(|owners| &owners.value);
        for (owned, owners) in owned.values().filter_map(|owned| Some((owned, of(owned)?))) {
            for shard in owned.entry.shards() {
                let follow = owners.followers_of(&shard.name).iter().map(|it| &it.member);
                for member in follow.chain([owners.of_shard(&shard.name)]) {
                    load.get_mut(member.id.as_str()).into_iter().for_each(|count| *count += 1);
                }
            }
        }
        let (mut due, mut left) = (BTreeMap::new(), AT_ONCE_MAX);
        for (key, owned) in owned {
            // A rebuild brings back what it noted, and comes to nothing where that changed meanwhile.
            let is_at_rest = |it: &&Owners| it.lead.id == own_id && it.rebuilding.is_none();
            let Some(before) = of(owned).filter(is_at_rest) else { continue };
            let mut after = before.clone();
            for (shard, followers) in &mut after.followers {
                let has_one: Vec<String> = before
                    .followers_of(shard)
                    .iter()
                    .map(|it| it.member.id.clone())
                    .chain([before.of_shard(shard).id.clone()])
                    .collect();
                // One a shard and look: the one that was just chosen is not among these.
                let Some(gone) = followers.iter_mut().find(|it| is_due(&it.member)) else { continue };
                let may = living.iter().filter(|it| it.roles.data).map(|it| &it.member);
                let free = may.filter(|it| !has_one.contains(&it.id));
                let rank = |it: &Member| (zones.shared(&it.id, &has_one), load.get(it.id.as_str()).copied());
                let next = free.min_by_key(|it| (rank(it), it.id.clone()));
                // The others wait for the next look, which counts what these have become.
                let Some(next) = next.filter(|_| left > 0) else { continue };
                left -= 1;
                load.get_mut(next.id.as_str()).into_iter().for_each(|count| *count += 1);
                gone.member = next.clone();
            }
            if after != *before {
                due.insert(key.as_str(), after);
            }
        }
        due
    }
}
