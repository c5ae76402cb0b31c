//! What another member's shard shows at one moment. The first question makes the pin there, or at a member
//! that follows the shard where its owner does not answer; it is let go of with a later message.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use meter::Meters;
use plan::partial::{
    ExpandRequest, FetchRequest, Fetched, GroupPartial, GroupsPartial, HeadsStep, HitRef, SearchStatistics,
    ShardResult,
};
use plan::{Error, ErrorKind, Result, SearchPlan, Value};
use serde::de::DeserializeOwned;
use serde_bytes::ByteBuf;

use super::link::{Link, Watch, in_turn};
use super::message::{Moment, PinId, PinQuestion, Question};
use crate::shard::{
    DocumentAtRead, ExplainOtherRead, FilePiece, ImageRead, LikeCountsRead, Shard, ShardSnapshot,
    SnapshotAnswer, SnapshotRequest, WhyNotRead,
};

pub(super) struct RemotePin {
    /// Who is asked, in this order, with what is pinned there by the first question. At least one.
    asked: Vec<PinTarget>,
    /// Asked where none of them answers.
    own: Option<Arc<dyn Shard>>,
    kept: Mutex<Option<Kept>>,
}

/// A replica that may be pinned.
pub(super) struct PinTarget {
    pub link: Arc<Link>,
    pub moment: Moment,
    /// How clients address it; empty where none of them asks.
    pub address: String,
}

/// Where the moment is kept.
#[derive(Clone)]
enum Kept {
    There(Arc<Link>, PinId),
    Here(Arc<dyn ShardSnapshot>),
}

impl RemotePin {
    /// Of one member alone.
    pub fn of(link: Arc<Link>, moment: Moment) -> Self {
        Self::new(vec![PinTarget { link, moment, address: String::new() }], None)
    }

    pub fn new(asked: Vec<PinTarget>, own: Option<Arc<dyn Shard>>) -> Self {
        Self { asked, own, kept: Mutex::new(None) }
    }

    fn kept(&self) -> MutexGuard<'_, Option<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What one of the others answers, or what is here where none of them does.
    fn either<T>(
        &self,
        there: impl FnOnce() -> Result<T>,
        here: impl FnOnce(&dyn ShardSnapshot) -> Result<T>,
    ) -> Result<T> {
        let Some(own) = &self.own else { return there() };
        // Without the lock: questions of one search run side by side.
        let kept = self.kept().clone();
        if let Some(Kept::Here(own)) = kept {
            return here(&*own);
        }
        let failed = match there() {
            Err(error) if asks_another(&error) => error,
            answer => return answer,
        };
        let pinned = match &mut *self.kept() {
            // What others were told is of that moment.
            Some(Kept::There(..)) => return Err(self.lost(failed)),
            kept => match kept.get_or_insert_with(|| Kept::Here(own.pin())) {
                Kept::Here(own) => own.clone(),
                Kept::There(..) => return Err(self.lost(failed)),
            },
        };
        here(&*pinned)
    }

    fn ask<T: DeserializeOwned>(&self, question: PinQuestion<'_>, meters: &Meters) -> Result<T> {
        let mut kept = self.kept();
        let mut question = Box::new(question);
        match kept.clone() {
            None => {}
            Some(Kept::There(link, id)) => {
                drop(kept);
                // Never of another replica, though it has the shard: what was found so far names places of
                // this moment, and in another's they are other documents.
                let asked = Question::Pinned(Moment::Kept(id), question);
                return link.ask_pin(&asked, meters, Watch::Wait).1.map_err(|error| self.lost(error));
            }
            Some(Kept::Here(_)) => return Err(Error::internal("what is here was asked of others")),
        }
        // Whoever else asks waits for the answer: two questions must not make two moments.
        let mut failed = Vec::new();
        for (PinTarget { link, moment, .. }, watch) in in_turn(&self.asked, |it| &it.link, self.own.is_some())
        {
            let asked = Question::Pinned(*moment, question);
            match link.ask_pin(&asked, meters, watch) {
                (None, Err(error)) if asks_another(&error) => failed.push(error),
                (id, answer) => {
                    *kept = id.map(|id| Kept::There(link.clone(), id));
                    return answer;
                }
            }
            let Question::Pinned(_, again) = asked else { break };
            question = again;
        }
        Err(nobody_answers(failed))
    }

    /// What failed in the midst, when others have the shard: they show another moment, so that whoever began
    /// here begins anew.
    fn lost(&self, mut error: Error) -> Error {
        let has_others = self.own.is_some() || self.asked.len() > 1;
        if has_others && asks_another(&error) {
            error.kind = ErrorKind::ReplicaLost;
        }
        error
    }
}

impl Drop for RemotePin {
    fn drop(&mut self) {
        // Noted alone: whoever drops it may stand on a thread that must not wait for another member.
        if let Some(Kept::There(link, id)) =
            self.kept.get_mut().unwrap_or_else(PoisonError::into_inner).take()
        {
            link.release(id);
        }
    }
}

impl ShardSnapshot for RemotePin {
    fn statistics(&self, plan: &SearchPlan, meters: &Meters) -> Result<SearchStatistics> {
        let there = || self.ask(PinQuestion::Statistics(Cow::Borrowed(plan)), meters);
        self.either(there, |own| own.statistics(plan, meters))
    }

    fn heads(&self, plan: &SearchPlan, step: &HeadsStep, meters: &Meters) -> Result<GroupsPartial> {
        let there = || self.ask(PinQuestion::Heads(Cow::Borrowed(plan), Cow::Borrowed(step)), meters);
        self.either(there, |own| own.heads(plan, step, meters))
    }

