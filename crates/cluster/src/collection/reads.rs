//! What is asked of a collection as it is now, other than searches: documents by id and figures; what
//! several collections may be asked together is `together`'s. Each shard answers with its part, the parts
//! merge, and lists are cut once. Searches have a plan and two steps (`gather/`); these have one question
//! each, asked of the shards' newest state and not of a pinned snapshot, so two of them may tell of two
//! moments. Who may ask, and how it is written, is `http`'s and `solr`'s.

use std::sync::Arc;

use engine::IndexSample;
use meter::{Meters, Phase, Trace, VitalFigures};
use plan::partial::{FieldBytes, IndexedField, Merge, SearchStatistics};
use plan::{CacheStats, Document, FieldSelection, Join, Result, SearchPlan, TopTerms};
use store::{ContentDigest, LogFigures};

use super::Collection;
use super::pinned::{ShardSelection, pins};
use super::served::Served;
use crate::finish::finish_top_terms;
use crate::gather::{gather_parts, statistics};
use crate::offload;
use crate::shard::{
    CachesRead, FieldBytesRead, FieldsRead, GetRead, JoinRead, JoinedValues, SegmentStats, SegmentsRead,
    Shard, ShardRead, ShardStats, TermDocumentsRead,
};

/// Which shards are asked for documents by id.
#[derive(Clone, Copy, Debug)]
pub enum GetShards<'a> {
    /// Those where the ids say that they are, or else this route.
    OfIds(Option<&'a str>),
    /// These, for all of them: a document may lie where its id would not have put it.
    Selected(&'a ShardSelection),
}

impl Default for GetShards<'_> {
    fn default() -> Self {
        Self::OfIds(None)
    }
}

