//! One numbering of a string column's values for all segments of a snapshot. Each segment numbers its own;
//! here is what those numbers are worth together (Lucene's ordinal map). Made once for a list of segments, by
//! `search`, which keeps it in its caches.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;

use plan::Result;
use tantivy::columnar::StrColumn;

use crate::errors::from_tantivy;

/// One numbering for several segments.
pub(crate) struct GlobalOrdinals {
    /// By segment: documents by its own number, dead ones included. Made when first wanted.
    pub(crate) totals: Vec<OnceLock<Vec<u32>>>,
    /// By segment: own number to common number; empty where they are the same.
    to_common: Vec<Vec<u32>>,
    /// By common number: a segment that has the value, and its number there.
    pub(crate) places: Vec<(u32, u32)>,
    /// By common number, unless they are too much to keep.
    pub(crate) texts: Option<Texts>,
}

/// Texts by number, one behind the other. To read one out of a segment's dictionary takes unpacking a block
/// of them.
#[derive(Default)]
pub(crate) struct Texts {
    all: String,
    ends: Vec<u32>,
}

impl Texts {
    /// Bytes of texts that are kept for one column.
    const MOST: usize = if cfg!(test) { 64 } else { 4 << 20 };

    /// False when it would be too much.
    fn push(&mut self, key: &[u8]) -> bool {
        match std::str::from_utf8(key) {
            Ok(text) if self.all.len() + text.len() <= Self::MOST => self.all.push_str(text),
            _ => return false,
        }
        self.ends.push(self.all.len() as u32);
        true
    }

    pub(crate) fn get(&self, number: usize) -> Option<&str> {
        let start = number.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.all.get(start as usize..*self.ends.get(number)? as usize)
    }
}

impl GlobalOrdinals {
    /// Merges the dictionaries of `columns`, `None` where a segment has no such column.
    pub(crate) fn build(columns: &[Option<StrColumn>]) -> Result<Self> {
        let mut to_common: Vec<Vec<u32>> = columns.iter().map(|_| Vec::new()).collect();
        let present: Vec<(usize, &StrColumn)> =
            columns.iter().enumerate().filter_map(|(at, column)| Some((at, column.as_ref()?))).collect();
        let totals = columns.iter().map(|_| OnceLock::new()).collect();
        if let [(segment, only)] = present[..] {
            let count = only.dictionary().num_terms() as u32;
            let places = (0..count).map(|ord| (segment as u32, ord)).collect();
            return Ok(Self { totals, to_common, places, texts: all_texts(only)? });
        }
        let mut streams = Vec::with_capacity(present.len());
        let mut heap = BinaryHeap::new();
        for (at, (segment, column)) in present.iter().enumerate() {
            let mut stream = column.dictionary().stream().map_err(from_tantivy)?;
            if stream.advance() {
                heap.push(Reverse((stream.key().to_vec(), at)));
            }
            streams.push((*segment, stream));
        }
        let (mut places, mut last): (Vec<(u32, u32)>, Option<Vec<u8>>) = (Vec::new(), None);
        let mut texts = Some(Texts::default());
        while let Some(Reverse((mut key, at))) = heap.pop() {
            let Some((segment, stream)) = streams.get_mut(at) else { continue };
            let Some(numbers) = to_common.get_mut(*segment) else { continue };
            if last.as_ref() != Some(&key) {
                places.push((*segment as u32, numbers.len() as u32));
                if texts.as_mut().is_some_and(|texts| !texts.push(&key)) {
                    texts = None;
                }
                last = Some(key.clone());
            }
            numbers.push(places.len() as u32 - 1);
            if stream.advance() {
                key.clear();
                key.extend_from_slice(stream.key());
                heap.push(Reverse((key, at)));
            }
        }
        Ok(Self { totals, to_common, places, texts })
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// The common number of a segment's own; the same where nothing else was merged.
    pub(crate) fn common(&self, segment: usize) -> impl Fn(u64) -> usize + '_ {
        let numbers = self.to_common.get(segment).filter(|numbers| !numbers.is_empty());
        move |ord| {
            numbers.map_or(ord as usize, |numbers| {
                numbers.get(ord as usize).map_or(usize::MAX, |it| *it as usize)
            })
        }
    }
}

/// The texts of the only dictionary.
fn all_texts(column: &StrColumn) -> Result<Option<Texts>> {
    let mut texts = Texts::default();
    let mut stream = column.dictionary().stream().map_err(from_tantivy)?;
    while stream.advance() {
        if !texts.push(stream.key()) {
            return Ok(None);
        }
    }
    Ok(Some(texts))
}
