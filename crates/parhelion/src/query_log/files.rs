//! The files of a query log: lines are appended to the newest, another begins when it is full, and the
//! oldest go when all together would take too much. Files have numbers and are never renamed, so that a
//! crash leaves nothing half done but the last line; whoever appends next ends that line first.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// So many files share the room: the oldest that goes is one of them.
const FILES: u64 = 8;

const PREFIX: &str = "queries-";
const SUFFIX: &str = ".jsonl";

/// Appends lines. What fails is tried again with the next lines.
pub struct QueryLogFiles {
    folder: PathBuf,
    file_bytes_max: u64,
    bytes_max: u64,
    newest: Option<OpenLogFile>,
    /// Of all files, as far as is known.
    bytes: u64,
}

struct OpenLogFile {
    file: File,
    number: u64,
    bytes: u64,
}

impl QueryLogFiles {
    /// Nothing is opened before the first line. All files together take `bytes_max` at most.
    pub fn new(folder: PathBuf, bytes_max: u64) -> Self {
        Self { folder, file_bytes_max: bytes_max / FILES, bytes_max, newest: None, bytes: 0 }
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends whole lines, each with its end. Errors: those of the disk; how many of the lines it took is
    /// then unknown, and a line may have been torn.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        let written = self.try_append(lines);
        if written.is_err() {
            // Opened again with the next lines, which looks at how it ends.
            self.newest = None;
        }
        written
    }

    fn try_append(&mut self, lines: &[u8]) -> io::Result<()> {
        let mut rest = lines;
        while !rest.is_empty() {
            let filled = self.newest()?.bytes;
            let room = self.file_bytes_max.saturating_sub(filled);
            let mut fits = fitting(rest, usize::try_from(room).unwrap_or(usize::MAX));
            if fits == 0 && filled > 0 {
                self.begin_next()?;
                continue;
            }
            if fits == 0 {
                // A line that fits into no file has one of its own.
                fits = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
            }
            let (chunk, behind) = rest.split_at(fits);
            self.write(chunk)?;
            rest = behind;
        }
        Ok(())
    }

    fn write(&mut self, chunk: &[u8]) -> io::Result<()> {
        let newest = self.newest()?;
        newest.file.write_all(chunk)?;
        newest.bytes += chunk.len() as u64;
        self.bytes += chunk.len() as u64;
        Ok(())
    }

    fn newest(&mut self) -> io::Result<&mut OpenLogFile> {
        let opened = match self.newest.take() {
            Some(newest) => newest,
            None => self.open_newest()?,
        };
        Ok(self.newest.insert(opened))
    }

    /// The file that lines went to last.
    fn open_newest(&mut self) -> io::Result<OpenLogFile> {
        create_folder(&self.folder)?;
        let number = numbered(&self.folder)?.last().map_or(1, |(number, _)| *number);
        let mut file = open(&self.folder.join(name(number)))?;
        let bytes = end_last_line(&mut file)?;
        self.make_room(number)?;
        Ok(OpenLogFile { file, number, bytes })
    }

    fn begin_next(&mut self) -> io::Result<()> {
        let number = self.newest()?.number + 1;
        let file = open(&self.folder.join(name(number)))?;
        self.newest = Some(OpenLogFile { file, number, bytes: 0 });
        self.make_room(number)
    }

    /// Removes the oldest files but for `number`, so that there is room for that one to grow full.
    fn make_room(&mut self, number: u64) -> io::Result<()> {
        let mut sizes = Vec::new();
        for (number, path) in numbered(&self.folder)? {
            sizes.push((number, fs::metadata(&path)?.len(), path));
        }
        let full =
            |bytes: u64, is_newest: bool| if is_newest { bytes.max(self.file_bytes_max) } else { bytes };
        let mut reserved: u64 = sizes.iter().map(|(at, bytes, _)| full(*bytes, *at == number)).sum();
        self.bytes = sizes.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, path) in sizes.iter().filter(|(at, ..)| *at < number) {
            if reserved <= self.bytes_max {
                break;
            }
            fs::remove_file(path)?;
            reserved -= bytes;
            self.bytes -= bytes;
        }
        Ok(())
    }
}

/// How many bytes of whole lines take `room` at most.
fn fitting(lines: &[u8], room: usize) -> usize {
    if lines.len() <= room {
        return lines.len();
    }
    lines[..room].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)
}

/// The files of a log with their numbers, oldest first. Other files are nobody's here.
pub fn numbered(folder: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let file_name = entry.file_name();
        let digits = file_name.to_str().and_then(|it| it.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
        if let Some(number) = digits.and_then(|digits| digits.parse().ok()) {
            found.push((number, entry.path()));
        }
    }
    found.sort_unstable();
    Ok(found)
}

fn name(number: u64) -> String {
    format!("{PREFIX}{number:010}{SUFFIX}")
}

/// What people search for is not for every user of the machine to read.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A crash or a full disk may have torn the last line: what is appended begins on a line of its own. Gives
/// how long the file is.
fn end_last_line(file: &mut File) -> io::Result<u64> {
    let bytes = file.metadata()?.len();
    if bytes == 0 {
        return Ok(0);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    if last == *b"\n" {
        return Ok(bytes);
    }
    file.write_all(b"\n")?;
    Ok(bytes + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Vec<u8> {
        format!("{text}\n").into_bytes()
    }

    fn text(folder: &Path) -> String {
        let files = numbered(folder).unwrap();
        files.iter().map(|(_, path)| fs::read_to_string(path).unwrap()).collect()
    }

    #[test]
    fn a_torn_line_stays_one_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = QueryLogFiles::new(folder.path().to_owned(), 1 << 20);
        files.append(b"one\ntor").unwrap();
        let mut files = QueryLogFiles::new(folder.path().to_owned(), 1 << 20);
        files.append(&line("two")).unwrap();
        assert_eq!(text(folder.path()), "one\ntor\ntwo\n");
        assert_eq!(files.bytes(), 12);
    }

    #[test]
    fn the_oldest_lines_go_and_the_log_stays_within_its_room() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = QueryLogFiles::new(folder.path().to_owned(), 800);
        for number in 0..200 {
            let number = format!("{number:09}");
            files.append(&[line(&number), line(&number)].concat()).unwrap();
            let on_disk = text(folder.path()).len();
            assert!(on_disk <= 800, "{on_disk}");
            assert_eq!(files.bytes(), on_disk as u64);
        }
        let text = text(folder.path());
        assert!(text.len() > 600 && text.ends_with("000000199\n000000199\n"), "{text}");
        let kept: Vec<&str> = text.lines().collect();
        assert!(kept.is_sorted(), "{text}");
    }

    /// After it was given less room, and to lines that fit into no file.
    #[test]
    fn less_room_removes_files_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = QueryLogFiles::new(folder.path().to_owned(), 8000);
        for number in 0..700 {
            files.append(&line(&format!("{number:09}"))).unwrap();
        }
        let mut files = QueryLogFiles::new(folder.path().to_owned(), 2000);
        files.append(&line("last")).unwrap();
        let text = text(folder.path());
        assert!(text.len() <= 2000 && text.ends_with("last\n"), "{}", text.len());
    }

    #[test]
    fn what_the_disk_does_not_take_is_an_error_and_the_next_is_tried() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("queries");
        fs::write(&place, "in the way").unwrap();
        let mut files = QueryLogFiles::new(place.clone(), 1 << 20);
        assert!(files.append(&line("one")).is_err());
        fs::remove_file(&place).unwrap();
        files.append(&line("two")).unwrap();
        assert_eq!(text(&place), "two\n");
    }
}
