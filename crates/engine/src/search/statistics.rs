//! What the scores and values of a plan depend on beside each document, as one shard has it. The plan is
//! lowered as for a search, and each statistic that is asked for on the way is noted (`counted_by`), so that
//! whatever a kind of query depends on is known without a list of kinds.

use std::sync::{Mutex, PoisonError};

use plan::partial::SearchStatistics;
use plan::{MatchScope, Result, SearchPlan, SortBy};

use super::function;
use super::lower::{lower_scored, lower_unscored};
use crate::search::context::SearchContext;
use crate::search::counted_by::CountedBy;

pub(crate) fn statistics(context: SearchContext<'_>, plan: &SearchPlan) -> Result<SearchStatistics> {
    let (documents, living) = context.all_documents();
    let noted = Mutex::new(SearchStatistics { documents, living, ..SearchStatistics::default() });
    {
        let context = SearchContext { counted_by: CountedBy::Noting(&noted), ..context };
        lower_scored(&context, &plan.query)?;
        // Which documents a filter finds may depend on them too; what asks other collections does not.
        let counting = plan.filters.iter().filter(|filter| filter.query.scope() == MatchScope::Snapshot);
        for filter in counting {
            lower_unscored(&context, &filter.query)?;
        }
        let others = plan.shape.rerank.iter().map(|rerank| &rerank.query);
        let others = others.chain(plan.shape.expand.iter().filter_map(|expand| expand.query.as_ref()));
        for query in others {
            lower_scored(&context, query)?;
        }
        let sorts = plan.orders().filter_map(|key| match &key.by {
            SortBy::Function(function) => Some(function),
            _ => None,
        });
        for function in plan.functions.iter().chain(sorts) {
            function::lower(&context, function)?;
        }
    }
    Ok(noted.into_inner().unwrap_or_else(PoisonError::into_inner))
}
