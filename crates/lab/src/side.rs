//! A server under measurement: where it is, which collection of it, which processes it is made of. Both
//! sides of a run are one of these, and whatever is done to one is done to the other by the same code. It
//! knows a URL and Solr's API, nothing of how either server works. The processes are for their processor
//! time and memory, and are found only on this machine.

use std::time::Duration;

use client::{SolrClient, SolrUrl};
use serde_json::Value;

use crate::error::Error;
use crate::load::Processes;
use crate::peer;

/// A server and the collection in it.
#[derive(Clone, Debug)]
pub struct Side {
    pub client: SolrClient,
    pub collection: String,
    /// Of this machine: those of a peer that the lab started, else the one that listens on the port.
    pub processes: Processes,
}

/// A node of a cluster.
#[derive(Clone, Debug)]
pub struct LiveNode {
    /// As the cluster calls it: `host:port_solr`.
    pub name: String,
    /// `host:port`.
    pub authority: String,
}

/// Of the cluster of a server, by name; none where that is no cluster.
pub async fn live_nodes(client: &SolrClient) -> Result<Vec<LiveNode>, client::Error> {
    let params = [("action", "CLUSTERSTATUS"), ("wt", "json")];
    let status = client.get("admin/collections", &params).await?.json()?;
    let names = status["cluster"]["live_nodes"].as_array().into_iter().flatten();
    let node = |name: &Value| {
        let name = name.as_str()?;
        let authority = name.strip_suffix("_solr")?.to_owned();
        Some(LiveNode { name: name.to_owned(), authority })
    };
    let mut nodes: Vec<LiveNode> = names.filter_map(node).collect();
    nodes.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(nodes)
}

impl Side {
    pub fn new(url: SolrUrl, collection: &str) -> Self {
        let found = || Processes::listening_on(url.authority());
        let processes = peer::processes_of(url.authority()).unwrap_or_else(found);
        let client = SolrClient::new(url, Duration::from_secs(600));
        Self { client, collection: collection.to_owned(), processes }
    }

    /// The same with the processes of all nodes of its cluster that are on this machine: whichever is asked,
    /// the others work too.
    #[must_use]
    pub async fn with_nodes(self) -> Self {
        let nodes = live_nodes(&self.client).await.unwrap_or_default();
        if nodes.len() < 2 || peer::processes_of(self.url().authority()).is_some() {
            return self;
        }
        let each: Vec<Processes> =
            nodes.iter().map(|node| Processes::listening_on(&node.authority)).collect();
        Self { processes: Processes::of_all(each.iter()), ..self }
    }

    pub fn url(&self) -> &SolrUrl {
        self.client.url()
    }

    /// A handler's answer, as JSON.
    pub async fn ask(&self, handler: &str, params: &[(String, String)]) -> Result<Value, client::Error> {
        let mut pairs: Vec<(&str, &str)> =
            params.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        pairs.push(("wt", "json"));
        self.client.get(&format!("{}/{handler}", self.collection), &pairs).await?.ok()?.json()
    }

    /// Makes the collection where it is missing, and empties it: a run starts from nothing, without deleted
    /// documents that would shift the statistics of one side.
    pub async fn make_empty(&self, configset: &str) -> Result<(), Error> {
        if !self.exists().await? {
            self.create(configset).await?;
        }
        let path = format!("{}/update", self.collection);
        let body = r#"{"delete":{"query":"*:*"}}"#;
        self.client
            .post(&path, &[("commit", "true"), ("wt", "json")], "application/json", body.into())
            .await?
            .ok()?;
        Ok(())
    }

    /// An error unless the collection knows every field; what type it gives them is for its configset to
    /// say, and for the comparison of answers to judge.
    pub async fn check_fields(&self, fields: &[(&str, &str)]) -> Result<(), Error> {
        for (field, kind) in fields {
            let path = format!("{}/schema/fields/{field}", self.collection);
            let answer = self.client.get(&path, &[("includeDynamic", "true"), ("wt", "json")]).await?;
            if answer.status == 404 {
                return Err(Error::NoField {
                    url: self.url().to_string(),
                    collection: self.collection.clone(),
                    field: (*field).to_owned(),
                    kind: (*kind).to_owned(),
                });
            }
        }
        Ok(())
    }

    async fn exists(&self) -> Result<bool, Error> {
        let params = [("q", "*:*"), ("rows", "0"), ("wt", "json")];
        let answer = self.client.get(&format!("{}/select", self.collection), &params).await?;
        Ok(answer.status != 404)
    }

    /// As a collection, or, where the server is no cloud, as a core.
    async fn create(&self, configset: &str) -> Result<(), Error> {
        let name = self.collection.as_str();
        let collection = [
            ("action", "CREATE"),
            ("name", name),
            ("numShards", "1"),
            ("collection.configName", configset),
            ("wt", "json"),
        ];
        if self.client.get("admin/collections", &collection).await?.ok().is_ok() {
            return Ok(());
        }
        let core = [("action", "CREATE"), ("name", name), ("configSet", configset), ("wt", "json")];
        let made = self.client.get("admin/cores", &core).await?.ok();
        made.map_err(|error| Error::NoCollection {
            url: self.url().to_string(),
            collection: name.to_owned(),
            reason: error.to_string(),
        })?;
        Ok(())
    }

    /// Shards of the collection; one where the server is no cloud.
    pub async fn shards(&self) -> usize {
        let params = [("action", "CLUSTERSTATUS"), ("collection", self.collection.as_str()), ("wt", "json")];
        let answer = match self.client.get("admin/collections", &params).await {
            Ok(answer) => answer.json().unwrap_or_default(),
            Err(_) => Value::Null,
        };
        let shards = answer["cluster"]["collections"][&self.collection]["shards"].as_object();
        shards.map_or(1, |shards| shards.len().max(1))
    }

    /// Segments of the collection's first core, where the server says.
    pub async fn segments(&self) -> Option<u64> {
        let answer = self.client.get("admin/cores", &[("action", "STATUS"), ("wt", "json")]).await.ok()?;
        let answer: Value = answer.json().ok()?;
        // A cloud calls its cores by the collection, the shard and the replica.
        let is_of = |name: &str| {
            name.strip_prefix(&self.collection)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with("_shard"))
        };
        let mut cores = answer["status"].as_object()?.iter();
        cores.find(|(name, _)| is_of(name)).and_then(|(_, core)| core["index"]["segmentCount"].as_u64())
    }

    /// What the server says of itself: its version, and its Java where it has one.
    pub async fn version(&self) -> String {
        let answer = match self.client.get("admin/info/system", &[("wt", "json")]).await {
            Ok(answer) => answer.json().unwrap_or_default(),
            Err(_) => Value::Null,
        };
        let text = |path: &str| answer.pointer(path).and_then(Value::as_str);
        let server = text("/lucene/solr-impl-version").or_else(|| text("/lucene/solr-spec-version"));
        let server = server.unwrap_or("unknown").to_owned();
        match text("/jvm/jre/version") {
            Some(java) => format!("{server}; Java {java}"),
            None => server,
        }
    }
}
