//! A collection at one moment, for requests that ask it more than one thing: a hit's number means the same
//! document in all of them, whatever is refreshed meanwhile. It holds files and memory of that moment until
//! it is dropped.

use std::sync::Arc;

use engine::Losses;
use meter::{Meters, Phase};
use plan::partial::Merge;
use plan::{
    Document, DocumentVectors, Error, Explanation, FieldSelection, Hit, HitAddress, LikeTerm, MoreLike,
    Query, ReplicaChoice, Result, SearchPlan, SearchResult, ShardChoice, SpellFinding, SpellPlan,
    VectorsPlan, WhyNot,
};

use super::Collection;
use super::served::Served;
use crate::finish::spell_words;
use crate::gather::{Plans, gather_parts, plans_of_many, search_side_by_side};
use crate::offload;
use crate::routing::ShardDocument;
use crate::shard::{
    DocumentAtRead, ExplainOtherRead, LikeCountsRead, ShardSnapshot, SnapshotRead, WhyNotRead,
};

/// What searches of one request see.
pub struct PinnedCollection {
    /// In the order of the collection's shards.
    pins: Arc<[Arc<dyn ShardSnapshot>]>,
    shards: ShardSelection,
    /// How many shards are of each of several collections; empty for one alone.
    parts: Vec<usize>,
    /// What the shards are called, by the numbers that hits name them by.
    documents: Arc<[ShardDocument]>,
}

/// Some of a collection's shards, by their numbers in order; all of them where it names none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShardSelection(Option<Vec<usize>>);

impl ShardSelection {
    /// Which of the collection's shards the one of this place in the selection is.
    fn number(&self, place: u32) -> u32 {
        let number = self.0.as_ref().and_then(|numbers| numbers.get(place as usize));
        number.map_or(place, |number| u32::try_from(*number).unwrap_or(u32::MAX))
    }

    pub(super) fn has(&self, number: usize) -> bool {
        self.0.as_ref().is_none_or(|numbers| numbers.contains(&number))
    }

    fn place(&self, number: u32) -> Option<usize> {
        match &self.0 {
            None => Some(number as usize),
            Some(numbers) => numbers.iter().position(|known| *known == number as usize),
        }
    }

    /// What these shards found, by the collection's numbers.
    fn numbered(&self, found: SearchResult) -> Result<SearchResult> {
        match self.0 {
            None => Ok(found),
            Some(_) => found.try_map(|hit| Ok(Hit { shard: self.number(hit.shard), ..hit })),
        }
    }
}

impl Collection {
    /// The shards that a request means; `core` is the number of the one whose core it addressed. Errors:
    /// `BadRequest` for a route and for a name of no shard: asking again does not help, so it is not Solr's
    /// 503, at which clients do (ADR 17).
    pub fn select_shards(&self, choice: &ShardChoice, core: Option<usize>) -> Result<ShardSelection> {
        if *choice == ShardChoice::All {
            return Ok(ShardSelection::default());
        }
        let served = self.home.served();
        let number_of = |name: &String| {
            let found = served.documents.iter().position(|shard| shard.name == *name);
            found.ok_or_else(|| Error::bad_request(format!("no active servers hosting shard: {name}")))
        };
        let mut numbers = match choice {
            ShardChoice::All => Vec::from_iter(0..served.shards.len()),
            ShardChoice::Addressed => vec![core.unwrap_or_default()],
            ShardChoice::Named(names) => names.iter().map(number_of).collect::<Result<_>>()?,
            ShardChoice::Routed(routes) => {
                served.router.of_routes(&served.documents, routes, &self.name())?
            }
        };
        numbers.sort_unstable();
        numbers.dedup();
        Ok(ShardSelection((numbers.len() < served.shards.len()).then_some(numbers)))
    }

