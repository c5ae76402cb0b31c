//! A request as handlers see it, and the envelope around what they answer.
//!
//! In: what `service.rs` has read of a request; out: a reply, written by `solr::response` in the format that
//! the request asks for, errors among it. An answer that may be kept is written as one that took no time, so
//! that it reads the same the next time.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use cluster::{Collection, Moment};
use hyper::Method;
use hyper::http::uri::PathAndQuery;
use meter::{Phase, Trace};
use plan::{Error, ErrorKind, NamedPart, ReplicaChoice, Result};
use solr::limits::LimitsAsked;
use solr::params::response::{ECHO_HANDLER, OMIT_HEADER, WT};
use solr::params::{Fallback, Param, shards};
use solr::response::{Echo, Entries, Format, Header, Name, Node};
use solr::{EditError, Params};
use tokio::sync::Mutex;

use crate::admission::Room;
use crate::observe::query_log::LoggedSearch;
use crate::observe::tally::Tally;
use crate::request::body::Upload;
use crate::request::reply::Reply;
use crate::security::Access;
use crate::server::Server;

/// A body that is not a form.
pub(crate) struct Content {
    pub media_type: Option<String>,
    /// All of it; nothing of one that is taken as it arrives, or part by part.
    pub bytes: Bytes,
    /// One that is taken as it arrives, by who serves the call.
    pub upload: Option<Mutex<Upload>>,
}

impl Content {
    /// The same for another call: all of it but what has yet to arrive.
    pub fn again(&self) -> Self {
        Self { media_type: self.media_type.clone(), bytes: self.bytes.clone(), upload: None }
    }

    /// Errors: bytes that are no text.
    pub fn text(&self) -> Result<&str> {
        std::str::from_utf8(&self.bytes)
            .map_err(|_| Error::bad_request("the request's body is not UTF-8; encode it as UTF-8"))
    }
}

/// What a request says of who sent it, for another member that is asked on its behalf.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sender {
    /// The header by which the sender is known.
    pub authorization: Option<Vec<u8>>,
    /// Whether another member sent it on.
    pub is_forwarded: bool,
    /// Its header `prefer-replica`.
    pub preferred: Option<String>,
}

pub(crate) struct Call<'a> {
    pub server: &'a Arc<Server>,
    pub method: Method,
    /// Path and query, where the answer may be kept.
    pub target: Option<PathAndQuery>,
    /// The number of the shard whose core its path names, where it names one.
    pub core: Option<usize>,
    /// The collections that its path names beside the one that serves it.
    pub beside: Vec<Arc<Collection>>,
    /// As sent, in URL and form.
    pub params: Params,
    /// What its sender may.
    pub access: Access,
    pub sender: Sender,
    pub content: Option<Content>,
    /// The files of a multipart body behind its first, which is the content.
    pub more_files: Vec<Content>,
    pub started_ms: i64,
    /// Where its time goes.
    pub trace: Trace,
    /// Where it counts, for answers that are kept.
    pub tally: Option<Arc<Tally>>,
    /// What its body takes of the room for all, as long as the call lasts.
    #[allow(dead_code, reason = "held, not read")]
    pub room: Option<Room>,
}

impl Call<'_> {
    /// Which replicas it would rather be answered by. Errors: `BadRequest`.
    pub fn replica_choice(&self, params: &Params) -> Result<ReplicaChoice> {
        let random = || (self.server.config.new_uuid)();
        let state = self.server.node.state();
        let default = state.properties.get(shards::DEFAULT_PREFERENCES).map(String::as_str);
        shards::replica_choice(params, (self.sender.preferred.as_deref(), default), random)
    }

    /// Its body, or the files of one of several, in order.
    pub fn contents(&self) -> impl DoubleEndedIterator<Item = &Content> {
        self.content.iter().chain(&self.more_files)
    }

    /// The body that is taken as it arrives.
    pub fn upload(&self) -> Option<&Mutex<Upload>> {
        self.content.as_ref()?.upload.as_ref()
    }

    /// Since the request's headers arrived.
    pub fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.server.node.clock().now_ms().saturating_sub(self.started_ms)).unwrap_or(0)
    }

    /// A parameter that an administrator's request cannot do without.
    pub fn required(&self, param: &Param<String>) -> Result<&str> {
        let missing = || Error::bad_request(format!("Missing required parameter: {}", param.name));
        self.sent(param).ok_or_else(missing)
    }

    /// Empty is as good as missing.
    pub fn sent<T, D: Fallback>(&self, param: &Param<T, D>) -> Option<&str> {
        param.sent(&self.params).filter(|value| !value.is_empty())
    }

    /// What was sent, else the default.
    pub fn text<D: Fallback>(&self, param: &Param<String, D>) -> D::Read<&str> {
        param.default.fill(self.sent(param))
    }

    /// As [`Call::text`], read.
    pub fn value<T, D: Fallback>(&self, param: &Param<T, D>) -> Result<D::Read<T>> {
        param.parse(self.sent(param))
    }
}

