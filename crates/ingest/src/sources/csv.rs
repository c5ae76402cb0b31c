//! CSV: a record a row, text in every column. One range, since only reading from the start tells where a
//! quoted line break ends; a cursor is the byte where the next record begins.
//!
//! In: a file and its separator, columns and text for null; out: pages of records, and rows that have too
//! many cells, too few, or no key, with their line. Cannot be asked for single rows.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use csv::{ByteRecord, Position, Reader, ReaderBuilder};
use futures_util::future::BoxFuture;

use super::contract::{KeyRange, Page, Pages, Snapshot, Source, SourceError};
use super::csv_quotes::QuoteWatch;
use super::files::{
    BlockingPages, OffRuntime, PAGE_ROWS, RECORD_BYTES_MAX, blocking, file_bytes, file_error, file_revision,
};
use crate::config::{CsvConfig, SourceConfig};
use crate::mapping::unknown_column;
use crate::record::{Record, Rejected, Row, Value};

#[derive(Clone)]
pub struct CsvSource {
    name: String,
    key: String,
    config: CsvConfig,
}

struct CsvPages {
    source: CsvSource,
    reader: Reader<QuoteWatch<File>>,
    columns: Arc<[String]>,
    key_at: usize,
}

impl CsvSource {
    pub fn new(source: &SourceConfig, config: &CsvConfig) -> Self {
        Self { name: source.name.clone(), key: source.key_column().to_owned(), config: config.clone() }
    }

    fn open(&self, cursor: Option<&str>) -> Result<CsvPages, SourceError> {
        let path: &PathBuf = &self.config.path;
        let file = File::open(path).map_err(|error| file_error(&self.name, path, &error))?;
        let separator = u8::try_from(self.config.separator)
            .map_err(|_| SourceError::refused(&self.name, "`separator` is one ASCII character"))?;
        let mut reader = ReaderBuilder::new()
            .delimiter(separator)
            .flexible(true)
            .has_headers(self.config.columns.is_none())
            .from_reader(QuoteWatch::new(file, separator));
        let columns: Arc<[String]> = match &self.config.columns {
            Some(columns) => columns.clone().into(),
            None => {
                let header = reader.headers().map_err(|error| csv_error(&self.name, &error))?;
                header.iter().map(|name| name.trim_start_matches('\u{feff}').to_owned()).collect()
            }
        };
        let key_at = columns.iter().position(|column| *column == self.key);
        let key_at =
            key_at.ok_or_else(|| SourceError::refused(&self.name, unknown_column(&self.key, &columns)))?;
        if let Some(cursor) = cursor {
            let position = read_cursor(cursor)
                .ok_or_else(|| SourceError::refused(&self.name, format!("`{cursor}` is no cursor")))?;
            let line = position.line();
            reader.seek(position).map_err(|error| csv_error(&self.name, &error))?;
            reader.get_mut().begins_at_line(line);
        }
        Ok(CsvPages { source: self.clone(), reader, columns, key_at })
    }
}

/// What is wrong with the file is for its owner to mend; a disk may answer again.
fn csv_error(source: &str, error: &csv::Error) -> SourceError {
    match error.kind() {
        csv::ErrorKind::Io(error) if error.kind() != io::ErrorKind::InvalidData => {
            SourceError::unavailable(source, error)
        }
        csv::ErrorKind::Io(error) => SourceError::refused(source, error),
        _ => SourceError::refused(source, error),
    }
}

/// `byte:line:record`.
fn read_cursor(text: &str) -> Option<Position> {
    let mut numbers = text.split(':').map(|number| number.parse::<u64>().ok());
    let mut position = Position::new();
    position.set_byte(numbers.next()??).set_line(numbers.next()??).set_record(numbers.next()??);
    Some(position)
}

impl BlockingPages for CsvPages {
    fn next_page(&mut self) -> Result<Option<Page>, SourceError> {
        let mut page = Page::default();
        let mut cells = ByteRecord::new();
        let mut any = false;
        let begin = self.reader.position().byte();
        while page.records.len() + page.rejected.len() < PAGE_ROWS {
            let line = self.reader.position().line();
            let read = self.reader.read_byte_record(&mut cells);
            if !read.map_err(|error| csv_error(&self.source.name, &error))? {
                break;
            }
            any = true;
            match self.record(&cells) {
                Ok(record) => page.records.push(record),
                Err(reason) => page.rejected.push(Rejected {
                    source: self.source.name.clone(),
                    key: format!("line {line}"),
                    reason,
                }),
            }
        }
        let position = self.reader.position();
        page.cursor = format!("{}:{}:{}", position.byte(), position.line(), position.record());
        page.bytes = position.byte() - begin;
        Ok(any.then_some(page))
    }
}

impl CsvPages {
    fn record(&self, cells: &ByteRecord) -> Result<Record, String> {
        if cells.len() != self.columns.len() {
            return Err(format!("{} cells, {} columns", cells.len(), self.columns.len()));
        }
        if cells.as_slice().len() > RECORD_BYTES_MAX {
            return Err(format!("longer than {RECORD_BYTES_MAX} bytes"));
        }
        let text =
            |cell: &[u8]| std::str::from_utf8(cell).map(str::to_owned).map_err(|_| "not UTF-8".to_owned());
        let value = |text: String| {
            if text == self.source.config.null { Value::Null } else { Value::Text(text) }
        };
        let values = cells.iter().map(|cell| text(cell).map(value)).collect::<Result<Vec<_>, _>>()?;
        let key = values.get(self.key_at).map(ToString::to_string).unwrap_or_default();
        if key.is_empty() {
            return Err(format!("`{}` has no value", self.source.key));
        }
        Ok(Record { key, row: Row { columns: self.columns.clone(), values }, children: Vec::new() })
    }
}

impl Source for CsvSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn revision(&self) -> BoxFuture<'_, Result<Option<String>, SourceError>> {
        Box::pin(file_revision(&self.name, &self.config.path))
    }

    fn snapshot(&self) -> BoxFuture<'_, Result<Box<dyn Snapshot>, SourceError>> {
        Box::pin(async { Ok(Box::new(self.clone()) as Box<dyn Snapshot>) })
    }

    fn fetch<'a>(&'a self, _: &'a [String]) -> BoxFuture<'a, Result<Page, SourceError>> {
        let refused = "a CSV file cannot be asked for single rows; index it whole with `ingest once`";
        Box::pin(async move { Err(SourceError::refused(&self.name, refused)) })
    }
}

impl Snapshot for CsvSource {
    fn count(&self) -> BoxFuture<'_, Result<Option<u64>, SourceError>> {
        Box::pin(async { Ok(None) })
    }

    fn bytes(&self) -> BoxFuture<'_, Result<Option<u64>, SourceError>> {
        Box::pin(file_bytes(&self.name, &self.config.path))
    }

    fn ranges(&self, _: usize) -> BoxFuture<'_, Result<Vec<KeyRange>, SourceError>> {
        Box::pin(async { Ok(vec![KeyRange::default()]) })
    }

    fn pages<'a>(
        &'a self,
        _: &'a KeyRange,
        cursor: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Box<dyn Pages>, SourceError>> {
        let (source, cursor) = (self.clone(), cursor.map(str::to_owned));
        Box::pin(async move {
            let name = source.name.clone();
            let pages = blocking(&name, move || source.open(cursor.as_deref())).await?;
            Ok(OffRuntime::boxed(pages))
        })
    }
}
