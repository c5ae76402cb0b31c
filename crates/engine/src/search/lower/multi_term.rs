//! Prefixes, wildcards and regular expressions: an automaton or a range over a term dictionary, all matches
//! scoring the boost alone, as Lucene's constant-score rewrite. Fields without an inverted index are answered
//! from their column's dictionary.

use std::io;
use std::ops::Bound;
use std::sync::Arc;

use plan::{Error, FieldClass, Result};
use tantivy::SegmentReader;
use tantivy::columnar::{Column, Dictionary, StrColumn};
use tantivy_fst::{Automaton, Regex};

use super::expression_size::check_size;
use super::pattern;
use crate::errors::from_tantivy;
use crate::layout::{ColumnKind, ColumnRef, FieldLayout};
use crate::search::lower::lowering::Lowering;
use crate::search::node::Node;
use crate::search::sets::{add_stream, value_range_docs};
use crate::segment::bits::Bits;
use crate::segment::columns::AnyColumn;

impl Lowering<'_> {
    pub(super) fn prefix(&mut self, name: &str, prefix: &str, boost: f32) -> Result<Node> {
        let Some(layout) = self.field(name) else { return Ok(Node::Nothing) };
        // Its terms are numbers in Solr, which no text begins; ours are names, and are not asked either.
        if layout.class() == FieldClass::Enum {
            return Ok(Node::Nothing);
        }
        refuse_numbers(layout)?;
        let label = format!("{name}:{prefix}*");
        let (low, high) = (prefix.as_bytes().to_vec(), prefix_end(prefix.as_bytes()));
        if let Some(field) = layout.inverted {
            return Ok(self.by_postings(boost, label, move |view, allowance| {
                let inverted = view.reader().inverted_index(field).map_err(from_tantivy)?;
                let mut terms = inverted.terms().range().ge(&low);
                if let Some(high) = &high {
                    terms = terms.lt(high);
                }
                let mut bits = Bits::none(view.reader().max_doc());
                add_stream(view, field, terms.into_stream().map_err(from_tantivy)?, &mut bits, allowance)?;
                Ok(bits)
            }));
        }
        let Some(column) = layout.column.clone() else { return Ok(Node::Nothing) };
        Ok(Node::computed(boost, label, move |reader| match AnyColumn::open(reader, &column)? {
            Some(AnyColumn::Str(column)) => {
                let ords = prefix_ords(column.dictionary(), &low, high.as_deref()).map_err(from_tantivy)?;
                Ok(docs_of_ord_range(reader, column.ords(), ords))
            }
            _ => Ok(Bits::none(reader.max_doc())),
        }))
    }

    pub(super) fn wildcard(&mut self, name: &str, pattern: &str, boost: f32) -> Result<Node> {
        let Some(layout) = self.field(name) else { return Ok(Node::Nothing) };
        if holds_numbers(layout) {
            return Ok(Node::Nothing);
        }
        if let Some(prefix) = pattern::as_prefix(pattern) {
            return self.prefix(name, &prefix, boost);
        }
        let automaton = wildcard_automaton(pattern)?;
        Ok(self.by_automaton(layout, automaton, boost, format!("{name}:{pattern}")))
    }

    pub(super) fn regex(&mut self, name: &str, pattern: &str, boost: f32) -> Result<Node> {
        let Some(layout) = self.field(name) else { return Ok(Node::Nothing) };
        if holds_numbers(layout) {
            return Ok(Node::Nothing);
        }
        let automaton = regex_automaton(pattern)?;
        Ok(self.by_automaton(layout, automaton, boost, format!("{name}:/{pattern}/")))
    }

    fn by_automaton(&self, layout: &FieldLayout, automaton: Arc<Regex>, boost: f32, label: String) -> Node {
        if let Some(field) = layout.inverted {
            return self.by_postings(boost, label, move |view, allowance| {
                let inverted = view.reader().inverted_index(field).map_err(from_tantivy)?;
                let terms = inverted.terms().search(&*automaton).into_stream().map_err(from_tantivy)?;
                let mut bits = Bits::none(view.reader().max_doc());
                add_stream(view, field, terms, &mut bits, allowance)?;
                Ok(bits)
            });
        }
        let Some(column) = layout.column.clone() else { return Node::Nothing };
        Node::computed(boost, label, move |reader| {
            column_strings(reader, &column, |dictionary| matching_ords(dictionary, &*automaton))
        })
    }
}

fn refuse_numbers(layout: &FieldLayout) -> Result<()> {
    if !holds_numbers(layout) {
        return Ok(());
    }
    Err(Error::bad_request(format!(
        "a prefix query needs text; `{}` holds numbers: use a range",
        layout.name
    )))
}

