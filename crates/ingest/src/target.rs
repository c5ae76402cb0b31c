//! The collection that documents go to: requests that are sent again while the server is busy or away,
//! documents that it refuses distinguished from those beside them, and the collections and aliases of whole
//! runs. What may have been done already is sent again only where doing it twice does no harm; each method
//! says why it is so.

use std::time::Duration;

use serde_json::Value as Json;

use crate::config::TargetConfig;
use crate::record::Rejected;
use crate::shape::{Document, Documents};
use crate::solr_api::{ApiError, ApiErrorKind, SolrApi};

/// A request may take long: a server that is short of memory lets it wait.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);
const PAUSE_FIRST: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub struct Target {
    api: SolrApi,
    config: TargetConfig,
}

/// One request's worth, and under which name its refusals are kept.
#[derive(Clone, Copy)]
pub struct Delivery<'a> {
    pub collection: &'a str,
    pub source: &'a str,
    pub documents: &'a Documents,
    pub params: &'a [(&'a str, &'a str)],
}

/// What doing a request twice does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Twice {
    Harmless,
    /// The second answer is another than the first.
    Differs,
}

impl Target {
    pub fn new(config: &TargetConfig) -> Result<Self, ApiError> {
        let api = SolrApi::new(&config.url, config.user_env.as_deref(), REQUEST_TIMEOUT)?;
        Ok(Self { api, config: config.clone() })
    }

    pub fn config(&self) -> &TargetConfig {
        &self.config
    }

    pub fn api(&self) -> &SolrApi {
        &self.api
    }

    /// Sends `batch` until it is acknowledged. Documents that the server refuses come back with its words;
    /// the others are in.
    pub async fn deliver(
        &self,
        delivery: Delivery<'_>,
        batch: &[Document],
    ) -> Result<Vec<Rejected>, ApiError> {
        let mut rejected = Vec::new();
        let mut halves = Halves::of(batch);
        while let Some(part) = halves.next_part() {
            let body = delivery.documents.body(None, part, &[]);
            if let Err(error) = self.update(delivery.collection, delivery.params, body).await {
                rejected.extend(halves.refused(delivery.source, part, error)?);
            }
        }
        Ok(rejected)
    }

    /// One update, sent again while the server is busy or away, for `retry_seconds` at most; also where it
    /// may have been done, in part or whole. It must be one that does no harm twice, as all of ours are:
    /// - a document is the whole of a row under its unique key, and overwrites what was there (the mapping
    ///   writes no edits; `overwrite=false` is never sent);
    /// - a delete names ids, and a commit is one more commit;
    /// - what brings the fence's version meets a conflict the second time, which `follow::Fence` resolves.
    pub async fn update(
        &self,
        collection: &str,
        params: &[(&str, &str)],
        body: bytes::Bytes,
    ) -> Result<Json, ApiError> {
        let mut pause = Pause::new(self.config.retry_seconds);
        loop {
            match self.api.update(collection, params, body.clone()).await {
                Err(error) => pause.before_again(error, Twice::Harmless).await?,
                answered => return answered,
            }
        }
    }

    /// Makes all that was sent searchable.
    pub async fn commit(&self, collection: &str) -> Result<(), ApiError> {
        let body = bytes::Bytes::from_static(b"{\"commit\":{}}");
        self.update(collection, &[], body).await.map(drop)
    }

    /// How many documents there are, those below others and the lease's left out.
    pub async fn count(&self, collection: &str) -> Result<u64, ApiError> {
        self.count_of(collection, &self.root_filters(collection).await?).await
    }

    /// Filters that leave out documents below others, and the lease's.
    pub async fn root_filters(&self, collection: &str) -> Result<Vec<String>, ApiError> {
        let TargetConfig { fence_id, id_field, .. } = &self.config;
        let fence = (!fence_id.is_empty()).then(|| format!("-{id_field}:\"{fence_id}\""));
        let mut filters = vec!["-_nest_path_:*".to_owned()];
        filters.extend(fence);
        match self.count_of(collection, &filters).await {
            // A schema without the field has no documents below others.
            Err(error) if error.kind == ApiErrorKind::Refused => filters.remove(0),
            counted => counted.map(|_| String::new())?,
        };
        Ok(filters)
    }

    async fn count_of(&self, collection: &str, filters: &[String]) -> Result<u64, ApiError> {
        let fixed = [("q", "*:*"), ("rows", "0")];
        let filters = filters.iter().map(|filter| ("fq", filter.as_str()));
        let params: Vec<_> = fixed.into_iter().chain(filters).collect();
        let answer = self.get(&format!("{collection}/select"), &params).await?;
        let count = answer.pointer("/response/numFound").and_then(Json::as_u64);
        count.ok_or_else(|| unexpected("the answer has no `numFound`"))
    }

    pub async fn collections(&self) -> Result<Vec<String>, ApiError> {
        let answer = self.get("admin/collections", &[("action", "LIST")]).await?;
        let names = answer.get("collections").and_then(Json::as_array).cloned().unwrap_or_default();
        Ok(names.iter().filter_map(Json::as_str).map(str::to_owned).collect())
    }

