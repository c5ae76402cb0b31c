//! Joins: the values that the documents of one query have in a field, and the documents that have them in
//! another. Values are collected over all segments first. In: a query of this shard's documents, or values
//! that another collection's shards have given; out: a node of documents that is worked out before the
//! search. Of several shards `cluster` asks each for its values and hands all to each (ADR 17).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use plan::{Error, Join, Query, ROOT_FIELD, RelatedScore, Result};
use tantivy::DocId;

use super::lowering::Lowering;
use super::values::{Weights, collect_column, collect_terms};
use crate::layout::FieldLayout;
use crate::search::context::SearchContext;
use crate::search::context::SearchSegment;
use crate::search::evaluate::Evaluator;
use crate::search::matches::matches;
use crate::search::node::Node;
use crate::search::node_label;
use crate::search::preset::{PresetDocs, Reason};
use crate::search::tallies::{Key, Tallies};
use crate::segment::bits::Bits;

/// What the documents of a join's query have in its field, with scores if they are wanted.
pub(crate) fn joined(context: &SearchContext<'_>, join: &Join, scored: bool) -> Result<Tallies> {
    let mut lowering = Lowering { context, scored };
    let node = lowering.lower_related(&join.query, scored)?;
    lowering.tallies(join, &node, scored)
}