    /// Of the shards that a request means, by their cores: what of them cannot be read. Asked before a search
    /// it holds for that; a shard with none is not named.
    pub fn losses(&self, shards: &ShardSelection) -> Vec<(String, Arc<Losses>)> {
        let served = self.home.served();
        let asked = served.documents.iter().zip(&served.shards).enumerate();
        let asked = asked.filter(|(number, _)| shards.has(*number));
        let losses = asked.map(|(_, (document, served))| (document, served.shard.losses()));
        let lost = losses.filter(|(_, losses)| !losses.is_empty());
        lost.map(|(document, losses)| (document.core.clone(), losses)).collect()
    }

    /// Where clients reach this member's replica of the shard with this core, where the cluster has others.
    pub fn own_replica_address(&self, core: &str) -> Option<String> {
        let served = self.home.served();
        let number = served.documents.iter().position(|shard| shard.core == core)?;
        served.shards.get(number)?.replicas.own.as_ref().map(|own| own.address.clone())
    }

    /// What searches see now.
    pub fn pin(&self) -> PinnedCollection {
        self.pin_shards(&ShardSelection::default(), &ReplicaChoice::default())
    }

    /// What searches of some shards see now, by the replicas that are preferred.
    pub fn pin_shards(&self, shards: &ShardSelection, choice: &ReplicaChoice) -> PinnedCollection {
        let served = self.home.served();
        let asked = served.shards.iter().enumerate().filter(|(number, _)| shards.has(*number));
        let pins = asked.map(|(_, served)| served.pin(choice)).collect();
        let documents = served.documents.clone();
        PinnedCollection { pins, shards: shards.clone(), parts: Vec::new(), documents }
    }

    /// Of the newest moment.
    pub async fn search(&self, plan: Arc<SearchPlan>, meters: &Meters) -> Result<SearchResult> {
        let home = self.home.clone();
        let is_remote = home.served().is_remote();
        // Pinned by the thread that searches: a search that waits for one holds no moment meanwhile.
        let plans = OwnPlans::Alike(plan);
        searched(move || pins(&home.served()), (plans, is_remote), meters).await
    }
}

impl Collection {
    /// Of all that is applied to these shards, committed or not; searches see no more of it than before.
    pub async fn search_applied(
        &self,
        plan: Arc<SearchPlan>,
        shards: &ShardSelection,
        meters: &Meters,
    ) -> Result<SearchResult> {
        let asked = self.shards_of(shards);
        let is_remote = asked.iter().any(|shard| shard.is_remote());
        // Waits for the log, which no search's thread may.
        let applied = move || asked.iter().map(|shard| shard.pin_applied()).collect::<Result<Arc<[_]>>>();
        let pins = offload::update(applied).await??;
        let found = searched(move || pins, (OwnPlans::Alike(plan), is_remote), meters).await?;
        shards.numbered(found)
    }
}

pub(super) fn pins(served: &Served) -> Arc<[Arc<dyn ShardSnapshot>]> {
    served.shards.iter().map(|served| served.shard.pin()).collect()
}

impl PinnedCollection {
    /// Several collections as one: hits are numbered through the shards of all.
    pub fn together(pinned: &[Self]) -> Self {
        let pins = pinned.iter().flat_map(|one| one.pins.iter().cloned()).collect();
        let parts = pinned.iter().map(|one| one.pins.len()).collect();
        let documents = pinned.iter().flat_map(Self::asked).cloned().collect();
        Self { pins, shards: ShardSelection::default(), parts, documents }
    }

    /// What the shards that are asked are called, in the order of [`SearchResult::by_shard`].
    pub fn asked(&self) -> impl Iterator<Item = &ShardDocument> {
        (0..self.pins.len()).filter_map(|at| {
            let at = u32::try_from(at).unwrap_or(u32::MAX);
            self.documents.get(self.shards.number(at) as usize)
        })
    }

    /// In the same order where clients reach the replicas that answered, where these are other members'.
    pub fn addresses(&self) -> impl Iterator<Item = Option<String>> {
        self.pins.iter().map(|pin| pin.replica_address())
    }

