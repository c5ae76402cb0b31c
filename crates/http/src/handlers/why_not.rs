//! `/whynot`: why a search, asked with its own parameters, does not show the document `id`. In: a search and
//! an id; out: each reason that the engine finds, written by `solr`. The search is parsed as `/select` parses
//! it, and runs under the same permit and allowance; the reasons are found from the plan (`cluster`,
//! `engine`), shard by shard, not by asking the search again with parts left out.

use std::sync::Arc;

use cluster::{Collection, GetShards, Together};
use plan::{Error, FieldSelection, Result, ShardChoice};
use solr::Params;
use solr::params::{query, shards, why_not};
use solr::response::Entries;
use solr::select::SelectRequest;
use solr::why_not::{Question, answer, ranking};

use super::permit::Permit;
use super::select::{SearchScope, selected};
use crate::request::call::Call;

pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    (params, permit): (&Params, &Permit),
) -> Result<Entries> {
    let id =
        why_not::ID.read(params)?.ok_or_else(|| Error::bad_request("`id` is missing; name a document"))?;
    let scope = SearchScope::of(call, collection, permit);
    let context = scope.context();
    let plan = SelectRequest::parse(params)?.resolve(&context)?.plan;
    let choice = shards::choice(params)?;
    let all = Together::of(collection.clone(), []);
    let asked = all.clone().of_shards(selected(all.collections(), &choice, call.core)?).pin();
    let why = asked.why_not(&plan, &id, &permit.meters).await?;
    let is_elsewhere = !why.visible
        && choice != ShardChoice::All
        && all.pin().why_not(&plan, &id, &permit.meters).await?.visible;
    let ids = [id];
    let exists = why.visible
        || is_elsewhere
        || collection
            .get((&ids, GetShards::default()), &FieldSelection::default())
            .await?
            .iter()
            .any(Option::is_some);
    let passes = why.visible && why.filters.is_empty() && why.query.is_none();
    let ranking = match passes {
        true => Some(asked.search(Arc::new(ranking(&plan)), &permit.meters).await?),
        false => None,
    };
    // Those that collapse are no filters of the plan.
    let filters = query::FQ.sent_all(params).filter(|text| !text.trim().is_empty());
    let filters = filters.filter(|text| !text.starts_with("{!collapse")).collect();
    let [id] = &ids;
    let (why, ranking) = (&why, ranking.as_ref());
    let question = Question { id, exists, is_elsewhere, why, ranking, page: plan.page, filters };
    Ok(answer(&question, context.schema))
}
