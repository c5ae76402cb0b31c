//! Which documents a facet is of, as a query: what other shards are asked where a join or a graph leads from
//! a bucket's documents of all shards to others. In: the search, the way to the bucket, the facet's domain;
//! out: a query that finds on any shard what it has of them. Made only where a facet leads there.

use plan::{
    Clause, DomainChange, Error, Join, Move, Occur, Query, Related, RelatedScore, Result, SearchPlan,
};
use plan::{Filter, share_tag};

use super::path::{Path, Step};

/// The documents that a facet starts from, before its moves; `widened`: it leaves out filters of the search.
/// Errors: `BadRequest` where the search shows only the best of groups, which no query says.
pub(super) fn before_moves(
    search: &SearchPlan,
    (change, widened): (&DomainChange, bool),
    path: Option<&Path<'_>>,
) -> Result<Query> {
    if let Some(queries) = &change.queries {
        return Ok(all_of(queries.clone()));
    }
    if !search.heads.is_empty() {
        return Err(Error::bad_request(
            "`domain.join` and `domain.graph` over several shards are not supported with collapsed or truncated \
             groups; use a collection of one shard",
        ));
    }
    let mut all = Vec::new();
    let mut rest = path;
    while let Some(Path { above, step }) = rest {
        match (step, widened) {
            (Step::Domain(_), true) => {}
            (Step::Domain(query), false) => {
                all.push((*query).clone());
                return Ok(all_of(all));
            }
            (step, _) => all.push(step.query()),
        }
        rest = *above;
    }
    let stays = |tags: &[String]| !(widened && share_tag(tags, &change.exclude_tags));
    let filters = search.filters.iter().filter(|filter| stays(&filter.tags));
    all.extend(filters.map(|Filter { query, .. }| query.clone()));
    all.extend(stays(&search.query_tags).then(|| search.query.clone()));
    Ok(all_of(all))
}

/// Where a move leads from what `query` finds.
pub(super) fn after(by: &Move, schema_version: u64, query: Query) -> Query {
    let related = |related| Query::Related(Box::new(related));
    match by {
        Move::ToParents(parents) => {
            let clauses = [(Occur::Filter, query.clone()), (Occur::MustNot, parents.clone())];
            let children = boolean(clauses.into());
            let score = RelatedScore::None;
            let found = related(Related::ToParent { parents: parents.clone(), children, score });
            // A parent is its own.
            let own = all_of(vec![query, parents.clone()]);
            boolean(vec![(Occur::Should, found), (Occur::Should, own)])
        }
        Move::ToChildren(parents) => {
            let query = all_of(vec![query, parents.clone()]);
            related(Related::ToChildren { parents: parents.clone(), query })
        }
        Move::Join { collection, from, to } => {
            let (collection, from, to) = (collection.clone(), from.clone(), to.clone());
            let schema_version = Some(schema_version);
            related(Related::Join(Join { collection, schema_version, query, from, to, score: None }))
        }
        Move::Graph(graph) => related(Related::Graph { query, graph: graph.clone() }),
    }
}

/// What all of them find.
pub(super) fn all_of(queries: Vec<Query>) -> Query {
    match <[Query; 1]>::try_from(queries) {
        Ok([query]) => query,
        Err(queries) if queries.is_empty() => Query::All,
        Err(queries) => boolean(queries.into_iter().map(|query| (Occur::Filter, query)).collect()),
    }
}

fn boolean(clauses: Vec<(Occur, Query)>) -> Query {
    let clauses = clauses.into_iter().map(|(occur, query)| Clause { occur, query }).collect();
    Query::Boolean { clauses, minimum_should_match: 0 }
}