/// What an outage, a full disk, a start or a change of owner asks clients to wait: none of them is over in a
/// second, and updates that come back sooner queue up behind it.
const COME_AGAIN_S: u64 = 5;

/// Why a request may be answered when it is run again, from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransientFailure {
    /// The schema changed on its way.
    SchemaChanged,
    /// Whoever answered its first questions no longer answers, or nobody who has a shard did.
    ReplicaLost,
}

impl TransientFailure {
    fn of(kind: ErrorKind) -> Option<Self> {
        match kind {
            ErrorKind::SchemaChanged => Some(Self::SchemaChanged),
            ErrorKind::ReplicaLost => Some(Self::ReplicaLost),
            _ => None,
        }
    }
}

/// Why there is no answer, as the client is told.
pub(crate) struct Failure {
    pub status: u16,
    /// What passes by itself, if it is that: whoever only reads begins anew.
    pub transient: Option<TransientFailure>,
    /// What the answer holds besides, before the error.
    pub before: Entries,
    pub entry: Box<(Name, Node)>,
    /// What the header begins with.
    pub flags: Entries,
    /// When a client that is told 429 or 503 may come again; 0 where nothing is known.
    pub retry_after_s: u64,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = solr::error::status(error.kind);
        let transient = TransientFailure::of(error.kind);
        // What is tried again is no news.
        if status >= 500 && transient.is_none() {
            tracing::error!(?error, "a request failed");
        }
        Self {
            status,
            transient,
            before: vec![],
            entry: solr::error::entry(&error).into(),
            flags: vec![],
            retry_after_s: retry_after_s(error.kind),
        }
    }
}

/// When the same may be sent again, in seconds, as far as the kind of an error tells; 0 where it does not.
/// Of an update whose outcome is unknown it says when to come again, not that it does no harm.
pub(crate) fn retry_after_s(kind: ErrorKind) -> u64 {
    match kind {
        ErrorKind::Busy | ErrorKind::SchemaChanged => 1,
        ErrorKind::Unavailable | ErrorKind::Unknown | ErrorKind::ReplicaLost => COME_AGAIN_S,
        _ => 0,
    }
}

impl Failure {
    /// The message again, as the Config API also tells it.
    pub fn messages(&self) -> Option<(Name, Node)> {
        let Node::Map(entries) = &self.entry.1 else { return None };
        let (_, message) = entries.iter().find(|(name, _)| name == "msg")?;
        let Node::Str(message) = message else { return None };
        Some(("errorMessages".into(), Node::Array(vec![Node::str(format!("{message}\n"))])))
    }
}

impl From<EditError> for Failure {
    fn from(error: EditError) -> Self {
        match error {
            EditError::Malformed(error) => error.into(),
            EditError::Refused { message, details } => Self {
                status: solr::error::status(ErrorKind::BadRequest),
                transient: None,
                before: vec![],
                entry: solr::error::commands_entry(message, details).into(),
                flags: vec![],
                retry_after_s: 0,
            },
        }
    }
}

/// What a handler answers.
#[derive(Default)]
pub(crate) struct Answer {
    pub entries: Entries,
    /// What the header begins with, and warnings at its end.
    pub flags: Entries,
    pub warnings: Vec<String>,
    /// When it was so, of an answer that may be kept.
    pub moment: Option<Moment>,
}

impl From<Entries> for Answer {
    fn from(entries: Entries) -> Self {
        Self { entries, ..Self::default() }
    }
}

/// How the answer looks, by the parameters that apply to it.
pub(crate) struct Envelope {
    pub format: Format,
    /// As the configuration calls the format, or as all do.
    pub content_type: Cow<'static, str>,
    pub echoed: Option<Params>,
    pub header: bool,
    /// Solr's class of the handler, where `echoHandler` asks for it.
    pub handler: Option<&'static str>,
    /// Whether the header says that there is no ZooKeeper.
    pub zookeeper: bool,
    pub limits: LimitsAsked,
}

/// The writers that a request may name besides Solr's.
#[derive(Clone, Copy, Default)]
pub(crate) struct Writers<'a> {
    /// The name when none is sent: an update in XML is answered in XML.
    pub assumed: Option<&'a str>,
    /// What the collection calls its own.
    pub own: &'a [NamedPart],
    /// The name of its own that stands in where no writer has the name, or none is said.
    pub otherwise: Option<&'a str>,
}

