//! What a run would do, before it does it: some documents of each source as they would be sent, the fields
//! that they want of the schema, and the edits that give it those. Nothing is written anywhere.
//!
//! In: a configuration; sources are read and the target is asked. Out: documents, fields and findings for the
//! command line. The types suggested are those of Solr's default configset, by the values seen.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::config::{IngestConfig, TargetMode};
use crate::record::Rejected;
use crate::shape::Shaper;
use crate::sources::{self, SourceError};
use crate::target::Target;

/// What one source gives.
#[derive(Clone, Debug, Serialize)]
pub struct SourcePreview {
    pub source: String,
    pub rows: Option<u64>,
    pub documents: Vec<Json>,
    /// Ids of rows that publish rules keep back.
    pub hidden: Vec<String>,
    pub rejected: Vec<Rejected>,
}

/// A field that documents have, and what the schema makes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WantedField {
    pub name: String,
    /// Of Solr's default configset, as the values suggest.
    pub kind: &'static str,
    pub multi_valued: bool,
    /// The type that the target's schema gives it; `None` where it has no such field.
    pub there: Option<String>,
}

/// Up to `documents_max` documents of each source.
pub async fn preview(
    config: &IngestConfig,
    documents_max: usize,
    now: Timestamp,
) -> Result<Vec<SourcePreview>, SourceError> {
    let mut previews = Vec::new();
    for source_config in &config.sources {
        let source = sources::open(source_config)?;
        let shaper = Shaper::new(config, source_config)
            .map_err(|findings| SourceError::refused(&source_config.name, findings.join("; ")))?;
        let snapshot = source.snapshot().await?;
        let rows = snapshot.count().await?;
        let range = sources::KeyRange::default();
        let mut pages = snapshot.pages(&range, None).await?;
        let mut page = pages.next().await?.unwrap_or_default();
        page.records.truncate(documents_max);
        page.rejected.truncate(documents_max);
        let shaped = shaper.shape(page, now);
        let document = |document| serde_json::from_slice(shaped.documents.json(document)).unwrap_or_default();
        previews.push(SourcePreview {
            source: source_config.name.clone(),
            rows,
            documents: shaped.documents.all().iter().map(document).collect(),
            hidden: shaped.hidden,
            rejected: shaped.rejected,
        });
    }
    Ok(previews)
}

/// The fields of the documents, in order of their names.
pub fn wanted_fields(previews: &[SourcePreview]) -> Vec<WantedField> {
    let mut fields: BTreeMap<String, WantedField> = BTreeMap::new();
    for document in previews.iter().flat_map(|preview| &preview.documents) {
        add_fields(document, &mut fields);
    }
    fields.into_values().collect()
}

fn add_fields(document: &Json, fields: &mut BTreeMap<String, WantedField>) {
    for (name, value) in document.as_object().into_iter().flatten() {
        let (values, multi_valued) = match value {
            Json::Array(values) => (values.as_slice(), true),
            value => (std::slice::from_ref(value), false),
        };
        for value in values {
            if value.is_object() {
                add_fields(value, fields);
                continue;
            }
            let kind = kind_of(value);
            let fresh = || WantedField { name: name.clone(), kind, multi_valued, there: None };
            let field = fields.entry(name.clone()).or_insert_with(fresh);
            field.kind = wider(field.kind, kind);
            field.multi_valued |= multi_valued;
        }
    }
}

fn kind_of(value: &Json) -> &'static str {
    match value {
        Json::Bool(_) => "boolean",
        Json::Number(number) if number.is_i64() => "plong",
        Json::Number(_) => "pdouble",
        Json::String(text) if text.ends_with('Z') && text.parse::<Timestamp>().is_ok() => "pdate",
        // A sentence rather than a name, a code or an address.
        Json::String(text) if text.split_whitespace().nth(3).is_some() => "text_general",
        _ => "string",
    }
}

/// The type that holds the values of both.
fn wider(one: &'static str, other: &'static str) -> &'static str {
    match (one, other) {
        (one, other) if one == other => one,
        ("plong", "pdouble") | ("pdouble", "plong") => "pdouble",
        ("text_general", _) | (_, "text_general") => "text_general",
        _ => "string",
    }
}

/// Fills in what the target's schema has. False where there is no collection to ask: a run would make it.
pub async fn compare_schema(
    config: &IngestConfig,
    fields: &mut [WantedField],
) -> Result<bool, crate::solr_api::ApiError> {
    let target = Target::new(&config.target)?;
    let collection = &config.target.collection;
    let there = target.collections().await?.contains(collection) || target.alias(collection).await?.is_some();
    if !there {
        return Ok(false);
    }
    let exact = target.get(&format!("{collection}/schema/fields"), &[]).await?;
    let dynamic = target.get(&format!("{collection}/schema/dynamicfields"), &[]).await?;
    let list =
        |answer: &Json, key: &str| answer.get(key).and_then(Json::as_array).cloned().unwrap_or_default();
    let (exact, dynamic) = (list(&exact, "fields"), list(&dynamic, "dynamicFields"));
    let text = |field: &Json, key: &str| field.get(key).and_then(Json::as_str).map(str::to_owned);
    for wanted in fields {
        let known = exact.iter().find(|field| field.get("name").and_then(Json::as_str) == Some(&wanted.name));
        let matching = || {
            dynamic.iter().find(|field| text(field, "name").is_some_and(|glob| covers(&glob, &wanted.name)))
        };
        wanted.there = known.or_else(matching).and_then(|field| text(field, "type"));
    }
    Ok(true)
}

