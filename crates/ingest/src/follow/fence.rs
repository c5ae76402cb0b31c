//! The lease's token in the target: one document that every write brings along with the version it is
//! expected to have. Who took the lease later has written it since, so a write of who held it before meets
//! another version and is refused whole (Solr's optimistic concurrency: 409), as long as the collection is
//! one shard. Of several shards only the one that holds the document is guarded.

use serde_json::{Value as Json, json};

use crate::record::Rejected;
use crate::shape::{Document, Documents};
use crate::solr_api::{ApiError, ApiErrorKind};
use crate::target::{Halves, Pause, Target, unexpected};

/// The field that holds the token; of Solr's default configset a dynamic one.
const TOKEN_FIELD: &str = "ingest_token_l";

/// Why a guarded write did not happen.
#[derive(Debug, thiserror::Error)]
pub enum FenceError {
    #[error("another service has taken over: its token is {0}")]
    Deposed(i64),
    #[error("target: {0}")]
    Target(ApiError),
}

// By hand: an error that another is made from becomes its cause, and would be printed twice.
impl From<ApiError> for FenceError {
    fn from(error: ApiError) -> Self {
        Self::Target(error)
    }
}

/// The right to write to a collection, while nobody with a higher token has claimed it.
pub struct Fence {
    target: Target,
    collection: String,
    token: i64,
    /// Of the document, as we left it.
    version: i64,
}

impl Fence {
    /// Claims the collection. Errors: [`FenceError::Deposed`] when a higher token has.
    pub async fn claim(target: &Target, collection: &str, token: i64) -> Result<Self, FenceError> {
        let mut fence = Self { target: target.clone(), collection: collection.to_owned(), token, version: 0 };
        while fence.guards() {
            let (there, version) = fence.read().await?;
            if there > token {
                return Err(FenceError::Deposed(there));
            }
            // -1: it must not be there.
            fence.version = if version == 0 { -1 } else { version };
            match fence.post(&Documents::default(), &[], &[], &[]).await {
                Ok(()) => break,
                Err(error) if error.kind == ApiErrorKind::Conflict => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(fence)
    }

    fn guards(&self) -> bool {
        !self.target.config().fence_id.is_empty()
    }

    /// Sends documents and deletes, whole; what the server refuses comes back with its words. `soon` is in
    /// milliseconds.
    pub async fn send(
        &mut self,
        source: &str,
        documents: &Documents,
        batch: &[Document],
        deletes: &[String],
        soon: u32,
    ) -> Result<Vec<Rejected>, FenceError> {
        let within = soon.to_string();
        let params = [("commitWithin", within.as_str())];
        let mut rejected = Vec::new();
        let mut halves = Halves::of(batch);
        let mut pause = Pause::new(self.target.config().retry_seconds);
        while let Some(part) = halves.next_part() {
            match self.post(documents, part, deletes, &params).await {
                Ok(()) => {}
                Err(error) if error.kind == ApiErrorKind::Conflict => {
                    // Either somebody else's, or our own that got through, whole or as far as its guard,
                    // though its answer did not. Of the latter nobody knows how much is done, and all of it
                    // goes again: its documents are whole and overwrite what was there, its deletes name
                    // ids. Again and again, for a server that is short of room may break off each time
                    // behind the guard.
                    self.read_again().await?;
                    pause.wait(error).await?;
                    halves.again(part);
                }
                Err(error) => rejected.extend(halves.refused(source, part, error)?),
            }
        }
        Ok(rejected)
    }

    /// Takes over the version that is there, if we are still who wrote it.
    async fn read_again(&mut self) -> Result<(), FenceError> {
        let (there, version) = self.read().await?;
        if there != self.token {
            return Err(FenceError::Deposed(there));
        }
        self.version = version;
        Ok(())
    }

    async fn post(
        &mut self,
        documents: &Documents,
        batch: &[Document],
        deletes: &[String],
        params: &[(&str, &str)],
    ) -> Result<(), ApiError> {
        if !self.guards() {
            let body = documents.body(None, batch, deletes);
            return self.target.update(&self.collection, params, body).await.map(drop);
        }
        let config = self.target.config();
        let guard =
            json!({ &config.id_field: config.fence_id, TOKEN_FIELD: self.token, "_version_": self.version });
        let params: Vec<_> = params.iter().copied().chain([("versions", "true")]).collect();
        let body = documents.body(Some(guard.to_string().as_bytes()), batch, deletes);
        let answer = self.target.update(&self.collection, &params, body).await?;
        self.version = version_of(&answer, &config.fence_id).ok_or_else(|| {
            unexpected("the answer to an update has no versions; set `target.fence_id = \"\"`")
        })?;
        Ok(())
    }

    /// The token that is there, and the document's version; zeros where there is none.
    async fn read(&self) -> Result<(i64, i64), ApiError> {
        let config = self.target.config();
        let path = format!("{}/get", self.collection);
        let answer = self.target.get(&path, &[("id", &config.fence_id)]).await?;
        let number = |field: &str| answer.get("doc").and_then(|doc| doc.get(field)).and_then(Json::as_i64);
        Ok((number(TOKEN_FIELD).unwrap_or(0), number("_version_").unwrap_or(0)))
    }
}

/// Solr lists ids and versions in turn, as an array or, by `json.nl`, as an object.
fn version_of(answer: &Json, id: &str) -> Option<i64> {
    match answer.get("adds")? {
        Json::Object(versions) => versions.get(id)?.as_i64(),
        Json::Array(list) => {
            let at = list.chunks(2).find(|pair| pair.first().and_then(Json::as_str) == Some(id))?;
            at.get(1)?.as_i64()
        }
        _ => None,
    }
}
