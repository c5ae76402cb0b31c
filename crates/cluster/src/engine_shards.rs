//! The engine's shards, in the homes that their sites give, behind this crate's seam.

use std::sync::Arc;

use engine::{CacheSizes, ShardConfig};
use meter::Meters;
use plan::partial::ShardResult;
use plan::{
    AutoCommit, CacheStats, Commit, Document, DocumentVectors, Explanation, FieldSelection, Join, LikeTerm,
    MoreLike, Query, Result, Schema, SearchPlan, SpellFinding, SpellPlan, SuggestComponent, SuggestPlan,
    Suggestion, TermCount, TermsPlan, UpdateBatch, UpdateOutcome, VectorsPlan, Version, WhyNot,
};
use store::{ShardImage, Watermark};

use crate::documents::lift;
use crate::shard::{
    BackedUp, FieldStats, JoinedValues, OpenShard, Peers, SegmentStats, Shard, ShardPlace, ShardSite,
    ShardStats, TopTerms, UpdateContext, Visit,
};

struct EngineShards {
    caches: CacheSizes,
}

/// Shards of the engine, each with caches of these sizes.
pub fn engine_shards(caches: CacheSizes) -> Arc<dyn OpenShard> {
    Arc::new(EngineShards { caches })
}

impl OpenShard for EngineShards {
    fn open(&self, site: ShardSite) -> Result<Arc<dyn Shard>> {
        let ShardSite { place, schema, auto_commit, clock } = site;
        let home = place.site.home(&place.id).map_err(lift)?;
        let config = ShardConfig { auto_commit, caches: self.caches.clone(), ..ShardConfig::default() };
        Ok(engine::Shard::open(home, schema, config, clock)?)
    }

    fn restore(&self, place: &ShardPlace, image: &BackedUp<'_>) -> Result<()> {
        let home = place.site.home(&place.id).map_err(lift)?;
        image.folder.restore(image.point, &*home.segments()).map_err(lift)?;
        home.manifests().publish(None, image.manifest).map_err(lift)?;
        Ok(())
    }
}

impl Shard for engine::Shard {
    fn update(&self, batch: UpdateBatch, context: UpdateContext) -> UpdateOutcome {
        self.update(batch, context)
    }

    fn commit(&self, commit: &Commit) -> Result<()> {
        self.commit(commit)
    }

    fn search(&self, plan: &SearchPlan, meters: &Meters) -> Result<ShardResult> {
        self.search(plan, meters)
    }

    fn joined(&self, join: &Join, scored: bool) -> Result<JoinedValues> {
        self.joined(join, scored)
    }

    fn set_peers(&self, peers: Arc<dyn Peers>) {
        self.set_peers(peers);
    }

    fn get(&self, ids: &[String], fields: &FieldSelection) -> Result<Vec<Option<Document>>> {
        self.get(ids, fields)
    }

    fn set_schema(&self, schema: Arc<Schema>) -> Result<()> {
        self.set_schema(schema)
    }

    fn set_expiries(&self, fields: &[(String, u64)]) {
        self.set_expiries(fields);
    }

    fn set_auto_commit(&self, auto_commit: AutoCommit) {
        self.set_auto_commit(auto_commit);
    }

    fn set_suggesters(&self, components: &[SuggestComponent]) {
        self.set_suggesters(components);
    }

    fn build_suggester(&self, component: &str, name: &str) -> Result<()> {
        self.build_suggester(component, name)
    }

    fn suggest(&self, plan: &SuggestPlan) -> Result<Vec<Suggestion>> {
        self.suggest(plan)
    }

    fn suggesters_number(&self) -> u64 {
        self.suggesters_number()
    }

    fn stats(&self) -> ShardStats {
        self.stats()
    }

    fn luke_fields(&self) -> Result<Vec<FieldStats>> {
        self.luke_fields()
    }

    fn top_terms(&self, field: &str, limit: usize) -> Result<TopTerms> {
        self.top_terms(field, limit)
    }

    fn terms(&self, plan: &TermsPlan) -> Result<Vec<TermCount>> {
        self.terms(plan)
    }

    fn vectors(&self, plan: &VectorsPlan) -> Result<Vec<DocumentVectors>> {
        self.vectors(plan)
    }

    fn why_not(&self, plan: &SearchPlan, id: &str, meters: &Meters) -> Result<WhyNot> {
        self.why_not(plan, id, meters)
    }

    fn like_terms(&self, like: &MoreLike) -> Result<Vec<LikeTerm>> {
        self.like_terms(like)
    }

    fn spell(&self, plan: &SpellPlan, meters: &Meters) -> Result<Vec<SpellFinding>> {
        self.spell(plan, meters)
    }

    fn document_at(&self, place: u64, fields: &FieldSelection) -> Result<Option<(String, Document)>> {
        self.document_at(place, fields)
    }

    fn explain_other(
        &self,
        plan: &SearchPlan,
        other: &Query,
        limit: usize,
        meters: &Meters,
    ) -> Result<Vec<(String, Explanation)>> {
        self.explain_other(plan, other, limit, meters)
    }

    fn versions(&self, limit: usize) -> Result<Vec<Version>> {
        self.versions(limit)
    }

    fn segments(&self) -> Vec<SegmentStats> {
        self.segments()
    }

    fn snapshot_number(&self) -> u64 {
        self.snapshot().number()
    }

    fn caches(&self) -> Vec<(&'static str, CacheStats)> {
        self.caches()
    }

    fn export(&self, visit: &mut Visit<'_>) -> Result<Watermark> {
        self.export(visit)
    }

    fn export_since(&self, after: Watermark, visit: &mut Visit<'_>) -> Result<Watermark> {
        self.export_since(after, visit)
    }

    fn end_export(&self) {
        self.end_export();
    }

    fn import(&self, record: &[u8], wanted: Option<&dyn Fn(&str) -> bool>) -> Result<()> {
        self.import(record, wanted)
    }

    fn capture(&self) -> Result<ShardImage> {
        self.capture()
    }

    fn close(&self) -> Result<()> {
        self.close()
    }
}
