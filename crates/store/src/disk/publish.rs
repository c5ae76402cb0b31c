//! Files that appear whole or not at all: written under a temporary name (`.{name}.partial`), synced,
//! renamed, and the folder synced. Partials that a crash left behind are swept when a home opens.
//!
//! Epochs, manifests, segments, configuration and documents are written this way; log files are not, since
//! they grow. Whether a name may be taken from what has it is asked by the callers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::{Disk, DiskFile, Readers};
use crate::{Error, Result};

const SUFFIX: &str = ".partial";

/// A file under its temporary name, removed when dropped before [`reveal`](Partial::reveal).
pub(crate) struct Partial {
    disk: Arc<dyn Disk>,
    file: Arc<dyn DiskFile>,
    temporary: PathBuf,
    target: PathBuf,
    written: u64,
    revealed: bool,
}

impl Partial {
    pub(crate) fn create(disk: Arc<dyn Disk>, folder: &Path, name: &str, readers: Readers) -> Result<Self> {
        let temporary = folder.join(format!(".{name}{SUFFIX}"));
        let file =
            disk.create(&temporary, readers).map_err(|source| Error::io("create", &temporary, source))?;
        Ok(Self { disk, file, temporary, target: folder.join(name), written: 0, revealed: false })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.file.write_at(bytes, self.written)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    pub(crate) fn sync(&self) -> Result<()> {
        self.file.sync().map_err(|source| Error::io("sync", &self.target, source))
    }

    /// Gives the synced file its name, replacing what has it. Durable once the folder is synced.
    pub(crate) fn reveal(mut self) -> Result<()> {
        self.disk
            .rename(&self.temporary, &self.target)
            .map_err(|source| Error::io("rename into place", &self.target, source))?;
        self.revealed = true;
        Ok(())
    }
}

impl Partial {
    /// Gives the file its name for good. An error leaves open whether it has it, and whether it keeps it.
    pub(crate) fn place(self) -> Result<()> {
        let (disk, target) = (Arc::clone(&self.disk), self.target.clone());
        self.reveal()?;
        let folder = target.parent().unwrap_or(Path::new(""));
        disk.sync_folder(folder).map_err(|source| Error::io("sync", folder, source))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.revealed {
            // Best effort: what stays is swept at the next opening.
            let _ = self.disk.remove_file(&self.temporary);
        }
    }
}

/// Writes `folder/name` so that after any crash it holds either `bytes` or what it held before; durable on
/// return.
pub(crate) fn publish(disk: &Arc<dyn Disk>, folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    publish_to(Readers::Umask, disk, folder, name, bytes)
}

/// The same for a file that these may read.
pub(crate) fn publish_to(
    readers: Readers,
    disk: &Arc<dyn Disk>,
    folder: &Path,
    name: &str,
    bytes: &[u8],
) -> Result<()> {
    stage(readers, disk, folder, name, bytes)?.place()
}

/// Writes what [`Partial::place`] gives its name: until then nothing has happened.
pub(crate) fn stage(
    readers: Readers,
    disk: &Arc<dyn Disk>,
    folder: &Path,
    name: &str,
    bytes: &[u8],
) -> Result<Partial> {
    let mut partial = Partial::create(Arc::clone(disk), folder, name, readers)?;
    partial.write(bytes).map_err(|source| Error::io("write", partial.target(), source))?;
    partial.sync()?;
    Ok(partial)
}

fn is_partial(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(SUFFIX)
}

/// Call only while nobody writes to the folder.
pub(crate) fn remove_partials(disk: &dyn Disk, folder: &Path) -> Result<()> {
    let entries = disk.list(folder).map_err(|source| Error::io("list", folder, source))?;
    for entry in entries.iter().filter(|entry| is_partial(&entry.name)) {
        let path = folder.join(&entry.name);
        disk.remove_file(&path).map_err(|source| Error::io("remove", &path, source))?;
    }
    Ok(())
}
