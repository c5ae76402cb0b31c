//! What is asked of ZooKeeper, as small as it goes: one connection's reads, and changes that happen all or
//! none. Paths begin with `/` and are below the cluster's own root, its chroot.

use std::future::Future;

/// Opens connections, each of which is a session of its own.
pub trait Trees: Send + Sync + 'static {
    type Tree: Tree;

    /// Connects, and makes the root where it is not there.
    fn connect(&self) -> impl Future<Output = Result<Self::Tree, TreeError>> + Send;
}

/// One connection.
pub trait Tree: Send + Sync + 'static {
    /// Names its session; nodes that live as long as it carry it.
    fn session(&self) -> i64;

    /// `None` where there is no such node.
    fn read(&self, path: &str) -> impl Future<Output = Result<Option<Present>, TreeError>> + Send;

    /// The names directly below, in any order; none where the node is not there.
    fn children(&self, path: &str) -> impl Future<Output = Result<Vec<String>, TreeError>> + Send;

    /// All of them, in order, or none. An error other than `Changed` and `Refused` leaves open which.
    fn write(&self, changes: &[Change]) -> impl Future<Output = Result<(), TreeError>> + Send;

    /// Lets this cluster alone change nodes that are there, where it has a name to do so under; new ones are
    /// made so. A node that is gone is passed over.
    fn protect(&self, paths: &[&str]) -> impl Future<Output = Result<(), TreeError>> + Send;

    /// Returns when the connection becomes another, or another member may have done something.
    fn event(&self) -> impl Future<Output = TreeEvent> + Send;
}

/// What becomes of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeEvent {
    /// A member came, went, or claimed the view.
    Stirred,
    /// Nothing is heard; what lives by the session may stay, for a while.
    Lost,
    /// It is heard again. Anything may have happened meanwhile.
    Back,
    /// The session is over, and what lived by it gone.
    Over,
}

/// A node as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    pub bytes: Vec<u8>,
    pub version: i32,
    /// The session whose end removes it; 0 where none does.
    pub session: i64,
}

/// How long a node stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    Lasting,
    /// As long as the session that made it.
    Session,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing is changed; `Changed` where the node has another version.
    Check {
        path: String,
        version: i32,
    },
    Create {
        path: String,
        bytes: Vec<u8>,
        lifetime: Lifetime,
    },
    Set {
        path: String,
        bytes: Vec<u8>,
        version: i32,
    },
    Delete {
        path: String,
        version: i32,
    },
}

impl Change {
    /// The node that it makes another.
    #[cfg(test)]
    pub(crate) fn changed_path(&self) -> Option<&str> {
        match self {
            Self::Check { .. } => None,
            Self::Create { path, .. } | Self::Set { path, .. } | Self::Delete { path, .. } => Some(path),
        }
    }

    /// What it takes of a request, about.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Check { path, .. } | Self::Delete { path, .. } => path.len(),
            Self::Create { path, bytes, .. } | Self::Set { path, bytes, .. } => path.len() + bytes.len(),
        }
    }
}

/// By what is to be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// The connection or the session is lost: connect again.
    #[error("ZooKeeper does not answer: {0}")]
    Lost(String),
    /// A node is not as it was read: read again.
    #[error("another changed ZooKeeper's nodes meanwhile")]
    Changed,
    /// Another member has this node's name; it may be gone soon.
    #[error(
        "another member of the cluster is called `{0}`: give each an address of its own with --advertise, or wait until it is gone"
    )]
    Taken(String),
    /// The truth cannot be read, so that nobody knows what is to be shown.
    #[error("what is to be shown cannot be read: {0}")]
    Unread(String),
    /// It will not be otherwise at another try; the text says what to do.
    #[error("{0}")]
    Refused(String),
}
