//! `rq`: a second opinion on the first hits, `{!rerank reRankQuery=…}`. Messages are Solr's, recorded from
//! 9.10.1.
//!
//! In: the text of `rq`; out: `plan::Rerank`. Of the plugins that Solr has for `rq` this one is served; what
//! is scored anew, and how scores are joined, is the engine's.

use plan::{Error, Rerank, Result, ScoreJoin};

use crate::params::{integer, query};
use crate::query::{LocalParams, QueryContext, java_float, parse_query, split_local_params};

/// Reads `rq`, where it is sent.
pub(super) fn parse_rerank(context: &QueryContext<'_>) -> Result<Option<Rerank>> {
    let Some(text) = query::RQ.sent(context.params) else { return Ok(None) };
    let (local, _) = split_local_params(text, context.params)?;
    // Parsed for its errors first: a syntax error is reported before the wrong kind of query.
    if local.get("type") != Some("rerank") {
        parse_query(context, text, "lucene")?;
        return Err(Error::bad_request("rq parameter must be a RankQuery"));
    }
    context.check_parser("rerank")?;
    let other = local.get("reRankQuery").filter(|text| !text.is_empty());
    let other = other.ok_or_else(|| Error::bad_request("reRankQuery parameter is mandatory"))?;
    let hits = local.get("reRankDocs").map(integer).transpose()?.unwrap_or(200);
    let join = match local.get("reRankOperator").map(str::to_lowercase).as_deref() {
        None | Some("add") => ScoreJoin::Add,
        Some("multiply") => ScoreJoin::Multiply,
        Some("replace") => ScoreJoin::Replace,
        Some(other) => return Err(Error::bad_request(format!("Invalid reRankOperator: {other}"))),
    };
    Ok(Some(Rerank {
        query: parse_query(context, other, "lucene")?.executable(),
        // Fewer than one is one, as in Solr.
        hits: usize::try_from(hits).unwrap_or(1).max(1),
        weight: weight(&local)?,
        join,
        first_scale: scale(&local, "reRankMainScale")?,
        second_scale: scale(&local, "reRankScale")?,
        after_first_key: false,
    }))
}

fn weight(local: &LocalParams) -> Result<f32> {
    let Some(text) = local.get("reRankWeight") else { return Ok(2.0) };
    java_float(text).ok_or_else(|| Error::bad_request(format!("For input string: \"{text}\"")))
}

/// `0-100`. Solr differs: what has no two numbers is its error 500 (`compat/select/rerank.yaml`).
fn scale(local: &LocalParams, name: &str) -> Result<Option<(f32, f32)>> {
    let Some(text) = local.get(name) else { return Ok(None) };
    let bounds = text.split_once('-').and_then(|(least, greatest)| {
        Some((least.parse::<i32>().ok()? as f32, greatest.parse::<i32>().ok()? as f32))
    });
    let bounds = bounds.ok_or_else(|| {
        Error::bad_request(format!("`{name}` is `{text}`; write two whole numbers: `0-100`"))
    })?;
    Ok(Some(bounds))
}
