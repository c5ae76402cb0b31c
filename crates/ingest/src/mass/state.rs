//! Where a run stands: a file that is replaced in one step after each page that the target has acknowledged.
//! A run that was killed goes on behind the last of these.
//!
//! Also which collections runs have made, so that none is left over, and the one before the last, for going
//! back. Knows counts and cursors, and nothing of what rows hold.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::TargetConfig;
use crate::record::Rejected;
use crate::sources::KeyRange;

/// What is known of the runs of one file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RunState {
    /// Counts up: names collections.
    pub run: u64,
    pub phase: RunPhase,
    /// Of the file's contents: another file is another run.
    pub config_digest: String,
    /// Server and collection of the file: what runs into another made concerns nobody.
    #[serde(default)]
    pub target: String,
    /// Where this run's documents go.
    pub collection: String,
    /// What the alias stood for before.
    pub previous: Option<String>,
    /// Collections that runs have made and nobody has removed.
    pub made: Vec<String>,
    pub sources: Vec<SourceState>,
    /// How often the run was begun again.
    pub resumed: u64,
    pub started_ms: i64,
    /// Of the dead-letter file, what belongs to pages that count as done.
    #[serde(default)]
    pub letters_bytes: u64,
    /// Where the changes begin that are kept for following it.
    #[serde(default)]
    pub changes_begin: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunPhase {
    /// There has been no run.
    #[default]
    None,
    Reading,
    /// All is acknowledged; to be counted and put in place.
    Verifying,
    Done,
}

impl RunPhase {
    /// Whether there is something to go on with.
    pub fn is_unfinished(self) -> bool {
        matches!(self, Self::Reading | Self::Verifying)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceState {
    pub name: String,
    /// What its cursors depend on, when the run was begun.
    #[serde(default)]
    pub revision: Option<String>,
    pub rows: Option<u64>,
    /// To be read, where rows are not counted before.
    #[serde(default)]
    pub bytes: Option<u64>,
    pub ranges: Vec<RangeState>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeState {
    pub range: KeyRange,
    pub cursor: Option<String>,
    pub ended: bool,
    pub totals: RunTotals,
    /// Read of the source's.
    #[serde(default)]
    pub bytes: u64,
}

/// How far a run is, for those who watch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunAdvance {
    pub totals: RunTotals,
    /// In all; `None` until the last source is begun.
    pub rows: Option<u64>,
    /// Whether that is by the bytes that were read, and not counted.
    pub estimated: bool,
}

/// Rows by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunTotals {
    pub sent: u64,
    /// Kept back by publish rules.
    pub hidden: u64,
    pub rejected: u64,
}

impl RunTotals {
    pub fn add(&mut self, other: RunTotals) {
        self.sent += other.sent;
        self.hidden += other.hidden;
        self.rejected += other.rejected;
    }

    pub fn rows(self) -> u64 {
        self.sent + self.hidden + self.rejected
    }
}

impl RunState {
    /// The state for runs into `target`: of another only the number goes on, so that nothing that was made
    /// there is gone on with, gone back to or removed.
    #[must_use]
    pub fn for_target(self, config: &TargetConfig) -> Self {
        let target = format!("{}/{}", config.url, config.collection);
        if self.target == target { self } else { Self { run: self.run, target, ..Self::default() } }
    }

    /// Without what an unfinished run would go on with. Its number and its collection stay known, so that the
    /// next run removes it.
    #[must_use]
    pub fn without_unfinished(self) -> Self {
        if !self.phase.is_unfinished() {
            return self;
        }
        let Self { run, target, made, previous, collection, .. } = self;
        Self { run, target, made, previous, collection, ..Self::default() }
    }

    pub fn advance(&self) -> RunAdvance {
        let all = self.sources.iter().map(SourceState::rows_in_all);
        let all = all.collect::<Option<Vec<_>>>().unwrap_or_default();
        RunAdvance {
            totals: self.totals(),
            rows: (!all.is_empty()).then(|| all.iter().map(|(rows, _)| rows).sum()),
            estimated: all.iter().any(|(_, estimated)| *estimated),
        }
    }

    pub fn totals(&self) -> RunTotals {
        let mut totals = RunTotals::default();
        self.sources.iter().for_each(|source| totals.add(source.totals()));
        totals
    }
}

impl SourceState {
    fn totals(&self) -> RunTotals {
        let mut totals = RunTotals::default();
        self.ranges.iter().for_each(|range| totals.add(range.totals));
        totals
    }

