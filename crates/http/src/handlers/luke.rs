//! `/admin/luke`: what is in the index. `fl` names fields (or `*`) whose terms are shown too, `numTerms` how many, `show`
//! narrows to `index` or `schema`.

use std::sync::Arc;

use cluster::Collection;
use plan::{Error, FieldSelection, Result, RootCause, Schema};
use solr::Params;
use solr::admin::{FieldFacts, IndexFacts, TopTerms, luke_fields, luke_index, luke_info, luke_schema};
use solr::response::Entries;

const TERMS_DEFAULT: usize = 10;
/// More would keep a thread busy for long.
const TERMS_MAX: usize = 10_000;

pub(super) async fn run(collection: &Arc<Collection>, params: &Params) -> Result<Entries> {
    if params.get("id").is_some() || params.get("docId").is_some() {
        return Err(Error::bad_request("`id` and `docId` are not supported by luke; use /get"));
    }
    let schema = collection.schema();
    let mut entries: Entries = vec![("index".into(), luke_index(&index_facts(collection)))];
    match params.get("show") {
        Some("index") => {}
        Some("schema") => {
            entries.push(("schema".into(), luke_schema(&schema)));
            entries.push(("info".into(), luke_info()));
        }
        None | Some("all" | "") => {
            let fields = field_facts(collection, &schema, params).await?;
            entries.push(("fields".into(), luke_fields(&fields, &schema)));
            entries.push(("info".into(), luke_info()));
        }
        Some(other) => return Err(Error::bad_request(format!("Unknown ShowStyle: {other}"))),
    }
    Ok(entries)
}

/// The index as the core list shows it too.
pub(super) fn index_facts(collection: &Collection) -> IndexFacts {
    let stats = collection.stats();
    IndexFacts {
        num_docs: stats.num_docs,
        max_doc: stats.max_doc,
        deleted_docs: stats.deleted_docs,
        version: stats.version,
        segment_count: stats.segment_count as u64,
        current: stats.current,
        directory: collection.folder().display().to_string(),
        last_modified_ms: (stats.last_modified_ms > 0).then_some(stats.last_modified_ms),
        size_bytes: stats.disk_bytes,
    }
}

async fn field_facts(collection: &Collection, schema: &Schema, params: &Params) -> Result<Vec<FieldFacts>> {
    let limit = match params.get("numTerms") {
        None => TERMS_DEFAULT,
        Some(text) => text.parse::<usize>().map_err(|_| not_a_number(text))?.min(TERMS_MAX),
    };
    let wanted = params.get("fl").map(selection);
    let mut facts = Vec::new();
    for found in collection.luke_fields().await?.into_iter().filter(|found| found.in_index) {
        if wanted.as_ref().is_some_and(|wanted| !wanted.contains(&found.name)) {
            continue;
        }
        // Lucene has no terms for points, so Luke shows none.
        let has_terms =
            schema.field(&found.name).is_some_and(|spec| spec.properties.indexed && !spec.class().is_point());
        let mut terms = None;
        if wanted.is_some() && has_terms {
            let top = collection.top_terms(&found.name, limit).await?;
            terms = Some(TopTerms { distinct: found.distinct, top });
        }
        let docs = has_terms.then_some(found.docs);
        facts.push(FieldFacts { name: found.name, docs, terms });
    }
    facts.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(facts)
}

fn selection(text: &str) -> FieldSelection {
    let mut selection = FieldSelection::default();
    for name in text.split([',', ' ']).filter(|name| !name.is_empty()) {
        match name {
            "*" => selection.all = true,
            _ if name.contains(['*', '?']) => selection.globs.push(name.to_owned()),
            _ => selection.names.push(name.into()),
        }
    }
    selection
}

fn not_a_number(text: &str) -> Error {
    Error::bad_request(format!("For input string: \"{text}\"")).with_root(RootCause::NumberFormat)
}
