//! Which documents a facet cuts, where they are not those of the bucket above: `domain`, and `excludeTags`
//! beside it. In: a facet's object of JSON; out: a `plan::DomainChange`: tags to leave out, queries instead
//! of the bucket's documents, moves (`moves.rs`), filters, in this order.

use plan::{DomainChange, Error, Query, Result};

use super::options::Options;
use super::{TreePath, TreeReader};
use crate::json_request::type_name;
use crate::query::{QueryContext, parse_query};
use crate::update::RawValue;

impl TreeReader<'_> {
    pub(super) fn domain(&mut self, arguments: &RawValue, place: &TreePath<'_>) -> Result<DomainChange> {
        let RawValue::Map(entries) = arguments else { return Ok(DomainChange::default()) };
        let options = Options { entries, place };
        let mut change = DomainChange { exclude_tags: options.list("excludeTags")?, ..Default::default() };
        let inside = match options.get("domain") {
            None => return Ok(change),
            Some(RawValue::Map(inside)) => Options { entries: inside, place },
            Some(other) => {
                let found = format!("{}={}", type_name(other), other.to_text());
                return Err(place.error(&format!("Expected Map for 'domain', received {found}")));
            }
        };
        let tags = inside.list("excludeTags")?;
        // Inside of `domain` they win; beside it is the older form.
        if !tags.is_empty() {
            change.exclude_tags = tags;
        }
        // Asked by name and not by `get`, which hides null: a null here is an error of its own.
        if inside.entries.iter().any(|(name, _)| &**name == "query") {
            change.queries = Some(self.domain_queries(&inside, &change)?);
        }
        change.moves = self.moves(&inside)?;
        if let Some(filters) = inside.get("filter") {
            change.filters = self.queries(filters)?;
        }
        Ok(change)
    }

    fn domain_queries(&mut self, inside: &Options<'_>, change: &DomainChange) -> Result<Vec<Query>> {
        let Some(value) = inside.get("query") else {
            return Err(Error::bad_request("'query' domain can not be null or empty"));
        };
        if !change.exclude_tags.is_empty() {
            return Err(Error::bad_request("'query' domain can not be combined with 'excludeTags'"));
        }
        let queries = self.queries(value)?;
        if queries.is_empty() {
            let found = value.to_text();
            self.later::<()>(Err(Error::bad_request(format!(
                "Unable to parse domain 'query': {found} -- reason: 'query' domain must not evaluate to an empty list of queries"
            ))));
        }
        Ok(queries)
    }

    /// Queries as text, and those that stand in other parameters: `{"param":"name"}`. A mistake in one shows
    /// at the search.
    fn queries(&mut self, value: &RawValue) -> Result<Vec<Query>> {
        let mut texts = Vec::new();
        for value in
            if let RawValue::List(values) = value { values.as_slice() } else { std::slice::from_ref(value) }
        {
            match value {
                RawValue::Str(text) => texts.push(text.as_str()),
                RawValue::Map(entries) => match entries.as_slice() {
                    [(name, RawValue::Str(param))] if &**name == "param" => {
                        texts.extend(self.context.params.all_by_name(param));
                    }
                    _ => return Err(no_query(value)),
                },
                other => return Err(no_query(other)),
            }
        }
        let context = QueryContext { filtering: true, ..*self.context };
        let mut queries = Vec::with_capacity(texts.len());
        for text in texts {
            let parsed = parse_query(&context, text, "lucene");
            queries.extend(self.later(parsed).map(|parsed| parsed.executable()));
        }
        Ok(queries)
    }
}

fn no_query(value: &RawValue) -> Error {
    let found = value.to_text();
    Error::bad_request(format!(
        "`domain` holds `{found}`, which is no query; use text or {{\"param\":\"name\"}}"
    ))
}