    /// How many rows it has, and whether that is an estimate: as if the bytes still to come had as many a
    /// byte as those that were read.
    fn rows_in_all(&self) -> Option<(u64, bool)> {
        let read = self.totals().rows();
        if !self.ranges.is_empty() && self.ranges.iter().all(|range| range.ended) {
            return Some((read, false));
        }
        if let Some(rows) = self.rows {
            return Some((rows, false));
        }
        let bytes_read: u64 = self.ranges.iter().map(|range| range.bytes).sum();
        let rows = u128::from(read) * u128::from(self.bytes?) / u128::from(bytes_read.max(1));
        (bytes_read > 0).then(|| (u64::try_from(rows).unwrap_or(u64::MAX).max(read), true))
    }
}

/// The folder of one file's state.
#[derive(Clone, Debug)]
pub struct StateFolder(PathBuf);

impl StateFolder {
    pub fn open(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Ok(Self(path.to_owned()))
    }

    /// The state as it was saved; a new one where there is none. Errors: a file that is no state.
    pub fn load(&self) -> io::Result<RunState> {
        match fs::read(self.0.join("run.json")) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(RunState::default()),
            Err(error) => Err(error),
        }
    }

    pub fn save(&self, state: &RunState) -> io::Result<()> {
        let new = self.0.join("run.json.new");
        let mut file = File::create(&new)?;
        file.write_all(&serde_json::to_vec(state)?)?;
        file.sync_data()?;
        fs::rename(new, self.0.join("run.json"))
    }

    /// Adds refused rows behind those that are there; how many bytes they take.
    pub fn keep_letters(&self, run: u64, rejected: &[Rejected]) -> io::Result<u64> {
        if rejected.is_empty() {
            return Ok(0);
        }
        let mut lines = Vec::new();
        for letter in rejected {
            serde_json::to_writer(&mut lines, letter)?;
            lines.push(b'\n');
        }
        let mut file = File::options().create(true).append(true).open(self.dead_letters(run))?;
        file.write_all(&lines)?;
        // The state that counts them is synced too, and must not be ahead of them.
        file.sync_data()?;
        Ok(lines.len() as u64)
    }

    /// Forgets refusals of pages that do not count as done: those are read again.
    pub fn cut_letters(&self, run: u64, bytes: u64) -> io::Result<()> {
        match File::options().write(true).open(self.dead_letters(run)) {
            Ok(file) if file.metadata()?.len() > bytes => file.set_len(bytes),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Where refused rows are kept, a line of JSON each.
    pub fn dead_letters(&self, run: u64) -> PathBuf {
        self.0.join(format!("dead-letters-{run}.jsonl"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(rows: Option<u64>, bytes: Option<u64>, ranges: &[(u64, u64, bool)]) -> SourceState {
        let range = |(sent, bytes, ended): &(u64, u64, bool)| RangeState {
            totals: RunTotals { sent: *sent, ..RunTotals::default() },
            bytes: *bytes,
            ended: *ended,
            ..RangeState::default()
        };
        SourceState { rows, bytes, ranges: ranges.iter().map(range).collect(), ..SourceState::default() }
    }

    #[test]
    fn rows_are_counted_or_estimated_by_bytes() {
        let check = |sources: Vec<SourceState>, expected: Option<u64>, estimated: bool| {
            let advance = RunState { sources, ..RunState::default() }.advance();
            assert_eq!((advance.rows, advance.estimated), (expected, estimated));
        };
        check(Vec::new(), None, false);
        let counted = || source(Some(70), None, &[(10, 0, false)]);
        check(vec![counted()], Some(70), false);
        check(vec![source(None, Some(1000), &[(0, 0, false)])], None, false);
        check(vec![source(None, Some(1000), &[(10, 90, false), (10, 110, false)])], Some(100), true);
        check(vec![counted(), source(None, Some(1000), &[(20, 200, false)])], Some(170), true);
        // One that is read is counted by that; one that is not begun is not known.
        check(vec![source(None, Some(1000), &[(20, 990, true)])], Some(20), false);
        check(vec![counted(), source(None, None, &[])], None, false);
        // A file that has grown since: not fewer than were read.
        check(vec![source(None, Some(100), &[(20, 200, false)])], Some(20), true);
    }
}
