//! The terms of one field over all runs of a segment in memory, in order: each with its postings, run by run.
//! Every run is read once from front to back; a heap holds the next term of each.
//!
//! Used when a builder is sealed: `postings_builder` hands what comes out to tantivy's serializer. A table of
//! the segment's terms is not made (docs/adr/0005).

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use tantivy::DocId;
use tantivy::schema::Field;

use crate::bytes::ByteReader;
use crate::indexing::run::Run;
use crate::indexing::term_table::prefix;

pub(crate) struct RunMerge<'a> {
    heads: BinaryHeap<Head<'a>>,
    doc_freq: u32,
    /// (document that distances start from, postings) of the term at hand.
    postings: Vec<(DocId, &'a [u8])>,
}

/// The next term of a run.
struct Head<'a> {
    prefix: u64,
    term: &'a [u8],
    /// Runs hold documents in ascending order.
    run: u32,
    doc_base: DocId,
    doc_freq: u32,
    postings: &'a [u8],
    rest: ByteReader<'a>,
}

impl<'a> RunMerge<'a> {
    pub(crate) fn new(runs: &'a [Run], field: Field) -> Self {
        let head = |(run, it): (u32, &'a Run)| {
            let rest = ByteReader::new(it.field(field)?);
            let mut head =
                Head { prefix: 0, term: &[], run, doc_base: it.doc_base, doc_freq: 0, postings: &[], rest };
            head.advance()?;
            Some(head)
        };
        let heads = (0..).zip(runs).filter_map(head).collect();
        Self { heads, doc_freq: 0, postings: Vec::new() }
    }

    /// Moves to the next term.
    pub(crate) fn next(&mut self) -> Option<&'a [u8]> {
        let Head { prefix, term, .. } = *self.heads.peek()?;
        self.doc_freq = 0;
        self.postings.clear();
        while let Some(mut head) = self.heads.peek_mut().filter(|it| it.prefix == prefix && it.term == term) {
            self.doc_freq += head.doc_freq;
            self.postings.push((head.doc_base, head.postings));
            if head.advance().is_none() {
                PeekMut::pop(head);
            }
        }
        Some(term)
    }

    /// In how many documents the term is.
    pub(crate) fn doc_freq(&self) -> u32 {
        self.doc_freq
    }

    pub(crate) fn postings(&self) -> &[(DocId, &'a [u8])] {
        &self.postings
    }
}

impl Head<'_> {
    fn advance(&mut self) -> Option<()> {
        self.term = self.rest.slice()?;
        self.prefix = prefix(self.term);
        self.doc_freq = self.rest.unsigned()? as u32;
        self.postings = self.rest.slice()?;
        Some(())
    }
}

/// The heap gives the greatest first, so the order is turned round.
impl Ord for Head<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_term = || other.term.cmp(self.term);
        other.prefix.cmp(&self.prefix).then_with(by_term).then_with(|| other.run.cmp(&self.run))
    }
}

impl PartialOrd for Head<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Head<'_> {}
