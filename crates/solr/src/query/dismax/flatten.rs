//! Optional clauses of optional clauses joined into one query, so that a minimum counts them all. For both
//! parsers, before `minimum.rs` sets it. In and out: a query of the grammar. What is required or excluded
//! keeps its group, since the minimum counts optional clauses alone.

use plan::{Clause, Occur, Query};

/// The query with nested boolean queries taken apart wherever they are optional, whatever their factor was.
pub(super) fn flattened(query: Query) -> Query {
    let Query::Boolean { clauses, .. } = query else { return query };
    let mut flat = Vec::with_capacity(clauses.len());
    clauses.into_iter().for_each(|clause| add(clause, &mut flat));
    Query::Boolean { clauses: flat, minimum_should_match: 0 }
}

fn add(clause: Clause, flat: &mut Vec<Clause>) {
    if clause.occur != Occur::Should {
        flat.push(clause);
        return;
    }
    match inner_clauses(clause.query) {
        Ok(clauses) => clauses.into_iter().for_each(|clause| add(clause, flat)),
        Err(query) => flat.push(Clause { occur: Occur::Should, query }),
    }
}

/// The clauses of a boolean query behind factors, or the query back.
fn inner_clauses(query: Query) -> Result<Vec<Clause>, Query> {
    match query {
        Query::Boolean { clauses, .. } => Ok(clauses),
        // The factor is lost where a group falls apart, as it is in Solr.
        Query::Boost { query, boost } => {
            inner_clauses(*query).map_err(|query| Query::Boost { query: Box::new(query), boost })
        }
        other => Err(other),
    }
}
