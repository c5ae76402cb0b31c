//! What the kinds that read files share: reading off the runtime's threads, and errors of the file system.
//! What a row is in each of them is its own file's. Disks and network mounts may block for as long as they
//! like, and a runtime's thread that waits for one would keep all other sources waiting.

use std::io;
use std::path::Path;

use futures_util::future::BoxFuture;

use super::contract::{Page, Pages, SourceError};

/// Records above this are dead letters: a quote that never closes, or a file without line ends, would fill
/// the memory.
pub const RECORD_BYTES_MAX: usize = 16 << 20;

/// Rows a page of a file.
pub const PAGE_ROWS: usize = 1000;

/// A reader that blocks; each page is read on a thread for such work.
pub trait BlockingPages: Send + 'static {
    fn next_page(&mut self) -> Result<Option<Page>, SourceError>;
}

/// `None` while a page is being read, and after the reading thread died.
pub struct OffRuntime<T>(Option<T>);

impl<T: BlockingPages> OffRuntime<T> {
    pub fn boxed(pages: T) -> Box<dyn Pages> {
        Box::new(Self(Some(pages)))
    }
}

impl<T: BlockingPages> Pages for OffRuntime<T> {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Page>, SourceError>> {
        Box::pin(async {
            let Some(mut pages) = self.0.take() else { return Ok(None) };
            let read = tokio::task::spawn_blocking(move || (pages.next_page(), pages)).await;
            let (page, pages) = read.map_err(|error| SourceError::refused("files", error))?;
            self.0 = Some(pages);
            page
        })
    }
}

/// A file that is not there, or may not be read, is for its owner to mend; other trouble may pass.
pub fn file_error(source: &str, path: &Path, error: &io::Error) -> SourceError {
    let message = format!("cannot read `{}`: {error}", path.display());
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied | io::ErrorKind::IsADirectory => {
            SourceError::refused(source, message)
        }
        _ => SourceError::unavailable(source, message),
    }
}

/// How long the file is.
pub async fn file_bytes(source: &str, path: &Path) -> Result<Option<u64>, SourceError> {
    let (name, path) = (source.to_owned(), path.to_owned());
    blocking(source, move || {
        let facts = std::fs::metadata(&path).map_err(|error| file_error(&name, &path, &error))?;
        Ok(Some(facts.len()))
    })
    .await
}

/// Tells a file from the one that was there before, for cursors that count its bytes.
pub async fn file_revision(source: &str, path: &Path) -> Result<Option<String>, SourceError> {
    let (name, path) = (source.to_owned(), path.to_owned());
    blocking(source, move || {
        let facts = std::fs::metadata(&path).map_err(|error| file_error(&name, &path, &error))?;
        let modified = facts.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        Ok(Some(format!("{}:{}", facts.len(), modified.unwrap_or_default().as_nanos())))
    })
    .await
}

/// Off the runtime's threads, for what reads once.
pub async fn blocking<T: Send + 'static>(
    source: &str,
    work: impl FnOnce() -> Result<T, SourceError> + Send + 'static,
) -> Result<T, SourceError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| SourceError::refused(source, error))?
}
