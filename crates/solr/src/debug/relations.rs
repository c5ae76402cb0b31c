//! Queries that find documents by others, in Solr's words: an arm of the printer in `mod.rs`, apart since
//! each of them has a form of its own. In: a query of `plan`; out: its text. Fields and terms of the inner
//! query are printed by the printer itself; the joins are carried out in `engine` and `cluster`.

use plan::{Join, Related};

use super::QueryPrinter;

impl QueryPrinter<'_> {
    pub(super) fn relation(&self, relation: &Related) -> String {
        match relation {
            Related::ToParent { children, .. } => {
                format!("ToParentBlockJoinQuery ({})", self.text(children))
            }
            Related::ToChildren { query, .. } => format!("ToChildBlockJoinQuery ({})", self.text(query)),
            Related::Join(Join { query, from, to, score: None, .. }) => {
                format!("{{!join from={from} to={to}}}{}", self.text(query))
            }
            Related::Join(Join { query, from, to, score: Some(mode), .. }) => format!(
                "SameCoreJoinQuery [fromQuery={}, fromField={from}, toField={to}, scoreMode={}]",
                self.text(query),
                mode.name()
            ),
            Related::Graph { query, graph } => {
                let depth = graph.steps_max.map_or_else(|| "-1".to_owned(), |most| most.to_string());
                let (query, node, edges) = (self.text(query), &graph.node, &graph.edges);
                let (roots, leaves) = (graph.with_roots, graph.only_leaves);
                format!(
                    "[[{query}],{node}={edges}][maxDepth={depth}][returnRoot={roots}][onlyLeafNodes={leaves}][useAutn=false]"
                )
            }
        }
    }
}
