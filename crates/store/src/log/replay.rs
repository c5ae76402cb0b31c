//! Replays a log whose end is known, from a watermark on: every file up to what its successor's header says
//! came before, the last one up to the end that `survey` found or the writer made durable. Anything that
//! keeps a record in that range from being read is damage: it was acknowledged.

use crate::contract::Watermark;
use crate::log::folder::{Folder, Link};
use crate::log::format::{ChainPoint, FileHeader};
use crate::log::scan::{Visit, read_records};
use crate::{Error, Result};

/// Where the log ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum End {
    Known(ChainPoint),
    /// `survey` found damage: visit what can be read; the caller reports the damage.
    Damaged,
}

impl End {
    fn holds(self, at: Watermark) -> bool {
        match self {
            Self::Known(end) => at <= end.at,
            Self::Damaged => true,
        }
    }
}

/// Visits all records above `after` and returns how many those were.
pub(crate) fn replay(folder: &Folder, after: Watermark, end: End, visit: Visit<'_>) -> Result<u64> {
    let links = folder.links()?;
    let files = files_above(&links, after, end)?;
    let mut count = 0;
    for (at, header) in files.iter().enumerate() {
        let next = files.get(at + 1);
        let lost = next.and_then(|next| lost_between(&links, header, next));
        let bound = match (lost, next, end) {
            (Some(_), _, _) | (None, None, End::Damaged) => None,
            (None, Some(next), _) => Some(next.previous),
            (None, None, End::Known(end)) => Some(end),
        };
        count += replay_file(folder, header, bound, after, visit)?;
        if let Some(lost) = lost {
            return Err(Error::corrupt(&lost.id.file_name(), 0, "its header cannot be read"));
        }
    }
    Ok(count)
}

/// The files that hold the records above `after`, the first of them perhaps some below it too.
fn files_above(links: &[Link], after: Watermark, end: End) -> Result<Vec<FileHeader>> {
    if !end.holds(after) {
        return Err(missing(after, "the log ends before it"));
    }
    let headers = links.iter().filter_map(|link| link.header);
    let mut files: Vec<_> = headers.filter(|header| end.holds(header.id.first())).collect();
    // The last file that begins at or below the place asked for. Where all begin above it records were
    // trimmed that the caller lacks, and a replay must not pass over them silently.
    match files.iter().rposition(|header| header.previous.at <= after) {
        Some(start) => Ok(files.split_off(start)),
        None if files.is_empty() && after == Watermark::START => Ok(files),
        None => Err(missing(after, "the log begins behind it")),
    }
}

fn replay_file(
    folder: &Folder,
    header: &FileHeader,
    bound: Option<ChainPoint>,
    after: Watermark,
    visit: Visit<'_>,
) -> Result<u64> {
    let image = folder.read(header.id)?;
    let mut count = 0;
    let stop = read_records(&image, header, bound.map(|bound| bound.at), &mut |at, record| {
        if at <= after {
            return Ok(());
        }
        count += 1;
        visit(at, record)
    })?;
    match bound {
        Some(bound) if bound != stop.chain => {
            let what = format!("records up to {} of epoch {} follow", bound.at.sequence, bound.at.epoch);
            Err(Error::corrupt(&header.id.file_name(), stop.offset as u64, &what))
        }
        _ => Ok(count),
    }
}

/// A file without a header between two that have one: empty, unless the second says that records came before
/// it.
fn lost_between(links: &[Link], header: &FileHeader, next: &FileHeader) -> Option<Link> {
    let between = |link: &&Link| header.id < link.id && link.id.first() <= next.previous.at;
    links.iter().filter(|link| link.header.is_none()).find(between).copied()
}

fn missing(after: Watermark, what: &str) -> Error {
    let Watermark { epoch, sequence } = after;
    let what = format!(
        "records after {sequence} of epoch {epoch} are missing, {what}; a manifest from another home must start anew"
    );
    Error::corrupt("log", 0, &what)
}
