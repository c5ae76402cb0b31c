//! One query on its way from plan to node: what every kind of query needs for that. Field layouts, statistics
//! over all segments and weights by them are looked up here; each kind of query is a file of this folder. It
//! lives as long as one query is lowered. Looked up here means once: a term that stands in a query twice has
//! its statistics from the same look.

use std::sync::Arc;

use meter::Allowance;
use plan::{Result, Similarity as Formula};
use tantivy::schema::Field;

use crate::layout::FieldLayout;
use crate::search::bm25::{Similarity, WORTHS_OF_ONE, classic_idf, idf};
use crate::search::context::SearchContext;
use crate::search::leaf_nodes::TermWeight;
use crate::search::node::Node;
use crate::segment::bits::Bits;
use crate::snapshot::SegmentView;
use crate::snapshot::field_stats::FieldStats;

/// One query on its way down.
pub(crate) struct Lowering<'a> {
    pub(super) context: &'a SearchContext<'a>,
    /// Statistics are taken only where scores are wanted.
    pub(super) scored: bool,
}

impl<'a> Lowering<'a> {
    pub(super) fn field(&self, name: &str) -> Option<&'a Arc<FieldLayout>> {
        self.context.layout.field(name)
    }

    /// What BM25 needs to score these terms as one.
    pub(super) fn scoring(
        &mut self,
        layout: &FieldLayout,
        field: Field,
        terms: Vec<(String, u64)>,
        boost: f32,
    ) -> Result<TermWeight> {
        let (stats, worths) = match self.scored {
            true => self.context.field_stats(layout, field)?,
            false => (FieldStats::default(), WORTHS_OF_ONE.clone()),
        };
        let scored_by = layout.spec.field_type.scored_by;
        let idf = match scored_by.similarity {
            Formula::Classic => classic_idf,
            Formula::Bm25 { .. } | Formula::Boolean => idf,
        };
        let sum: f64 = terms.iter().map(|(_, df)| f64::from(idf(*df, stats.doc_count))).sum();
        let idf = sum as f32;
        let norms = layout.has_norms().then_some(field);
        let average_length = stats.average_length();
        let similarity = Similarity::new(scored_by.similarity, (boost, idf), average_length, worths);
        let views = self.context.views.clone();
        Ok(TermWeight { scored_by, boost, stats, terms, idf, similarity, norms, views })
    }

    /// Documents found by reading postings.
    pub(super) fn by_postings(
        &self,
        boost: f32,
        label: String,
        compute: impl Fn(&SegmentView, &Allowance) -> Result<Bits> + Send + Sync + 'static,
    ) -> Node {
        let (views, allowance) = (self.context.views.clone(), self.context.allowance.clone());
        Node::computed(boost, label, move |reader| match views.of(reader) {
            Some((_, view)) => compute(view, &allowance),
            None => Ok(Bits::none(reader.max_doc())),
        })
    }

    pub(super) fn doc_freq(&self, layout: &FieldLayout, term: &tantivy::Term) -> Result<u64> {
        if !self.scored {
            return Ok(0);
        }
        self.context.doc_freq(layout, term)
    }
}