    /// What all shards are called, by the numbers that hits name them by.
    pub fn shard_documents(&self) -> &[ShardDocument] {
        &self.documents
    }

    /// What the collections have together, each asked by its own plan.
    pub async fn search_together(&self, plans: &[Arc<SearchPlan>], meters: &Meters) -> Result<SearchResult> {
        if let [only] = plans {
            return self.search(only.clone(), meters).await;
        }
        let (pins, plans) = (self.pins.clone(), OwnPlans::Each(self.for_each_shard(plans)));
        let is_remote = self.is_remote();
        searched(move || pins, (plans, is_remote), meters).await
    }

    /// Of what there is one for each collection, one for each shard.
    fn for_each_shard<T: Clone>(&self, of_collections: &[T]) -> Vec<T> {
        let of_part = |(one, shards): (&T, &usize)| std::iter::repeat_n(one.clone(), *shards);
        match of_collections {
            [only] => vec![only.clone(); self.pins.len()],
            several => several.iter().zip(&self.parts).flat_map(of_part).collect(),
        }
    }

    pub async fn search(&self, plan: Arc<SearchPlan>, meters: &Meters) -> Result<SearchResult> {
        let pins = self.pins.clone();
        let is_remote = self.is_remote();
        let found = searched(move || pins, (OwnPlans::Alike(plan), is_remote), meters).await?;
        self.shards.numbered(found)
    }

    /// The words by which documents are like another, the least telling first. The words are those of the one
    /// shard that has the document; how telling they are is decided by all shards' counts.
    pub async fn like_terms(&self, like: &MoreLike, meters: &Meters) -> Result<Vec<LikeTerm>> {
        offload::compute(|| self.chosen_like_terms(like, meters))
    }

    /// The same, on the thread that asks.
    pub(crate) fn chosen_like_terms(&self, like: &MoreLike, meters: &Meters) -> Result<Vec<LikeTerm>> {
        let like = MoreLike { schema_version: self.version_asked(like.schema_version), ..like.clone() };
        let words = self.gathered(|pin| (&like).ask_pinned(pin, meters))?;
        let read =
            |pin: &dyn ShardSnapshot| LikeCountsRead { like: &like, words: &words }.ask_pinned(pin, meters);
        let counts = self.gathered(read)?;
        like.chosen(words, &counts)
    }

    /// What dictionaries suggest for words.
    pub async fn spell(&self, plan: SpellPlan, meters: &Meters) -> Result<Vec<SpellFinding>> {
        let (pins, own) = (self.pins.clone(), meters.clone());
        let plan = SpellPlan { schema_version: self.version_asked(plan.schema_version), ..plan };
        let spell = move || {
            // Once for all look-ups: what is decided between them is the request's time too.
            own.allowance.resume();
            let look_up = |words: &plan::WordsPlan| {
                Ok(gather_parts(pins.iter(), |pin| words.ask_pinned(&**pin, &own))?.unwrap_or_default())
            };
            spell_words(&plan, &own.allowance, &look_up)
        };
        offload::read(false, (&meters.trace, Phase::Spell), spell).await?
    }

    /// The terms of documents, in the order of the plan's.
    pub async fn vectors(&self, plan: &VectorsPlan, meters: &Meters) -> Result<Vec<DocumentVectors>> {
        offload::compute(|| {
            let mut found = Vec::with_capacity(self.pins.len());
            for (at, pin) in (0..).zip(self.pins.iter()) {
                let number = self.shards.number(at);
                let places = plan.places.iter().filter(|place| place.shard == number).copied().collect();
                let own = VectorsPlan { places, ..plan.clone() };
                found.push((&own).ask_pinned(&**pin, meters)?.into_iter());
            }
            let next = |address: &HitAddress| found.get_mut(self.shards.place(address.shard)?)?.next();
            Ok(plan.places.iter().filter_map(next).collect())
        })
    }

