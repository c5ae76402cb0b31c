//! What a shard in memory shows at one moment: searches in order of arrival, all of one score.
//!
//! For tests of this crate, which ask how requests are led and not what they find: only terms are matched,
//! only documents are shown, all else is answered as by an empty shard. A restless one changes after each
//! search, so that a request which does not keep to its moment is found out.

use std::sync::{Arc, Mutex, PoisonError};

use meter::Meters;
use plan::partial::{
    ExpandRequest, FetchRequest, Fetched, GroupPartial, GroupsPartial, HeadsStep, HitRef, RankedHits,
    SearchStatistics, ShardResult,
};
use plan::{Document, DocumentVectors, Hit, Result, SchemaLineage, SearchPlan, Value, VectorsPlan};

use super::state::{State, matches, select};
use crate::shard::{DocumentAtRead, ShardSnapshot, SnapshotAnswer, SnapshotRequest};

/// What was visible at a moment; its segment is one.
pub(crate) struct MemorySnapshot {
    pub(super) visible: Arc<Vec<(String, Document)>>,
    pub(super) lineage: SchemaLineage,
    /// Where the first document goes after each search.
    pub(super) restless: Option<Arc<Mutex<State>>>,
}

impl MemorySnapshot {
    /// Of a shard that stands alone.
    #[cfg(test)]
    pub(crate) fn of(documents: Vec<(String, Document)>) -> Self {
        let (visible, lineage) = (Arc::new(documents), SchemaLineage::default());
        Self { visible, lineage, restless: None }
    }

    fn at(&self, place: u64) -> Option<&(String, Document)> {
        self.visible.get(usize::try_from(place).ok()?)
    }

    fn document_at(&self, request: &DocumentAtRead<'_>) -> Option<(String, Document)> {
        let (id, document) = self.at(request.place)?;
        Some((id.clone(), select(document, request.fields)))
    }

    /// Of each document no more than which it is.
    fn vectors(&self, plan: &VectorsPlan) -> Vec<DocumentVectors> {
        let found = plan.places.iter().filter_map(|address| self.at(address.place));
        found.map(|(id, _)| DocumentVectors { id: id.clone(), fields: Vec::new() }).collect()
    }

    fn move_on(&self) {
        let Some(state) = &self.restless else { return };
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.visible = Arc::new(state.visible.iter().skip(1).cloned().collect());
    }
}

impl ShardSnapshot for MemorySnapshot {
    /// It scores nothing.
    fn statistics(&self, _: &SearchPlan, _: &Meters) -> Result<SearchStatistics> {
        Ok(SearchStatistics::default())
    }

    fn heads(&self, _: &SearchPlan, _: &HeadsStep, _: &Meters) -> Result<GroupsPartial> {
        Ok(GroupsPartial::default())
    }

    fn search(&self, plan: &SearchPlan, _: &Meters) -> Result<ShardResult> {
        self.lineage.check(plan.schema_version)?;
        let is_hit = |document: &Document| {
            matches(&plan.query, document)
                && plan.filters.iter().all(|filter| matches(&filter.query, document))
        };
        let found = (0..).zip(&*self.visible).filter(|(_, (_, document))| is_hit(document));
        let mut list: Vec<HitRef> = found.map(|(doc, _)| HitRef::scored(0, doc, 1.0)).collect();
        let (total, limit) = (list.len() as u64, plan.page.end());
        list.truncate(limit);
        self.move_on();
        Ok(ShardResult {
            total,
            total_exact: true,
            score_max: plan.scores.then_some(if total == 0 { 0.0 } else { 1.0 }),
            hits: RankedHits { limit, list },
            ..ShardResult::default()
        })
    }

    fn group_values(&self, _: &SearchPlan, _: &[&HitRef], _: &Meters) -> Result<Vec<Option<Value>>> {
        Ok(Vec::new())
    }

    fn expand(&self, _: &SearchPlan, _: &ExpandRequest<'_>, _: &Meters) -> Result<Vec<GroupPartial>> {
        Ok(Vec::new())
    }

    fn fetch(&self, plan: &SearchPlan, request: &FetchRequest<'_>, _: &Meters) -> Result<Fetched> {
        let hit = |found: &&HitRef| {
            let (id, document) = self.at(found.doc.into())?;
            Some(Hit {
                shard: 0,
                children: Vec::new(),
                id: id.clone(),
                place: u64::from(found.doc),
                document: select(document, &plan.fields),
                score: found.score.filter(|_| plan.scores),
                values: vec![],
                explanation: None,
            })
        };
        Ok(Fetched { hits: request.hits.iter().filter_map(hit).collect(), ..Fetched::default() })
    }

    fn read(&self, request: SnapshotRequest<'_>, _: &Meters) -> Result<SnapshotAnswer> {
        Ok(match request {
            SnapshotRequest::DocumentAt(request) => SnapshotAnswer::DocumentAt(self.document_at(&request)),
            SnapshotRequest::Vectors(plan) => SnapshotAnswer::Vectors(self.vectors(plan)),
            other => other.empty_answer(),
        })
    }
}
