//! What the server is asked for: the schema with the files that it names, the fields that documents have and
//! what each takes, and names of fields in the configuration. In: a client and a collection; out: facts. A
//! server that does not tell bytes by field (Solr) is no error: they are then not shown.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, anyhow};
use client::{Response, SolrClient};
use plan::{CopiedPart, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::words::words;

/// What is known of a collection without its log.
pub struct ServerFacts {
    pub schema: Schema,
    /// All concrete fields: those declared, and those that documents have.
    pub names: BTreeSet<String>,
    /// `None` where the server does not tell.
    pub bytes: Option<BytesByField>,
    /// Where the configuration names fields.
    pub configured: BTreeMap<String, String>,
    /// How often `/get` was asked since the server started; `None` where it does not tell.
    pub gets: Option<u64>,
}

/// As `/admin/segments?fieldBytes=true` answers.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct BytesByField {
    pub fields: BTreeMap<String, BytesOfField>,
    pub shared: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BytesOfField {
    pub terms: u64,
    pub postings: u64,
    pub positions: u64,
    pub norms: u64,
    #[serde(rename = "docValues")]
    pub doc_values: u64,
    pub stored: u64,
    /// What preparing its values takes for all documents, in microseconds; 0 of a server that does not tell.
    #[serde(default, rename = "indexingMicros")]
    pub indexing_us: u64,
}

impl BytesOfField {
    pub fn index(&self) -> u64 {
        self.terms + self.postings + self.positions + self.norms
    }

    pub fn total(&self) -> u64 {
        self.index() + self.doc_values + self.stored
    }
}

impl BytesByField {
    /// Of all fields.
    pub fn indexing_us(&self) -> u64 {
        self.fields.values().map(|field| field.indexing_us).sum()
    }

    pub fn total(&self) -> u64 {
        self.shared + self.fields.values().map(BytesOfField::total).sum::<u64>()
    }
}

impl ServerFacts {
    pub async fn ask(
        client: &SolrClient,
        collection: &str,
        meant: &BTreeSet<String>,
    ) -> anyhow::Result<Self> {
        let schema = schema(client, collection).await?;
        let bytes = bytes_by_field(client, collection).await?;
        let mut names: BTreeSet<String> = schema.fields().map(|spec| spec.name.to_string()).collect();
        let luke =
            client.get(&format!("{collection}/admin/luke"), &[("numTerms", "0")]).await?.ok()?.json()?;
        names.extend(luke["fields"].as_object().into_iter().flat_map(|fields| fields.keys().cloned()));
        // Luke knows no field that only deleted documents have; its bytes are there until a merge.
        names.extend(bytes.iter().flat_map(|bytes| bytes.fields.keys().cloned()));
        let config = client.get(&format!("{collection}/config"), &[]).await?.ok()?.json()?;
        let mut configured = BTreeMap::new();
        names_in(&config["config"], "", &names, &mut configured);
        configured.extend(router_fields(client, collection).await);
        let gets = gets(client, meant).await;
        Ok(Self { schema, names, bytes, configured, gets })
    }

    /// The places of a field that lies in several, such as a latitude: used where that is.
    pub fn parts(&self, name: &str) -> Vec<String> {
        let parts = self.schema.copies(name).filter(|(_, copied)| copied.part != CopiedPart::Whole);
        parts.map(|(part, _)| part).collect()
    }

    /// Where the field's values are copied.
    pub fn copies(&self, name: &str) -> Vec<String> {
        let whole = self.schema.copies(name).filter(|(_, copied)| copied.part == CopiedPart::Whole);
        whole.map(|(dest, _)| dest).collect()
    }

    /// Whether values of the field are no words: a clause for one filters and scores all that it finds alike.
    pub fn is_exact(&self, name: &str) -> bool {
        self.schema.field(name).is_some_and(|spec| !spec.class().is_text())
    }
}

/// The schema as a file, read by what reads it in the server. The files that it names are asked for until it
/// names no other: which those are is known only by reading.
async fn schema(client: &SolrClient, collection: &str) -> anyhow::Result<Schema> {
    let path = format!("{collection}/schema");
    let response = client.get(&path, &[("wt", "schema.xml")]).await?.ok()?;
    let xml = String::from_utf8_lossy(&response.body).into_owned();
    let mut files: BTreeMap<String, Option<String>> = BTreeMap::new();
    loop {
        let wanted = RefCell::new(BTreeSet::new());
        let source = solr::schema::parse(&xml, &|file| {
            files.get(file).cloned().unwrap_or_else(|| {
                wanted.borrow_mut().insert(file.to_owned());
                None
            })
        });
        let wanted = wanted.into_inner();
        if wanted.is_empty() {
            let built = source.and_then(Schema::build).map_err(|error| anyhow!(error.message));
            return built.with_context(|| format!("the schema of `{collection}` cannot be read here"));
        }
        for file in wanted {
            let found = client.get(&format!("{collection}/admin/file"), &[("file", &file)]).await?;
            // One that is not there fails where the schema needs it, with its name in the error.
            let text = found.ok().ok().map(|it| String::from_utf8_lossy(&it.body).into_owned());
            files.insert(file, text);
        }
    }
}

async fn bytes_by_field(client: &SolrClient, collection: &str) -> anyhow::Result<Option<BytesByField>> {
    let path = format!("{collection}/admin/segments");
    let answer = client.get(&path, &[("fieldBytes", "true")]).await?.ok()?.json()?;
    let bytes = answer.get("fieldBytes").map(BytesByField::deserialize).transpose();
    bytes.context("the server's `fieldBytes` cannot be read")
}

/// Names of fields that are values in the configuration, with the first place of each.
fn names_in(value: &Value, at: &str, names: &BTreeSet<String>, found: &mut BTreeMap<String, String>) {
    match value {
        Value::String(text) => {
            for word in words(text).filter(|word| names.contains(*word)) {
                found.entry(word.to_owned()).or_insert_with(|| at.to_owned());
            }
        }
        Value::Array(values) => values.iter().for_each(|value| names_in(value, at, names, found)),
        Value::Object(members) => {
            for (name, value) in members {
                // What a part is called or made of is no field, whatever it is called.
                if !matches!(name.as_str(), "class" | "name") {
                    names_in(value, &format!("{at}/{name}"), names, found);
                }
            }
        }
        _ => {}
    }
}

/// The fields by whose values documents are placed: updates need them, which are not in the log.
async fn router_fields(client: &SolrClient, collection: &str) -> Vec<(String, String)> {
    let params = [("action", "CLUSTERSTATUS"), ("collection", collection)];
    let answer = client.get("admin/collections", &params).await.and_then(Response::ok);
    // A Solr that is no cloud places nothing.
    let Ok(answer) = answer.and_then(|answer| answer.json()) else { return Vec::new() };
    let collections = answer.pointer("/cluster/collections").and_then(Value::as_object);
    let fields = collections.into_iter().flatten().filter_map(|(_, it)| it["router"]["field"].as_str());
    fields.map(|field| (field.to_owned(), "router.field".to_owned())).collect()
}

/// A server need not tell its figures to whoever may search.
async fn gets(client: &SolrClient, meant: &BTreeSet<String>) -> Option<u64> {
    let params = [("group", "core"), ("prefix", "QUERY./get.requests"), ("wt", "json")];
    let answer = client.get("admin/metrics", &params).await.and_then(Response::ok).and_then(|it| it.json());
    let answer = answer.ok()?;
    let of_collection = |registry: &str| {
        // `films` and `films_shard1_replica_n1`, by who made it; another that begins so makes the advice
        // only more careful.
        let core = registry.strip_prefix("solr.core.").unwrap_or_default();
        let is_of = |name: &String| core.strip_prefix(name.as_str());
        meant.iter().filter_map(is_of).any(|rest| rest.is_empty() || rest.starts_with(['.', '_']))
    };
    let registries = answer["metrics"].as_object()?.iter().filter(|(name, _)| of_collection(name));
    let counts = registries.filter_map(|(_, figures)| {
        let figure = figures.get("QUERY./get.requests")?;
        figure.as_u64().or_else(|| figure["count"].as_u64())
    });
    counts.reduce(|one, other| one + other)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_named_by_values_of_the_configuration_alone() {
        let config = json!({
            "searchComponent": {"spell": {"name": "year", "class": "solr.title", "field": "title", "title": "x"}},
            "requestHandler": {"/a": {"defaults": {"qf": "body^2 title"}}},
        });
        let names = ["title", "body", "year"].map(str::to_owned).into();
        let mut found = BTreeMap::new();
        names_in(&config, "", &names, &mut found);
        let expected =
            [("body", "/requestHandler//a/defaults/qf"), ("title", "/searchComponent/spell/field")];
        let expected = expected.map(|(name, at)| (name.to_owned(), at.to_owned()));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
    }
}
