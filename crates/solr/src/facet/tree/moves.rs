//! Domains that lead from the documents of the bucket above to others: `blockParent`, `blockChildren`,
//! `join`, `graph`. Order and words are Solr's, recorded from 9.10.1 (`compat/facet/domains.yaml`). In: what
//! stands in `domain`; out: moves of a `plan::DomainChange`, which the engine makes bucket by bucket.
//! Restricting the documents found so is `domain.rs`.

use std::sync::Arc;

use plan::{Error, Graph, Move, Query, Result};

use super::TreeReader;
use super::options::Options;
use crate::query::{QueryContext, joinable, parse_query};
use crate::update::RawValue;

type Entries = [(Arc<str>, RawValue)];

impl TreeReader<'_> {
    /// In the order they are made. Of a parent and of children only the parent counts.
    pub(super) fn moves(&mut self, inside: &Options<'_>) -> Result<Vec<Move>> {
        let mut moves = Vec::new();
        // Solr does them in this order whatever the JSON's is, and a block's parent last.
        if let Some(join) = inside.get("join") {
            moves.extend(self.join(entries("join", join)?)?);
        }
        if let Some(graph) = inside.get("graph") {
            moves.extend(self.graph(entries("graph", graph)?)?);
        }
        if let Some(parents) = inside.text("blockParent")? {
            moves.extend(self.parents("blockParent", parents).map(Move::ToParents));
        } else if let Some(parents) = inside.text("blockChildren")? {
            moves.extend(self.parents("blockChildren", parents).map(Move::ToChildren));
        }
        Ok(moves)
    }

    fn join(&mut self, entries: &Entries) -> Result<Option<Move>> {
        let (from, to) = ends("join", entries)?;
        let mut method = Ok(());
        for (name, value) in entries {
            let text = value.to_text();
            match &**name {
                "from" | "to" => {}
                "method"
                    if matches!(
                        text.as_str(),
                        "index" | "dvWithScore" | "topLevelDV" | "crossCollection"
                    ) => {}
                "method" => {
                    method = Err(Error::bad_request(format!("Provided join method '{text}' not supported")));
                }
                other => {
                    return Err(Error::bad_request(format!(
                        "'join' domain change contains unexpected key [{other}], only method, from, to supported"
                    )));
                }
            }
        }
        let ends = self.later(method).and_then(|()| self.fields(&from, &to));
        Ok(ends.map(|(from, to)| Move::Join { collection: self.sharded(), from, to }))
    }

    fn graph(&mut self, entries: &Entries) -> Result<Option<Move>> {
        let (from, to) = ends("graph", entries)?;
        let Some((node, edges)) = self.fields(&from, &to) else { return Ok(None) };
        let get =
            |name: &str| entries.iter().find(|(key, _)| **key == *name).map(|(_, value)| value.to_text());
        let depth = get("maxDepth").map_or(Ok(-1), |text| crate::params::integer(&text));
        let depth = self.later(depth).unwrap_or(-1);
        let flag = |name: &str, default| get(name).map_or(default, |text| text == "true");
        let filter = get("traversalFilter").map(|text| self.domain_query(&text));
        let filter = self.later(filter.transpose()).flatten();
        Ok(Some(Move::Graph(Graph {
            collection: self.sharded(),
            node,
            edges,
            filter,
            steps_max: u32::try_from(depth).ok(),
            with_roots: flag("returnRoot", true),
            only_leaves: flag("returnOnlyLeaf", false),
        })))
    }

    /// The collection, where documents on the other end may lie on other shards.
    fn sharded(&self) -> Option<Arc<str>> {
        self.context.names.sharded.map(Arc::from)
    }

    fn fields(&mut self, from: &str, to: &str) -> Option<(Arc<str>, Arc<str>)> {
        let field = |name| self.context.field_quoted(name).and_then(joinable);
        let (from, to) = (field(from), field(to));
        Some((self.later(from)?, self.later(to)?))
    }

    /// Solr differs: no query there is a null pointer, an error 500 (`compat/facet/domains.yaml`).
    pub(super) fn parents(&mut self, name: &str, text: &str) -> Option<Query> {
        let missing =
            || Error::bad_request(format!("`{name}` is empty; give a query that finds all parents"));
        let query = if text.trim().is_empty() { Err(missing()) } else { self.domain_query(text) };
        self.later(query)
    }

    fn domain_query(&self, text: &str) -> Result<Query> {
        let context = QueryContext { filtering: true, ..*self.context };
        Ok(parse_query(&context, text, "lucene")?.executable())
    }
}

fn entries<'a>(name: &str, value: &'a RawValue) -> Result<&'a Entries> {
    match value {
        RawValue::Map(entries) => Ok(entries),
        _ => Err(Error::bad_request(format!(
            "'{name}' domain change requires a map containing the 'from' and 'to' fields"
        ))),
    }
}

fn ends(name: &str, entries: &Entries) -> Result<(String, String)> {
    let get = |side: &str| {
        let found = entries.iter().find(|(key, value)| **key == *side && *value != RawValue::Null);
        found.map(|(_, value)| value.to_text())
    };
    get("from").zip(get("to")).ok_or_else(|| {
        Error::bad_request(format!("'{name}' domain change requires non-null 'from' and 'to' field names"))
    })
}
