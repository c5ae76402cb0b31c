//! Who of a cluster's members lives and what each is there for, as this one was told last, and the way to be
//! told anew. Each node has one such list: what is judged by it and what is sent by it go by the same.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use plan::Result;

use crate::owners::Member;

/// Reads who lives, and tells [`Node::set_living`](crate::Node::set_living) before it returns. Blocks.
pub type Census = Box<dyn Fn() -> Result<()> + Send + Sync>;

/// What a node is there for, as it says of itself (Solr's node roles).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeRoles {
    /// Whether it is given replicas for which no request names it.
    pub data: bool,
    /// Whether it calls itself one that searches are to be sent to. All nodes answer them alike.
    pub coordinator: bool,
}

impl Default for NodeRoles {
    fn default() -> Self {
        Self { data: true, coordinator: false }
    }
}

/// A member, with what it says of itself for as long as it lives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LivingMember {
    pub member: Member,
    pub roles: NodeRoles,
    /// What fails together has one name: a rack, a site. `None`: on its own.
    pub zone: Option<String>,
}

impl From<Member> for LivingMember {
    fn from(member: Member) -> Self {
        Self { member, ..Self::default() }
    }
}

/// Which member is in which zone.
#[derive(Default)]
pub struct Zones<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Zones<'a> {
    /// By ids.
    pub fn of(living: &'a [LivingMember]) -> Self {
        let known = living.iter().filter_map(|it| Some((&*it.member.id, it.zone.as_deref()?)));
        Self(known.collect())
    }

    /// The same for who knows members by their names alone.
    pub fn by_name(living: &'a [LivingMember]) -> Self {
        let known = living.iter().filter_map(|it| Some((&*it.member.name, it.zone.as_deref()?)));
        Self(known.collect())
    }

    /// How many of others are in the zone of a member, all by what they were taken up by. Of who is gone no
    /// zone is known, and of two of which none is known nobody can say that they fail together.
    pub fn shared(&self, member: &str, others: impl IntoIterator<Item: AsRef<str>>) -> usize {
        let Some(zone) = self.0.get(member) else { return 0 };
        others.into_iter().filter(|it| self.0.get(it.as_ref()) == Some(zone)).count()
    }
}

/// Nobody before it was told.
#[derive(Default)]
pub(crate) struct Living {
    members: Mutex<Vec<LivingMember>>,
    census: OnceLock<Census>,
    own_id: OnceLock<String>,
}

impl Living {
    pub fn set(&self, members: Vec<LivingMember>) {
        *self.members() = members;
    }

    pub fn list(&self) -> Vec<LivingMember> {
        self.members().clone()
    }

    pub fn has(&self, member: &Member) -> bool {
        self.members().iter().any(|living| living.member.id == member.id)
    }

    /// Once; who this member is among them.
    pub fn set_own_id(&self, id: &str) {
        let _ = self.own_id.set(id.to_owned());
    }

    pub fn own_zone(&self) -> Option<String> {
        self.zone_of(self.own_id.get()?)
    }

    pub fn zone_of(&self, id: &str) -> Option<String> {
        self.members().iter().find(|living| living.member.id == id)?.zone.clone()
    }

    /// Once; another is passed over.
    pub fn set_census(&self, census: Census) {
        let _ = self.census.set(census);
    }

    /// Has the list read again. Without a census it stays as it was told. Errors: why nobody knows.
    pub fn read_again(&self) -> Result<()> {
        self.census.get().map_or(Ok(()), |census| census())
    }

    fn members(&self) -> MutexGuard<'_, Vec<LivingMember>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