impl Lowering<'_> {
    pub(super) fn join(&mut self, join: &Join, boost: f32) -> Result<Node> {
        let mode = join.score.filter(|mode| self.scored && *mode != RelatedScore::None);
        let Some(to) = self.field(&join.to) else { return Ok(Node::Nothing) };
        let (label, tallies) = match &join.collection {
            // Scores behind it are by the counts of that collection, which it asks its shards for itself.
            Some(_) if self.context.is_noting() => return Ok(Node::Nothing),
            Some(collection) => {
                let joined = self.context.peers(collection)?.joined(collection, join, mode.is_some())?;
                (format!("join from {collection}"), joined.0)
            }
            None => {
                if let Some(from) = self.field(&join.from) {
                    check_kinds(from, to)?;
                }
                let node = self.lower_related(&join.query, mode.is_some())?;
                (label(join, &node), self.tallies(join, &node, mode.is_some())?)
            }
        };
        match mode {
            None => {
                let found = self.holders(to, tallies.keys())?;
                Ok(Node::known(label, boost, found))
            }
            Some(mode) => self.scored_holders(to, &tallies, mode, boost, label),
        }
    }

    fn tallies(&self, join: &Join, node: &Node, scored: bool) -> Result<Tallies> {
        let mut tallies = Tallies::new();
        let Some(from) = self.field(&join.from) else { return Ok(tallies) };
        for segment in &self.context.segments {
            let docs = self.living(segment, node)?;
            self.collect(segment, from, &docs, scored.then_some(node), &mut tallies)?;
        }
        Ok(tallies)
    }

    /// Adds what `docs` have in a field. `scored` gives what each of them counts.
    pub(super) fn collect(
        &self,
        segment: &SearchSegment<'_>,
        field: &FieldLayout,
        docs: &Bits,
        scored: Option<&Node>,
        tallies: &mut Tallies,
    ) -> Result<()> {
        let schema = self.context.layout.tantivy();
        let evaluator = scored.map(|node| Evaluator::open(schema, node, segment.reader)).transpose()?;
        let mut weights = Weights { evaluator, allowance: &segment.allowance };
        let column = field.column.as_ref().filter(|_| !field.class().is_text());
        match column.map(|column| segment.view.column(column)).transpose()?.flatten() {
            Some(column) => {
                collect_column(&column, docs, &mut weights, tallies);
                Ok(())
            }
            None => {
                if let Some(inverted) = field.inverted {
                    collect_terms(segment, inverted, docs, &mut weights, tallies)?;
                }
                self.collect_own_roots(segment, field, docs, tallies)
            }
        }
    }

    /// Documents of no block are their own roots, though nothing says so in them.
    fn collect_own_roots(
        &self,
        segment: &SearchSegment<'_>,
        field: &FieldLayout,
        docs: &Bits,
        tallies: &mut Tallies,
    ) -> Result<()> {
        if &*field.name != ROOT_FIELD {
            return Ok(());
        }
        let mut alone = docs.clone();
        alone.subtract(&having(segment, field)?);
        let weights = &mut Weights { evaluator: None, allowance: &segment.allowance };
        collect_terms(segment, crate::layout::ID_FIELD, &alone, weights, tallies)
    }

    /// The documents that have one of the values.
    pub(super) fn holders<'k>(
        &mut self,
        field: &FieldLayout,
        keys: impl Iterator<Item = &'k Key>,
    ) -> Result<HashMap<tantivy::index::SegmentId, Arc<Bits>>> {
        let values = keys.map(|key| key.value(&field.spec.field_type)).collect();
        let node = self.lower_related(&Query::TermSet { field: field.name.clone(), values }, false)?;
        let bits = self
            .context
            .segments
            .iter()
            .map(|segment| Ok((segment.view.id(), matches(self.context, segment, &node, None)?)));
        bits.collect()
    }

    /// The documents that have one of the values, each scored by the first of them that it has.
    fn scored_holders(
        &mut self,
        field: &FieldLayout,
        tallies: &Tallies,
        mode: RelatedScore,
        boost: f32,
        label: String,
    ) -> Result<Node> {
        let mut scores: Vec<BTreeMap<DocId, (f32, usize)>> =
            self.context.segments.iter().map(|_| BTreeMap::new()).collect();
        let mut reasons = Vec::new();
        for (key, tally) in tallies.iter().take_while(|_| !self.context.allowance.is_used_up()) {
            let score = tally.score(mode) * boost;
            let query = Query::Term { field: field.name.clone(), value: key.value(&field.spec.field_type) };
            let node = self.lower_related(&query, false)?;
            if node.is_nothing() {
                continue;
            }
            for (segment, scores) in self.context.segments.iter().zip(&mut scores) {
                for doc in matches(self.context, segment, &node, None)?.iter() {
                    scores.entry(doc).or_insert((score, reasons.len()));
                }
            }
            if self.context.explains {
                reasons.push(format!(
                    "Score based on join value {}",
                    key.value(&field.spec.field_type).to_text()
                ));
            }
        }
        let reasons = self.context.explains.then(|| Arc::new(reasons));
        let segments = self.context.segments.iter().zip(scores).map(|(segment, scores)| {
            let docs = scores.iter().map(|(doc, (score, _))| (*doc, *score)).collect();
            let docs = PresetDocs::new(segment.max_doc(), docs);
            let Some(reasons) = reasons.clone() else { return (segment.view.id(), docs) };
            let of = move |doc| {
                let text = scores.get(&doc).and_then(|(_, at)| reasons.get(*at)).cloned();
                Reason { text: text.unwrap_or_default(), by: None }
            };
            (segment.view.id(), docs.because(of))
        });
        Ok(Node::preset(label, None, segments.collect()))
    }
}

/// The documents with a value in the field.
pub(super) fn having(segment: &SearchSegment<'_>, field: &FieldLayout) -> Result<Bits> {
    super::exists_docs(segment.view, field)
}

/// Solr differs: it finds that the fields are of different kinds only while it reads them, an error 500
/// (`compat/query/relations.yaml`).
///
/// Solr differs: an enumeration finds nothing in a field of another type
/// (`compat/schema/enumerations.yaml`).
pub(super) fn check_kinds(from: &FieldLayout, to: &FieldLayout) -> Result<()> {
    let (left, right) = (from.class(), to.class());
    if !left.has_number_column() && !right.has_number_column() || left == right {
        return Ok(());
    }
    let (from, to) = (&from.name, &to.name);
    Err(Error::bad_request(format!(
        "cannot join `{from}` to `{to}`: one is a number, and the other is not of its type; use fields of one type"
    )))
}

fn label(join: &Join, node: &Node) -> String {
    let Join { from, to, score, .. } = join;
    match score {
        None => format!("{{!join from={from} to={to}}}{}", node_label::label(node)),
        Some(mode) => format!("join from={from} to={to}, {}", mode.name()),
    }
}
