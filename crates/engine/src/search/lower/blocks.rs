//! From the documents of a block to its parent and back. A block is a parent with the documents just before
//! it, up to the parent before; which documents are parents is the request's to say, and kept as a filter's
//! bits are. Solr differs: documents that are dead lead nowhere; there they do until a merge drops them.

use std::collections::HashMap;
use std::sync::Arc;

use plan::{Error, Query, RelatedScore, Result};
use tantivy::DocId;

use super::lowering::Lowering;
use crate::search::context::SearchSegment;
use crate::search::evaluate::Evaluator;
use crate::search::mask::{self, PreparedFilter};
use crate::search::matches::matches;
use crate::search::node::Node;
use crate::search::node_label;
use crate::search::preset::{PresetDocs, Reason};
use crate::search::tallies::Tally;
use crate::segment::bits::Bits;

/// The living documents of a query in one segment, with scores where they are wanted.
struct Matches {
    bits: Arc<Bits>,
    evaluator: Option<Evaluator>,
}

impl Matches {
    fn score(&mut self, doc: DocId) -> f32 {
        self.evaluator.as_mut().and_then(|evaluator| evaluator.score(doc)).unwrap_or(0.0)
    }
}

impl Lowering<'_> {
    pub(super) fn parents_above(
        &mut self,
        parents: &Query,
        children: &Query,
        mode: RelatedScore,
        boost: f32,
    ) -> Result<Node> {
        let scored = self.scored && mode != RelatedScore::None;
        let node = self.lower_related(children, scored)?;
        let parents = PreparedFilter::of_query(self.context, parents)?;
        let label = format!("ToParentBlockJoinQuery ({})", node_label::label(&node));
        let (mut constant, mut found) = (HashMap::new(), HashMap::new());
        for segment in &self.context.segments {
            let parents = mask::filter_bits(self.context, segment, &parents)?;
            let mut children = self.matches(segment, &node, scored)?;
            if scored {
                found.insert(segment.view.id(), scored_parents(segment, parents, &mut children, mode, boost));
            } else {
                let bits = children.bits.clone();
                // Behind the last parent this is `TERMINATED`, which is past the end of the bits and sets
                // none.
                let docs = bits.iter().map(|child| parents.next_from(child + 1));
                constant.insert(segment.view.id(), Arc::new(Bits::from_docs(segment.max_doc(), docs)));
            }
        }
        Ok(if scored { Node::preset(label, Some(node), found) } else { Node::known(label, 0.0, constant) })
    }

    pub(super) fn children_below(&mut self, parents: &Query, query: &Query, boost: f32) -> Result<Node> {
        let scored = self.scored;
        let node = self.lower_related(query, scored)?;
        let parents = PreparedFilter::of_query(self.context, parents)?;
        let label = format!("ToChildBlockJoinQuery ({})", node_label::label(&node));
        let mut found = HashMap::new();
        for segment in &self.context.segments {
            let parents = mask::filter_bits(self.context, segment, &parents)?;
            let mut matched = self.matches(segment, &node, scored)?;
            let docs = children_of(segment, &parents, &mut matched, boost)?;
            let base = segment.base;
            let reason = move |doc: DocId| {
                let parent = parents.next_from(doc + 1);
                let text = format!("Score based on parent document {}", base + u64::from(parent));
                Reason { text, by: Some(parent) }
            };
            found.insert(segment.view.id(), PresetDocs::new(segment.max_doc(), docs).because(reason));
        }
        Ok(Node::preset(label, Some(node), found))
    }

    /// A query inside, of which scores may be wanted.
    pub(super) fn lower_related(&mut self, query: &Query, scored: bool) -> Result<Node> {
        let outer = std::mem::replace(&mut self.scored, scored);
        let node = self.lower(query, 1.0);
        self.scored = outer;
        node
    }

    fn matches(&self, segment: &SearchSegment<'_>, node: &Node, scored: bool) -> Result<Matches> {
        let bits = self.living(segment, node)?;
        let schema = self.context.layout.tantivy();
        let evaluator = scored.then(|| Evaluator::open(schema, node, segment.reader)).transpose()?;
        Ok(Matches { bits, evaluator })
    }

    /// The living documents of a node.
    pub(super) fn living(&self, segment: &SearchSegment<'_>, node: &Node) -> Result<Arc<Bits>> {
        let mut bits = matches(self.context, segment, node, None)?;
        if let Some(alive) = &segment.alive {
            Arc::make_mut(&mut bits).intersect(alive);
        }
        Ok(bits)
    }
}

/// A parent with what its children score.
struct Scored {
    parent: DocId,
    tally: Tally,
    /// The child of the score that counts.
    by: (DocId, f32),
}

fn scored_parents(
    segment: &SearchSegment<'_>,
    parents: Arc<Bits>,
    children: &mut Matches,
    mode: RelatedScore,
    boost: f32,
) -> PresetDocs {
    let bits = children.bits.clone();
    let mut found: Vec<Scored> = Vec::new();
    for child in bits.iter() {
        let parent = parents.next_from(child + 1);
        if parent == tantivy::TERMINATED {
            break;
        }
        let score = children.score(child);
        if found.last().is_none_or(|last| last.parent != parent) {
            found.push(Scored { parent, tally: Tally::default(), by: (child, score) });
        }
        let Some(last) = found.last_mut() else { break };
        last.tally.add(score);
        if if mode == RelatedScore::Min { score < last.by.1 } else { score > last.by.1 } {
            last.by = (child, score);
        }
    }
    let scores = found.iter().map(|it| (it.parent, it.tally.score(mode) * boost)).collect();
    let base = segment.base;
    let reason = move |doc: DocId| {
        let at = found.binary_search_by_key(&doc, |scored| scored.parent).ok();
        let (count, by) =
            at.and_then(|at| found.get(at)).map_or((0, None), |it| (it.tally.count, Some(it.by.0)));
        let before = parents.last_before(doc);
        let (first, last) =
            (base + before.map_or(0, |it| u64::from(it) + 1), base + u64::from(doc).saturating_sub(1));
        let mode = mode.name();
        let text = format!(
            "Score based on {count} child docs in range from {first} to {last}, using score mode {mode}"
        );
        Reason { text, by }
    };
    PresetDocs::new(segment.max_doc(), scores).because(reason)
}

/// Solr differs: a parent that is none is its own failure there, an error 500
/// (`compat/query/relations.yaml`).
fn children_of(
    segment: &SearchSegment<'_>,
    parents: &Bits,
    matched: &mut Matches,
    boost: f32,
) -> Result<Vec<(DocId, f32)>> {
    let mut found = Vec::new();
    let (bits, mut first) = (matched.bits.clone(), 0);
    let mut next_parent = parents.next_from(0);
    for parent in bits.iter() {
        if !parents.contains(parent) {
            let doc = segment.base + u64::from(parent);
            return Err(Error::bad_request(format!(
                "Parent query must not match any docs besides parent filter. Combine them as must (+) and must-not (-) \
                 clauses to find a problem doc. docID={doc}"
            )));
        }
        // Matches ascend, so the walk over the parents goes on where it was.
        while next_parent < parent {
            first = next_parent + 1;
            next_parent = parents.next_from(first);
        }
        let score = matched.score(parent) * boost;
        let lives = |doc: &DocId| segment.alive.as_ref().is_none_or(|alive| alive.contains(*doc));
        found.extend((first..parent).filter(lives).map(|child| (child, score)));
    }
    Ok(found)
}
