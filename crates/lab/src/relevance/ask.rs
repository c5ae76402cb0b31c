//! Makes a run by asking a server: each query goes into the same template of a request, and the order of the
//! answer is the run. One request at a time: what is measured here is not speed. In: topics and a template;
//! out: a run as `trec_eval` has it, which can be written to a file and judged without a server (`score.rs`).

use client::SolrClient;
use serde_json::Value;

use super::fault::Fault;
use super::{Run, Topic};
use crate::Error;

/// Stands for the query in a template's parameters.
const QUERY: &str = "{query}";

/// A request with a place for the query.
#[derive(Clone, Debug)]
pub struct Template {
    pub collection: String,
    /// Such as `/select`.
    pub handler: String,
    /// Parameters as given. The query stands for `{query}` in them, or goes into `q` where none has it.
    pub params: Vec<(String, String)>,
    /// The field by which judgments name documents.
    pub id_field: String,
    pub rows: usize,
}

impl Template {
    fn params(&self, query: &str) -> Vec<(String, String)> {
        let mut params: Vec<_> =
            self.params.iter().map(|(name, value)| (name.clone(), value.replace(QUERY, query))).collect();
        if !self.params.iter().any(|(_, value)| value.contains(QUERY)) {
            params.push(("q".to_owned(), query.to_owned()));
        }
        for (name, value) in
            [("fl", &self.id_field), ("rows", &self.rows.to_string()), ("wt", &"json".to_owned())]
        {
            params.push((name.to_owned(), value.clone()));
        }
        params
    }
}

/// Asks every query. Errors: those of the server, with the query's id.
pub async fn ask(client: &SolrClient, template: &Template, topics: &[Topic]) -> Result<Run, Error> {
    let path = format!("{}/{}", template.collection, template.handler.trim_start_matches('/'));
    let mut run = Run::default();
    for topic in topics {
        let params = template.params(&topic.query);
        let pairs: Vec<(&str, &str)> =
            params.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let answer = client.get(&path, &pairs).await?.ok()?.json()?;
        let found = documents(&answer, &template.id_field)
            .map_err(|Fault(why)| Fault(format!("the answer to the query `{}` {why}", topic.id)))?;
        run.by_query.insert(topic.id.clone(), found);
    }
    Ok(run)
}

fn documents(answer: &Value, id_field: &str) -> Result<Vec<String>, Fault> {
    let documents = answer.pointer("/response/docs").and_then(Value::as_array);
    let documents =
        documents.ok_or_else(|| Fault("has no `response`; use a handler that searches".to_owned()))?;
    let id = |document: &Value| match document.get(id_field) {
        Some(Value::String(id)) => Ok(id.clone()),
        Some(Value::Number(id)) => Ok(id.to_string()),
        _ => Err(Fault(format!("has a document without a `{id_field}`; name another field with --id-field"))),
    };
    documents.iter().map(id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_query_has_its_place() {
        let template = |params: &[(&str, &str)]| Template {
            collection: "c".into(),
            handler: "/select".into(),
            params: params.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            id_field: "id".into(),
            rows: 10,
        };
        let check = |given: &[(&str, &str)], expected: &str| {
            let params = template(given).params("a b");
            let shown: Vec<String> = params.iter().map(|(name, value)| format!("{name}={value}")).collect();
            assert_eq!(shown.join("&"), format!("{expected}&fl=id&rows=10&wt=json"));
        };
        check(&[("fq", "x:1")], "fq=x:1&q=a b");
        check(&[("q", "{!edismax v=$u}"), ("u", "{query}")], "q={!edismax v=$u}&u=a b");
    }

    #[test]
    fn answers_give_ids_in_order() {
        let answer = json!({"response": {"docs": [{"id": "b"}, {"id": 7}]}});
        assert_eq!(documents(&answer, "id").unwrap(), ["b", "7"]);
        assert!(documents(&answer, "sku").unwrap_err().to_string().contains("--id-field"));
        assert!(documents(&json!({}), "id").is_err());
    }
}
