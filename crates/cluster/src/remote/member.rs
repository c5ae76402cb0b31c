//! Another member that has a part of a collection, as it is asked for the collection as a whole: its lead for
//! changes, which are the lead's alone, so that there is one order of them; the others to take them up.

use std::borrow::Cow;
use std::sync::Arc;

use meter::{Clock, Meters};
use plan::{Result, SchemaSource};

use super::link::{Exchange, Link, shortly};
use super::message::{Question, ShardAddress};
use crate::owners::Member;

#[derive(Clone)]
pub(crate) struct RemoteMember {
    link: Arc<Link>,
    clock: Arc<dyn Clock>,
}

impl RemoteMember {
    /// The collection of the address is meant, whatever its folder, but for copies of one shard.
    pub fn new(
        (exchange, clock): (Arc<Exchange>, Arc<dyn Clock>),
        member: Member,
        address: ShardAddress,
    ) -> Self {
        Self { link: Arc::new(Link { exchange, member, address }), clock }
    }

    pub fn member(&self) -> &Member {
        &self.link.member
    }

    /// As [`crate::Collection::change_schema`]; whoever serves a part has it on return.
    pub fn change_schema(&self, expected: u64, source: SchemaSource) -> Result<u64> {
        self.link.ask(&Question::ChangeSchema(expected, Cow::Owned(source)), &Meters::default())
    }

    /// Has its copy of the address's shard take up what the leader shows. Errors: `Unavailable` where it does
    /// not answer shortly.
    pub fn catch_up(&self) -> Result<()> {
        self.link.ask(&Question::CatchUp, &shortly(&self.clock))
    }

    /// Whether it lives, as far as this member was told.
    pub fn is_alive(&self) -> bool {
        self.link.exchange.living().has(&self.link.member)
    }

    /// Has it take up what the documents say by now.
    pub fn take_up(&self) -> Result<()> {
        self.link.ask(&Question::TakeUp, &Meters::default())
    }
}
