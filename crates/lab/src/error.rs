//! Why a run is void.

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Client(#[from] client::Error),
    #[error(
        "`{url}`: query `{query}` found {found} documents where the generator put {expected}; the run is void"
    )]
    WrongCount { url: String, query: &'static str, found: u64, expected: u64 },
    #[error("`{url}`: {reason}")]
    Load { url: String, reason: String },
    #[error("cannot encode a document: {0}")]
    Encode(#[from] serde_json::Error),
}
