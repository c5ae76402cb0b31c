//! What a rule has found, and how it is shown: `path:line: what to do`. Every rule of this folder gives such;
//! the command prints them, and fails where there is one.

use std::fmt;

/// One thing to put right: where, and what to do about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Path from the repository's root.
    pub path: String,
    /// Line, from 1; 0 where the whole file is meant.
    pub line: usize,
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}
