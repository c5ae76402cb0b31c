//! `/admin/luke`: what is in the index. `fl` names fields (or `*`) whose terms are shown too, `numTerms` how
//! many, `show` narrows to `index` or `schema`. `id` and `docId` name one document to take apart instead.
//!
//! In: a collection, pinned where more than one question is asked; out: facts that `solr` writes as Luke
//! does. What Lucene would have and this index has not, terms of points and a `_root_` of every document, is
//! made up for or left out here.

use std::sync::Arc;

use cluster::{Collection, PinnedCollection};
use meter::Meters;
use plan::{
    Error, FieldClass, FieldSelection, HitAddress, Page, Query, ROOT_FIELD, Result, Schema, SearchPlan, Value,
};
use solr::Params;
use solr::admin::{
    FieldFacts, IndexFacts, StoredValue, luke_document, luke_fields, luke_index, luke_info, luke_schema,
};
use solr::params::admin::luke as params;
use solr::response::{Entries, Node};
use solr::select::{FieldItem, FieldList};

use crate::request::call::Failure;

/// More would keep a thread busy for long.
const TERMS_MAX: usize = 10_000;

/// The index comes first, whatever else cannot be learnt.
pub(super) async fn run(
    collection: &Arc<Collection>,
    core: Option<usize>,
    params: &Params,
) -> Result<Entries, Failure> {
    let mut entries: Entries = vec![("index".into(), luke_index(&index_facts(collection, None)))];
    match details(collection, core, params).await {
        Ok(details) => entries.extend(details),
        Err(error) => return Err(Failure { before: entries, ..Failure::from(error) }),
    }
    Ok(entries)
}

async fn details(collection: &Arc<Collection>, core: Option<usize>, params: &Params) -> Result<Entries> {
    let schema = collection.schema();
    let mut entries = Entries::new();
    let pinned = collection.pin();
    // Numbers are a core's own.
    let numbered = core.or_else(|| collection.sharded_name().is_none().then_some(0));
    if let Some(place) = place((&pinned, numbered), &schema, params).await? {
        entries.push(("doc".into(), document(&pinned, &schema, place).await?));
        entries.push(("info".into(), luke_info()));
        return Ok(entries);
    }
    match params::SHOW.text(params) {
        "index" => {}
        "schema" => {
            entries.push(("schema".into(), luke_schema(&schema)));
            entries.push(("info".into(), luke_info()));
        }
        "all" | "doc" | "" => {
            let fields = field_facts(collection, &schema, params).await?;
            entries.push(("fields".into(), luke_fields(&fields, &schema)));
            entries.push(("info".into(), luke_info()));
        }
        other => return Err(Error::bad_request(format!("Unknown ShowStyle: {other}"))),
    }
    Ok(entries)
}

/// A document by its number or its id: where it is, and how the request called it.
struct DocumentName {
    address: HitAddress,
    called: String,
}

/// Which document to take apart, if any; `numbered` is the shard that numbers are of. `docId` wins over `id`:
/// a number that a client has from elsewhere means the newest moment.
async fn place(
    (pinned, numbered): (&PinnedCollection, Option<usize>),
    schema: &Schema,
    params: &Params,
) -> Result<Option<DocumentName>> {
    if let Some(sent) = params::DOC_ID.read(params)? {
        let called = params::DOC_ID.sent(params).unwrap_or_default();
        let number = u64::try_from(sent).map_err(|_| no_document(called))?;
        let shard = numbered.and_then(|core| u32::try_from(core).ok()).ok_or_else(|| {
            Error::bad_request(
                "`docId` is a number within one core, and the collection has several; ask one of its cores, or by `id`",
            )
        })?;
        let address = HitAddress { shard, place: number };
        return Ok(Some(DocumentName { address, called: called.to_owned() }));
    }
    let (Some(id), Some(key)) = (params::ID.sent(params), schema.unique_key.clone()) else { return Ok(None) };
    let query = Query::Term { field: key, value: Value::Str(id.to_owned()) };
    let plan = Arc::new(first(schema, query, 1));
    let found = pinned.search(plan, &Meters::default()).await?.hits.into_iter().next();
    let hit = found.ok_or_else(|| no_document(id))?;
    Ok(Some(DocumentName { address: hit.address(), called: id.to_owned() }))
}

