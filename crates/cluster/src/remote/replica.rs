//! A replica of a shard at another member, as one of those that a search may ask: what it is like, and the
//! way to it. In: what a request prefers; out: a pin that asks those that there are in that order.

use std::sync::Arc;

use plan::{EqualReplicas, ReplicaChoice, ReplicaRule};

use super::link::{Exchange, Link};
use super::message::{Moment, ShardAddress};
use super::pin::{PinTarget, RemotePin};
use crate::collection_documents::CollectionDocument;
use crate::living::Living;
use crate::owners::{Member, Owners};
use crate::replica::{Replica, ReplicaKind};
use crate::routing::ShardDocument;
use crate::shard::{Shard, ShardSnapshot};

#[derive(Clone)]
pub(crate) struct RemoteReplica {
    about: ReplicaFacts,
    link: Arc<Link>,
}

/// What rules go by.
#[derive(Clone, Debug)]
pub(crate) struct ReplicaFacts {
    pub core: String,
    pub kind: ReplicaKind,
    pub leads: bool,
    /// As clients see it.
    pub address: String,
    /// Whose it is, by the member's stored id.
    pub member_id: String,
}

impl ReplicaFacts {
    pub fn of(leads: bool, replica: &Replica, member: &Member) -> Self {
        let address = format!("{}/solr/{}/", member.url, replica.core);
        let (core, kind, member_id) = (replica.core.clone(), replica.kind, member.id.clone());
        Self { core, kind, leads, address, member_id }
    }

    fn fits(&self, is_here: bool, rule: &ReplicaRule, living: &Living) -> bool {
        match rule {
            // Zones are looked up anew each time: a node says another one when it is started elsewhere.
            ReplicaRule::Zone(zone) => living.zone_of(&self.member_id).as_ref() == Some(zone),
            ReplicaRule::SameZone => {
                living.own_zone().is_some_and(|own| living.zone_of(&self.member_id) == Some(own))
            }
            ReplicaRule::Here => is_here,
            ReplicaRule::Location(prefix) => self.address.starts_with(prefix.as_str()),
            ReplicaRule::Kind(kind) => self.kind.name() == kind,
            ReplicaRule::Leads(leads) => self.leads == *leads,
        }
    }
}

impl RemoteReplica {
    pub fn new(
        exchange: &Arc<Exchange>,
        member: &Member,
        about: ReplicaFacts,
        address: &ShardAddress,
    ) -> Self {
        let (exchange, member, address) = (exchange.clone(), member.clone(), address.clone());
        Self { about, link: Arc::new(Link { exchange, member, address }) }
    }

    /// What it is asked for.
    pub(super) fn target(&self) -> PinTarget {
        let moment = if self.about.leads { Moment::Visible } else { Moment::Copy };
        PinTarget { link: self.link.clone(), moment, address: self.about.address.clone() }
    }

    pub(super) fn leads(&self) -> bool {
        self.about.leads
    }

    pub(super) fn link(&self) -> &Arc<Link> {
        &self.link
    }
}

/// All replicas of a shard, as one member sees them.
#[derive(Clone, Default)]
pub(crate) struct ShardReplicas {
    /// That of this member, where it has one.
    pub own: Option<ReplicaFacts>,
    /// Its owner's first, where that is another.
    pub others: Arc<[RemoteReplica]>,
}

impl ShardReplicas {
    /// Of the shard of this document, which lies in this folder, to the member with this id.
    pub fn of(
        (exchange, own_id): (&Arc<Exchange>, &str),
        (owners, entry): (&Owners, &CollectionDocument),
        (document, folder): (&ShardDocument, &str),
    ) -> Self {
        let name = &*document.name;
        let address = ShardAddress::of(entry, folder);
        let leads = (true, owners.leading(entry, name), owners.of_shard(name));
        let follow = owners.followers_of(name).iter().map(|it| (false, it.replica, &it.member));
        let (mut own, mut others) = (None, Vec::new());
        for (leads, identity, member) in std::iter::once(leads).chain(follow) {
            let about = ReplicaFacts::of(leads, &Replica::of(&entry.name, document, identity), member);
            match member.id == own_id {
                true => own = Some(about),
                false => others.push(RemoteReplica::new(exchange, member, about, &address)),
            }
        }
        Self { own, others: others.into() }
    }
}

/// What searches see now of the replica that the choice prefers, or of the next one where that does not
/// answer. The others are in the order in which they are asked where nothing is preferred; what is here comes
/// with what it is.
pub(crate) fn pin_chosen(
    choice: &ReplicaChoice,
    shard: &Arc<dyn Shard>,
    ShardReplicas { own, others }: &ShardReplicas,
) -> Arc<dyn ShardSnapshot> {
    let Some(other) = others.first().filter(|_| !choice.is_free()) else { return shard.pin() };
    let living = other.link.exchange.living();
    let here = own.as_ref().map(|own| (own, None));
    let mut all: Vec<(&ReplicaFacts, Option<&RemoteReplica>)> =
        here.into_iter().chain(others.iter().map(|it| (&it.about, Some(it)))).collect();
    if let EqualReplicas::Turned(by) = choice.equals {
        // By their addresses, so that all members turn the same list.
        all.sort_by(|(a, _), (b, _)| a.address.cmp(&b.address));
        let count = u64::try_from(all.len()).unwrap_or(1).max(1);
        all.rotate_left(usize::try_from(by % count).unwrap_or_default());
    }
    all.sort_by_key(|(it, there)| {
        let fits = |rule| !it.fits(there.is_none(), rule, living);
        choice.rules.iter().map(fits).collect::<Vec<_>>()
    });
    // What is here always answers: nobody behind it is asked.
    let before: Vec<_> = all.iter().map_while(|(_, there)| there.map(RemoteReplica::target)).collect();
    if before.is_empty() {
        return shard.pin();
    }
    Arc::new(RemotePin::new(before, own.as_ref().map(|_| shard.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::living::LivingMember;

    #[test]
    fn rules_fit_what_they_name() {
        let facts = ReplicaFacts {
            core: "films_shard1_replica_p2".into(),
            kind: ReplicaKind::Pull,
            leads: false,
            address: "http://h:8983/solr/films_shard1_replica_p2/".into(),
            member_id: "h".into(),
        };
        let living = Living::default();
        let fits = |rule: ReplicaRule| facts.fits(false, &rule, &living);
        assert!(fits(ReplicaRule::Kind("PULL".into())) && !fits(ReplicaRule::Kind("NRT".into())));
        assert!(fits(ReplicaRule::Leads(false)) && !fits(ReplicaRule::Leads(true)));
        assert!(fits(ReplicaRule::Location("http://h:8983/solr".into())));
        assert!(!fits(ReplicaRule::Location("http://h:7".into())) && !fits(ReplicaRule::Here));
        assert!(facts.fits(true, &ReplicaRule::Here, &living));
        // Nobody is in a zone of which nothing was said, this node least of all.
        assert!(!fits(ReplicaRule::Zone("west".into())) && !fits(ReplicaRule::SameZone));
        living.set_own_id("own");
        let in_zone = |id: &str| {
            let member = Member { id: id.into(), ..Member::default() };
            LivingMember { member, zone: Some("west".into()), ..LivingMember::default() }
        };
        living.set(vec![in_zone("h"), in_zone("own")]);
        assert!(fits(ReplicaRule::Zone("west".into())) && fits(ReplicaRule::SameZone));
        assert!(!fits(ReplicaRule::Zone("east".into())));
    }
}