fn covers(glob: &str, name: &str) -> bool {
    match (glob.strip_prefix('*'), glob.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => glob == name,
    }
}

/// What to send to the collection's `/schema`, or to put into the configset, so that every field is there;
/// `None` when all are.
pub fn schema_edits(fields: &[WantedField]) -> Option<Json> {
    let add = |field: &&WantedField| {
        let mut add = json!({ "name": field.name, "type": field.kind, "stored": true });
        if field.multi_valued {
            add["multiValued"] = Json::from(true);
        }
        add
    };
    let missing: Vec<Json> =
        fields.iter().filter(|field| field.there.is_none()).map(|field| add(&field)).collect();
    (!missing.is_empty()).then(|| json!({ "add-field": missing }))
}

/// What would stop a run, one line each, each with the next step; sources and target are asked.
pub async fn check(config: &IngestConfig, now: Timestamp) -> Vec<String> {
    let mut findings = Vec::new();
    for source in &config.sources {
        let alone = IngestConfig { sources: vec![source.clone()], ..config.clone() };
        match preview(&alone, 100, now).await {
            Err(error) => findings.push(error.to_string()),
            Ok(previews) => findings.extend(
                previews.iter().flat_map(|preview| &preview.rejected).take(1).map(|rejected| {
                    format!("source `{}`: row `{}`: {}", source.name, rejected.key, rejected.reason)
                }),
            ),
        }
    }
    for source in &config.sources {
        findings.extend(crate::follow::check_watch(&config.name, source).await);
    }
    if let Err(error) = check_target(config, &mut findings).await {
        findings.push(format!("target: {error}"));
    }
    findings
}

async fn check_target(
    config: &IngestConfig,
    findings: &mut Vec<String>,
) -> Result<(), crate::solr_api::ApiError> {
    // A check is answered at once: what is away is away.
    let target = Target::new(&crate::config::TargetConfig { retry_seconds: 0, ..config.target.clone() })?;
    let name = &config.target.collection;
    let is_collection = target.collections().await?.contains(name);
    if config.target.mode == TargetMode::Swap {
        check_configset(&target, findings).await?;
    }
    if is_collection || target.alias(name).await?.is_some() {
        check_unique_key(&target, findings).await?;
    }
    match config.target.mode {
        TargetMode::Swap if is_collection => findings.push(format!(
            "target: `{name}` is a collection, and `mode = \"swap\"` wants an alias: name another, or write `mode = \"direct\"`"
        )),
        TargetMode::Direct if !is_collection && target.alias(name).await?.is_none() => {
            findings.push(format!("target: there is no collection `{name}`; create it, or write `mode = \"swap\"`"));
        }
        _ => {}
    }
    Ok(())
}

async fn check_configset(
    target: &Target,
    findings: &mut Vec<String>,
) -> Result<(), crate::solr_api::ApiError> {
    let answer = target.get("admin/configs", &[("action", "LIST")]).await?;
    let list = answer.get("configSets").and_then(Json::as_array).cloned().unwrap_or_default();
    let names: Vec<&str> = list.iter().filter_map(Json::as_str).collect();
    let wanted = target.config().configset.as_str();
    if !names.contains(&wanted) {
        findings.push(format!(
            "target: the server has no configset `{wanted}`; upload it, or set `target.configset` to one of {}",
            names.join(", ")
        ));
    }
    Ok(())
}

async fn check_unique_key(
    target: &Target,
    findings: &mut Vec<String>,
) -> Result<(), crate::solr_api::ApiError> {
    let crate::config::TargetConfig { collection, id_field, .. } = target.config();
    let answer = target.get(&format!("{collection}/schema/uniquekey"), &[]).await?;
    let key = answer.get("uniqueKey").and_then(Json::as_str).unwrap_or_default();
    if key != id_field {
        findings.push(format!(
            "target: the unique key of `{collection}` is `{key}`, and `target.id_field` is `{id_field}`"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_that_documents_want_is_worked_out() {
        let documents = vec![
            json!({ "id": "1", "year": 1972, "rating": 8, "cast": ["Banionis"], "when": "1972-03-20T00:00:00Z",
                    "plot": "a station over a sea", "below": [{ "id": "1!a", "part": 1 }] }),
            json!({ "id": "2", "year": 1979, "rating": 8.1, "seen": true }),
        ];
        let preview =
            SourcePreview { source: "s".into(), rows: None, documents, hidden: vec![], rejected: vec![] };
        let mut fields = wanted_fields(&[preview]);
        let kinds: Vec<_> =
            fields.iter().map(|field| (field.name.as_str(), field.kind, field.multi_valued)).collect();
        assert_eq!(
            kinds,
            [
                ("cast", "string", true),
                ("id", "string", false),
                ("part", "plong", false),
                ("plot", "text_general", false),
                ("rating", "pdouble", false),
                ("seen", "boolean", false),
                ("when", "pdate", false),
                ("year", "plong", false),
            ]
        );
        fields.iter_mut().skip(1).for_each(|field| field.there = Some("string".into()));
        let edits = schema_edits(&fields).unwrap();
        assert_eq!(
            edits,
            json!({ "add-field": [{ "name": "cast", "type": "string", "stored": true, "multiValued": true }] })
        );
        assert!(covers("*_s", "a_s") && covers("attr_*", "attr_x") && !covers("*_s", "a_t"));
    }
}
