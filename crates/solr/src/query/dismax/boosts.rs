//! `bq` and `bf`: what adds to the score of documents that match anyway.

use plan::{Query, Result};

use super::LEVELS;
use super::field_list::weighted;
use crate::params::dismax as param;
use crate::query::parsers::Request;

pub(super) fn boost_queries(request: &Request<'_>) -> Result<Vec<Query>> {
    let texts = request.all(param::BQ.name);
    let texts = texts.into_iter().filter(|text| !text.trim().is_empty());
    texts.map(|text| Ok(request.nested_by(LEVELS, text, None)?.unwrap_or(Query::Nothing))).collect()
}

/// Functions are cut at spaces and at carets, so they hold neither.
pub(super) fn boost_functions(request: &Request<'_>) -> Result<Vec<Query>> {
    let mut functions = Vec::new();
    for text in request.all(param::BF.name) {
        for function in weighted([text])? {
            let query = request.nested_by(LEVELS, &function.name, Some("func"))?.unwrap_or(Query::Nothing);
            functions.push(match function.boost {
                Some(boost) => Query::Boost { query: Box::new(query), boost },
                None => query,
            });
        }
    }
    Ok(functions)
}
