//! A search, from parameters to the response's entries: the whole trip in one function.
//!
//! In: a call with its parameters in effect; out: entries, warnings, and the moment under which the answer
//! may be kept. One pin serves everything that asks about the hits; components that ask something of their
//! own (spelling, suggestions, subqueries, likes) are in files beside. What a search is resolved against
//! (`Resolving`) serves the other handlers too.

use std::sync::Arc;

use cluster::{Collection, ExplainOtherRead, Moment, Node, PinnedCollection, VersionedSchema};
use meter::{Meters, Phase};
use plan::{CollectionConfig, Component, Error, HandlerConfig, Result, Schema};
use solr::query::{Names, OtherSchema, Others, SchemaAnalyzers};
use solr::response::{self, Entries, Found};
use solr::select::{ExplainOther, FieldList, HandlerElevation, ResolveContext, SelectRequest};
use solr::vectors::VectorsRequest;
use solr::{Params, json_request};

use super::asked::Asked;
use super::permit::Permit;
use super::side_components::{SideComponents, SideResults};
use super::spelling::Searched;
use super::subquery::Subqueries;
use super::{more_like, terms};
use crate::request::call::{Answer, Call, Content, Failure};
use crate::security::Access;

pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    path: &str,
    (params, permit): (&Params, &Permit),
) -> Result<Answer, Failure> {
    let moment = collection.moment();
    let config = collection.config();
    let resolving = Resolving::of(call, collection, permit);
    let components = config.handler(path).map_or(&Component::DEFAULT[..], HandlerConfig::components);
    let context =
        ResolveContext { elevation: elevation(&config, components), components, ..resolving.context() };
    if !components.contains(&Component::Query) {
        return without_search(collection, &config, &context, (params, &permit.meters), moment).await;
    }
    let preparing = call.trace.enter(Phase::Prepare);
    let request = SelectRequest::parse(params)?; // text -> typed
    let resolved = request.resolve(&context)?; // typed -> plan
    drop(preparing);
    if resolved.response.debug.timing {
        call.trace.be_exact();
    }
    let beside = SideComponents::prepare(collection, &config, &context, components, params).await?;
    let plan = Arc::new(resolved.plan);
    // What later asks about these hits asks the same moment.
    let pinned = collection.pin();
    let result = pinned.search(plan.clone(), &permit.meters).await?; // route, engine, gather
    let explained_other = match &resolved.response.explain_other {
        Some(other) => {
            let limit = ExplainOther::DOCUMENTS_MAX;
            let request = ExplainOtherRead { plan: &plan, other: &other.query, limit };
            pinned.read(request, &permit.meters).await?
        }
        None => vec![],
    };
    // By the schema that the plan was resolved by: the pin's, or the search had been refused. The
    // collection's may be newer by now.
    let asked = (params, &resolved.response.fields, context.schema);
    let (vectors, vectors_failure) = vectors(&pinned, components, asked, &result).await;
    // Nothing below asks of that moment: its files need not be held while spelling, subqueries and the
    // response take their time.
    drop(pinned);
    // The first component that the request's allowance does not suffice for.
    let cut = result.cut_before.as_ref().and_then(|cut| components.iter().position(|it| it == cut));
    let SideResults { mut sections, failure, cut } = match &resolved.late_failure {
        Some(_) => SideResults { cut, ..SideResults::default() },
        None => {
            let searched = Searched { hits: result.total, filters: &plan.filters, searches: true };
            beside.run(searched, (cut, &permit.meters)).await
        }
    };
    let failed = failure.as_ref().map(|(at, _)| at + 1);
    let shown = components.get(..failed.or(cut).unwrap_or(components.len())).unwrap_or_default();
    let mut likes_explained = None;
    if let Some(likes) = resolved.response.likes.as_ref().filter(|_| shown.contains(&Component::MoreLikeThis))
    {
        let (fields, explain) = (&resolved.response.fields, resolved.response.debug.any());
        let found = more_like::beside(collection, likes, (&plan, explain), (&result, &permit.meters)).await?;
        likes_explained = explain.then(|| response::likes_explained(&found, context.schema));
        let section = response::likes(found, likes.terms_shown, fields, context.schema);
        sections.push((Component::MoreLikeThis.name().to_owned(), section));
    }
    if shown.contains(&Component::Terms) {
        let section = match resolved.terms {
            Ok(Some(request)) => terms::listed(collection, &request).await?,
            Ok(None) => vec![],
            Err(shown) => shown,
        };
        sections.push((Component::Terms.name().to_owned(), section));
    }
    let fields = &resolved.response.fields;
    sections.extend(vectors);
    let columns = Subqueries::of(call, permit).columns(collection, (params, fields), &result.hits).await?;
    let searched_all = result.cut_before.is_none() && !permit.meters.allowance.was_used_up();
    let facets = plan.facets.enabled;
    let traced = if resolved.response.debug.timing { call.trace.traced() } else { None };
    let found = Found { result, facets, columns, explained_other, likes_explained, beside: sections, traced };
    let hits = response::select(found, &resolved.response, context.schema, shown, call.elapsed_ms());
    let entries = beside.commands.iter().cloned().chain(hits).collect();
    match resolved.late_failure.or(failure.map(|(_, error)| error)).or(vectors_failure) {
        Some(error) => Err(Failure { before: entries, ..Failure::from(error) }),
        None => {
            let moment = (resolved.repeatable && !beside.is_command()).then_some(moment);
            let flags = resolved.response.flags();
            let answer = Answer { entries, flags, warnings: resolved.warnings, moment };
            Ok(if searched_all { answer } else { permit.cut_before(shown.len(), params, answer) })
        }
    }
}

