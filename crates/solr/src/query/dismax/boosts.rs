//! `bq` and `bf`: what adds to the score of documents that match anyway.

use plan::{Query, Result};

use super::LEVELS;
use super::field_list::{Weighted, weighted};
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
    let mut places = 16;
    while functions.len() * 4 > places * 3 {
        places *= 2;
    }
    let place = |function: &Weighted| {
        let hash = java_hash(&function.name);
        (hash ^ hash >> 16) as usize % places
    };
    functions.sort_by_key(place);
    functions
}

/// The hash code of a string in Java, as bits.
fn java_hash(text: &str) -> u32 {
    text.encode_utf16().fold(0, |hash: u32, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)))
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