async fn document(pinned: &PinnedCollection, schema: &Schema, place: DocumentName) -> Result<Node> {
    let address = place.address;
    let found = pinned.document_at(address, &FieldSelection::everything()).await?;
    let (_, mut document) = found.ok_or_else(|| no_document(&place.called))?;
    document.fields.retain(|(name, _)| schema.field(name).is_some_and(|spec| spec.properties.stored));
    let mut values = Vec::new();
    for (name, stored) in &document.fields {
        let has_terms = has_terms(schema, name);
        for value in stored {
            let doc_freq =
                if has_terms { Some(doc_freq(pinned, schema, (name, value)).await?) } else { None };
            values.push(StoredValue { field: name.to_string(), value: value.clone(), doc_freq });
        }
    }
    let shown = solr::response::document(
        (address.shard, document).into(),
        &FieldList { items: vec![FieldItem::All], ..FieldList::default() },
        schema,
    );
    Ok(luke_document(place.address.place, &values, shown, schema))
}

/// Documents that have the value as a term: of analysed text that is the whole text, which is rarely one.
async fn doc_freq(
    pinned: &PinnedCollection,
    schema: &Schema,
    (name, value): (&Arc<str>, &Value),
) -> Result<u64> {
    let query = Query::Term { field: name.clone(), value: value.clone() };
    Ok(pinned.search(Arc::new(first(schema, query, 0)), &Meters::default()).await?.total)
}

fn first(schema: &Schema, query: Query, rows: usize) -> SearchPlan {
    let schema_version = Some(schema.lineage.version);
    SearchPlan { schema_version, page: Page { start: 0, rows }, ..SearchPlan::count(query) }
}

/// Lucene has no terms for points, so Luke shows none.
fn has_terms(schema: &Schema, name: &str) -> bool {
    let without = |class: FieldClass| class.is_point() || class == FieldClass::LatLon;
    schema.field(name).is_some_and(|spec| spec.properties.indexed && !without(spec.class()))
}

fn no_document(called: &str) -> Error {
    Error::not_found(format!("Can't find document: {called}"))
}

/// The index as the core list shows it too: of the shard of a number, or of all together.
pub(super) fn index_facts(collection: &Collection, number: Option<usize>) -> IndexFacts {
    let stats = number.map_or_else(|| collection.stats(), |number| collection.shard_stats(number));
    IndexFacts {
        num_docs: stats.num_docs,
        max_doc: stats.max_doc,
        deleted_docs: stats.deleted_docs,
        version: stats.version,
        segment_count: stats.segment_count as u64,
        current: stats.current,
        directory: collection.shard_folder(number.unwrap_or_default()).display().to_string(),
        last_modified_ms: (stats.last_modified_ms > 0).then_some(stats.last_modified_ms),
        size_bytes: stats.disk_bytes,
    }
}

async fn field_facts(collection: &Collection, schema: &Schema, params: &Params) -> Result<Vec<FieldFacts>> {
    let limit = params::TERMS.read(params)?.min(TERMS_MAX);
    let wanted = params::FIELDS.sent(params).map(selection);
    let mut facts = Vec::new();
    for found in collection.luke_fields().await?.into_iter().filter(|found| found.in_index) {
        if wanted.as_ref().is_some_and(|wanted| !wanted.contains(&found.name)) {
            continue;
        }
        let has_terms = has_terms(schema, &found.name);
        let mut terms = None;
        if wanted.is_some() && has_terms {
            terms = Some(collection.top_terms(&found.name, limit).await?);
        }
        let docs = has_terms.then_some(found.docs);
        facts.push(FieldFacts { name: found.name, docs, terms });
    }
    if schema.field(ROOT_FIELD).is_some() && wanted.is_none_or(|wanted| wanted.contains(ROOT_FIELD)) {
        own_roots(&mut facts, collection.stats().max_doc);
    }
    facts.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(facts)
}

/// Every document names the root of its block, which here only those below another do.
fn own_roots(facts: &mut Vec<FieldFacts>, documents: u64) {
    let known = facts.iter().position(|facts| facts.name == ROOT_FIELD);
    let known = known.map_or_else(FieldFacts::default, |at| facts.remove(at));
    if documents > 0 {
        facts.push(FieldFacts { name: ROOT_FIELD.to_owned(), docs: Some(documents), ..known });
    }
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
