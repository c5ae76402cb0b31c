//! Solr's classes of the queries whose kind alone does not say them, as `parsedquery` names them. The others
//! are named where they are printed (`mod.rs`).

use plan::{Join, PayloadUse, Related, SpanQuery};

/// Of a query that finds documents by others.
pub(super) fn of_relation(relation: &Related) -> &'static str {
    match relation {
        Related::ToParent { .. } => "AllParentsAware",
        Related::ToChildren { .. } => "ToChildBlockJoinQuery",
        Related::Join(Join { score: None, .. }) => "JoinQuery",
        Related::Join(_) => "SameCoreJoinQuery",
        Related::Graph { .. } => "GraphQuery",
    }
}

/// Of spans.
pub(super) fn of_span(query: &SpanQuery) -> &'static str {
    match &query.payload {
        Some(PayloadUse::Score { .. }) => "PayloadScoreQuery",
        Some(PayloadUse::Check { .. }) => "SpanPayloadCheckQuery",
        None if query.text.is_some() => "ComplexPhraseQuery",
        None => "SpanQuery",
    }
}
