//! `bq` and `bf`: what adds to the score of documents that match anyway; and `q.alt`, what stands in for an
//! empty query. In: the request's texts, read by the parsers that they name; out: queries that the parsers
//! add beside the main one. What multiplies scores (`boost`) is `edismax.rs`' own.

use plan::{Clause, Occur, Query, Result, java_bucket};

use super::LEVELS;
use super::field_list::{Weighted, weighted};
use super::notes::Notes;
use crate::params::dismax as param;
use crate::query::request::Request;

/// What was sent of both, before any of it is read.
pub(super) fn sent_boosts(request: &Request<'_>, extended: bool) -> Notes {
    let sent = |texts: Vec<&str>| {
        let texts: Vec<String> = texts.into_iter().map(str::to_owned).collect();
        (!texts.is_empty()).then_some(texts)
    };
    Notes {
        boost_texts: sent(request.all(&param::BQ)),
        function_texts: sent(param::BF.sent_all(request.context.params).collect()),
        extended,
        ..Notes::default()
    }
}

pub(super) fn boost_queries(request: &Request<'_>) -> Result<Vec<Query>> {
    let texts = request.all(&param::BQ);
    // Handlers preset `bq` and requests empty it (`bq=`) to switch a boost off.
    let texts = texts.into_iter().filter(|text| !text.trim().is_empty());
    texts.map(|text| Ok(request.nested_by(LEVELS, text, None)?.unwrap_or(Query::Nothing))).collect()
}

/// Functions are cut at spaces and at carets, so they hold neither.
pub(super) fn boost_functions(request: &Request<'_>) -> Result<Vec<Query>> {
    let mut functions = Vec::new();
    for text in request.all(&param::BF) {
        // Each `bf` by itself: the table that decides the order is made anew for each.
        for function in in_table_order(weighted([text])?) {
            let query = request.nested_by(LEVELS, &function.name, Some("func"))?.unwrap_or(Query::Nothing);
            functions.push(match function.boost {
                Some(boost) => Query::Boost { query: Box::new(query), boost },
                None => query,
            });
        }
    }
    Ok(functions)
}

/// Solr keeps the functions of one `bf` in a hash table, and shows and adds them in its order.
fn in_table_order(mut functions: Vec<Weighted>) -> Vec<Weighted> {
    let count = functions.len();
    functions.sort_by_key(|function| java_bucket(&function.name, count));
    functions
}

/// What is searched in place of an empty query (`q.alt`), if anything.
pub(super) fn alternative(request: &Request<'_>, notes: &mut Notes) -> Result<Option<Clause>> {
    let Some(text) = request.near(&param::Q_ALT)? else { return Ok(None) };
    let query = request.nested_by(LEVELS, &text, None)?.unwrap_or(Query::Nothing);
    notes.alternative = Some(query.clone());
    Ok(Some(Clause { occur: Occur::Must, query }))
}

pub(super) fn should(query: Query) -> Clause {
    Clause { occur: Occur::Should, query }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_come_in_the_order_of_a_java_table() {
        let check = |text: &str, expected: &[&str]| {
            let list = in_table_order(weighted([text]).unwrap());
            let names: Vec<_> = list.iter().map(|function| function.name.as_str()).collect();
            assert_eq!(names, expected);
        };
        check("pages_i^0.5 stock_i price_f^2", &["pages_i", "price_f", "stock_i"]);
        check(
            "rating_d^0.5 pages_i^0.01 price_f copies_l^0",
            &["pages_i", "price_f", "rating_d", "copies_l"],
        );
        check("b a", &["a", "b"]);
    }
}
