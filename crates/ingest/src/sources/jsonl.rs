//! JSON lines: an object a line. Ranges are stretches of bytes; a line belongs to the range in which it
//! begins. A cursor is the byte where the next line begins.
//!
//! In: a file; out: pages of records, members as columns, and lines that are no object or have no key, with
//! their place. What becomes of a JSON value as a source's value is decided here for others too. Cannot be
//! asked for single rows.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek as _, SeekFrom};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value as Json};

use super::contract::{KeyRange, Page, Pages, Snapshot, Source, SourceError};
use super::files::{
    BlockingPages, OffRuntime, PAGE_ROWS, RECORD_BYTES_MAX, blocking, file_bytes, file_error, file_revision,
};
use super::json_object::read_object;
use crate::config::{JsonLinesConfig, SourceConfig};
use crate::record::{Record, Rejected, Row, Value};

/// Smaller files are one range.
const RANGE_BYTES_MIN: u64 = 1 << 20;

#[derive(Clone)]
pub struct JsonLinesSource {
    name: String,
    key: String,
    config: JsonLinesConfig,
}

struct JsonLinesPages {
    source: JsonLinesSource,
    reader: BufReader<File>,
    /// Where the next line begins.
    at: u64,
    /// Lines that begin at or behind this are another range's.
    end: u64,
    columns: Arc<[String]>,
}

impl JsonLinesSource {
    pub fn new(source: &SourceConfig, config: &JsonLinesConfig) -> Self {
        Self { name: source.name.clone(), key: source.key_column().to_owned(), config: config.clone() }
    }

    fn open(&self, range: &KeyRange, cursor: Option<&str>) -> Result<JsonLinesPages, SourceError> {
        let fail = |error: std::io::Error| file_error(&self.name, &self.config.path, &error);
        let number = |text: &str| {
            text.parse::<u64>()
                .map_err(|_| SourceError::refused(&self.name, format!("`{text}` is no cursor")))
        };
        let mut file = File::open(&self.config.path).map_err(fail)?;
        let end = range.upto.as_deref().map_or(Ok(u64::MAX), number)?;
        let start = range.after.as_deref().map_or(Ok(0), number)?;
        let at = match cursor {
            Some(cursor) => number(cursor)?,
            None => first_line(&mut file, start).map_err(fail)?,
        };
        file.seek(SeekFrom::Start(at)).map_err(fail)?;
        let reader = BufReader::with_capacity(1 << 16, file);
        Ok(JsonLinesPages { source: self.clone(), reader, at, end, columns: Arc::new([]) })
    }

    fn cut(&self, wanted: usize) -> Result<Vec<KeyRange>, SourceError> {
        let facts = std::fs::metadata(&self.config.path);
        let bytes = facts.map_err(|error| file_error(&self.name, &self.config.path, &error))?.len();
        let ranges = (bytes / RANGE_BYTES_MIN).clamp(1, wanted.max(1) as u64);
        let bound = |at: u64| (at > 0 && at < ranges).then(|| (bytes * at / ranges).to_string());
        Ok((0..ranges).map(|at| KeyRange { after: bound(at), upto: bound(at + 1) }).collect())
    }
}

/// The first byte at or behind `start` that begins a line.
fn first_line(file: &mut File, start: u64) -> std::io::Result<u64> {
    if start == 0 {
        return Ok(0);
    }
    file.seek(SeekFrom::Start(start - 1))?;
    let mut reader = BufReader::new(file);
    let mut at = start - 1;
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(at);
        }
        if let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            return Ok(at + end as u64 + 1);
        }
        let read = bytes.len();
        at += read as u64;
        reader.consume(read);
    }
}