impl Collection {
    /// Real-time get: one entry an id, `None` where absent, with the number of its shard. Errors:
    /// `BadRequest` for a route that is none.
    pub async fn get(
        &self,
        (ids, shards): (&[String], GetShards<'_>),
        fields: &FieldSelection,
    ) -> Result<Vec<Option<(u32, Document)>>> {
        /// Documents that are read before another thread would wake.
        const LIGHT: usize = 100;
        let light = ids.len() <= LIGHT;
        let served = self.home.served_full();
        let asked = by_shard(&served, ids, shards)?;
        let (ids, fields) = (ids.to_vec(), fields.clone());
        let get = move || {
            let mut found: Vec<Option<(u32, Document)>> = vec![None; ids.len()];
            for (number, (served, places)) in (0..).zip(served.shards.iter().zip(asked)) {
                let own: Vec<String> = places.iter().filter_map(|at| ids.get(*at).cloned()).collect();
                if own.is_empty() {
                    continue;
                }
                let request = GetRead { ids: &own, fields: &fields };
                let got = request.ask(&*served.shard, &Meters::default())?;
                for (at, document) in places.into_iter().zip(got) {
                    if let (Some(place), Some(document)) = (found.get_mut(at), document) {
                        *place = Some((number, document));
                    }
                }
            }
            Ok(found)
        };
        offload::read(light, (&Trace::default(), Phase::Fetch), get).await?
    }

    /// The caches of the shards that are here, by Solr's names.
    pub fn caches(&self) -> Vec<(String, CacheStats)> {
        let mut all: Vec<(String, CacheStats)> = Vec::new();
        for shard in self.own_shards() {
            for (name, stats) in CachesRead.ask(&*shard, &Meters::default()).unwrap_or_default() {
                match all.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, sum)) => *sum = sum.plus(&stats),
                    None => all.push((name, stats)),
                }
            }
        }
        all
    }

    /// Of all shards together.
    pub fn stats(&self) -> ShardStats {
        let stats = self.shards().into_iter().map(|shard| shard.stats());
        stats.reduce(|all, one| all.plus(one)).unwrap_or_default()
    }

    /// Of the shards that are here, without a wait: `None` while the state of one is with another thread.
    pub fn try_stats(&self) -> Option<ShardStats> {
        let stats: Option<Vec<ShardStats>> = self.own_shards().map(|shard| shard.try_stats()).collect();
        Some(stats?.into_iter().reduce(|all, one| all.plus(one)).unwrap_or_default())
    }

    /// Of one shard, by its number; of nothing where there is no such shard.
    pub fn shard_stats(&self, number: usize) -> ShardStats {
        self.shards().get(number).map(|shard| shard.stats()).unwrap_or_default()
    }

    /// What was found to be wrong with a shard that is here, by its number: what of it cannot be read, and
    /// where its index says otherwise than its documents. Waits for nobody; of one that another serves
    /// nothing.
    pub fn damage_here(&self, number: usize) -> (Option<String>, Option<String>) {
        let served = self.home.served();
        let Some(shard) = served.shards.get(number).map(|served| &served.shard).filter(|it| !it.is_remote())
        else {
            return (None, None);
        };
        let losses = Some(shard.losses()).filter(|losses| !losses.is_empty());
        let wrong_index = shard.try_stats().and_then(|stats| stats.wrong_index);
        (losses.map(|losses| losses.to_string()), wrong_index)
    }

    /// The shards of which this member has a copy, by the cores of these: how many milliseconds old what it
    /// shows may be, `None` where nobody knows. Waits for nobody.
    pub fn copies_here(&self) -> Vec<(String, Option<u64>)> {
        let served = self.home.served();
        let copies =
            served.shards.iter().filter_map(|it| Some((it.replicas.own.as_ref()?, it.copy.as_ref()?)));
        let age_ms = |age_ns: u64| age_ns / 1_000_000;
        copies.map(|(own, copy)| (own.core.clone(), copy.shard.age_ns().map(age_ms))).collect()
    }

    /// Of each shard, by its name: whether what is under way in it gets anywhere. Waits for nobody.
    pub fn vital_figures(&self) -> Vec<(String, VitalFigures)> {
        let served = self.home.served_full();
        let names = served.documents.iter().map(|document| document.name.clone());
        names.zip(&served.shards).map(|(name, served)| (name, served.shard.vital_figures())).collect()
    }

    /// Of each shard whose log lies in an object store, by its name: how that is doing.
    pub fn log_figures(&self) -> Vec<(String, LogFigures)> {
        let served = self.home.served_full();
        let names = served.documents.iter().map(|document| document.name.clone());
        let logs = served.shards.iter().map(|served| served.shard.log_figures());
        names.zip(logs).filter_map(|(name, figures)| Some((name, figures?))).collect()
    }

    /// The fields that documents have, by their concrete names.
    pub async fn luke_fields(&self) -> Result<Vec<IndexedField>> {
        Ok(offload::compute(|| self.gathered(|shard| FieldsRead.ask(shard, &Meters::default())))?.0)
    }

    /// What each field takes of the segments of all shards, or of the one of this number, in order of name.
    /// Errors: also a shard that cannot be asked, for a part of the sum looks like the whole.
    pub async fn field_bytes(&self, shard: Option<usize>) -> Result<FieldBytes> {
        let shards = self.shards().into_iter().enumerate();
        let meant = shards.filter(|(at, _)| shard.is_none_or(|shard| shard == *at)).map(|(_, shard)| shard);
        let meant: Vec<Arc<dyn Shard>> = meant.collect();
        let read = |shard: &Arc<dyn Shard>| FieldBytesRead.ask(&**shard, &Meters::default());
        offload::compute(|| Ok(gather_parts(&meant, read)?.unwrap_or_default()))
    }

    /// The `limit` most frequent terms of a field, and how frequent all are.
    pub async fn top_terms(&self, field: &str, limit: usize) -> Result<TopTerms> {
        offload::compute(|| {
            let read = |shard: &dyn Shard| TermDocumentsRead { field }.ask(shard, &Meters::default());
            Ok(finish_top_terms(limit, self.gathered(read)?))
        })
    }

    /// How many fields the visible documents have; 0 where that is not known.
    pub fn count_fields(&self) -> u64 {
        let fields = self.gathered(|shard| FieldsRead.ask(shard, &Meters::default())).unwrap_or_default();
        fields.0.iter().filter(|field| field.in_index).count() as u64
    }

    /// What the documents of a join's query have in its field, on the thread that asks.
    pub(crate) fn joined(&self, join: &Join, scored: bool) -> Result<JoinedValues> {
        let (served, meters) = (self.home.served(), Meters::default());
        // Without scores nothing is counted, and a shard that is alone counts for itself.
        let counted = match scored && served.shards.len() > 1 {
            true => self.counted_for(join, &served, &meters)?,
            false => None,
        };
        let request = || JoinRead { join, scored, statistics: counted.as_ref() };
        let joined = gather_parts(&served.shards, |served| request().ask(&*served.shard, &meters))?;
        Ok(joined.unwrap_or_default())
    }

    /// What the scores behind a join depend on in all shards, where the collection scores by that.
    fn counted_for(&self, join: &Join, served: &Served, meters: &Meters) -> Result<Option<SearchStatistics>> {
        let plan = SearchPlan {
            schema_version: join.schema_version,
            scores: true,
            score_statistics: self.config().score_statistics,
            ..SearchPlan::count(join.query.clone())
        };
        match plan.needs_statistics() {
            true => statistics(pins(served).iter().map(|pin| (pin, &plan)), meters),
            false => Ok(None),
        }
    }

    /// Of each shard, by its name: what its documents come to, however they lie in segments. Blocks for as
    /// long as it takes to read all of them.
    pub fn content_digests(&self) -> Result<Vec<(String, ContentDigest)>> {
        let served = self.home.served_full();
        let digests = served.documents.iter().zip(&served.shards);
        digests
            .map(|(document, served)| Ok((document.name.clone(), served.shard.content_digest()?)))
            .collect()
    }

    /// Compares so many stored documents of each segment with its index, and as many terms with documents, of
    /// all shards; `told` hears of each segment with the shard's name. Blocks.
    pub fn sample_indexes(
        &self,
        documents: u32,
        told: &mut dyn FnMut(&str, &IndexSample),
    ) -> Result<Vec<(String, IndexSample)>> {
        let served = self.home.served_full();
        let mut sampled = Vec::new();
        for (document, served) in served.documents.iter().zip(&served.shards) {
            let found = served.shard.sample_index(documents, &mut |it| told(&document.name, it))?;
            sampled.push((document.name.clone(), found));
        }
        Ok(sampled)
    }

    /// Of the shard of this number; nothing where there is none of it.
    pub fn shard_segments(&self, number: usize) -> Vec<SegmentStats> {
        let shard = self.shards().into_iter().nth(number);
        shard.and_then(|shard| SegmentsRead.ask(&*shard, &Meters::default()).ok()).unwrap_or_default()
    }

    /// Of all shards, in their order.
    pub fn segments(&self) -> Vec<SegmentStats> {
        let read = |shard: Arc<dyn Shard>| SegmentsRead.ask(&*shard, &Meters::default());
        self.shards().into_iter().flat_map(|shard| read(shard).unwrap_or_default()).collect()
    }

    /// Whether the shard of this number is served here, and by no other member.
    pub fn serves(&self, number: usize) -> bool {
        self.home.served().shards.get(number).is_some_and(|served| !served.shard.is_remote())
    }

    fn own_shards(&self) -> impl Iterator<Item = Arc<dyn Shard>> {
        self.shards().into_iter().filter(|shard| !shard.is_remote())
    }

    /// All of them, as they are now.
    pub(super) fn shards(&self) -> Vec<Arc<dyn Shard>> {
        self.shards_of(&ShardSelection::default())
    }

    /// Some of them, as they are now.
    pub(super) fn shards_of(&self, selection: &ShardSelection) -> Vec<Arc<dyn Shard>> {
        let served = self.home.served();
        let asked = served.shards.iter().enumerate().filter(|(number, _)| selection.has(*number));
        asked.map(|(_, served)| served.shard.clone()).collect()
    }

    fn gathered<T: Merge + Default>(&self, read: impl Fn(&dyn Shard) -> Result<T>) -> Result<T> {
        Ok(gather_parts(&self.shards(), |shard| read(&**shard))?.unwrap_or_default())
    }
}

/// Of each shard the ids that it is to be asked for, by their places.
fn by_shard(served: &Served, ids: &[String], shards: GetShards<'_>) -> Result<Vec<Vec<usize>>> {
    let count = served.shards.len();
    let route = match shards {
        GetShards::OfIds(route) => route,
        GetShards::Selected(selection) => {
            let all = |number| if selection.has(number) { (0..ids.len()).collect() } else { Vec::new() };
            return Ok((0..count).map(all).collect());
        }
    };
    let mut asked: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (at, id) in ids.iter().enumerate() {
        let numbers = served.router.of_id(&served.documents, id, route)?;
        asked.get_mut(numbers).into_iter().flatten().for_each(|own| own.push(at));
    }
    Ok(asked)
}
