//! Reads a query log, line by line. What is no line of it is passed over and counted: a crash may have torn
//! one, and people edit files. In: files, oldest first; out: lines.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use super::files::numbered;
use super::line::QueryLine;

/// No line that was written here is as long: 16 KiB of parameters, each byte six of JSON at most.
const LINE_BYTES_MAX: u64 = 256 << 10;

/// The files of a query log, oldest first. Errors: there is no such folder, or it cannot be read.
pub fn log_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(numbered(folder)?.into_iter().map(|(_, path)| path).collect())
}

/// The lines of a file.
pub struct LogLines {
    file: BufReader<File>,
    passed_over: u64,
    buffer: Vec<u8>,
}

impl LogLines {
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: BufReader::new(File::open(path)?), passed_over: 0, buffer: Vec::new() })
    }

    /// How many lines so far were none of a query log.
    pub fn passed_over(&self) -> u64 {
        self.passed_over
    }

    /// Whether there was another, which is then in the buffer; one that is too long is not, as a whole.
    fn fill(&mut self) -> io::Result<bool> {
        self.buffer.clear();
        self.file.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut self.buffer)?;
        if self.buffer.len() as u64 == LINE_BYTES_MAX && self.buffer.last() != Some(&b'\n') {
            self.file.skip_until(b'\n')?;
        }
        Ok(!self.buffer.is_empty())
    }
}

impl Iterator for LogLines {
    type Item = io::Result<QueryLine>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.fill() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
            match serde_json::from_slice(&self.buffer) {
                Ok(line) => return Some(Ok(line)),
                Err(_) => self.passed_over += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_line_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("queries.jsonl");
        let mut bytes = QueryLine::dropped(0, 1).to_bytes();
        bytes.extend_from_slice(b"{\"time\":\"2026\n\xff\n[]\n");
        bytes.extend(vec![b'x'; 2 * usize::try_from(LINE_BYTES_MAX).unwrap()]);
        bytes.push(b'\n');
        bytes.extend(QueryLine::dropped(0, 2).to_bytes());
        bytes.extend_from_slice(b"{\"time\":\"2026-11-21T10:0");
        std::fs::write(&path, bytes).unwrap();
        let mut lines = LogLines::open(&path).unwrap();
        let read: Vec<QueryLine> = lines.by_ref().map(Result::unwrap).collect();
        assert_eq!(read, [1, 2].map(|count| QueryLine::dropped(0, count)));
        assert_eq!(lines.passed_over(), 5);
    }
}