    fn search(&self, plan: &SearchPlan, meters: &Meters) -> Result<ShardResult> {
        let there = || self.ask(PinQuestion::Search(Cow::Borrowed(plan)), meters);
        self.either(there, |own| own.search(plan, meters))
    }

    fn group_values(
        &self,
        plan: &SearchPlan,
        hits: &[&HitRef],
        meters: &Meters,
    ) -> Result<Vec<Option<Value>>> {
        let there = || self.ask(PinQuestion::GroupValues(Cow::Borrowed(plan), owned(hits)), meters);
        self.either(there, |own| own.group_values(plan, hits, meters))
    }

    fn expand(
        &self,
        plan: &SearchPlan,
        request: &ExpandRequest<'_>,
        meters: &Meters,
    ) -> Result<Vec<GroupPartial>> {
        let there = || {
            let (values, page) = (Cow::Borrowed(request.values), owned(request.page));
            self.ask(PinQuestion::Expand { plan: Cow::Borrowed(plan), values, page }, meters)
        };
        self.either(there, |own| own.expand(plan, request, meters))
    }

    fn fetch(&self, plan: &SearchPlan, request: &FetchRequest<'_>, meters: &Meters) -> Result<Fetched> {
        let there = || {
            let (hits, expanded) = (owned(request.hits), owned(request.expanded));
            let highlight = request.highlight;
            self.ask(PinQuestion::Fetch { plan: Cow::Borrowed(plan), hits, expanded, highlight }, meters)
        };
        self.either(there, |own| own.fetch(plan, request, meters))
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn replica_address(&self) -> Option<String> {
        let kept = self.kept();
        let Some(Kept::There(link, _)) = &*kept else { return None };
        let asked = self.asked.iter().find(|asked| Arc::ptr_eq(&asked.link, link))?;
        Some(asked.address.clone()).filter(|address| !address.is_empty())
    }

    fn read(&self, request: SnapshotRequest<'_>, meters: &Meters) -> Result<SnapshotAnswer> {
        self.either(|| self.read_there(&request, meters), |own| own.read(request, meters))
    }
}

impl RemotePin {
    fn read_there(&self, request: &SnapshotRequest<'_>, meters: &Meters) -> Result<SnapshotAnswer> {
        use PinQuestion as Q;
        use SnapshotAnswer as A;
        use SnapshotRequest as R;
        Ok(match *request {
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
    matches!(error.kind, ErrorKind::Unavailable | ErrorKind::Unknown | ErrorKind::ReplicaLost)
}

/// Of several that were asked in vain what each said. Who leads and who follows may change at this moment,
/// so that it is worth asking again soon; one alone is as it is.
pub(super) fn nobody_answers(failed: Vec<Error>) -> Error {
    let mut told: Vec<&str> = Vec::new();
    for error in &failed {
        if !told.contains(&error.message.as_str()) {
            told.push(&error.message);
        }
    }
    let message = told.join("; ");
    match failed.len() {
        0 => Error::internal("nobody was asked"),
        1 => failed.into_iter().next().unwrap_or_else(|| Error::internal(message)),
        _ => Error::new(ErrorKind::ReplicaLost, message),
    }
}

fn owned(hits: &[&HitRef]) -> Vec<HitRef> {
    hits.iter().copied().cloned().collect()
}

#[cfg(test)]
mod tests {
    use plan::Query;

    use super::super::message::ShardAddress;
    use super::super::{Carrier, Letter};
    use super::*;
    use crate::owners::Member;
    use crate::remote::link::Exchange;

    /// To members that are all gone.
    struct NobodyThere;

    impl Carrier for NobodyThere {
        fn carry(&self, to: &Member, _: Letter) -> Result<Vec<u8>> {
            Err(Error::new(ErrorKind::Unavailable, format!("`{}` is gone", to.name)))
        }
    }

    fn pin_of(names: &[&str]) -> RemotePin {
        let exchange = Arc::new(Exchange::default());
        exchange.set_carrier(Arc::new(NobodyThere));
        let target = |name: &&str| {
            let member = Member { id: (*name).into(), name: (*name).into(), url: String::new() };
            let address = ShardAddress { collection: "films".into(), created_ms: 1, folder: "s".into() };
            let link = Arc::new(Link { exchange: exchange.clone(), member, address });
            PinTarget { link, moment: Moment::Copy, address: String::new() }
        };
        RemotePin::new(names.iter().map(target).collect(), None)
    }

    fn failure(pin: &RemotePin) -> (ErrorKind, String) {
        let searched = pin.search(&SearchPlan::count(Query::All), &Meters::default());
        let error = searched.map(|_| ()).unwrap_err();
        (error.kind, error.message)
    }

    #[test]
    fn nobody_tells_what_each_of_them_said() {
        let (kind, told) = failure(&pin_of(&["a", "b"]));
        assert_eq!((kind, told.as_str()), (ErrorKind::ReplicaLost, "`a` is gone; `b` is gone"));
        // Nobody else could be asked: to begin anew would change nothing.
        let (kind, told) = failure(&pin_of(&["a"]));
        assert_eq!((kind, told.as_str()), (ErrorKind::Unavailable, "`a` is gone"));
    }

    #[test]
    fn who_was_asked_first_is_not_replaced_in_the_midst() {
        for (names, expected) in
            [(&["a", "b"][..], ErrorKind::ReplicaLost), (&["a"][..], ErrorKind::Unavailable)]
        {
            let pin = pin_of(names);
            *pin.kept() = Some(Kept::There(pin.asked[0].link.clone(), 7));
            // `b` shows another moment than `a` did, and is not asked for the rest.
            assert_eq!(failure(&pin), (expected, "`a` is gone".to_owned()));
        }
    }
}
