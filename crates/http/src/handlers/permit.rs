//! What a request may: how much it may use up, which query parsers it may name. Made once its parameters are
//! known; the searches within a search share it.
//!
//! In: limits that the request asks for, bounded by the server's; out: meters for the layers below, and the
//! answer where a request may not begin or was cut short before one of its components. Whether a sender may
//! ask at all is `security`'s.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use meter::{Allowance, Limits, Meters};
use plan::{CollectionConfig, Component, HandlerConfig};
use solr::Params;
use solr::limits::{self, CutShort, LimitsAsked, Pass};
use solr::query::Names;

use crate::request::call::{Answer, Call};
use crate::request::route::Handler;

pub(super) struct Permit {
    pub meters: Meters,
    config: Arc<CollectionConfig>,
    handler: Handler,
    path: String,
    /// Whether an answer that was cut short is shown.
    partial: bool,
    /// Whether the answer is one of shards that are not whole.
    is_without: AtomicBool,
}

impl Permit {
    /// Of a request to `path`, which `handler` serves.
    pub fn of(
        call: &Call<'_>,
        config: Arc<CollectionConfig>,
        (handler, path): (Handler, &str),
        (asked, params): (LimitsAsked, &Params),
    ) -> Self {
        let most = call.server.config.request_bytes_max;
        let limits = Limits { memory_bytes_max: Some(most), ..asked.limits };
        let allowance = Allowance::new(limits, Arc::clone(call.server.node.clock()), call.started_ms);
        let sent = params.pairs().iter().map(|(name, value)| name.len() + value.len());
        allowance.take_bytes(sent.sum());
        let meters = Meters { allowance, trace: call.trace.clone() };
        Self {
            meters,
            config,
            handler,
            path: path.to_owned(),
            partial: asked.partial,
            is_without: AtomicBool::new(false),
        }
    }

    /// The query parsers that it may name; `None` is all.
    pub fn parsers(&self) -> Option<&[String]> {
        self.config.handler(&self.path)?.allowed_parsers.as_deref()
    }

    /// What it may call by names.
    pub fn names(&self) -> Names<'_> {
        Names { parsers: self.parsers(), own: &self.config.named, ..Names::default() }
    }

    /// The answer to a request that may not even begin.
    pub fn refusal(&self, params: &Params) -> Option<Answer> {
        let searches = matches!(self.handler, Handler::Select | Handler::Get | Handler::Terms);
        if !searches || !self.meters.allowance.is_used_up() {
            return None;
        }
        let components = self.components();
        let cut = self.cut(Pass::Prepare, 0, (&components, params));
        let (entries, flags) = (limits::nothing_begun(params, &cut), cut.flags(&self.meters.allowance));
        Some(Answer { entries, flags, ..Answer::default() })
    }

    /// Makes the answer one that was cut short before the component with this number.
    pub fn cut_before(&self, at: usize, params: &Params, answer: Answer) -> Answer {
        let components = self.components();
        let cut = self.cut(Pass::Process, at, (&components, params));
        let flags = cut.flags(&self.meters.allowance);
        let entries = match self.partial {
            true => answer.entries.into_iter().chain(limits::no_debug(cut.debug)).collect(),
            false => vec![limits::no_hits()],
        };
        Answer { entries, flags, warnings: answer.warnings, moment: None }
    }

    /// Makes the answer one of shards that are not whole.
    pub fn without(&self, missing: &str, answer: Answer) -> Answer {
        self.is_without.store(true, Ordering::Relaxed);
        let flags = limits::missing_flags(answer.flags, missing, self.partial);
        let entries = if self.partial { answer.entries } else { vec![limits::no_hits()] };
        Answer { entries, flags, warnings: answer.warnings, moment: None }
    }

    /// Whether the header is to be shown though nobody asked for one: without it the answer would pass for
    /// whole.
    pub fn needs_header(&self) -> bool {
        self.is_without.load(Ordering::Relaxed)
    }

    /// The names of the handler's components, in order.
    fn components(&self) -> Vec<&str> {
        match self.handler {
            Handler::Get => vec!["get"],
            Handler::Terms => vec![Component::Terms.name()],
            _ => {
                let declared = self.config.handler(&self.path).map(HandlerConfig::components);
                declared.unwrap_or(&Component::DEFAULT).iter().map(Component::name).collect()
            }
        }
    }

    fn cut<'a>(&self, pass: Pass, at: usize, (components, params): (&'a [&'a str], &Params)) -> CutShort<'a> {
        let before = components.get(at).or(components.last()).copied().unwrap_or_default();
        CutShort { pass, before, components, debug: limits::asks_debug(params), partial: self.partial }
    }
}
