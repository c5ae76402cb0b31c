//! Why a server of ZooKeeper gives no state, in words that stand behind those of
//! [`Error::ZooKeeper`](crate::Error::ZooKeeper). What to do of it is the same for all: another server may
//! give one, or this one later.

/// Why a server gives no state.
#[derive(Debug, thiserror::Error)]
pub(super) enum ZooKeeperError {
    #[error("{server}: {reason}")]
    Away { server: String, reason: String },
    #[error("{0}")]
    Malformed(String),
    #[error("`{0}` is not there; is the chroot right?")]
    NoCluster(String),
    #[error("`{0}` may not be read by everyone, and this client says no login")]
    Forbidden(String),
    #[error("it answers with its error {0}")]
    Failed(i32),
}
