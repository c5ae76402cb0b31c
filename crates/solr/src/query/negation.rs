//! Queries of which all clauses exclude. By itself such a query matches nothing; where Solr helps it to what
//! was meant is written at each caller. In and out: a query; no schema and no text are needed. `edismax` has
//! a rule of its own (`dismax/fields.rs`).

use plan::{Clause, Occur, Query};

/// `*:*` added to a query that only excludes, which by itself matches nothing (Solr does so for whole queries
/// only).
pub(crate) fn positive(query: Query) -> Query {
    match query {
        // Only at the top: within a query, a group that only excludes matches nothing in Lucene, and Solr
        // leaves that so.
        Query::Boolean { mut clauses, minimum_should_match } if only_excludes(&clauses) => {
            clauses.push(Clause { occur: Occur::Must, query: Query::All });
            Query::Boolean { clauses, minimum_should_match }
        }
        other => other,
    }
}

pub(crate) fn only_excludes(clauses: &[Clause]) -> bool {
    !clauses.is_empty() && clauses.iter().all(|clause| clause.occur == Occur::MustNot)
}
