//! `/analysis/field` and `/analysis/document`: what field types make of a text or of documents, stage by
//! stage.

use std::sync::Arc;

use cluster::Collection;
use plan::Result;
use solr::Params;
use solr::field_analysis::{DocumentAnalysis, FieldAnalysis};
use solr::query::SchemaAnalyzers;
use solr::response::Entries;

use crate::request::call::{Call, Content};

pub(super) fn run(collection: &Arc<Collection>, params: &Params) -> Result<Entries> {
    let versioned = collection.versioned_schema();
    let analyzers = versioned.derived(SchemaAnalyzers::new);
    FieldAnalysis::parse(params, &versioned.value)?.respond(&analyzers)
}

pub(super) fn documents(call: &Call<'_>, collection: &Arc<Collection>, params: &Params) -> Result<Entries> {
    let versioned = collection.versioned_schema();
    let analyzers = versioned.derived(SchemaAnalyzers::new);
    let body = call.content.as_ref().map(Content::text).transpose()?;
    DocumentAnalysis::parse(params, body, &versioned.value)?.respond(&analyzers)
}
