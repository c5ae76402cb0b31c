//! The ids of a segment by document, in a file beside tantivy's: nearly every answer shows them, and a source
//! or a dictionary gives one back only at the price of the block around it (some 3 µs each, 2026-11).
//!
//! Format, little endian: magic (u32), version (u32); for each document where its id begins (u32), and the
//! end of the last; then the ids.

use plan::{Error, Result};
use tantivy::directory::OwnedBytes;
use tantivy::{DocId, SegmentReader};

use crate::errors::from_tantivy;
use crate::layout::ID_FIELD;
use crate::segment::postings::PostingsFile;

pub(crate) const EXTENSION: &str = "idtext";

const MAGIC: u32 = u32::from_le_bytes(*b"PHID");
const VERSION: u32 = 1;
const HEADER: usize = 8;
const OFFSET: usize = size_of::<u32>();

/// The file's bytes; `None` when the ids take four gigabytes or more.
pub(crate) fn build(reader: &SegmentReader) -> Result<Option<Vec<u8>>> {
    let Some((texts, places)) = read(reader, u32::MAX)? else { return Ok(None) };
    let total: usize = places.iter().map(|(_, length)| *length as usize).sum();
    let mut file = Vec::with_capacity(HEADER + (places.len() + 1) * OFFSET + total);
    file.extend(MAGIC.to_le_bytes());
    file.extend(VERSION.to_le_bytes());
    let mut end = 0u32;
    for (_, length) in &places {
        file.extend(end.to_le_bytes());
        end += length;
    }
    file.extend(end.to_le_bytes());
    for (from, length) in &places {
        file.extend(texts.get(*from..*from + *length as usize).unwrap_or_default());
    }
    Ok(Some(file))
}

/// Where an id is among the texts: first byte, bytes.
type TextAddress = (usize, u32);

/// All ids in the order of terms, and where in them that of each document is; `None` as soon as the ids of
/// documents, of which several may have the same, take more than `bytes_max`.
fn read(reader: &SegmentReader, bytes_max: u32) -> Result<Option<(Vec<u8>, Vec<TextAddress>)>> {
    let postings = PostingsFile::open(reader)?;
    let inverted = reader.inverted_index(ID_FIELD).map_err(from_tantivy)?;
    let mut terms = inverted.terms().stream().map_err(from_tantivy)?;
    let (mut texts, mut places) = (Vec::new(), vec![(0, 0); reader.max_doc() as usize]);
    let mut total = 0;
    while terms.advance() {
        let place = (texts.len(), terms.key().len() as u32);
        total += terms.key().len() as u64 * u64::from(terms.value().doc_freq);
        if total > u64::from(bytes_max) {
            return Ok(None);
        }
        texts.extend_from_slice(terms.key());
        postings.blocks(reader, ID_FIELD, terms.value())?.for_each_in(0, reader.max_doc(), |docs| {
            for doc in docs {
                if let Some(slot) = places.get_mut(*doc as usize) {
                    *slot = place;
                }
            }
        });
    }
    Ok(Some((texts, places)))
}

/// The file, opened.
#[derive(Clone)]
pub(crate) struct IdTexts {
    file: OwnedBytes,
    /// Where the ids begin.
    first: usize,
}

impl IdTexts {
    pub(crate) fn open(file: OwnedBytes, max_doc: u32) -> Result<Self> {
        let head = (number(&file, 0), number(&file, 4));
        let first = HEADER + (max_doc as usize + 1) * OFFSET;
        let end = number(&file, first - OFFSET).map(|end| first + end as usize);
        if head != (Some(MAGIC), Some(VERSION)) || end != Some(file.len()) {
            return Err(Error::internal(
                "a segment's file of ids is damaged or of a newer release; restore the shard",
            ));
        }
        Ok(Self { file, first })
    }

    /// The same of a segment without the file, from its terms.
    pub(crate) fn read(reader: &SegmentReader) -> Result<Option<Self>> {
        let file = build(reader)?;
        file.map(|file| Self::open(OwnedBytes::new(file), reader.max_doc())).transpose()
    }

    /// `None` past the last document.
    pub(crate) fn get(&self, doc: DocId) -> Option<&str> {
        std::str::from_utf8(self.bytes(doc)?).ok()
    }

    /// The same, not looked at.
    pub(crate) fn bytes(&self, doc: DocId) -> Option<&[u8]> {
        let at = HEADER + doc as usize * OFFSET;
        let (from, to) = (number(&self.file, at)? as usize, number(&self.file, at + OFFSET)? as usize);
        self.file.get(self.first + from..self.first + to)
    }
}

fn number(file: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*file.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::testing::{document, schema, snapshot, text};

    #[test]
    fn ids_come_back_by_document() {
        let ids = ["7", "zwölf", "", "a b", "31"];
        let docs = ids.iter().map(|id| document(&[("id", vec![text(id)])])).collect();
        let snapshot = snapshot(&Arc::new(schema()), &[docs]);
        let reader = snapshot.segments()[0].reader();
        let file = build(reader).unwrap().unwrap();
        let opened = IdTexts::open(OwnedBytes::new(file.clone()), reader.max_doc()).unwrap();
        let found: Vec<_> = (0..6).map(|doc| opened.get(doc)).collect();
        assert_eq!(found, [Some("7"), Some("zwölf"), Some(""), Some("a b"), Some("31"), None]);
        let segment = &snapshot.segments()[0].segment;
        let kept = || segment.all_ids().unwrap().unwrap();
        assert!(segment.derived().ids.is_none() && std::ptr::eq(kept(), kept()));
        assert_eq!((kept().get(1), kept().bytes(3)), (Some("zwölf"), Some(&b"a b"[..])));
        assert!(read(reader, 12).unwrap().is_some());
        assert!(read(reader, 11).unwrap().is_none());
        let damaged = |bytes: Vec<u8>| IdTexts::open(OwnedBytes::new(bytes), reader.max_doc()).is_err();
        assert!(damaged(file[1..].to_vec()) && damaged(file[..file.len() - 1].to_vec()) && damaged(vec![]));
    }
}