impl Envelope {
    /// `sent` are the parameters to echo, `effective` those with the handler's presets, `class` is Solr's
    /// name of the handler.
    pub fn parse(
        sent: Option<Params>,
        effective: &Params,
        class: &'static str,
        writers: Writers<'_>,
    ) -> Result<Self> {
        let echoed = match Echo::parse(effective)? {
            Echo::None => None,
            Echo::Explicit => sent,
            Echo::All => Some(effective.clone()),
        };
        let wt = WT.sent(effective).or(writers.assumed);
        let is_known = |wt: &&str| Format::knows(wt) || NamedPart::find(writers.own, wt).is_some();
        let wt = wt.filter(is_known).or(writers.otherwise).or(wt);
        let own = wt.and_then(|wt| NamedPart::find(writers.own, wt));
        let format = Format::parse(effective, own.map(|own| &*own.stands_for).or(wt))?;
        let content_type = own.and_then(|own| own.setting("content-type")).map(str::to_owned);
        Ok(Self {
            limits: LimitsAsked::parse(effective)?,
            content_type: content_type.map_or(Cow::Borrowed(format.content_type()), Cow::Owned),
            format,
            echoed,
            // What is no switch is refused where a search reads it; the refusal has a header.
            header: !matches!(OMIT_HEADER.read(effective), Ok(true)),
            handler: ECHO_HANDLER.read(effective)?.then_some(class),
            zookeeper: false,
        })
    }

    /// For a request whose own wishes cannot be read: just the error, in the format it asks for if there is
    /// such a one, as Solr answers when it cannot make the header.
    pub fn plain(sent: &Params) -> Self {
        let format = Format::parse(sent, WT.sent(sent)).unwrap_or_default();
        Self {
            content_type: format.content_type().into(),
            format,
            echoed: None,
            header: false,
            handler: None,
            zookeeper: false,
            limits: LimitsAsked::default(),
        }
    }

    /// Header and answer, or header and error.
    pub fn wrap(&self, call: &Call<'_>, answer: Result<Answer, Failure>) -> Reply {
        let _writing = call.trace.enter(Phase::Write);
        let (status, retry_after_s, mut answer) = match answer {
            Ok(answer) => (200, 0, answer),
            Err(Failure { status, transient: _, mut before, entry, flags, retry_after_s }) => {
                before.push(*entry);
                (status, retry_after_s, Answer { flags, ..before.into() })
            }
        };
        let Answer { entries, flags, warnings, moment: _ } = &mut answer;
        let reply = self.write(status, call.elapsed_ms(), (flags, warnings), entries);
        Reply { retry_after_s, ..reply }
    }

    /// As [`Envelope::wrap`]; what a collection answers under the name that the request calls it by is kept
    /// if it may be. The next time it takes no time.
    pub fn wrap_and_keep(
        &self,
        call: &Call<'_>,
        (named, search): (String, Option<Arc<LoggedSearch>>),
        mut answer: Result<Answer, Failure>,
    ) -> Reply {
        let (Some(target), Ok(Answer { moment: Some(moment), entries, flags, warnings })) =
            (&call.target, &mut answer)
        else {
            return Reply { search, ..self.wrap(call, answer) };
        };
        let _writing = call.trace.enter(Phase::Write);
        let kept =
            Reply { tally: call.tally.clone(), search, ..self.write(200, 0, (flags, warnings), entries) };
        call.server.answers.keep(target, named, *moment, kept.clone());
        match call.elapsed_ms() {
            0 => kept,
            elapsed_ms => {
                Reply { search: kept.search, ..self.write(200, elapsed_ms, (flags, warnings), entries) }
            }
        }
    }

    /// Writes header and entries; the entries are afterwards what they were.
    fn write(
        &self,
        status: u16,
        elapsed_ms: u64,
        (flags, warnings): (&Entries, &[String]),
        entries: &mut Entries,
    ) -> Reply {
        let header = Header {
            status: if status == 200 { 0 } else { status },
            elapsed_ms,
            handler: self.handler,
            zookeeper: self.zookeeper,
            echoed: self.echoed.as_ref(),
            warnings,
            flags,
        };
        if self.header {
            entries.insert(0, header.entry());
        }
        let mut body = Vec::with_capacity(1024);
        self.format.write(entries, &mut body);
        if self.header {
            entries.remove(0);
        }
        let partial = flags.iter().any(|(name, _)| **name == *PARTIAL);
        let content_type = self.content_type.clone();
        Reply { status, content_type, body: body.into(), partial, ..Reply::default() }
    }
}

/// The header's word for an answer that was cut short.
const PARTIAL: &str = "partialResults";
