//! An update, from bytes to durable: decode, process, grow the schema if documents brought new fields, apply.

use std::cell::OnceCell;
use std::sync::Arc;

use cluster::{Collection, VersionedSchema};
use plan::{Error, ErrorKind, Phase, Result, UpdateBatch};
use solr::Params;
use solr::date_math::DateMath;
use solr::query::{Budget, QueryContext, SchemaAnalyzers, parse_query};
use solr::response::{self, Entries};
use solr::update::{Chain, Decoded, Processed, Route, UpdateOptions, decode};

use super::permit::Permit;
use crate::call::{Answer, Call, Failure};

pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    path: &str,
    (params, permit): (&Params, &Permit),
) -> Result<Answer, Failure> {
    let route = Arc::new(Route::of(params, &collection.config())?);
    let options = UpdateOptions::parse(params)?;
    let update = Update { call, collection, path, params, permit, route: &route, options: &options };
    if let Some(documents) = update.echoed()? {
        return Ok(documents.into());
    }
    let (mut batch, failure) = update.prepare().await?;
    batch.trace = call.trace.clone();
    let mut outcome = collection.update(batch).await;
    let flags = route.errors_max.map_or_else(Vec::new, |most| response::tolerated(&outcome.refused, most));
    match outcome.failure.take().or(failure) {
        Some(error) => {
            let beside = route.errors_max.filter(|most| *most < outcome.refused.len() as u64);
            let mut failed = Failure::from(error);
            if beside.is_some() {
                response::add_refusals(&mut failed.entry, &outcome.refused);
            }
            // What was done before is told as well.
            let before = if options.versions { response::versions(&mut outcome) } else { vec![] };
            Err(Failure { flags, before, ..failed })
        }
        None => {
            let entries = if options.versions { response::versions(&mut outcome) } else { vec![] };
            Ok(Answer { flags, ..entries.into() })
        }
    }
}

struct Update<'a> {
    call: &'a Call<'a>,
    collection: &'a Arc<Collection>,
    path: &'a str,
    params: &'a Params,
    permit: &'a Permit,
    /// The steps it takes.
    route: &'a Arc<Route>,
    options: &'a UpdateOptions,
}

impl Update<'_> {
    /// The batch, and what stopped the reading of the rest. Documents with unknown fields grow the schema first; when
    /// another request grew it meanwhile, the body is read again under the new one.
    async fn prepare(&self) -> Result<(UpdateBatch, Option<Error>)> {
        loop {
            let versioned = self.collection.versioned_schema();
            let processed = cluster::compute(|| {
                let _preparing = self.call.trace.enter(Phase::Prepare);
                self.process(&versioned)
            })?;
            let Some(grown) = processed.schema_additions else {
                return Ok((processed.batch, processed.failure));
            };
            match self.collection.change_schema(versioned.version, grown).await {
                Ok(_) => return Ok((processed.batch, processed.failure)),
                Err(error) if error.kind == ErrorKind::Conflict => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The documents, where they are only to be shown.
    fn echoed(&self) -> Result<Option<Entries>> {
        if !self.options.echo {
            return Ok(None);
        }
        match self.decode()? {
            Decoded { echo: true, failure: Some(error), .. } => Err(error),
            Decoded { echo: true, commands, .. } => Ok(Some(response::echoed(commands))),
            _ => Ok(None),
        }
    }

    fn process(&self, versioned: &VersionedSchema) -> Result<Processed> {
        let Decoded { commands, failure, echo: _ } = self.decode()?;
        let analyzers = versioned.derived(SchemaAnalyzers::new);
        let config = self.collection.config();
        let (now, zone) = (self.params.get("NOW"), self.params.get("TZ"));
        let dates = DateMath::of_request(now, zone, self.call.started_ms)?;
        let context = QueryContext {
            schema: &versioned.schema,
            analyzers: &analyzers,
            params: self.params,
            dates: &dates,
            budget: &Budget::of(self.params),
            boolean_clauses_max: config.boolean_clauses_max,
            others: None,
            parsers: self.permit.parsers(),
            filtering: true,
        };
        let counted = OnceCell::new();
        let chain = Chain {
            schema: versioned.schema.clone(),
            route: self.route,
            params: self.params,
            dates: dates.clone(),
            parse_query: &|text| Ok(parse_query(&context, text, "lucene")?.executable()),
            new_uuid: &self.call.server.config.new_uuid,
            count_fields: &|| *counted.get_or_init(|| self.collection.count_fields()),
        };
        Ok(chain.process(commands, failure, self.options))
    }

    /// A request without a body may still commit.
    fn decode(&self) -> Result<Decoded> {
        match &self.call.content {
            Some(content) if !content.bytes.is_empty() || content.media_type.is_some() => {
                let media_type = content.media_type.as_deref();
                Ok(decode(media_type, self.path, self.params, self.options, &content.bytes))
            }
            _ if self.options.finish.is_some() => Ok(Decoded::default()),
            Some(_) => Err(Error::new(ErrorKind::UnsupportedMedia, "Missing ContentType")),
            None => Err(Error::bad_request("missing content stream")),
        }
    }
}
