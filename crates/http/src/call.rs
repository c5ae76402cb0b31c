//! A request as handlers see it, and the envelope around what they answer.

use bytes::Bytes;
use plan::{Error, Result};
use solr::Params;
use solr::params::query;
use solr::response::{Echo, Entries, Format, Header, Name, Node};

use crate::reply::Reply;
use crate::server::Server;

/// A body that is not a form.
pub(crate) struct Content {
    pub media_type: Option<String>,
    pub bytes: Bytes,
}

pub(crate) struct Call<'a> {
    pub server: &'a Server,
    /// As sent, in URL and form.
    pub params: Params,
    pub content: Option<Content>,
    pub started_ms: i64,
}

impl Call<'_> {
    /// Since the request's headers arrived.
    pub fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.server.node.clock().now_ms().saturating_sub(self.started_ms)).unwrap_or(0)
    }
}

/// Why there is no answer, as the client is told.
pub(crate) struct Failure {
    pub status: u16,
    /// What the answer holds besides, before the error.
    pub before: Entries,
    pub entry: (Name, Node),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = solr::error::status(error.kind);
        if status >= 500 {
            tracing::error!(?error, "a request failed");
        }
        Self { status, before: vec![], entry: solr::error::entry(&error) }
    }
}

/// What a handler answers.
#[derive(Default)]
pub(crate) struct Answer {
    pub entries: Entries,
    /// For the header.
    pub warnings: Vec<String>,
}

impl From<Entries> for Answer {
    fn from(entries: Entries) -> Self {
        Self { entries, warnings: vec![] }
    }
}

/// How the answer looks, by the parameters that apply to it.
pub(crate) struct Envelope {
    pub format: Format,
    pub echoed: Option<Params>,
    pub header: bool,
    /// Solr's class of the handler, where `echoHandler` asks for it.
    pub handler: Option<&'static str>,
    /// Whether the header says that there is no ZooKeeper.
    pub zookeeper: bool,
}

impl Envelope {
    /// `sent` are the parameters to echo, `effective` those with the handler's presets, `class` is Solr's name of the handler, `assumed` the format
    /// when none is named.
    pub fn parse(
        sent: Option<Params>,
        effective: &Params,
        class: &'static str,
        assumed: Option<&str>,
    ) -> Result<Self> {
        let echoed = match Echo::parse(effective.get("echoParams"))? {
            Echo::None => None,
            Echo::Explicit => sent,
            Echo::All => Some(effective.clone()),
        };
        query::TIME_ALLOWED.read(effective)?;
        Ok(Self {
            format: Format::parse(effective, assumed)?,
            echoed,
            header: !is_on(effective, "omitHeader"),
            handler: is_on(effective, "echoHandler").then_some(class),
            zookeeper: false,
        })
    }

    /// For a request whose own wishes cannot be read: just the error, as Solr answers when it cannot make the header.
    pub fn plain() -> Self {
        Self { format: Format::default(), echoed: None, header: false, handler: None, zookeeper: false }
    }

    /// Header and answer, or header and error.
    pub fn wrap(&self, call: &Call<'_>, answer: Result<Answer, Failure>) -> Reply {
        let (status, Answer { entries: rest, warnings }) = match answer {
            Ok(answer) => (200, answer),
            Err(Failure { status, mut before, entry }) => {
                before.push(entry);
                (status, before.into())
            }
        };
        let mut entries = Entries::with_capacity(rest.len() + 1);
        if self.header {
            let header = Header {
                status: if status == 200 { 0 } else { status },
                elapsed_ms: call.elapsed_ms(),
                handler: self.handler,
                zookeeper: self.zookeeper,
                echoed: self.echoed.as_ref(),
                warnings: &warnings,
            };
            entries.push(header.entry());
        }
        entries.extend(rest);
        let mut body = Vec::with_capacity(1024);
        self.format.write(&entries, &mut body);
        Reply { status, content_type: self.format.content_type(), body, allow: None }
    }
}

fn is_on(params: &Params, name: &str) -> bool {
    params.get(name).is_some_and(|flag| matches!(flag, "true" | "on" | "yes"))
}
