//! What a process is called wherever it is spoken of: by itself, as a peer, as the holder of a file. Other
//! programs choose their names, so a label is made printable where it is read (`observe`), and may be shown
//! as it is.

use serde::{Deserialize, Serialize};

/// How people speak of a process. The name is the kernel's (15 bytes at most), made printable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProcessLabel {
    pub pid: i32,
    pub name: String,
}

impl std::fmt::Display for ProcessLabel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (pid {})", self.name, self.pid)
    }
}
