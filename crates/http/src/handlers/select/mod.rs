//! `/select` and every handler that runs search components: prepare, run, write.
//!
//! In: a call with its parameters in effect; out: entries, warnings, and the moment under which the answer
//! may be kept. All that asks about the hits asks one pin (`search`); the components that ask something of
//! their own are steps of `pipeline`, in the handler's order. A handler without the component `query` runs
//! its steps behind no search.

mod asked_collections;
mod component_search;
mod json_body;
mod likes;
mod listed_terms;
mod pipeline;
mod scope;
mod spelling;
mod step;
mod subqueries;
mod suggesting;
mod together;
mod vectors;

use std::sync::Arc;

use cluster::Collection;
use meter::Phase;
use plan::{CollectionConfig, Component, HandlerConfig, Result, ShardChoice};
use solr::Params;
use solr::params::shards;
use solr::response::in_order;
use solr::select::{HandlerElevation, ResolveContext, SelectRequest};

pub(super) use self::asked_collections::AskedCollections;
use self::component_search::ComponentSearch;
pub(super) use self::json_body::{check_body, effective};
pub(super) use self::likes::search_alike;
pub(super) use self::listed_terms::list_terms;
use self::pipeline::Pipeline;
pub(super) use self::scope::{SearchScope, name_shards};
use self::step::Preparation;
use self::subqueries::Subqueries;
pub(super) use self::together::{asked, resolved_by_others, selected};
use super::missing::Missing;
use super::permit::Permit;
use crate::request::call::{Answer, Call, Failure};

pub(super) async fn run(
    call: &Call<'_>,
    serving: &Arc<Collection>,
    path: &str,
    (params, permit): (&Params, &Permit),
) -> Result<Answer, Failure> {
    let moment = serving.moment();
    let config = serving.config();
    let together = together::asked(call, serving, params)?;
    let collections = together.collections();
    let scopes = SearchScope::of_all(call, collections, permit);
    let components = config.handler(path).map_or(&Component::DEFAULT[..], HandlerConfig::components);
    let asked = AskedCollections::of(together.clone(), &scopes)?;
    let context = ResolveContext { elevation: elevation(&config, components), components, ..asked.context };
    let asked = AskedCollections { context, ..asked };

    // Prepare: text -> typed -> plan, and what each step asks.
    let preparing = call.trace.enter(Phase::Prepare);
    let (mut resolved, mut by_others) = (None, Vec::new());
    if components.contains(&Component::Query) {
        let request = SelectRequest::parse(params)?;
        let own = request.resolve(&context)?;
        by_others = resolved_by_others(&request, &own, &asked)?;
        resolved = Some(own);
    }
    drop(preparing);
    if resolved.as_ref().is_some_and(|it| it.response.debug.timing) {
        call.trace.be_exact();
    }
    let choice = shards::choice(params)?;
    let shards = selected(collections, &choice, call.core)?;
    let replicas = call.replica_choice(params)?;
    // Another replica than this node's may be older than what this node has.
    let is_own_choice = replicas.is_free();
    let mut missing = Missing::of(collections, &shards);
    let asks_shards = context.names.is_gathered() && choice != ShardChoice::Addressed;
    let tells_shards = asks_shards && shards::SHARDS_INFO.read(params)?;
    let preparation = Preparation { asked: &asked, config: &config, params };
    let pipeline = Pipeline::prepare(preparation, resolved.as_ref()).await?;

    // Run: the search, the steps behind it, the searches within its fields.
    let search = match resolved {
        Some(resolved) => {
            let pinned = together.clone().of_shards(shards).preferring(replicas).pin();
            Some(ComponentSearch::run(pinned, (resolved, by_others), &permit.meters).await?)
        }
        None => None,
    };
    let mut sections = pipeline.run(search.as_ref(), &permit.meters).await;
    let columns = match &search {
        Some(ComponentSearch { response, result, .. }) => {
            let asked = (params, &response.fields);
            let subqueries = Subqueries::of(call, permit);
            let columns = subqueries.columns(&together, asked, &result.hits).await?;
            missing.add(subqueries.missing());
            columns
        }
        None => vec![],
    };

    // Write.
    let (failure, shown) = (sections.failure.take(), &components[..sections.shown]);
    let is_whole = sections.cut.is_none() && !permit.meters.allowance.was_used_up();
    let is_repeatable = search.as_ref().is_none_or(|it| it.is_repeatable) && !pipeline.is_command();
    let answer = search.as_ref().map(ComponentSearch::header).unwrap_or_default();
    let info = search
        .as_ref()
        .filter(|_| tells_shards)
        .map(|search| together::told((call, collections), search, &missing));
    let written = match search {
        Some(search) => search.write(sections, columns, (context.schema, shown), call),
        None => in_order(sections.entries, shown),
    };
    let entries = pipeline.commands.into_iter().chain(info).chain(written).collect();
    if let Some(error) = failure {
        return Err(Failure { before: entries, ..Failure::from(error) });
    }
    // The moment is that of one collection: an update of another would not make the answer old. And what
    // shards took for it is of this request alone.
    let is_own = matches!(collections, [only] if Arc::ptr_eq(only, serving));
    let is_repeatable = is_repeatable && is_own && !tells_shards && is_own_choice;
    let answer = Answer { entries, moment: moment.filter(|_| is_repeatable), ..answer };
    let answer = if is_whole { answer } else { permit.cut_before(shown.len(), params, answer) };
    Ok(missing.mark(permit, answer))
}

fn elevation<'a>(config: &'a CollectionConfig, components: &[Component]) -> HandlerElevation<'a> {
    let here = components.iter().find_map(|component| match component {
        Component::Elevation(name) => config.components.elevation(name),
        _ => None,
    });
    match here {
        Some(component) => HandlerElevation::Here(component),
        None if config.components.elevation.is_empty() => HandlerElevation::Nowhere,
        None => HandlerElevation::Elsewhere,
    }
}
