//! Why a run cannot go on, with what to do about it in the message: the command prints it as it is. What
//! voids only one case is not an error: it stands in the report. In: what went wrong in asking, starting or
//! writing, with the URL or path; out: one sentence with the next step.

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Client(#[from] client::Error),
    #[error("`{url}`: {reason}")]
    Load { url: String, reason: String },
    #[error(
        "cannot make `{collection}` at {url} ({reason}); create it there with the fields of Solr's `_default` configset, or name another with --collection"
    )]
    NoCollection { url: String, collection: String, reason: String },
    #[error(
        "`{collection}` at {url} has no field `{field}`; add it as `{kind}`, or make the collection from the `_default` configset"
    )]
    NoField { url: String, collection: String, field: String, kind: String },
    #[error(
        "cannot read the report `{path}`: {reason}; give a file that `parhelion lab run --report` or `--json` wrote"
    )]
    NoReport { path: String, reason: String },
    #[error("`{0}` is no workload; `parhelion lab list` shows them")]
    NoWorkload(String),
    #[error("`{0}` is no case of `{1}`; docs/lab.md names them, and `parhelion lab run {1}` shows them")]
    NoCase(String, String),
    #[error(transparent)]
    Relevance(#[from] crate::relevance::Fault),
    #[error("a task of the run ended: {0}")]
    Task(String),
    /// A program that a peer needs, or the peer itself.
    #[error("{0}")]
    Peer(String),
    #[error(
        "`{megabytes}` MB of memory are more than the {available} MB that this machine has to spare; give less with --megabytes"
    )]
    NoMemory { megabytes: u64, available: u64 },
    #[error("cannot use `{path}`: {source}")]
    File { path: String, source: std::io::Error },
}
