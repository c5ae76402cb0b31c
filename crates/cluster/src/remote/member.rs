//! Another member that has a part of a collection, as it is asked for the collection as a whole: its lead for
//! changes, which are the lead's alone, so that there is one order of them; the others to take them up.

use std::borrow::Cow;
use std::sync::Arc;

use meter::Meters;
use plan::{Result, SchemaSource};

use super::link::{Exchange, Link};
use super::message::{Question, ShardAddress};
use crate::member::Member;

#[derive(Clone)]
pub(crate) struct RemoteMember(Arc<Link>);

impl RemoteMember {
    /// The collection of the address is meant, whatever its folder, but for copies of one shard.
    pub fn new(exchange: Arc<Exchange>, member: Member, address: ShardAddress) -> Self {
        Self(Arc::new(Link { exchange, member, address }))
    }

    pub fn member(&self) -> &Member {
        &self.0.member
    }

    /// As [`crate::Collection::change_schema`]; whoever serves a part has it on return.
    pub fn change_schema(&self, expected: u64, source: SchemaSource) -> Result<u64> {
        self.0.ask(&Question::ChangeSchema(expected, Cow::Owned(source)), &Meters::default())
    }

    /// Has its copy of the address's shard take up what the leader shows.
    pub fn catch_up(&self) -> Result<()> {
        self.0.ask(&Question::CatchUp, &Meters::default())
    }

    /// Whether it lives, as far as this member was told.
    pub fn is_alive(&self) -> bool {
        self.0.exchange.is_alive(&self.0.member)
    }

    /// Has it take up what the documents say by now.
    pub fn take_up(&self) -> Result<()> {
        self.0.ask(&Question::TakeUp, &Meters::default())
    }
}
