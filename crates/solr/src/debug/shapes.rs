//! What debug output says of a second opinion on the first hits (`rq`) and of filters that collapse. Facts:
//! the texts of Solr 9.10.1 in `compat/select/debug_sections.yaml`. In: parsed queries and local parameters;
//! out: the texts of `parsedquery` and of `parsed_filter_queries`, whose classes are Solr's plugins and have
//! no counterpart in `plan`.

use plan::{Rerank, ScoreJoin, Value};

use super::QueryPrinter;
use crate::query::{LocalParams, ParsedQuery};

impl QueryPrinter<'_> {
    /// `parsedquery` and `parsedquery_toString` of a query with a second opinion.
    pub(crate) fn reranked(&self, main: &ParsedQuery, rerank: &Rerank) -> (String, String) {
        let scale = |name: &str, scale: Option<(f32, f32)>| {
            scale.map_or(String::new(), |(least, greatest)| format!(" {name}={least}-{greatest}"))
        };
        let operator = match rerank.join {
            ScoreJoin::Add => "add",
            ScoreJoin::Multiply => "multiply",
            ScoreJoin::Replace => "replace",
        };
        let (first, second) = (self.parsed_to_string(main), self.text(&rerank.query));
        let (hits, weight) = (rerank.hits, Value::Float(rerank.weight).to_text());
        let scales =
            [scale("reRankScale", rerank.second_scale), scale("reRankMainScale", rerank.first_scale)]
                .concat();
        let plain = format!(
            "{{!rerank mainQuery='{first}' reRankQuery='{second}' reRankDocs={hits} reRankWeight={weight}{scales} \
             reRankOperator={operator}}}"
        );
        (format!("ReRankQuery({plain})"), plain)
    }
}

/// A filter that collapses, by its local parameters.
pub(crate) fn collapsing(local: &LocalParams) -> String {
    let kinds = [("min", "MIN"), ("max", "MAX"), ("sort", "SORT")];
    let chosen = kinds.iter().find_map(|(name, kind)| Some((local.get(name)?, *kind)));
    let (selector, kind) = chosen.unwrap_or(("score", "SCORE"));
    let (field, nulls) =
        (local.get("field").unwrap_or_default(), local.get("nullPolicy").unwrap_or("ignore"));
    let head = format!("GroupHeadSelector(selectorText={selector}, type={kind})");
    format!(
        "CollapsingPostFilter(CollapsingPostFilter(field={field}, nullPolicy={nulls}, {head}, size=100000))"
    )
}
