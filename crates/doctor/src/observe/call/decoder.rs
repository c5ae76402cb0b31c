//! What a process is asked while one of its calls is put in words: its memory and its open files. A test
//! answers from tables.

use crate::facts::PolledFile;
use crate::observe::memory::TargetMemory;

/// What is asked while decoding.
pub struct Decoder<'a> {
    pub memory: &'a dyn TargetMemory,
    /// What a file descriptor stands for, in a few words.
    pub file: &'a dyn Fn(i32) -> Option<String>,
    /// What an epoll descriptor watches.
    pub watched: &'a dyn Fn(i32) -> Vec<PolledFile>,
}
