//! What one parser is asked, and all that it may ask in turn: its local parameters and the request's, and
//! other parsers for the queries inside its own. It knows no parser by name: `QueryContext::parsers` does.
//! Made by `parsers.rs` for each parser on the way; a parser that needs a parameter asks here, so that a
//! local one always goes before the request's.

use plan::{Error, Query, Result};

use super::context::QueryContext;
use super::local_params::LocalParams;
use crate::params::{Fallback, Param, Preset};

/// What one parser is asked.
pub(super) struct Request<'a> {
    pub context: &'a QueryContext<'a>,
    /// What the request calls the parser.
    pub name: &'a str,
    pub local: &'a LocalParams,
    pub text: &'a str,
    pub depth: usize,
}

impl Request<'_> {
    /// A local parameter, else the request's, as it was sent.
    pub(super) fn sent<T, D: Fallback>(&self, param: &Param<T, D>) -> Option<&str> {
        self.local.get(param.name).or_else(|| param.sent(self.context.params))
    }

    /// As [`Request::sent`], else the default.
    pub(super) fn text_of(&self, param: &Preset<String>) -> &str {
        param.default.fill(self.sent(param))
    }

    /// As [`Request::sent`], read and with its default.
    pub(super) fn near<T, D: Fallback>(&self, param: &Param<T, D>) -> Result<D::Read<T>> {
        param.parse(self.sent(param))
    }

    /// All local values of a parameter, else the request's.
    pub(super) fn all<T, D: Fallback>(&self, param: &Param<T, D>) -> Vec<&str> {
        let own: Vec<_> = self.local.all(param.name).collect();
        if own.is_empty() { param.sent_all(self.context.params).collect() } else { own }
    }

    /// A query inside this one; `None` when it bears one of the tags that `excludeTags` names.
    pub(super) fn untagged(&self, text: &str) -> Result<Option<Option<Query>>> {
        let parsed = self.context.parse(text, "lucene", self.depth + 1)?;
        let (excluded, tags) = (self.local.list("excludeTags"), parsed.local.list("tag"));
        Ok((!tags.iter().any(|tag| excluded.contains(tag))).then_some(parsed.query))
    }

    pub(super) fn nested(&self, text: &str, default_parser: Option<&str>) -> Result<Option<Query>> {
        self.nested_by(1, text, default_parser)
    }

    /// A query inside this one, `levels` down.
    pub(super) fn nested_by(
        &self,
        levels: usize,
        text: &str,
        default_parser: Option<&str>,
    ) -> Result<Option<Query>> {
        self.context.subquery(text, default_parser, self.depth + levels)
    }

    pub(super) fn field_name(&self) -> Result<&str> {
        self.local.get("f").ok_or_else(|| Error::bad_request("Missing field to query"))
    }
}
