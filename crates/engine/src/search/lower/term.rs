//! Exact terms, one, several that score as one, or a set: by the inverted field, or by the column where a
//! field has only that. As in Solr, points score a constant and strings, booleans and words score by BM25.
//!
//! In: a field's name and typed values; out: nodes with their terms, their statistics over the snapshot and
//! their text as Lucene prints it. How a value becomes a term of the index is `index_term`'s.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::Arc;

use plan::{Result, Value};
use tantivy::Term;
use tantivy::schema::Field;

use super::multi_term::column_strings;
use super::range::{self, Bounds};
use crate::layout::{ColumnKind, ColumnRef, FieldLayout, InvertedKind};
use crate::search::columns::SegmentColumns;
use crate::search::index_term::term_of;
use crate::search::leaf_nodes::{SynonymNode, TermNode};
use crate::search::lower::lowering::Lowering;
use crate::search::node::{DocSource, Node};
use crate::search::sets::add_postings;
use crate::search::stats::{doc_freq, term_infos};
use crate::segment::bits::Bits;

impl Lowering<'_> {
    pub(super) fn term(&mut self, name: &str, value: &Value, boost: f32) -> Result<Node> {
        let Some(layout) = self.field(name) else { return Ok(Node::Nothing) };
        let label = label(layout, value);
        let Some((field, term)) =
            layout.inverted.and_then(|field| Some((field, term_of(layout, field, value)?)))
        else {
            return self.column_term(layout, value, boost, label);
        };
        match layout.inverted_kind {
            Some(InvertedKind::I64 | InvertedKind::F64) => {
                Ok(Node::constant(DocSource::Term(term), boost, label))
            }
            _ => self.scored_term(layout, field, term, label, boost),
        }
    }

    fn column_term(&self, layout: &FieldLayout, value: &Value, boost: f32, label: String) -> Result<Node> {
        let Some(column) = &layout.column else { return Ok(Node::Nothing) };
        let value = Bound::Included(value.clone());
        match Bounds::of(column, &value, &value) {
            Some(bounds) => self.column_range(column, bounds, boost, label),
            None => Ok(Node::Nothing),
        }
    }

    pub(super) fn scored_term(
        &mut self,
        layout: &FieldLayout,
        field: Field,
        term: Term,
        label: String,
        boost: f32,
    ) -> Result<Node> {
        let infos = term_infos(self.context, &term)?;
        let own = doc_freq(&infos);
        let doc_freq = if self.scored { self.context.counted_by.documents(layout, &term, own) } else { own };
        // A word that only other shards have is found nowhere here; while it is counted, it stays.
        if own == 0 && !self.context.is_noting() {
            return Ok(Node::Nothing);
        }
        let text = label.split_once(':').map_or(label.as_str(), |(_, text)| text).to_owned();
        let scoring = self.scoring(layout, field, vec![(text, doc_freq)], boost)?;
        Ok(Node::Term(Arc::new(TermNode { term, infos, label, scoring, varies: varies(layout) })))
    }

    pub(super) fn synonym(&mut self, name: &str, terms: &[(String, f32)], boost: f32) -> Result<Node> {
        let Some(layout) = self.field(name) else { return Ok(Node::Nothing) };
        let Some(field) = layout.inverted else { return Ok(Node::Nothing) };
        if let [(term, own)] = terms {
            return self.term(name, &Value::Str(term.clone()), boost * own);
        }
        let mut terms = terms.to_vec();
        terms.sort_by(|left, right| left.0.cmp(&right.0));
        let shown: Vec<String> = terms.iter().map(|(term, own)| boosted(name, term, *own)).collect();
        let label = format!("Synonym({})", shown.join(" "));
        let terms: Vec<(Term, f32)> =
            terms.iter().map(|(term, own)| (Term::from_field_text(field, term), *own)).collect();
        let mut doc_freq_max = 0;
        for (term, _) in &terms {
            doc_freq_max = doc_freq_max.max(self.doc_freq(layout, term)?);
        }
        if self.scored && doc_freq_max == 0 {
            return Ok(Node::Nothing);
        }
        let scoring = self.scoring(layout, field, vec![(String::new(), doc_freq_max)], boost)?;
        Ok(Node::Synonym(Arc::new(SynonymNode { terms, label, scoring })))
    }

    pub(super) fn term_set(&self, name: &str, values: &[Value], boost: f32) -> Result<Node> {
        let Some(layout) = self.field(name) else { return Ok(Node::Nothing) };
        let shown: Vec<String> = values.iter().map(Value::to_text).collect();
        let label = format!("{name}:({})", shown.join(" "));
        let Some(field) = layout.inverted else { return self.column_terms(layout, values, boost, label) };
        let terms: Vec<Term> = values.iter().filter_map(|value| term_of(layout, field, value)).collect();
        Ok(self.by_postings(boost, label, move |view, allowance| {
            let mut bits = Bits::none(view.reader().max_doc());
            for term in terms.iter().take_while(|_| !allowance.is_used_up()) {
                if let Some(info) = view.term_info(term)? {
                    add_postings(view, field, &info, &mut bits)?;
                }
            }
            Ok(bits)
        }))
    }

    /// A set of terms, from the column.
    fn column_terms(
        &self,
        layout: &FieldLayout,
        values: &[Value],
        boost: f32,
        label: String,
    ) -> Result<Node> {
        let Some(column) = layout.column.clone() else { return Ok(Node::Nothing) };
        if column.kind == ColumnKind::Str {
            return Ok(column_string_set(column, values, boost, label));
        }
        let same = |value: &Value| Bound::Included(value.clone());
        let bounds: Vec<Bounds> =
            values.iter().filter_map(|value| Bounds::of(&column, &same(value), &same(value))).collect();
        let columns = SegmentColumns::of(self.context, &column)?;
        Ok(Node::computed(boost, label, move |reader| {
            let mut all = Bits::none(reader.max_doc());
            range::add_narrow_ranges(reader, columns.get(reader.segment_id()), &bounds, &mut all)?;
            Ok(all)
        }))
    }
}

fn boosted(name: &str, term: &str, boost: f32) -> String {
    if boost == 1.0 {
        format!("{name}:{term}")
    } else {
        format!("{name}:{term}^{}", plan::Value::Float(boost).to_text())
    }
}

/// As Lucene prints it: points as ranges, booleans as the terms Solr gives them.
fn label(layout: &FieldLayout, value: &Value) -> String {
    let name = &layout.name;
    match (layout.class(), value) {
        (class, _) if class.is_point() => {
            let shown = range::number_text(value);
            format!("{name}:[{shown} TO {shown}]")
        }
        (_, Value::Bool(flag)) => format!("{name}:{}", if *flag { "T" } else { "F" }),
        _ => format!("{name}:{}", value.to_text()),
    }
}

/// Whether two documents with a term of the field can score differently for it.
fn varies(layout: &FieldLayout) -> bool {
    match layout.inverted_kind {
        Some(InvertedKind::Text { frequencies, norms, .. }) => frequencies || norms,
        Some(InvertedKind::Term { norms }) => norms,
        _ => false,
    }
}

fn column_string_set(column: ColumnRef, values: &[Value], boost: f32, label: String) -> Node {
    let wanted: BTreeSet<String> = values.iter().map(Value::to_text).collect();
    Node::computed(boost, label, move |reader| {
        column_strings(reader, &column, |dictionary| {
            let ords = wanted.iter().map(|text| dictionary.term_ord(text.as_bytes()));
            ords.filter_map(|ord| ord.transpose()).collect()
        })
    })
}
