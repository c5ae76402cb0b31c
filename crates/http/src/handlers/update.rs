//! An update, from bytes to durable: decode, process, grow the schema if documents brought new fields, apply.
//! A body that is long, or whose client pauses, is taken piece by piece: each waits its turn among the
//! updates on its own, so that nobody waits for a client that takes its time. All are durable before the
//! client is told anything, and before it is waited for.

use std::sync::{Arc, OnceLock};

use cluster::{Collection, EditSteps, UpdateContext, VersionedSchema};
use meter::Phase;
use plan::{Document, Durable, Error, ErrorKind, Result, UpdateBatch, UpdateOutcome};
use solr::Params;
use solr::date_math::DateMath;
use solr::params::query;
use solr::query::{Budget, Names, PrefixLengths, QueryContext, SchemaAnalyzers, SolrParsers, parse_query};
use solr::response::{self, Entries};
use solr::update::{
    Chain, Decoded, DecodedPiece, Decoder, Processed, Resume, Route, UpdateChains, UpdateOptions,
};

use super::effective::RESOLVED_MAX;
use super::permit::Permit;
use super::update_body::{BodyChunk, START, upload_of};
use super::update_progress::{UpdateProgress, first_refusal};
use crate::admission::UpdatePiece;
use crate::request::body::Filled;
use crate::request::call::{Answer, Call, Content, Failure};

/// As long as no more is held, looking whether a command is whole costs less than it is worth to wait.
const SHORT_BYTES: usize = 64 << 10;

pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    path: &str,
    (params, permit): (&Params, &Permit),
) -> Result<Answer, Failure> {
    let chains = collection.versioned_config().derived(UpdateChains::new);
    let route = Arc::new(Route::of(params, &chains)?);
    let options = UpdateOptions::parse(params)?;
    let between = UpdateOptions { finish: None, ..options.clone() };
    let content_type = call.content.as_ref().and_then(|content| content.media_type.as_deref());
    let decoder = Decoder { content_type, path, params, options: &options };
    let options_of_pieces = [&between, &options];
    let (fields, changed) = (OnceLock::new(), OnceLock::new());
    let update = Update {
        call,
        collection,
        params,
        permit,
        route: &route,
        options: options_of_pieces,
        decoder,
        fields,
        changed,
    };
    if options.echo
        && let Some(documents) = update.echoed().await?
    {
        return Ok(documents.into());
    }
    let (mut outcome, retry_after_s) = update.all().await;
    let mut flags =
        route.errors_max.map_or_else(Vec::new, |most| response::tolerated(&outcome.refused, most));
    // A core of its own has no replicas to speak of.
    if collection.core_name() != collection.name()
        && outcome.failure.is_none()
        && update.changed.get().is_some()
    {
        flags.push(response::replication_factor());
    }
    match outcome.failure.take() {
        Some(error) => {
            let beside = route.errors_max.filter(|most| *most < outcome.refused.len() as u64);
            let mut failed = Failure::from(error);
            if beside.is_some() {
                response::add_refusals(&mut failed.entry, &outcome.refused);
            }
            // What was done before is reported as well.
            let before = if options.versions { response::versions(&mut outcome) } else { vec![] };
            let retry_after_s = retry_after_s.unwrap_or(failed.retry_after_s);
            Err(Failure { flags, before, retry_after_s, ..failed })
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
    params: &'a Params,
    permit: &'a Permit,
    /// The steps it takes.
    route: &'a Arc<Route>,
    /// Of a piece that others follow, and of the last one, which ends with the commit.
    options: [&'a UpdateOptions; 2],
    decoder: Decoder<'a>,
    /// How many fields the index has, once that is asked for.
    fields: OnceLock<u64>,
    /// Set once anything is added or deleted.
    changed: OnceLock<()>,
}

fn is_outdated(error: &Error) -> bool {
    error.kind == ErrorKind::SchemaChanged
}

/// The steps behind the shard, as the shard takes them.
struct BehindShard(solr::update::EditSteps);

impl EditSteps for BehindShard {
    fn take(&self, id: &str, document: Document) -> Result<Document> {
        self.0.take(id, document)
    }
}

/// A piece that was read: its batch, and what else came of it.
struct Prepared {
    batch: UpdateBatch,
    context: UpdateContext,
    found: DecodedPiece,
    /// How many it had.
    commands: usize,
}

impl Update<'_> {
    /// Everything that came of the request; what was done before a failure stays. And when who was refused
    /// may come again.
    async fn all(&self) -> (UpdateOutcome, Option<u64>) {
        let mut done = UpdateProgress::default();
        let result = self.files(&mut done).await;
        // Invariant: nothing is reported of what the log could still lose.
        let settled = if done.is_unknown { Ok(()) } else { self.settle(&mut done).await };
        let retry_after_s = done.retry_after_s;
        let mut outcome = if done.is_unknown { UpdateOutcome::default() } else { done.outcome };
        outcome.failure = settled.and(result).err();
        (outcome, retry_after_s)
    }

    /// File by file; the first that fails ends it, as in Solr. Most updates are one.
    async fn files(&self, done: &mut UpdateProgress) -> Result<()> {
        let mut files = self.call.contents().peekable();
        if files.peek().is_none() {
            return self.apply(self.missing_body(), done).await.map(drop);
        }
        while let Some(file) = files.next() {
            self.pieces((file, files.peek().is_none()), done).await?;
        }
        Ok(())
    }

    fn missing_body(&self) -> BodyChunk<'_> {
        BodyChunk {
            bytes: &[],
            decoder: self.decoder,
            is_last: true,
            of_last_file: true,
            is_followed: false,
            resume: &START,
        }
    }

    fn decoder_of<'b>(&'b self, file: &'b Content) -> Decoder<'b> {
        Decoder { content_type: file.media_type.as_deref(), ..self.decoder }
    }

    async fn settle(&self, done: &mut UpdateProgress) -> Result<()> {
        if !std::mem::take(&mut done.is_unsettled) {
            return Ok(());
        }
        let nothing = UpdateBatch { durable: Durable::All, ..UpdateBatch::default() };
        let settled = self.collection.update(nothing, self.context(None)).await.failure.map_or(Ok(()), Err);
        done.is_unknown |= settled.is_err();
        settled
    }

    fn context(&self, edit_steps: Option<solr::update::EditSteps>) -> UpdateContext {
        let edit_steps = edit_steps.map(|steps| Arc::new(BehindShard(steps)) as Arc<dyn EditSteps>);
        UpdateContext { trace: self.call.trace.clone(), edit_steps }
    }

    /// Piece by piece. One in which no command ends is taken again when it is twice as long.
    async fn pieces(&self, (file, of_last_file): (&Content, bool), done: &mut UpdateProgress) -> Result<()> {
        let decoder = self.decoder_of(file);
        let mut upload = upload_of(file)?.lock().await;
        upload.read_as(decoder.encoding()?);
        let piece_bytes = self.call.server.config.piece_bytes;
        let (mut resume, mut bytes, mut until_pause) = (Resume::default(), piece_bytes, true);
        loop {
            // What came before the body broke off is done all the same.
            let reading = self.call.trace.wait(Phase::Read);
            let filled = upload.fill(bytes, until_pause).await;
            drop(reading);
            let (is_last, broken) = match filled {
                Ok(filled) => (filled == Filled::All, None),
                Err(error) => (false, Some(error)),
            };
            // Another file is at hand, whole, as more of a long body is.
            let is_followed = match is_last {
                true => !of_last_file,
                false => broken.is_none() && upload.bytes().len() >= bytes,
            };
            let bytes_now = upload.bytes();
            let piece =
                BodyChunk { bytes: bytes_now, decoder, is_last, of_last_file, is_followed, resume: &resume };
            let (taken, next) = {
                let admission = &self.call.server.admission;
                let waiting = self.call.trace.wait(Phase::Admission);
                let entering = UpdatePiece {
                    collection: &self.collection.name(),
                    bytes: piece.bytes.len(),
                    has_begun: resume.has_begun(),
                };
                let entered = admission.enter_piece(entering).await;
                drop(waiting);
                let _pass = entered.map_err(|refused| done.refuse(refused))?;
                self.apply(piece, done).await?
            };
            if is_last {
                return Ok(());
            }
            if let Some(error) = broken {
                return Err(done.refuse(error.into()));
            }
            upload.take(taken);
            let held = upload.bytes().len();
            resume = next;
            bytes = if taken == 0 { held.saturating_mul(2) } else { held }.max(piece_bytes);
            until_pause = taken > 0 || held <= SHORT_BYTES;
        }
    }

    /// Decodes a piece and does what it says. How many of its bytes are done with, and where what follows
    /// begins.
    async fn apply(&self, piece: BodyChunk<'_>, done: &mut UpdateProgress) -> Result<(usize, Resume)> {
        let (applied, found, commands) = self.resolve_and_update(&piece, done).await?;
        // Of a piece that failed nobody reads it.
        done.commands += commands;
        if let Some(applied) = applied {
            let failure = applied.failure.as_ref().map(|error| error.kind);
            // It waited, and nobody can tell; to ask once more would take as long again.
            done.is_unknown |= failure == Some(ErrorKind::Unknown);
            // What fails in another way has waited for what it applied itself, if anything, and not always
            // for the pieces before it.
            let may_wait_for_less =
                matches!(failure, Some(ErrorKind::Unavailable | ErrorKind::SchemaChanged));
            done.is_unsettled = piece.is_followed || may_wait_for_less && done.is_unsettled;
            self.add(applied, &mut done.outcome)?;
        } else if !piece.is_followed {
            self.settle(done).await?;
        }
        match found.decoded.failure {
            Some(error) => Err(error),
            None => Ok((found.bytes, found.resume)),
        }
    }

    /// Resolves a piece and hands it to the shard, again where an edit of the schema came in between: then
    /// nothing of it was done. `None` where it has no operations. How many commands it had.
    async fn resolve_and_update(
        &self,
        piece: &BodyChunk<'_>,
        done: &UpdateProgress,
    ) -> Result<(Option<UpdateOutcome>, DecodedPiece, usize)> {
        let mut left = RESOLVED_MAX;
        loop {
            let Prepared { mut batch, context, found, commands } = self.prepare(piece).await?;
            if batch.operations.is_empty() {
                return Ok((None, found, commands));
            }
            let refused = done.outcome.refused.len() as u64;
            batch.errors_max = batch.errors_max.map(|most| most.saturating_sub(refused));
            batch.durable = match (piece.is_followed, done.is_unsettled) {
                (true, _) => Durable::Later,
                (false, true) => Durable::All,
                (false, false) => Durable::Own,
            };
            let (operations, trace) = (batch.operations.len(), context.trace.clone());
            let applied = self.collection.update(batch, context).await;
            left -= 1;
            if left == 0 || !applied.failure.as_ref().is_some_and(is_outdated) {
                // Here and not below: a piece that was resolved anew is still one.
                trace.takes(operations);
                return Ok((Some(applied), found, commands));
            }
            self.call.server.node.await_change(self.collection).await?;
        }
    }

    /// Adds what was done with a piece to what was done before. Only the lists that the answer shows are
    /// kept.
    fn add(&self, applied: UpdateOutcome, outcome: &mut UpdateOutcome) -> Result<()> {
        if applied.has_changes() {
            let _ = self.changed.set(());
        }
        let UpdateOutcome { added, deleted, deleted_by_query, refused, failure } = applied;
        if self.decoder.options.versions {
            outcome.added.extend(added);
            outcome.deleted.extend(deleted);
            outcome.deleted_by_query.extend(deleted_by_query);
        }
        outcome.refused.extend(refused);
        match failure {
            None => Ok(()),
            Some(error) => Err(first_refusal(outcome, self.route.errors_max).unwrap_or(error)),
        }
    }

    /// The batch of a piece, and what else came of it: `failure` is what stopped the reading of the rest.
    /// Documents with unknown fields grow the schema first; when another request grew it meanwhile, the piece
    /// is read again under the new one.
    async fn prepare(&self, piece: &BodyChunk<'_>) -> Result<Prepared> {
        loop {
            let versioned = self.collection.versioned_schema();
            let (processed, mut found, commands) = cluster::compute(|| {
                let _preparing = self.call.trace.enter(Phase::Prepare);
                self.process(piece, &versioned)
            })?;
            found.decoded.failure = processed.failure;
            let context = self.context(processed.edit_steps);
            let mut prepared = Prepared { batch: processed.batch, context, found, commands };
            prepared.batch.schema_version = Some(versioned.version);
            let Some(grown) = processed.schema_additions else { return Ok(prepared) };
            match self.collection.change_schema(versioned.version, grown).await {
                Ok(version) => {
                    prepared.batch.schema_version = Some(version);
                    return Ok(prepared);
                }
                Err(error) if error.kind == ErrorKind::Conflict => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The documents, where they are only to be shown; `None` where their format is always meant to be added.
    async fn echoed(&self) -> Result<Option<Entries>> {
        let mut shown = Vec::new();
        for file in self.call.contents() {
            let decoder = self.decoder_of(file);
            let mut upload = upload_of(file)?.lock().await;
            upload.read_as(decoder.encoding()?);
            while upload.fill(usize::MAX, false).await? == Filled::Part {}
            let piece = BodyChunk { bytes: upload.bytes(), decoder, ..self.missing_body() };
            match self.decode(&piece)?.decoded {
                Decoded { echo: true, failure: Some(error), .. } => return Err(error),
                Decoded { echo: true, commands, .. } => shown.extend(commands),
                _ => return Ok(None),
            }
        }
        Ok(self.call.upload().map(|_| response::echoed(shown)))
    }

    fn process(
        &self,
        piece: &BodyChunk<'_>,
        versioned: &VersionedSchema,
    ) -> Result<(Processed, DecodedPiece, usize)> {
        let mut found = self.decode(piece)?;
        let commands = std::mem::take(&mut found.decoded.commands);
        let count = commands.len();
        let analyzers = versioned.derived(SchemaAnalyzers::new);
        let config = self.collection.config();
        let (now, zone) = (query::NOW.sent(self.params), query::TZ.sent(self.params));
        let dates = DateMath::of_request(now, zone, self.call.started_ms)?;
        let sharded = self.collection.sharded_name();
        let context = QueryContext {
            schema: &versioned.value,
            analyzers: &analyzers,
            params: self.params,
            dates: &dates,
            budget: &Budget::of(self.params),
            boolean_clauses_max: config.boolean_clauses_max,
            prefixes: PrefixLengths::new(config.prefix_length_min),
            others: None,
            names: Names { sharded: sharded.as_deref(), ..self.permit.names() },
            parsers: &SolrParsers,
            filtering: true,
        };
        let chain = Chain {
            schema: versioned.value.clone(),
            route: self.route,
            params: self.params,
            dates: dates.clone(),
            parse_query: &|text| Ok(parse_query(&context, text, "lucene")?.executable()),
            new_uuid: &self.call.server.config.new_uuid,
            count_fields: &|| *self.fields.get_or_init(|| self.collection.count_fields()),
        };
        let options = self.options[usize::from(piece.is_last && piece.of_last_file)];
        let processed = chain.process(commands, found.decoded.failure.take(), options);
        Ok((processed, found, count))
    }

    /// A request without a body may still commit.
    fn decode(&self, piece: &BodyChunk<'_>) -> Result<DecodedPiece> {
        let is_missing = piece.bytes.is_empty() && piece.is_last && !piece.resume.has_begun();
        match self.call.upload() {
            Some(_) if !is_missing || piece.decoder.content_type.is_some() => {
                Ok(piece.decoder.decode(piece.bytes, piece.is_last, piece.resume))
            }
            _ if self.decoder.options.finish.is_some() => Ok(DecodedPiece::default()),
            Some(_) => Err(Error::new(ErrorKind::UnsupportedMedia, "Missing ContentType")),
            None => Err(Error::bad_request("missing content stream")),
        }
    }
}
