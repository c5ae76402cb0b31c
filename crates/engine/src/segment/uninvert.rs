//! Words of a text field as a column of strings, made from its postings when a search reads them: what Solr
//! calls uninverting. The first words, by which is sorted, stay with the segment; all of them are made for
//! one search. Columns written with the documents are `columns.rs`'s; both look the same to their readers.

use plan::{Error, Result};
use tantivy::columnar::{ColumnarReader, ColumnarWriter, DynamicColumn, StrColumn};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, InvertedIndexReader, SegmentReader};

use crate::errors::from_tantivy;
use crate::layout::Words;

/// Most words of all documents of a segment together: they take some 12 bytes each while the column is made.
/// Solr differs: it takes as much as there is (`docs/adr/0003-kept-differences.md`).
const WORDS_MAX: usize = 1 << 24;

const NAME: &str = "words";

/// `None` where the segment has no such words.
pub(crate) fn column(reader: &SegmentReader, field: Field, words: Words) -> Result<Option<StrColumn>> {
    let inverted = reader.inverted_index(field).map_err(from_tantivy)?;
    let by_doc = ByDoc::read(&inverted, reader.max_doc(), words)?;
    let mut writer = ColumnarWriter::default();
    for (doc, bounds) in (0..).zip(by_doc.starts.windows(2)) {
        let [start, end] = bounds else { continue };
        for word in by_doc.words.get(*start as usize..*end as usize).unwrap_or_default() {
            writer.record_str(doc, NAME, by_doc.texts.get(*word as usize).map_or("", |text| text));
        }
    }
    let mut bytes = Vec::new();
    writer.serialize(reader.max_doc(), None, &mut bytes).map_err(from_tantivy)?;
    let columns =
        ColumnarReader::open(bytes).map_err(from_tantivy)?.read_columns(NAME).map_err(from_tantivy)?;
    let Some(handle) = columns.first() else { return Ok(None) };
    Ok(match handle.open().map_err(from_tantivy)? {
        DynamicColumn::Str(column) => Some(column),
        _ => None,
    })
}

/// The words of each document, by their places in the dictionary.
struct ByDoc {
    texts: Vec<Box<str>>,
    /// Where each document's words begin, and at last where all end.
    starts: Vec<u32>,
    words: Vec<u32>,
}

impl ByDoc {
    /// Counts first, so that each word can be put in its place.
    fn read(inverted: &InvertedIndexReader, docs: DocId, words: Words) -> Result<Self> {
        let mut starts = vec![0u32; docs as usize + 1];
        let mut total = 0usize;
        let texts = each_posting(inverted, |_, doc| {
            if let Some(count) = starts.get_mut(doc as usize + 1) {
                *count = if words == Words::All { *count + 1 } else { 1 };
            }
            total += 1;
            check(total, words)
        })?;
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let (mut next, mut placed) = (starts.clone(), vec![0; sum as usize]);
        each_posting(inverted, |word, doc| {
            let end = starts.get(doc as usize + 1).copied().unwrap_or_default();
            if let Some(next) = next.get_mut(doc as usize).filter(|next| **next < end)
                && let Some(place) = placed.get_mut(*next as usize)
            {
                *place = word;
                *next += 1;
            }
            Ok(())
        })?;
        Ok(Self { texts, starts, words: placed })
    }
}

fn check(total: usize, words: Words) -> Result<()> {
    if words == Words::First || total <= WORDS_MAX {
        return Ok(());
    }
    Err(Error::bad_request(format!(
        "a text field of more than {WORDS_MAX} words has no statistics; copy it to a string field"
    )))
}

/// Calls `take` with the place of each term, in their order, and each of its documents. The texts of the
/// terms.
fn each_posting(
    inverted: &InvertedIndexReader,
    mut take: impl FnMut(u32, DocId) -> Result<()>,
) -> Result<Vec<Box<str>>> {
    let mut texts = Vec::new();
    let mut terms = inverted.terms().stream().map_err(from_tantivy)?;
    while terms.advance() {
        let mut blocks = inverted
            .read_block_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)
            .map_err(from_tantivy)?;
        while !blocks.docs().is_empty() {
            blocks.docs().iter().try_for_each(|doc| take(texts.len() as u32, *doc))?;
            blocks.advance();
        }
        texts.push(String::from_utf8_lossy(terms.key()).into());
    }
    Ok(texts)
}