impl BlockingPages for JsonLinesPages {
    fn next_page(&mut self) -> Result<Option<Page>, SourceError> {
        let mut page = Page::default();
        let mut any = false;
        let page_begin = self.at;
        while page.records.len() + page.rejected.len() < PAGE_ROWS && self.at < self.end {
            let begin = self.at;
            let Some(line) = self.next_line()? else { break };
            any = true;
            if line.trim_ascii().is_empty() {
                continue;
            }
            match self.record(&line) {
                Ok(record) => page.records.push(record),
                Err(reason) => page.rejected.push(Rejected {
                    source: self.source.name.clone(),
                    key: format!("byte {begin}"),
                    reason,
                }),
            }
        }
        page.cursor = self.at.to_string();
        page.bytes = self.at - page_begin;
        Ok(any.then_some(page))
    }
}

impl JsonLinesPages {
    /// Without its end; cut off where it is too long, which `record` then refuses.
    fn next_line(&mut self) -> Result<Option<Vec<u8>>, SourceError> {
        let fail = |error: std::io::Error| file_error(&self.source.name, &self.source.config.path, &error);
        let mut line = Vec::new();
        let bound = RECORD_BYTES_MAX as u64 + 1;
        let read = self.reader.by_ref().take(bound).read_until(b'\n', &mut line).map_err(fail)?;
        self.at += read as u64;
        if line.last() != Some(&b'\n') && line.len() > RECORD_BYTES_MAX {
            self.at += self.reader.skip_until(b'\n').map_err(fail)? as u64;
        }
        Ok((read > 0).then_some(line))
    }

    fn record(&mut self, line: &[u8]) -> Result<Record, String> {
        if line.len() > RECORD_BYTES_MAX {
            return Err(format!("longer than {RECORD_BYTES_MAX} bytes"));
        }
        let object = read_object(line)?;
        record_of(object, &self.source.key, &mut self.columns)
    }
}

/// The object's members as columns; `columns` is kept from row to row as long as they are the same.
pub fn record_of(
    object: Map<String, Json>,
    key: &str,
    columns: &mut Arc<[String]>,
) -> Result<Record, String> {
    if object.len() != columns.len() || !object.keys().zip(columns.iter()).all(|(a, b)| a == b) {
        *columns = object.keys().cloned().collect();
    }
    let values: Vec<Value> = object.into_iter().map(|(_, value)| Value::from(value)).collect();
    let row = Row { columns: columns.clone(), values };
    match row.get(key).map(ToString::to_string).filter(|text| !text.is_empty()) {
        Some(key) => Ok(Record { key, row, children: Vec::new() }),
        None => Err(format!("`{key}` has no value")),
    }
}

impl From<Json> for Value {
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(value),
            Json::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(whole), _) => Value::Int(whole),
                (None, Some(float)) if !number.is_u64() => Value::Float(float),
                _ => Value::Decimal(number.to_string()),
            },
            Json::String(text) => Value::Text(text),
            Json::Array(values) => Value::List(values.into_iter().map(Value::from).collect()),
            object @ Json::Object(_) => Value::Json(object),
        }
    }
}

impl Source for JsonLinesSource {
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
        let refused =
            "a file of JSON lines cannot be asked for single rows; index it whole with `ingest once`";
        Box::pin(async move { Err(SourceError::refused(&self.name, refused)) })
    }
}

impl Snapshot for JsonLinesSource {
    fn count(&self) -> BoxFuture<'_, Result<Option<u64>, SourceError>> {
        Box::pin(async { Ok(None) })
    }

    fn bytes(&self) -> BoxFuture<'_, Result<Option<u64>, SourceError>> {
        Box::pin(file_bytes(&self.name, &self.config.path))
    }

    fn ranges(&self, wanted: usize) -> BoxFuture<'_, Result<Vec<KeyRange>, SourceError>> {
        let source = self.clone();
        Box::pin(async move { blocking(&source.name.clone(), move || source.cut(wanted)).await })
    }

    fn pages<'a>(
        &'a self,
        range: &'a KeyRange,
        cursor: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Box<dyn Pages>, SourceError>> {
        let (source, range, cursor) = (self.clone(), range.clone(), cursor.map(str::to_owned));
        Box::pin(async move {
            let name = source.name.clone();
            let pages = blocking(&name, move || source.open(&range, cursor.as_deref())).await?;
            Ok(OffRuntime::boxed(pages))
        })
    }
}