/// Patterns are tried on terms, of which numbers have none that read like them.
fn holds_numbers(layout: &FieldLayout) -> bool {
    layout.class().has_number_column()
}

/// The automaton of an expression in tantivy's syntax; `shown` is what the user wrote.
pub(crate) fn compile(expression: &str, shown: &str) -> Result<Arc<Regex>> {
    check_size(expression, shown)?;
    Regex::new(expression).map(Arc::new).map_err(|error| {
        Error::bad_request(format!("cannot run the pattern `{shown}`: {error}; simplify it"))
    })
}

/// The automaton of `*` and `?`.
pub(crate) fn wildcard_automaton(pattern: &str) -> Result<Arc<Regex>> {
    compile(&pattern::wildcard(pattern), pattern)
}

/// The automaton of an expression in Lucene's syntax.
pub(crate) fn regex_automaton(pattern: &str) -> Result<Arc<Regex>> {
    compile(&pattern::regex(pattern)?, pattern)
}

fn matching_ords<A: Automaton>(dictionary: &Dictionary, automaton: A) -> io::Result<Vec<u64>>
where
    A::State: Clone,
{
    let mut stream = dictionary.search(automaton).into_stream()?;
    let mut ords = Vec::new();
    while stream.advance() {
        ords.push(stream.term_ord());
    }
    Ok(ords)
}

/// Documents of a string column that hold one of the ordinals `choose` picks from its dictionary.
pub(super) fn column_strings(
    reader: &SegmentReader,
    column: &ColumnRef,
    choose: impl FnOnce(&Dictionary) -> io::Result<Vec<u64>>,
) -> Result<Bits> {
    let opened = if column.kind == ColumnKind::Str { AnyColumn::open(reader, column)? } else { None };
    let Some(AnyColumn::Str(column)) = opened else { return Ok(Bits::none(reader.max_doc())) };
    let ords = choose(column.dictionary()).map_err(from_tantivy)?;
    let wanted = Bits::from_docs(column.dictionary().num_terms() as u32, ords.iter().map(|ord| *ord as u32));
    let mut docs = Bits::none(reader.max_doc());
    if !ords.is_empty() {
        for doc in 0..reader.max_doc() {
            if column.term_ords(doc).any(|ord| wanted.contains(ord as u32)) {
                docs.insert(doc);
            }
        }
    }
    Ok(docs)
}

/// Documents of a string column with a value inside the bounds.
pub(super) fn column_strings_range(
    reader: &SegmentReader,
    column: &StrColumn,
    lower: &Bound<String>,
    upper: &Bound<String>,
) -> Result<Bits> {
    let (lower, upper) = (lower.as_ref().map(String::as_bytes), upper.as_ref().map(String::as_bytes));
    let (lower, upper) = column.dictionary().term_bounds_to_ord(lower, upper).map_err(from_tantivy)?;
    let start = match lower {
        Bound::Included(ord) => ord,
        Bound::Excluded(ord) => ord + 1,
        Bound::Unbounded => 0,
    };
    let end = match upper {
        Bound::Included(ord) => ord + 1,
        Bound::Excluded(ord) => ord,
        Bound::Unbounded => column.dictionary().num_terms() as u64,
    };
    Ok(docs_of_ord_range(reader, column.ords(), start..end))
}

fn docs_of_ord_range(reader: &SegmentReader, ords: &Column<u64>, range: std::ops::Range<u64>) -> Bits {
    if range.is_empty() {
        return Bits::none(reader.max_doc());
    }
    value_range_docs(ords, &(range.start..=range.end - 1), reader.max_doc())
}

/// The ordinals of the terms that begin with `low`; `high` is past the last of them.
pub(crate) fn prefix_ords(
    dictionary: &Dictionary,
    low: &[u8],
    high: Option<&[u8]>,
) -> io::Result<std::ops::Range<u64>> {
    let at = |bytes: &[u8]| {
        dictionary.term_ord_or_next(bytes).map(|hit| match hit {
            tantivy::columnar::TermOrdHit::Exact(ord) | tantivy::columnar::TermOrdHit::Next(ord) => ord,
        })
    };
    let terms = dictionary.num_terms() as u64;
    let end = high.map_or(Ok(terms), at)?.min(terms);
    Ok(at(low)?.min(end)..end)
}

/// The first byte string after all that begin with `prefix`; `None` when there is none.
pub(crate) fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < 0xff {
            end.push(last + 1);
            return Some(end);
        }
    }
    None
}
