//! The way to one shard of another member: what is said with every question (which shard, what the request
//! may still use up, pins that are done with), and what every answer says beside its result. In: a question;
//! out: the result, typed by who asks. How bytes get there is the carrier's.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use meter::{Allowance, Clock, Limits, Meters, Trace};
use plan::{Error, ErrorKind, Result};
use serde::de::DeserializeOwned;

use super::message::{AskedMessage, PinId, Question, ShardAddress, ShardReply, decode, encode};
use super::{Carrier, Letter};
use crate::living::Living;
use crate::owners::Member;

/// What goes to other members, and what is to be told them with the next message.
#[derive(Default)]
pub(crate) struct Exchange {
    /// Set once the node listens; collections are opened before.
    carrier: OnceLock<Arc<dyn Carrier>>,
    /// By the id of the member that keeps them.
    released: Mutex<HashMap<String, Vec<PinId>>>,
    living: Arc<Living>,
}

impl Exchange {
    pub fn set_carrier(&self, carrier: Arc<dyn Carrier>) {
        let _ = self.carrier.set(carrier);
    }

    fn carry(&self, to: &Member, letter: Letter) -> Result<Vec<u8>> {
        let none = || Error::new(ErrorKind::Unavailable, "this node does not listen yet; try again");
        self.carrier.get().ok_or_else(none)?.carry(to, letter)
    }

    fn is_silent(&self, member: &Member) -> bool {
        self.carrier.get().is_some_and(|carrier| carrier.is_silent(member))
    }

    /// Itself among them.
    pub fn living(&self) -> &Arc<Living> {
        &self.living
    }

    fn released(&self) -> std::sync::MutexGuard<'_, HashMap<String, Vec<PinId>>> {
        self.released.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) struct Link {
    pub exchange: Arc<Exchange>,
    pub member: Member,
    pub address: ShardAddress,
}

/// How long a member is waited for that says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watch {
    /// As long as it is taken to live.
    Wait,
    /// Another may be asked instead.
    Leave,
}

/// How any of several is asked that have the same. Those that answered a moment ago come first; each is left
/// as soon as it says nothing at all, as long as another may be asked instead, which what is `here` is too.
/// Where none of them said anything, the first is waited for at last.
pub(super) fn in_turn<T>(
    asked: &[T],
    link: impl Fn(&T) -> &Arc<Link>,
    is_here_too: bool,
) -> impl Iterator<Item = (&T, Watch)> {
    let several = asked.len() > 1;
    // One alone is asked whatever it said: a look would take the turn of whoever tries it again.
    let (silent, answering): (Vec<_>, Vec<_>) =
        asked.iter().partition(|one| several && link(one).is_silent());
    let watch = if several || is_here_too { Watch::Leave } else { Watch::Wait };
    let last = asked.first().filter(|_| several && !is_here_too).map(|first| (first, Watch::Wait));
    answering.into_iter().chain(silent).map(move |one| (one, watch)).chain(last)
}

/// What followers and leaders ask one another is asked again soon: who has not answered by then holds up
/// nobody any longer.
const SHORT_MS: u64 = 2_000;

/// Of one such question.
pub(super) fn shortly(clock: &Arc<dyn Clock>) -> Meters {
    let limits = Limits { time_ms: Some(SHORT_MS), ..Limits::default() };
    let allowance = Allowance::new(limits, clock.clone(), clock.now_ms());
    Meters { allowance, trace: Trace::default() }
}

impl Link {
    pub fn ask<T: DeserializeOwned>(&self, question: &Question<'_>, meters: &Meters) -> Result<T> {
        self.ask_watched(question, meters, Watch::Wait)
    }

    pub fn ask_watched<T: DeserializeOwned>(
        &self,
        question: &Question<'_>,
        meters: &Meters,
        watch: Watch,
    ) -> Result<T> {
        self.send(question, meters, watch)?.result
    }

    /// Whether it said nothing a moment ago.
    pub fn is_silent(&self) -> bool {
        self.exchange.is_silent(&self.member)
    }

    /// Of a moment; beside the answer stands what it is kept as.
    pub fn ask_pin<T: DeserializeOwned>(
        &self,
        question: &Question<'_>,
        meters: &Meters,
        watch: Watch,
    ) -> (Option<PinId>, Result<T>) {
        match self.send(question, meters, watch) {
            Ok(ShardReply { pin, met: _, result }) => (pin, result),
            Err(error) => (None, Err(error)),
        }
    }

    pub fn release(&self, pin: PinId) {
        self.exchange.released().entry(self.member.id.clone()).or_default().push(pin);
    }

    fn send<T: DeserializeOwned>(
        &self,
        question: &Question<'_>,
        meters: &Meters,
        watch: Watch,
    ) -> Result<ShardReply<T>> {
        let limits = meters.allowance.left();
        // A message that is lost loses these too: they are let go of there by themselves, a minute later.
        let released = self.exchange.released().remove(&self.member.id).unwrap_or_default();
        let asked = AskedMessage { shard: &self.address, limits, released, question };
        // What changes nothing may be asked twice; a second pin that nobody hears of is swept.
        let is_safe = matches!(
            asked.question,
            Question::Pinned(..)
                | Question::Read(_)
                | Question::ReadCopy(_)
                | Question::Moment
                | Question::Losses
                | Question::Stats
                | Question::Position
                | Question::TakeUp
                | Question::CatchUp
                | Question::Capture
                | Question::FileCopy { .. }
        );
        let may_leave = watch == Watch::Leave;
        let letter = Letter { message: encode(&asked)?, time_ms: limits.time_ms, is_safe, may_leave };
        let answer = self.exchange.carry(&self.member, letter)?;
        // What another found is in this member's memory too.
        meters.allowance.take_bytes(answer.len());
        let answered: ShardReply<T> = decode(&answer)?;
        answered.met.iter().for_each(|limit| meters.allowance.meet(*limit));
        Ok(answered)
    }
}