    /// What an alias stands for.
    pub async fn alias(&self, name: &str) -> Result<Option<String>, ApiError> {
        let answer = self.get("admin/collections", &[("action", "LISTALIASES")]).await?;
        let stands_for = answer.get("aliases").and_then(|aliases| aliases.get(name)).and_then(Json::as_str);
        Ok(stands_for.map(str::to_owned))
    }

    pub async fn set_alias(&self, name: &str, collection: &str) -> Result<(), ApiError> {
        // Harmless twice: the alias stands for the same.
        let params = [("action", "CREATEALIAS"), ("name", name), ("collections", collection)];
        self.get("admin/collections", &params).await.map(drop)
    }

    pub async fn create(&self, collection: &str) -> Result<(), ApiError> {
        let params = [
            ("action", "CREATE"),
            ("name", collection),
            ("numShards", "1"),
            ("collection.configName", &self.config.configset),
        ];
        self.change_collections(&params, collection, true).await
    }

    pub async fn delete(&self, collection: &str) -> Result<(), ApiError> {
        self.change_collections(&[("action", "DELETE"), ("name", collection)], collection, false).await
    }

    /// CREATE and DELETE are refused the second time: where one may have been done, the list of collections
    /// is asked whether `collection` is there as it is to be.
    async fn change_collections(
        &self,
        params: &[(&str, &str)],
        collection: &str,
        is_to_be_there: bool,
    ) -> Result<(), ApiError> {
        let mut pause = Pause::new(self.config.retry_seconds);
        loop {
            match self.api.get("admin/collections", params).await {
                Err(error) if error.kind == ApiErrorKind::Unknown => {
                    pause.wait(error).await?;
                    if self.collections().await?.iter().any(|name| name == collection) == is_to_be_there {
                        return Ok(());
                    }
                }
                Err(error) => pause.before_again(error, Twice::Differs).await?,
                Ok(_) => return Ok(()),
            }
        }
    }

    /// A GET that reads, or that says how something is to be: sent again while the server is busy or away.
    pub async fn get(&self, path: &str, params: &[(&str, &str)]) -> Result<Json, ApiError> {
        let mut pause = Pause::new(self.config.retry_seconds);
        loop {
            match self.api.get(path, params).await {
                Err(error) => pause.before_again(error, Twice::Harmless).await?,
                answered => return answered,
            }
        }
    }
}

/// Finds the documents of a batch that a server refuses, by halving; what is sent twice on the way is the
/// same document again.
pub struct Halves<'a>(Vec<&'a [Document]>);

impl<'a> Halves<'a> {
    pub fn of(batch: &'a [Document]) -> Self {
        Self(vec![batch])
    }

    /// What to send next.
    pub fn next_part(&mut self) -> Option<&'a [Document]> {
        self.0.pop()
    }

    /// `part` is to be sent once more, before what comes behind it.
    pub fn again(&mut self, part: &'a [Document]) {
        self.0.push(part);
    }

    /// `part` was refused: the one document that it was, or its halves come next. Errors: what is no refusal
    /// of a document.
    pub fn refused(
        &mut self,
        source: &str,
        part: &'a [Document],
        error: ApiError,
    ) -> Result<Option<Rejected>, ApiError> {
        match part {
            _ if error.kind != ApiErrorKind::Refused => Err(error),
            [] => Err(error),
            [one] => {
                let reason = format!("the server refuses it: {error}");
                Ok(Some(Rejected { source: source.to_owned(), key: one.key.clone(), reason }))
            }
            many => {
                let (first, second) = many.split_at(many.len() / 2);
                self.0.extend([second, first]);
                Ok(None)
            }
        }
    }
}

pub fn unexpected(message: &str) -> ApiError {
    ApiError { kind: ApiErrorKind::Refused, message: message.to_owned() }
}

/// Pauses that double up to a bound, and in all no longer than was configured.
pub struct Pause {
    next: Duration,
    left: Duration,
}

impl Pause {
    pub fn new(seconds: u64) -> Self {
        Self { next: PAUSE_FIRST, left: Duration::from_secs(seconds) }
    }

    /// Waits where what failed may be sent again. Errors: what failed, where it may not.
    async fn before_again(&mut self, failed: ApiError, twice: Twice) -> Result<(), ApiError> {
        match failed.kind {
            ApiErrorKind::Retry => self.wait(failed).await,
            ApiErrorKind::Unknown if twice == Twice::Harmless => self.wait(failed).await,
            _ => Err(failed),
        }
    }

    /// Errors: what failed, when the time is used up.
    pub async fn wait(&mut self, failed: ApiError) -> Result<(), ApiError> {
        if self.left.is_zero() {
            return Err(failed);
        }
        let pause = self.next.min(self.left);
        tokio::time::sleep(pause).await;
        self.left -= pause;
        self.next = (self.next * 2).min(PAUSE_MAX);
        Ok(())
    }
}
