//! The only file that names the client: the few requests that ingest sends to a Solr, and errors by what the
//! sender should do.
//!
//! In: paths, parameters and bodies; out: JSON, or an error that says whether to send it again. Nothing is
//! retried here: who waits, and how long, is decided by `target` and `follow`.

use std::time::Duration;

use bytes::Bytes;
use client::{Error as ClientError, ErrorKind as ClientErrorKind, Login, SolrClient, SolrUrl};
use serde_json::Value as Json;

/// What to do about a request that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiErrorKind {
    /// Nothing was done: send it again later.
    Retry,
    /// It may have been done, in part or whole: the answer did not come, or says so (any 5xx; an update that
    /// is refused behind its first pieces is 503). Send it again only where doing it twice does no harm.
    Unknown,
    /// Something else was written meanwhile (409).
    Conflict,
    /// The server has no such collection, handler or document.
    Missing,
    /// It will never be accepted as it is.
    Refused,
}

#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    pub kind: ApiErrorKind,
    pub message: String,
}

/// One Solr, or Parhelion, by URL. Cheap to clone; clones share connections.
#[derive(Clone, Debug)]
pub struct SolrApi {
    client: SolrClient,
}

impl SolrApi {
    /// Connects nowhere yet. `user_env` names the environment's variable with `name:password`.
    pub fn new(url: &str, user_env: Option<&str>, timeout: Duration) -> Result<Self, ApiError> {
        let refused = |message: String| ApiError { kind: ApiErrorKind::Refused, message };
        let login = match user_env {
            None => None,
            Some(name) => {
                let pair = std::env::var(name).map_err(|_| {
                    refused(format!("the environment has no `{name}`; set it to `name:password`"))
                })?;
                Some(Login::user(&pair).map_err(|error| refused(error.to_string()))?)
            }
        };
        let url: SolrUrl = url.parse().map_err(|error: ClientError| refused(error.to_string()))?;
        Ok(Self { client: SolrClient::new(url.with_login(login), timeout) })
    }

    /// A path below the URL, such as `films/select` or `admin/collections`, with `wt=json` added.
    pub async fn get(&self, path: &str, params: &[(&str, &str)]) -> Result<Json, ApiError> {
        let params = with_json(params);
        let response = self.client.get(path, &params).await.and_then(client::Response::ok)?;
        Ok(response.json()?)
    }

    /// The same, with the parameters in the body: for lists of ids, which are too long for a URL.
    pub async fn post_form(&self, path: &str, params: &[(&str, &str)]) -> Result<Json, ApiError> {
        let empty: SolrUrl = "form".parse().map_err(ApiError::from)?;
        let url = empty.with("", &with_json(params));
        let form = url.split_once('?').map_or("", |(_, form)| form).to_owned();
        let kind = "application/x-www-form-urlencoded";
        let response = self.client.post(path, &[], kind, form.into()).await.and_then(client::Response::ok)?;
        Ok(response.json()?)
    }

    /// An update: `body` is JSON, either documents or commands.
    pub async fn update(
        &self,
        collection: &str,
        params: &[(&str, &str)],
        body: Bytes,
    ) -> Result<Json, ApiError> {
        let path = format!("{collection}/update");
        let params = with_json(params);
        let response = self.client.post(&path, &params, "application/json", body).await;
        let response = response.and_then(client::Response::ok)?;
        Ok(response.json()?)
    }
}

fn with_json<'a>(params: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    params.iter().copied().chain([("wt", "json")]).collect()
}

impl From<ClientError> for ApiError {
    fn from(error: ClientError) -> Self {
        let kind = match &error {
            ClientError::Status { status: 409, .. } => ApiErrorKind::Conflict,
            ClientError::Status { status: 404, .. } => ApiErrorKind::Missing,
            // The body did not come in time: its first pieces may be done.
            ClientError::Status { status: 408, .. } => ApiErrorKind::Unknown,
            // The next answer would be as long.
            ClientError::TooLong { .. } => ApiErrorKind::Refused,
            other => match other.kind() {
                ClientErrorKind::RetryLater => ApiErrorKind::Retry,
                // The connection broke, the time is over, a 5xx; or what answered is not a Solr.
                ClientErrorKind::OutcomeUnknown => ApiErrorKind::Unknown,
                ClientErrorKind::FixRequest | ClientErrorKind::LogIn => ApiErrorKind::Refused,
            },
        };
        Self { kind, message: error.to_string() }
    }
}
