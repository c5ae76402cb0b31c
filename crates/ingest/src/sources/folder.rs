//! Folders: a file a row, by its path below the folder. Columns: `path`, `name`, `ending`, `size`,
//! `modified`, `text`, `title` (of HTML), `readers` (who may read it, from the file's permissions); a JSON
//! file's members are columns besides. The walk is sorted, so a cursor is the last path.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use jiff::Timestamp;

use super::contract::{KeyRange, Page, Pages, Snapshot, Source, SourceError};
use super::files::{BlockingPages, OffRuntime, blocking, file_error};
use super::json_object::read_object;
use crate::config::{FolderConfig, SourceConfig};
use crate::mapping::strip_html;
use crate::post::files_below;
use crate::record::{Record, Rejected, Row, Value};

/// Files are larger than rows.
const PAGE_FILES: usize = 100;

#[derive(Clone)]
pub struct FolderSource {
    name: String,
    config: FolderConfig,
}

/// The paths at one moment, below the folder, sorted. What is in them may still change.
struct FolderSnapshot {
    source: FolderSource,
    paths: Arc<[String]>,
}

struct FolderPages {
    source: FolderSource,
    paths: Arc<[String]>,
    at: usize,
    end: usize,
}

impl FolderSource {
    pub fn new(source: &SourceConfig, config: &FolderConfig) -> Self {
        Self { name: source.name.clone(), config: config.clone() }
    }

    fn walk(&self) -> Result<Vec<String>, SourceError> {
        let root = &self.config.path;
        fs::read_dir(root).map_err(|error| file_error(&self.name, root, &error))?;
        let below =
            |path: &PathBuf| path.strip_prefix(root).ok().map(|path| path.to_string_lossy().into_owned());
        let walked = files_below(std::slice::from_ref(root));
        let wanted = walked.files.iter().filter_map(below).filter(|path| self.wants(path));
        // Rows that will be refused: a folder that cannot be looked into may have any.
        let mut paths: Vec<String> = wanted.chain(walked.unreadable.iter().filter_map(below)).collect();
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }

    fn wants(&self, path: &str) -> bool {
        let endings = &self.config.endings;
        endings.is_empty() || endings.iter().any(|ending| path.ends_with(ending.as_str()))
    }

    fn record(&self, path: &str) -> Result<Record, String> {
        let whole = self.config.path.join(path);
        let facts = fs::metadata(&whole).map_err(|error| error.to_string())?;
        if facts.is_dir() {
            return Err(match fs::read_dir(&whole) {
                Ok(_) => "a folder that could not be read a moment ago".to_owned(),
                Err(error) => format!("a folder that cannot be read: {error}"),
            });
        }
        if facts.len() > self.config.file_bytes_max {
            return Err(format!("{} bytes, more than `file_bytes_max`", facts.len()));
        }
        let bytes = fs::read(&whole).map_err(|error| error.to_string())?;
        let text = String::from_utf8(bytes).map_err(|_| "not a text in UTF-8".to_owned())?;
        if text.contains('\0') {
            return Err("not a text: it has NUL bytes".to_owned());
        }
        let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
        let ending = Path::new(path).extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        let modified = facts.modified().ok().and_then(|time| Timestamp::try_from(time).ok());
        let mut cells = vec![
            ("path".to_owned(), Value::Text(path.to_owned())),
            ("name".to_owned(), name.map_or(Value::Null, Value::Text)),
            ("ending".to_owned(), ending.clone().map_or(Value::Null, Value::Text)),
            ("size".to_owned(), i64::try_from(facts.len()).map_or(Value::Null, Value::Int)),
            ("modified".to_owned(), modified.map_or(Value::Null, Value::Instant)),
            ("readers".to_owned(), Value::List(readers(&facts))),
        ];
        add_content(text, ending.as_deref(), &mut cells)?;
        let (names, values): (Vec<_>, Vec<_>) = cells.into_iter().unzip();
        Ok(Record { key: path.to_owned(), row: Row { columns: names.into(), values }, children: Vec::new() })
    }

    fn page(&self, paths: &[String]) -> Page {
        let mut page = Page { cursor: paths.last().cloned().unwrap_or_default(), ..Page::default() };
        for path in paths {
            match self.record(path) {
                Ok(record) => page.records.push(record),
                Err(reason) => {
                    page.rejected.push(Rejected { source: self.name.clone(), key: path.clone(), reason });
                }
            }
        }
        page
    }
}

/// Whether there is no such file.
fn is_gone(facts: &io::Result<fs::Metadata>) -> bool {
    match facts {
        Ok(facts) => !facts.is_file(),
        Err(error) => matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    }
}

