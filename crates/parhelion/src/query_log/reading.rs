//! Reads whole query logs, for commands that judge by them. In: folders and files as people name them; out:
//! each line, oldest first. A server may write, and make room, meanwhile.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use super::folder_in;
use super::line::QueryLine;
use super::lines::{LogLines, log_files};

/// Where lines come from.
#[derive(Clone, Copy)]
pub enum LogSource<'a> {
    /// What the data directory of a server has.
    DataDir(&'a Path),
    /// A file of a log.
    File(&'a Path),
    /// The folder of a log, or a data directory that has one.
    Folder(&'a Path),
}

/// Hands each line to `told`; gives how many were none of a query log. Errors: there is no such log, with
/// `next_step` for whoever named it, or it cannot be read.
pub fn read_log(
    source: LogSource<'_>,
    next_step: &str,
    told: &mut dyn FnMut(QueryLine),
) -> anyhow::Result<u64> {
    let mut passed_over = 0;
    for file in files_of(source, next_step)? {
        let mut lines = match LogLines::open(&file) {
            // The server made room meanwhile.
            Err(error) if error.kind() == ErrorKind::NotFound && !matches!(source, LogSource::File(_)) => {
                continue;
            }
            opened => opened.with_context(|| format!("cannot open `{}`", file.display()))?,
        };
        for line in &mut lines {
            told(line.with_context(|| format!("cannot read `{}`", file.display()))?);
        }
        passed_over += lines.passed_over();
    }
    Ok(passed_over)
}

fn files_of(source: LogSource<'_>, next_step: &str) -> anyhow::Result<Vec<PathBuf>> {
    let folder = match source {
        LogSource::File(file) => return Ok(vec![file.to_owned()]),
        LogSource::DataDir(data_dir) => folder_in(data_dir),
        LogSource::Folder(folder) => {
            let within = folder_in(folder);
            if within.is_dir() { within } else { folder.to_owned() }
        }
    };
    let is_missing = || format!("there is no query log in `{}`: {next_step}", folder.display());
    match log_files(&folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => bail!(is_missing()),
        Ok(files) if files.is_empty() => bail!(is_missing()),
        files => files.with_context(|| format!("cannot read `{}`", folder.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_found_by_its_folder_and_by_its_data_directory() {
        let data = tempfile::tempdir().unwrap();
        let folder = folder_in(data.path());
        let read = |source: LogSource<'_>| {
            let mut lines = 0;
            read_log(source, "say which", &mut |_| lines += 1).map(|passed_over| (lines, passed_over))
        };
        for source in [LogSource::DataDir(data.path()), LogSource::Folder(data.path())] {
            let error = read(source).unwrap_err().to_string();
            assert!(error.contains("there is no query log") && error.ends_with("say which"), "{error}");
        }
        std::fs::create_dir_all(&folder).unwrap();
        assert!(read(LogSource::DataDir(data.path())).is_err(), "no file is no log");
        let mut bytes = QueryLine::dropped(0, 1).to_bytes();
        bytes.extend_from_slice(b"{\"time\":\"2026-1");
        let file = folder.join("queries-0000000001.jsonl");
        std::fs::write(&file, bytes).unwrap();
        for source in [
            LogSource::DataDir(data.path()),
            LogSource::Folder(data.path()),
            LogSource::Folder(&folder),
            LogSource::File(&file),
        ] {
            assert_eq!(read(source).unwrap(), (1, 1));
        }
    }
}
