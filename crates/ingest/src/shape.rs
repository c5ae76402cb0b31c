//! A page of records becomes what is sent: documents of those that may be seen, ids of those that may not,
//! reasons for those that cannot be written, and the moments at which a verdict will be another. The one way
//! from rows to requests, for whole runs and single changes.

use bytes::Bytes;
use jiff::Timestamp;
use std::ops::Range;

use crate::config::{IngestConfig, SourceConfig};
use crate::mapping::{Mapping, Written};
use crate::publish::Rules;
use crate::record::{Record, Rejected};
use crate::sources::Page;

/// The mapping and the rules of one source.
#[derive(Debug)]
pub struct Shaper {
    source: SourceConfig,
    mapping: Mapping,
    rules: Rules,
}

/// What a page came to.
#[derive(Clone, Debug, Default)]
pub struct Shaped {
    pub documents: Documents,
    /// Of rows that may not be seen.
    pub hidden: Vec<String>,
    pub rejected: Vec<Rejected>,
    /// Keys of rows whose verdict changes by itself, and when.
    pub due: Vec<(String, Timestamp)>,
}

/// Documents as JSON, one behind another.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    json: Vec<u8>,
    each: Vec<Document>,
}

#[derive(Clone, Debug)]
pub struct Document {
    pub key: String,
    pub id: String,
    pub digest: u64,
    span: Range<usize>,
}

impl Shaper {
    /// Errors: what `ingest check` says of the file; a file that was loaded has none.
    pub fn new(config: &IngestConfig, source: &SourceConfig) -> Result<Self, Vec<String>> {
        Ok(Self {
            source: source.clone(),
            mapping: Mapping::compile(source, &config.target)?,
            rules: Rules::compile(&config.publish)?,
        })
    }

    pub fn source(&self) -> &SourceConfig {
        &self.source
    }

    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    pub fn shape(&self, page: Page, now: Timestamp) -> Shaped {
        let mut shaped = Shaped { rejected: page.rejected, ..Shaped::default() };
        for record in page.records {
            if let Err(reason) = self.add(&record, now, &mut shaped) {
                let source = self.source.name.clone();
                shaped.rejected.push(Rejected { source, key: record.key, reason });
            }
        }
        shaped
    }

    /// The id of a row of which only the key is known: what its document is deleted by.
    pub fn id_of_key(&self, key: &str) -> Option<String> {
        self.mapping.id_of_key(key, self.source.key_column())
    }

    fn add(&self, record: &Record, now: Timestamp, shaped: &mut Shaped) -> Result<(), String> {
        if !self.rules.is_empty() {
            let verdict = self.rules.judge(&self.source.name, &record.row, now);
            shaped.due.extend(verdict.changes_at.map(|at| (record.key.clone(), at)));
            if !verdict.visible {
                shaped.hidden.push(self.mapping.id_of(record)?);
                return Ok(());
            }
        }
        let documents = &mut shaped.documents;
        let start = documents.json.len();
        let Written { id, digest } = self.mapping.write(record, &mut documents.json)?;
        let span = start..documents.json.len();
        documents.each.push(Document { key: record.key.clone(), id, digest, span });
        Ok(())
    }
}

impl Documents {
    /// Leaves out documents; their text stays until the whole goes.
    pub fn retain(&mut self, wanted: impl FnMut(&Document) -> bool) {
        self.each.retain(wanted);
    }

    pub fn all(&self) -> &[Document] {
        &self.each
    }

    pub fn json(&self, document: &Document) -> &[u8] {
        &self.json[document.span.clone()]
    }

    /// Cuts them into requests of at most this many documents and, but for single larger ones, bytes.
    pub fn batches(&self, docs_max: usize, bytes_max: usize) -> Vec<&[Document]> {
        let mut batches = Vec::new();
        let mut start = 0;
        while start < self.each.len() {
            let open = self.each[start].span.start;
            let fits = |document: &&Document| document.span.end - open <= bytes_max;
            let count = self.each[start..].iter().take(docs_max).take_while(fits).count().max(1);
            batches.push(&self.each[start..start + count]);
            start += count;
        }
        batches
    }

    /// An update request: `guard`, a document, comes first when there is one; deletes come last.
    pub fn body(&self, guard: Option<&[u8]>, documents: &[Document], deletes: &[String]) -> Bytes {
        let bytes: usize = documents.iter().map(|document| document.span.len() + 16).sum();
        let mut body = Vec::with_capacity(bytes + 64);
        let each = guard.into_iter().chain(documents.iter().map(|document| self.json(document)));
        if deletes.is_empty() {
            // A plain array is what the target reads quickest.
            body.push(b'[');
            for (at, json) in each.enumerate() {
                if at > 0 {
                    body.push(b',');
                }
                body.extend_from_slice(json);
            }
            body.push(b']');
            return body.into();
        }
        body.push(b'{');
        for json in each {
            body.extend_from_slice(b"\"add\":{\"doc\":");
            body.extend_from_slice(json);
            body.extend_from_slice(b"},");
        }
        body.extend_from_slice(b"\"delete\":");
        let _ = serde_json::to_writer(&mut body, deletes);
        body.push(b'}');
        body.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(texts: &[&str]) -> Documents {
        let mut documents = Documents::default();
        for text in texts {
            let start = documents.json.len();
            documents.json.extend_from_slice(text.as_bytes());
            let span = start..documents.json.len();
            documents.each.push(Document {
                key: (*text).to_owned(),
                id: (*text).to_owned(),
                digest: 0,
                span,
            });
        }
        documents
    }

    #[test]
    fn requests_are_bounded_by_documents_and_bytes() {
        let documents = documents(&["1", "22", "333", "4444444444", "5"]);
        let check = |docs_max, bytes_max, expected: &[usize]| {
            let batches = documents.batches(docs_max, bytes_max);
            assert_eq!(batches.iter().map(|batch| batch.len()).collect::<Vec<_>>(), expected);
        };
        check(2, 100, &[2, 2, 1]);
        check(9, 6, &[3, 1, 1]);
        check(1, 1, &[1; 5]);
    }

    #[test]
    fn bodies_are_arrays_or_commands() {
        let documents = documents(&["{\"id\":1}", "{\"id\":2}"]);
        let body = |guard: Option<&str>, deletes: &[&str]| {
            let deletes: Vec<String> = deletes.iter().map(|id| (*id).to_owned()).collect();
            String::from_utf8(documents.body(guard.map(str::as_bytes), documents.all(), &deletes).to_vec())
                .unwrap()
        };
        assert_eq!(body(None, &[]), "[{\"id\":1},{\"id\":2}]");
        assert_eq!(body(Some("{}"), &[]), "[{},{\"id\":1},{\"id\":2}]");
        assert_eq!(
            body(Some("{}"), &["a\""]),
            "{\"add\":{\"doc\":{}},\"add\":{\"doc\":{\"id\":1}},\"add\":{\"doc\":{\"id\":2}},\"delete\":[\"a\\\"\"]}"
        );
    }
}