fn add_content(text: String, ending: Option<&str>, cells: &mut Vec<(String, Value)>) -> Result<(), String> {
    match ending {
        Some("html" | "htm" | "xhtml") => {
            cells.push(("title".to_owned(), html_title(&text).map_or(Value::Null, Value::Text)));
            cells.push(("text".to_owned(), Value::Text(strip_html(&text))));
        }
        Some("json") => {
            let object = read_object(text.as_bytes())?;
            let known = |name: &String| cells.iter().any(|(cell, _)| cell == name);
            let members: Vec<_> = object.into_iter().filter(|(name, _)| !known(name)).collect();
            cells.extend(members.into_iter().map(|(name, value)| (name, Value::from(value))));
        }
        _ => cells.push(("text".to_owned(), Value::Text(text))),
    }
    Ok(())
}

fn html_title(html: &str) -> Option<String> {
    let lower = html.to_ascii_lowercase();
    let open = lower.find("<title")?;
    let start = open + lower[open..].find('>')? + 1;
    let end = start + lower[start..].find("</title")?;
    Some(strip_html(&html[start..end])).filter(|title| !title.is_empty())
}

/// Who may read a file, as a field that results are trimmed by: `uid:0`, `gid:4`, `everyone`.
#[cfg(unix)]
fn readers(facts: &fs::Metadata) -> Vec<Value> {
    use std::os::unix::fs::MetadataExt as _;
    let mode = facts.mode();
    let mut readers = Vec::new();
    let mut add = |bit: u32, name: String| {
        if mode & bit != 0 {
            readers.push(Value::Text(name));
        }
    };
    add(0o400, format!("uid:{}", facts.uid()));
    add(0o040, format!("gid:{}", facts.gid()));
    add(0o004, "everyone".to_owned());
    readers
}

#[cfg(not(unix))]
fn readers(_: &fs::Metadata) -> Vec<Value> {
    Vec::new()
}

impl BlockingPages for FolderPages {
    fn next_page(&mut self) -> Result<Option<Page>, SourceError> {
        let end = (self.at + PAGE_FILES).min(self.end);
        let paths = &self.paths[self.at..end];
        self.at = end;
        Ok((!paths.is_empty()).then(|| self.source.page(paths)))
    }
}

impl Source for FolderSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn snapshot(&self) -> BoxFuture<'_, Result<Box<dyn Snapshot>, SourceError>> {
        let source = self.clone();
        Box::pin(async move {
            let walker = source.clone();
            let paths = blocking(&source.name, move || walker.walk()).await?.into();
            Ok(Box::new(FolderSnapshot { source, paths }) as Box<dyn Snapshot>)
        })
    }

    /// A file that is gone, and one that the endings leave out, has no row.
    fn fetch<'a>(&'a self, keys: &'a [String]) -> BoxFuture<'a, Result<Page, SourceError>> {
        let source = self.clone();
        let inside = |path: &&String| {
            let plain = |part| matches!(part, std::path::Component::Normal(_));
            Path::new(path).components().all(plain)
        };
        let keys: Vec<String> = keys.iter().filter(inside).cloned().collect();
        Box::pin(async move {
            let name = source.name.clone();
            blocking(&name, move || {
                // What may not be looked at is not gone.
                let there = |path: &String| {
                    source.wants(path) && !is_gone(&fs::metadata(source.config.path.join(path)))
                };
                Ok(source.page(&keys.into_iter().filter(there).collect::<Vec<_>>()))
            })
            .await
        })
    }
}

impl Snapshot for FolderSnapshot {
    fn count(&self) -> BoxFuture<'_, Result<Option<u64>, SourceError>> {
        Box::pin(async { Ok(Some(self.paths.len() as u64)) })
    }

    fn ranges(&self, wanted: usize) -> BoxFuture<'_, Result<Vec<KeyRange>, SourceError>> {
        let ranges = (self.paths.len() / PAGE_FILES).clamp(1, wanted.max(1));
        let bound = |at: usize| {
            (at > 0 && at < ranges).then(|| self.paths[self.paths.len() * at / ranges - 1].clone())
        };
        let ranges = (0..ranges).map(|at| KeyRange { after: bound(at), upto: bound(at + 1) }).collect();
        Box::pin(async move { Ok(ranges) })
    }

    fn pages<'a>(
        &'a self,
        range: &'a KeyRange,
        cursor: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Box<dyn Pages>, SourceError>> {
        let behind = |key: Option<&str>, open: usize| {
            key.map_or(open, |key| self.paths.partition_point(|path| path.as_str() <= key))
        };
        let at = behind(cursor.or(range.after.as_deref()), 0);
        let end = behind(range.upto.as_deref(), self.paths.len());
        let pages =
            FolderPages { source: self.source.clone(), paths: self.paths.clone(), at: at.min(end), end };
        Box::pin(async move { Ok(OffRuntime::boxed(pages)) })
    }
}
