//! What an update brings: a body, or the files of one of several, each taken piece by piece from where it
//! arrives. Where they come from is `request`'s, what they say is `solr`'s.

use std::sync::LazyLock;

use plan::{Error, ErrorKind, Result};
use solr::update::{Decoder, Resume};
use tokio::sync::Mutex;

use crate::request::body::Upload;
use crate::request::call::Content;

/// What is at hand of a body, or of a file of one of several.
pub(super) struct BodyChunk<'a> {
    pub bytes: &'a [u8],
    /// As its file has to be read.
    pub decoder: Decoder<'a>,
    pub is_last: bool,
    /// Whether no file follows: only then what the request asks for at its end is done.
    pub of_last_file: bool,
    /// Whether there is more of it at hand: nobody waits for the client then.
    pub is_followed: bool,
    /// Where it begins.
    pub resume: &'a Resume,
}

/// Where a body begins.
pub(super) static START: LazyLock<Resume> = LazyLock::new(Resume::default);

/// Each that an update brings is taken as it arrives. Errors: `Internal` for one that is not, which no
/// request makes.
pub(super) fn upload_of(file: &Content) -> Result<&Mutex<Upload>> {
    let missing = || Error::new(ErrorKind::Internal, "the body of an update was read before its turn");
    file.upload.as_ref().ok_or_else(missing)
}
