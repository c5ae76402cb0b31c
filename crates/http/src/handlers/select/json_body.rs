//! The body of a search: JSON that becomes parameters, or nothing that a search takes.
//!
//! In: a call with its body; out: the parameters in effect, or a refusal. What the members of the JSON mean
//! is `solr::json_request`'s; presets of the path are `effective`'s.

use std::borrow::Cow;

use plan::{Error, HandlerConfig, Result};
use solr::json_request;

use crate::handlers::effective::EffectiveParams;
use crate::request::call::{Call, Content};

/// Refuses a body that is no JSON: no other says anything to a search.
pub(in crate::handlers) fn check_body(call: &Call<'_>) -> Result<()> {
    let mut contents = call.contents().filter(|content| !content.bytes.is_empty());
    let Some(content) = contents.find(|content| !is_json(content)) else { return Ok(()) };
    let media_type = content.media_type.as_deref().unwrap_or("null");
    let shown: Vec<_> = call.params.pairs().iter().map(|(name, value)| format!("{name}={value}")).collect();
    let shown = shown.join("&");
    Err(Error::bad_request(format!("Bad contentType for search handler :{media_type} request={{{shown}}}")))
}

/// What the request asks, with its JSON as parameters. Of several files each adds to those before it.
pub(in crate::handlers) fn effective(call: &Call<'_>, presets: &HandlerConfig) -> Result<EffectiveParams> {
    let mut sent = Cow::Borrowed(&call.params);
    // Each goes in front of what was sent, and the last has to come out behind the others.
    for content in call.contents().rev().filter(|content| is_json(content)) {
        sent = Cow::Owned(json_request::with_body(&sent, text(content)?));
    }
    let sent = sent.into_owned();
    let plain = EffectiveParams::plainly(&sent, presets);
    if !json_request::is_asked(&plain.effective) {
        return Ok(plain);
    }
    let filled = plain.with_macros();
    if filled.refused.is_some() {
        return Ok(filled);
    }
    Ok(match json_request::expand(filled.effective.clone()) {
        Ok(effective) => EffectiveParams { effective, ..filled },
        Err(error) => EffectiveParams { refused: Some(error), ..filled },
    })
}

fn text(content: &Content) -> Result<&str> {
    std::str::from_utf8(&content.bytes)
        .map_err(|_| Error::bad_request("the request's body is not UTF-8; encode it as UTF-8"))
}

fn is_json(content: &Content) -> bool {
    content.media_type.as_deref().is_some_and(|media_type| media_type.contains("/json"))
}
