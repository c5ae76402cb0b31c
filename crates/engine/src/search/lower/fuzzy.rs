//! Fuzzy terms as Lucene's `FuzzyQuery` runs them: the nearest terms of the whole snapshot, each boosted by
//! its similarity, scored as if each were as frequent as the most frequent one. Which terms are near is
//! `near_terms.rs`, over the dictionaries of all segments; here they become a boolean node of at most as many
//! as the query allows.

use std::sync::Arc;

use plan::{Error, FieldClass, Fuzzy, Result, Value};
use tantivy::Term;
use tantivy::schema::Field;

use crate::search::counted_by::{CountedBy, term_counts};
use crate::search::leaf_nodes::TermNode;
use crate::search::lower::lowering::Lowering;
use crate::search::near_terms::{NearTerm, TERM_CHARS_MAX, near_terms, text_field};
use crate::search::node::{BooleanNode, Node};
use crate::search::stats::term_infos;

const EDITS_MAX: u8 = 2;

impl Lowering<'_> {
    pub(super) fn fuzzy(&mut self, fuzzy: &Fuzzy, boost: f32) -> Result<Node> {
        if fuzzy.edits_max > EDITS_MAX {
            return Err(Error::bad_request(format!(
                "a fuzzy query allows `{}` edits; use 0, 1 or 2",
                fuzzy.edits_max
            )));
        }
        let Some(layout) = self.field(&fuzzy.field) else { return Ok(Node::Nothing) };
        let has_texts = layout.class() != FieldClass::Enum;
        let Some(field) = text_field(layout).filter(|_| has_texts) else { return Ok(Node::Nothing) };
        if fuzzy.edits_max == 0 || fuzzy.term.chars().count() > TERM_CHARS_MAX {
            return self.term(&fuzzy.field, &Value::Str(fuzzy.term.clone()), boost);
        }
        let nearest = self.nearest(field, fuzzy)?;
        let doc_freq = nearest.iter().map(|near| near.doc_freq).max().unwrap_or(0);
        let mut node = BooleanNode { minimum: 1, ..BooleanNode::default() };
        for near in nearest {
            let label = format!("{}:{}", fuzzy.field, near.text);
            let term = Term::from_field_text(field, &near.text);
            let scoring =
                self.scoring(layout, field, vec![(near.text, doc_freq)], boost * near.similarity)?;
            let infos = term_infos(self.context, &term)?;
            node.optional.push(Node::Term(Arc::new(TermNode { term, infos, label, scoring, varies: true })));
        }
        Ok(match node.optional.len() {
            0 => Node::Nothing,
            1 => node.optional.remove(0),
            _ => Node::Boolean(node),
        })
    }

    /// The nearest terms: most similar first chosen, ties in term order.
    fn nearest(&self, field: Field, fuzzy: &Fuzzy) -> Result<Vec<NearTerm>> {
        let cut = |mut nearest: Vec<NearTerm>| {
            nearest.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then_with(|| a.text.cmp(&b.text)));
            nearest.truncate(fuzzy.terms_max);
            nearest.sort_by(|a, b| a.text.cmp(&b.text));
            nearest
        };
        if let CountedBy::Shard = self.context.counted_by {
            return Ok(cut(near_terms(self.context, field, fuzzy)?));
        }
        let own = || {
            let own = cut(near_terms(self.context, field, fuzzy)?);
            Ok(term_counts(own.into_iter().map(|near| (near.text, near.doc_freq))))
        };
        let counts = self.context.counted_by.near(fuzzy, own)?.0.into_iter();
        let near = counts.map(|count| NearTerm::of(fuzzy, count.term, count.documents));
        Ok(cut(near.collect()))
    }
}
