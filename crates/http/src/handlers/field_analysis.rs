//! `/analysis/field`: what field types make of a text, stage by stage.

use std::sync::Arc;

use cluster::Collection;
use plan::Result;
use solr::Params;
use solr::field_analysis::FieldAnalysis;
use solr::query::SchemaAnalyzers;
use solr::response::Entries;

pub(super) fn run(collection: &Arc<Collection>, params: &Params) -> Result<Entries> {
    let versioned = collection.versioned_schema();
    let analyzers = versioned.derived(SchemaAnalyzers::new);
    FieldAnalysis::parse(params, &versioned.schema)?.respond(&analyzers)
}