    /// Why the document with this id is no hit of the plan, as far as filters and query say.
    pub async fn why_not(&self, plan: &SearchPlan, id: &str, meters: &Meters) -> Result<WhyNot> {
        offload::compute(|| {
            let mut why = WhyNot::default();
            for pin in self.pins.iter() {
                why = WhyNotRead { plan, id }.ask_pinned(&**pin, meters)?;
                if why.visible {
                    break;
                }
            }
            Ok(why)
        })
    }

    /// The living document at an address: id and fields.
    pub async fn document_at(
        &self,
        address: HitAddress,
        fields: &FieldSelection,
    ) -> Result<Option<(String, Document)>> {
        let pin = self.shards.place(address.shard).and_then(|at| self.pins.get(at));
        let Some(pin) = pin else { return Ok(None) };
        let request = DocumentAtRead { place: address.place, fields };
        offload::compute(|| request.ask_pinned(&**pin, &Meters::default()))
    }

    /// How the query of a plan scores the first documents of another, whether it finds them or not, by id: by
    /// what all shards count, as the search does. Of each collection there is a plan and such a query.
    pub async fn explain_other(
        &self,
        (plans, others): (&[Arc<SearchPlan>], &[Query]),
        limit: usize,
        meters: &Meters,
    ) -> Result<Vec<(String, Explanation)>> {
        offload::compute(|| {
            let plans = match (&*self.pins, plans) {
                ([_], [plan]) => vec![plan.clone()],
                _ => plans_of_many(&self.pins, Plans::Each(&self.for_each_shard(plans)), meters)?.0,
            };
            let mut explained = Vec::new();
            for ((pin, plan), other) in self.pins.iter().zip(&plans).zip(self.for_each_shard(others)) {
                let left = limit.saturating_sub(explained.len());
                let request = ExplainOtherRead { plan, other: &other, limit: left };
                explained.extend(request.ask_pinned(&**pin, meters)?);
            }
            Ok(explained)
        })
    }

    /// The version of the schema that a question was resolved by: each of several collections has one of its
    /// own, and then none is asked for.
    fn version_asked(&self, resolved: Option<u64>) -> Option<u64> {
        resolved.filter(|_| self.parts.is_empty())
    }

    fn is_remote(&self) -> bool {
        self.pins.iter().any(|pin| pin.is_remote())
    }

    fn gathered<T: Merge + Default>(&self, read: impl Fn(&dyn ShardSnapshot) -> Result<T>) -> Result<T> {
        Ok(gather_parts(self.pins.iter(), |pin| read(&**pin))?.unwrap_or_default())
    }
}

/// As [`Plans`], for another thread.
enum OwnPlans {
    Alike(Arc<SearchPlan>),
    Each(Vec<Arc<SearchPlan>>),
}

impl OwnPlans {
    fn borrowed(&self) -> Plans<'_> {
        match self {
            Self::Alike(plan) => Plans::Alike(plan),
            Self::Each(plans) => Plans::Each(plans),
        }
    }

    fn are_light(&self) -> bool {
        match self {
            Self::Alike(plan) => plan.is_light(),
            Self::Each(plans) => plans.iter().all(|plan| plan.is_light()),
        }
    }
}

async fn searched(
    pins: impl FnOnce() -> Arc<[Arc<dyn ShardSnapshot>]> + Send + 'static,
    (plans, is_remote): (OwnPlans, bool),
    meters: &Meters,
) -> Result<SearchResult> {
    // Whoever waits for another member keeps no other request waiting.
    let (light, own) = (plans.are_light() && !is_remote, meters.clone());
    // All steps from one thread: between them lies less work than it takes to wake another.
    let search = move || search_side_by_side(&pins(), plans.borrowed(), &own);
    let result: SearchResult = offload::read(light, (&meters.trace, Phase::Query), search).await??;
    meters.trace.found(result.total);
    Ok(result)
}
