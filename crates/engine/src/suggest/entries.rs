//! What a suggester is built of: the entries of a snapshot's documents, the terms of a field, or the lines of
//! a file that came with its declaration.
//!
//! In: a snapshot and a source of a plan; out: entries one by one, with weight, payload and contexts, to
//! whichever kind of suggester is built. Bounds what a building may take. Analysing texts is the kinds' own.

use std::sync::Arc;

use plan::{Document, Error, ErrorKind, FieldSelection, Result, SuggestSource, SuggestWeight, Value};

use crate::search;
use crate::snapshot::{Snapshot, read_source};

/// Most bytes of one suggester's entries, or of its keys. What is beyond them makes the building fail, not
/// the server.
const BYTES_MAX: usize = 1 << 30;

/// How much a suggester being built takes.
#[derive(Default)]
pub(super) struct SuggesterSize {
    bytes: usize,
}

impl SuggesterSize {
    /// Errors: more than a suggester may take.
    pub(super) fn reserve(&mut self, bytes: usize) -> Result<()> {
        self.bytes += bytes;
        if self.bytes <= BYTES_MAX {
            return Ok(());
        }
        let message = format!("the suggester takes more than {BYTES_MAX} bytes; suggest from another field");
        Err(Error::new(ErrorKind::TooLarge, message))
    }
}

/// One thing to suggest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SuggestEntry {
    pub(super) text: String,
    pub(super) weight: i64,
    /// Present when the source has payloads.
    pub(super) payload: Option<String>,
    pub(super) contexts: Vec<String>,
}

impl SuggestEntry {
    fn size(&self) -> usize {
        let contexts: usize = self.contexts.iter().map(|context| context.len() + size_of::<String>()).sum();
        let payload = self.payload.as_ref().map_or(0, String::len);
        size_of::<Self>() + self.text.len() + payload + contexts
    }
}

/// Calls `take` with each entry: of documents in index order, of terms and of lines in theirs.
pub(super) fn each_entry(
    snapshot: &Snapshot,
    source: &SuggestSource,
    take: &mut dyn FnMut(SuggestEntry) -> Result<()>,
) -> Result<()> {
    let mut room = SuggesterSize::default();
    let mut take = |entry: SuggestEntry| {
        room.reserve(entry.size())?;
        take(entry)
    };
    match source {
        SuggestSource::Documents { field, weight, payload, context } => {
            let fields = Fields { field, weight, payload, context };
            for view in snapshot.segments() {
                for doc in view.reader().doc_ids_alive() {
                    fields.entries(&fields.read(snapshot, &view.source(doc)?)?, &mut take)?;
                }
            }
            Ok(())
        }
        SuggestSource::Terms { field, threshold } => {
            let share = (threshold * snapshot.num_docs() as f32) as u64;
            let least = if *threshold >= 1.0 { *threshold as u64 } else { share };
            for count in search::terms(snapshot, &all_terms(field))?.0 {
                if count.documents >= least {
                    let weight = i64::try_from(count.documents).unwrap_or(i64::MAX);
                    take(SuggestEntry { text: count.term, weight, ..SuggestEntry::default() })?;
                }
            }
            Ok(())
        }
        SuggestSource::File { entries, .. } => entries.iter().cloned().try_for_each(|it| {
            take(SuggestEntry { text: it.text, weight: it.weight, payload: it.payload, contexts: Vec::new() })
        }),
    }
}

fn all_terms(field: &Arc<str>) -> plan::TermsPlan {
    plan::TermsPlan {
        schema_version: None,
        field: field.clone(),
        lower: None,
        upper: None,
        prefix: None,
        expressions: Vec::new(),
        among: None,
        count_min: 0,
        count_max: None,
        limit: None,
        by_count: false,
        occurrences: false,
        depth: plan::CutDepth::Page,
    }
}

/// Which fields of a document say what.
struct Fields<'a> {
    field: &'a Arc<str>,
    weight: &'a Option<SuggestWeight>,
    payload: &'a Option<Arc<str>>,
    context: &'a Option<Arc<str>>,
}

impl Fields<'_> {
    fn read(&self, snapshot: &Snapshot, source: &[u8]) -> Result<Document> {
        let weighed = match self.weight {
            None => Vec::new(),
            Some(SuggestWeight::Field(name)) => vec![name],
            Some(SuggestWeight::Expression(expression)) => expression.fields(),
        };
        let others = [self.payload, self.context].into_iter().flatten();
        let names = std::iter::once(self.field).chain(others).chain(weighed).cloned().collect();
        let selection = FieldSelection { all: false, names, globs: Vec::new() };
        Ok(read_source(source, snapshot.layout(), &selection)?.1)
    }

    /// One entry for each value.
    fn entries(&self, document: &Document, take: &mut dyn FnMut(SuggestEntry) -> Result<()>) -> Result<()> {
        let values = |name: &Option<Arc<str>>| name.as_ref().and_then(|name| document.get(name));
        let number = |name: &str| document.get(name).and_then(|values| values.first());
        let weight = match self.weight {
            None => 0,
            Some(SuggestWeight::Field(name)) => number(name).map_or(0, weight),
            Some(SuggestWeight::Expression(expression)) => {
                expression.value(&|name| number(name).map_or(0.0, double)) as i64
            }
        };
        let payload = self
            .payload
            .as_ref()
            .map(|_| values(self.payload).and_then(|values| values.first()).map(text).unwrap_or_default());
        let contexts = values(self.context).map(|values| values.iter().map(text).collect::<Vec<_>>());
        let contexts = contexts.unwrap_or_default();
        for value in document.get(self.field).into_iter().flatten() {
            let (payload, contexts) = (payload.clone(), contexts.clone());
            take(SuggestEntry { text: text(value), weight, payload, contexts })?;
        }
        Ok(())
    }
}

/// Numbers without what stands behind their point.
fn weight(value: &Value) -> i64 {
    match value {
        Value::Int(number) => i64::from(*number),
        Value::Long(number) | Value::Date(number) => *number,
        Value::Float(number) => *number as i64,
        Value::Double(number) => *number as i64,
        Value::Enum(value) => i64::from(value.ordinal),
        Value::Str(_) | Value::Bool(_) | Value::Bytes(_) => 0,
    }
}

fn double(value: &Value) -> f64 {
    match value {
        Value::Float(number) => f64::from(*number),
        Value::Double(number) => *number,
        other => weight(other) as f64,
    }
}

/// Dates as Solr stores them.
fn text(value: &Value) -> String {
    match value {
        Value::Date(ms) => ms.to_string(),
        other => other.to_text(),
    }
}