/// The terms of the hits: the section of the component that tells them, and why it does not.
async fn vectors(
    pinned: &PinnedCollection,
    components: &[Component],
    (params, fields, schema): (&Params, &FieldList, &Schema),
    result: &plan::SearchResult,
) -> (Option<(String, Entries)>, Option<Error>) {
    let here = components.iter().find(|component| matches!(component, Component::TermVectors(_)));
    let Some(component) = here else { return (None, None) };
    let told = async {
        let Some(request) = VectorsRequest::parse(params, fields, schema)? else {
            return Ok(None);
        };
        let vectors = pinned.read(&request.plan(&result.hits), &Meters::default()).await?;
        Ok(Some(request.respond(vectors)))
    };
    let named = |entries| (component.name().to_owned(), entries);
    match told.await {
        Ok(section) => (section.map(named), None),
        Err(error) => (Some(named(solr::vectors::nothing())), Some(error)),
    }
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

/// For a handler that searches nothing.
async fn without_search(
    collection: &Arc<Collection>,
    config: &CollectionConfig,
    context: &ResolveContext<'_>,
    (params, meters): (&Params, &Meters),
    moment: Moment,
) -> Result<Answer, Failure> {
    let components = context.components;
    let beside = SideComponents::prepare(collection, config, context, components, params).await?;
    let searched = Searched { hits: 0, filters: &[], searches: false };
    let SideResults { sections, failure, cut } = beside.run(searched, (None, meters)).await;
    let moment = (cut.is_none() && !beside.is_command()).then_some(moment);
    let said = response::in_order(sections, components);
    let entries: Entries = beside.commands.into_iter().chain(said).collect();
    match failure {
        Some((_, error)) => Err(Failure { before: entries, ..Failure::from(error) }),
        None => Ok(Answer { entries, moment, ..Answer::default() }),
    }
}

/// What searches are resolved against, as it is now.
pub(super) struct Resolving {
    schema: Arc<VersionedSchema>,
    analyzers: Arc<SchemaAnalyzers>,
    now_ms: i64,
    config: Arc<CollectionConfig>,
    core: String,
    others: Others<'static>,
    parsers: Option<Vec<String>>,
}

impl Resolving {
    pub(super) fn of(call: &Call<'_>, collection: &Collection, permit: &Permit) -> Self {
        let schema = collection.versioned_schema();
        Self {
            analyzers: schema.derived(SchemaAnalyzers::new),
            schema,
            now_ms: call.started_ms,
            config: collection.config(),
            core: collection.core_name(),
            others: others(call.server.node.clone(), call.access.clone()),
            parsers: permit.parsers().map(<[String]>::to_vec),
        }
    }

    pub(super) fn context(&self) -> ResolveContext<'_> {
        ResolveContext {
            schema: &self.schema.value,
            analyzers: &self.analyzers,
            now_ms: self.now_ms,
            boolean_clauses_max: self.config.boolean_clauses_max,
            core: &self.core,
            others: Some(&self.others),
            elevation: HandlerElevation::Nowhere,
            components: &Component::DEFAULT,
            names: Names { parsers: self.parsers.as_deref(), own: &self.config.named },
            highlight: &self.config.components.highlight,
        }
    }
}

/// The node's collections, as a query asks for them: those that its sender may search.
fn others(node: Arc<Node>, access: Access) -> Others<'static> {
    Others::new(move |name| {
        let collection = access.find(&node, name)?;
        let versioned = collection.versioned_schema();
        Some(OtherSchema {
            name: collection.name().into(),
            schema: versioned.value.clone(),
            analyzers: versioned.derived(SchemaAnalyzers::new),
        })
    })
}

/// Refuses a body that is no JSON: no other says anything to a search.
pub(super) fn check_body(call: &Call<'_>) -> Result<()> {
    let Some(content) = call.content.as_ref().filter(|content| !content.bytes.is_empty()) else {
        return Ok(());
    };
    let media_type = content.media_type.as_deref().unwrap_or_default();
    if is_json(content) {
        return Ok(());
    }
    let shown: Vec<_> = call.params.pairs().iter().map(|(name, value)| format!("{name}={value}")).collect();
    let shown = shown.join("&");
    Err(Error::bad_request(format!("Bad contentType for search handler :{media_type} request={{{shown}}}")))
}

/// What the request asks, with its JSON as parameters.
pub(super) fn asked(call: &Call<'_>, presets: &HandlerConfig) -> Result<Asked> {
    let sent = match call.content.as_ref().filter(|content| is_json(content)) {
        Some(content) => json_request::with_body(&call.params, text(content)?),
        None => call.params.clone(),
    };
    let plain = Asked::plainly(&sent, presets);
    if !json_request::is_asked(&plain.effective) {
        return Ok(plain);
    }
    let effective = json_request::with_params(&sent).with_handler(presets);
    let filled = Asked { sent: Some(sent), effective, refused: None }.with_macros();
    if filled.refused.is_some() {
        return Ok(filled);
    }
    Ok(match json_request::expand(filled.effective.clone()) {
        Ok(effective) => Asked { effective, ..filled },
        Err(error) => Asked { refused: Some(error), ..filled },
    })
}

fn text(content: &Content) -> Result<&str> {
    std::str::from_utf8(&content.bytes)
        .map_err(|_| Error::bad_request("the request's body is not UTF-8; encode it as UTF-8"))
}

fn is_json(content: &Content) -> bool {
    content.media_type.as_deref().is_some_and(|media_type| media_type.contains("/json"))
}
