//! What another member's shard shows at one moment. The first question makes the pin there, or at a member
//! that follows the shard where its owner does not answer; it is let go of with a later message.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use meter::Meters;
use plan::partial::{
    ExpandRequest, FetchRequest, Fetched, GroupPartial, GroupsPartial, HeadsStep, HitRef, SearchStatistics,
    ShardResult,
};
use plan::{Error, ErrorKind, Result, SearchPlan, Value};
use serde::de::DeserializeOwned;
use serde_bytes::ByteBuf;

use super::link::Link;
use super::message::{Moment, PinId, PinQuestion, Question};
use crate::shard::{
    DocumentAtRead, ExplainOtherRead, FilePiece, ImageRead, LikeCountsRead, ShardSnapshot, SnapshotAnswer,
    SnapshotRequest, WhyNotRead,
};

pub(super) struct RemotePin {
    link: Arc<Link>,
    /// To those that have a copy.
    copies: Arc<[Arc<Link>]>,
    /// What is pinned by the first question.
    first: Moment,
    /// Where, and as what.
    kept: Mutex<Option<(Arc<Link>, PinId)>>,
}

impl RemotePin {
    pub fn new(link: Arc<Link>, copies: Arc<[Arc<Link>]>, first: Moment) -> Self {
        Self { link, copies, first, kept: Mutex::new(None) }
    }

    fn ask<T: DeserializeOwned>(&self, question: PinQuestion<'_>, meters: &Meters) -> Result<T> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut question = Box::new(question);
        if let Some((link, id)) = kept.clone() {
            drop(kept);
            return link.ask_pin(&Question::Pinned(Moment::Kept(id), question), meters).1;
        }
        // Whoever else asks waits for the answer: two questions must not make two moments.
        let copies = self.copies.iter().map(|link| (link, Moment::Copy));
        let mut failed = None;
        for (link, moment) in std::iter::once((&self.link, self.first)).chain(copies) {
            let asked = Question::Pinned(moment, question);
            match link.ask_pin(&asked, meters) {
                (None, Err(error)) if asks_another(&error) => failed = failed.or(Some(error)),
                (id, answer) => {
                    *kept = id.map(|id| (link.clone(), id));
                    return answer;
                }
            }
            let Question::Pinned(_, again) = asked else { break };
            question = again;
        }
        Err(failed.unwrap_or_else(|| Error::internal("nobody was asked")))
    }
}

impl Drop for RemotePin {
    fn drop(&mut self) {
        // Noted alone: whoever drops it may stand on a thread that must not wait for another member.
        if let Some((link, id)) = self.kept.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            link.release(id);
        }
    }
}

impl ShardSnapshot for RemotePin {
    fn statistics(&self, plan: &SearchPlan, meters: &Meters) -> Result<SearchStatistics> {
        self.ask(PinQuestion::Statistics(Cow::Borrowed(plan)), meters)
    }

    fn heads(&self, plan: &SearchPlan, step: &HeadsStep, meters: &Meters) -> Result<GroupsPartial> {
        self.ask(PinQuestion::Heads(Cow::Borrowed(plan), Cow::Borrowed(step)), meters)
    }

    fn search(&self, plan: &SearchPlan, meters: &Meters) -> Result<ShardResult> {
        self.ask(PinQuestion::Search(Cow::Borrowed(plan)), meters)
    }

    fn group_values(
        &self,
        plan: &SearchPlan,
        hits: &[&HitRef],
        meters: &Meters,
    ) -> Result<Vec<Option<Value>>> {
        self.ask(PinQuestion::GroupValues(Cow::Borrowed(plan), owned(hits)), meters)
    }

    fn expand(
        &self,
        plan: &SearchPlan,
        request: &ExpandRequest<'_>,
        meters: &Meters,
    ) -> Result<Vec<GroupPartial>> {
        let (values, page) = (Cow::Borrowed(request.values), owned(request.page));
        self.ask(PinQuestion::Expand { plan: Cow::Borrowed(plan), values, page }, meters)
    }

    fn fetch(&self, plan: &SearchPlan, request: &FetchRequest<'_>, meters: &Meters) -> Result<Fetched> {
        let (hits, expanded) = (owned(request.hits), owned(request.expanded));
        let highlight = request.highlight;
        self.ask(PinQuestion::Fetch { plan: Cow::Borrowed(plan), hits, expanded, highlight }, meters)
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn read(&self, request: SnapshotRequest<'_>, meters: &Meters) -> Result<SnapshotAnswer> {
        use PinQuestion as Q;
        use SnapshotAnswer as A;
        use SnapshotRequest as R;
        Ok(match request {
            R::Vectors(plan) => A::Vectors(self.ask(Q::Vectors(Cow::Borrowed(plan)), meters)?),
            R::LikeWords(like) => A::LikeWords(self.ask(Q::LikeWords(Cow::Borrowed(like)), meters)?),
            R::LikeCounts(LikeCountsRead { like, words }) => {
                let question = Q::LikeCounts(Cow::Borrowed(like), Cow::Borrowed(words));
                A::LikeCounts(self.ask(question, meters)?)
            }
            R::Words(plan) => A::Words(self.ask(Q::Words(Cow::Borrowed(plan)), meters)?),
            R::WhyNot(WhyNotRead { plan, id }) => {
                A::WhyNot(self.ask(Q::WhyNot(Cow::Borrowed(plan), Cow::Borrowed(id)), meters)?)
            }
            R::DocumentAt(DocumentAtRead { place, fields }) => {
                A::DocumentAt(self.ask(Q::DocumentAt { place, fields: Cow::Borrowed(fields) }, meters)?)
            }
            R::ExplainOther(ExplainOtherRead { plan, other, limit }) => {
                let (plan, other) = (Cow::Borrowed(plan), Cow::Borrowed(other));
                A::ExplainOther(self.ask(Q::ExplainOther { plan, other, limit }, meters)?)
            }
            R::Image(ImageRead { has }) => A::Image(self.ask(Q::Image(Cow::Borrowed(has)), meters)?),
            R::Piece(FilePiece { segment, file, offset }) => {
                let (segment, file) = (Cow::Borrowed(segment), Cow::Borrowed(file));
                let bytes: ByteBuf = self.ask(Q::Piece { segment, file, offset }, meters)?;
                A::Piece(bytes.into_vec())
            }
        })
    }
}

/// Whether a question that changes nothing may be put to another that has the shard: this one does not
/// answer.
pub(super) fn asks_another(error: &Error) -> bool {
    matches!(error.kind, ErrorKind::Unavailable | ErrorKind::Unknown)
}

fn owned(hits: &[&HitRef]) -> Vec<HitRef> {
    hits.iter().copied().cloned().collect()
}
