//! Graphs: from documents along the values that they share to others, from those on, until nothing new is
//! found. A shard that is alone goes from documents to documents. Of several none sees the whole way, so each
//! walks from values to values, which all of them are asked for at every step, and keeps what it passes of
//! its own documents. Both end at the same documents: a document that was passed before has given its values
//! then, so values that were met before lead to nothing new.

use std::collections::BTreeSet;
use std::sync::Arc;

use plan::{Clause, Graph, Join, Occur, Query, Result};

use super::join::having;
use super::lowering::Lowering;
use crate::layout::FieldLayout;
use crate::search::mask::{self, PreparedFilter};
use crate::search::node::Node;
use crate::search::tallies::{Key, Tallies};
use crate::segment::bits::Bits;

/// Documents of each segment, in the order of the context's.
type BySegment = Vec<Arc<Bits>>;

impl Lowering<'_> {
    pub(super) fn graph(&mut self, query: &Query, graph: &Graph, boost: f32) -> Result<Node> {
        let roots = self.lower_related(query, false)?;
        let roots = self.context.segments.iter().map(|segment| self.living(segment, &roots));
        let roots = roots.collect::<Result<Vec<_>>>()?;
        let found = match &graph.collection {
            Some(collection) => self.reached_over_shards(collection, query, graph, &roots)?,
            None => self.reached(graph, &roots)?,
        };
        let ids = self.context.segments.iter().map(|segment| segment.view.id());
        Ok(Node::known("Graph Match".to_owned(), boost, ids.zip(found).collect()))
    }

    /// The documents that a graph leads to from `roots`, all of which are this shard's.
    pub(super) fn reached(&mut self, graph: &Graph, roots: &[Arc<Bits>]) -> Result<BySegment> {
        let filter = self.graph_filter(graph)?;
        let (node, edges) = (self.field(&graph.node), self.field(&graph.edges));
        let (mut found, mut frontier, mut step) = (roots.to_vec(), roots.to_vec(), 0);
        while let (Some(node), Some(edges)) = (node, edges)
            && graph.steps_max.is_none_or(|most| step < most)
            && frontier.iter().any(|bits| bits.count() > 0)
            && !self.context.allowance.is_used_up()
        {
            frontier = self.step(node, edges, &frontier)?;
            self.add_new(filter.as_ref(), &mut frontier, &mut found)?;
            step += 1;
        }
        self.shown_of(graph, roots, found)
    }

    /// The documents of this shard that a graph leads to from what `query` finds in all shards of
    /// `collection`; `roots` are those it finds here.
    pub(super) fn reached_over_shards(
        &mut self,
        collection: &str,
        query: &Query,
        graph: &Graph,
        roots: &[Arc<Bits>],
    ) -> Result<BySegment> {
        let filter = self.graph_filter(graph)?;
        let mut found = roots.to_vec();
        let (node, edges) = (self.field(&graph.node), self.field(&graph.edges));
        // No score depends on how far a way leads, so it is not gone while statistics are noted.
        let (Some(node), Some(_), false) = (node, edges, self.context.is_noting()) else {
            return self.shown_of(graph, roots, found);
        };
        let peers = self.context.peers(collection)?;
        let schema_version = Some(self.context.layout.lineage().version);
        let edges_of = |query| {
            let join = Join {
                collection: None,
                schema_version,
                query,
                from: graph.edges.clone(),
                to: graph.node.clone(),
                score: None,
            };
            peers.joined(collection, &join, false).map(|values| values.0)
        };
        let mut met: BTreeSet<Key> = BTreeSet::new();
        let (mut frontier, mut step) = (edges_of(query.clone())?, 0);
        while graph.steps_max.is_none_or(|most| step < most)
            && !frontier.is_empty()
            && !self.context.allowance.is_used_up()
        {
            let mut passed = self.living_holders(node, &frontier)?;
            self.add_new(filter.as_ref(), &mut passed, &mut found)?;
            step += 1;
            // What the last step leads to is asked for by nobody.
            if graph.steps_max != Some(step) {
                let next = edges_of(on_the_way(graph, node, &frontier))?;
                met.extend(frontier.into_keys());
                frontier = next.into_iter().filter(|(key, _)| !met.contains(key)).collect();
            }
        }
        self.shown_of(graph, roots, found)
    }

    fn graph_filter(&self, graph: &Graph) -> Result<Option<PreparedFilter>> {
        graph.filter.as_ref().map(|query| PreparedFilter::of_query(self.context, query)).transpose()
    }

    /// Keeps of `passed` what may be passed and is not `found` yet, and adds it there.
    fn add_new(
        &self,
        filter: Option<&PreparedFilter>,
        passed: &mut BySegment,
        found: &mut BySegment,
    ) -> Result<()> {
        for ((segment, new), found) in self.context.segments.iter().zip(passed).zip(found) {
            let new = Arc::make_mut(new);
            if let Some(filter) = filter {
                new.intersect(&*mask::filter_bits(self.context, segment, filter)?);
            }
            new.subtract(found);
            Arc::make_mut(found).union(new);
        }
        Ok(())
    }

    /// Of what was found what the graph wants to show.
    fn shown_of(&self, graph: &Graph, roots: &[Arc<Bits>], mut found: BySegment) -> Result<BySegment> {
        let edges = self.field(&graph.edges);
        for ((segment, bits), roots) in self.context.segments.iter().zip(&mut found).zip(roots) {
            let bits = Arc::make_mut(bits);
            if let (Some(edges), true) = (edges, graph.only_leaves) {
                bits.subtract(&having(segment, edges)?);
            }
            if !graph.with_roots {
                bits.subtract(roots);
            }
        }
        Ok(found)
    }

    /// The living documents that have in `node` what these have in `edges`.
    pub(super) fn step(
        &mut self,
        node: &FieldLayout,
        edges: &FieldLayout,
        from: &[Arc<Bits>],
    ) -> Result<BySegment> {
        let mut tallies = Tallies::new();
        for (segment, docs) in self.context.segments.iter().zip(from) {
            self.collect(segment, edges, docs, None, &mut tallies)?;
        }
        self.living_holders(node, &tallies)
    }

    pub(super) fn living_holders(&mut self, node: &FieldLayout, values: &Tallies) -> Result<BySegment> {
        let mut holders = self.holders(node, values.keys())?;
        let bits = self.context.segments.iter().map(|segment| {
            let mut bits = holders.remove(&segment.view.id()).unwrap_or_default();
            if let Some(alive) = &segment.alive {
                Arc::make_mut(&mut bits).intersect(alive);
            }
            bits
        });
        Ok(bits.collect())
    }
}

/// The documents that a step leads to: with one of the values, where a way may lead.
fn on_the_way(graph: &Graph, node: &FieldLayout, values: &Tallies) -> Query {
    let values = values.keys().map(|key| key.value(&node.spec.field_type)).collect();
    let step = Query::TermSet { field: graph.node.clone(), values };
    let Some(filter) = &graph.filter else { return step };
    let both = [step, filter.clone()];
    let clauses = both.map(|query| Clause { occur: Occur::Filter, query }).into();
    Query::Boolean { clauses, minimum_should_match: 0 }
}
