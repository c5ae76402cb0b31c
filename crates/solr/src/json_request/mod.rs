//! The JSON request language: what a body of JSON, the parameter `json` and the parameters `json.<path>` ask
//! for becomes ordinary parameters, so that one reader serves both; the tree of facets, which no parameter
//! can hold, goes with them. Which of two wins follows Solr: what is sent in JSON over what is sent plainly,
//! but for `params`, which only fill gaps. `merge.rs` lays several JSON texts over one another, `queries.rs`
//! turns query objects into local parameters, `macros.rs` fills in `${name}`.

mod macros;
mod merge;
mod queries;
mod values;

#[cfg(test)]
mod tests;

pub use macros::filled;
pub(crate) use values::type_name;

use plan::{Error, Result};

use crate::params::json_request::{JSON, PARTS};
use crate::params::{PARAMS_MAX, Params, paging, query, response};
use crate::update::{Complaint, Event, JsonReader, Names, RawValue, value};
use queries::Queries;
use values::{Entries, listed};

/// Parameters with the prefix that are about how JSON is written.
const WRITER: [&str; 2] = [response::JSON_NAMED_LISTS.name, response::JSON_WRAPPER.name];
/// What the names of its parts begin with.
const PART: &str = PARTS.beginning();

/// Whether the parameters hold JSON or refer to one another; most do not.
pub fn is_asked(params: &Params) -> bool {
    params
        .pairs()
        .iter()
        .any(|(name, value)| is_json(name) || [name, value].into_iter().any(|text| macros::any(text)))
}

/// Whether the parameter is a request in JSON or a part of one.
pub(crate) fn is_json(name: &str) -> bool {
    name == JSON.name || is_part(name)
}

/// Whether the parameter is a part of the request's JSON.
fn is_part(name: &str) -> bool {
    name.starts_with(PART) && !WRITER.contains(&name)
}

/// The parameters with a body of JSON among them, before those of the same name in the URL, which may so
/// overlay it.
pub fn with_body(params: &Params, body: &str) -> Params {
    let others = params.pairs().iter().filter(|(name, _)| name != JSON.name).cloned();
    let sent = params.pairs().iter().filter(|(name, _)| name == JSON.name).cloned();
    Params::new(others.chain([(JSON.name.to_owned(), body.to_owned())]).chain(sent).collect())
}

/// The parameters and those of `params` in their JSON that have not been sent plainly. To be called before a
/// handler's presets are added, which count for less. What is wrong with the JSON is reported by [`expand`].
pub fn with_params(params: &Params) -> Params {
    let mut found = params.clone();
    for text in JSON.sent_all(params) {
        for (name, value) in params_of(text).unwrap_or_default() {
            if found.by_name(&name).is_some() || found.check_count().is_err() {
                continue;
            }
            match value {
                RawValue::Null => {}
                RawValue::List(values) => {
                    let most = values.iter().take(PARAMS_MAX);
                    most.for_each(|value| found.push(&*name, value.to_text()));
                }
                value => found.push(&*name, value.to_text()),
            }
        }
    }
    found
}

/// The first `params` of a request, however the text goes on behind it: macros may not be filled in yet.
fn params_of(text: &str) -> Option<Entries> {
    if !text.contains("params") {
        return None;
    }
    let (mut reader, mut names) = (JsonReader::new(text), Names::default());
    if reader.next_event().ok()? != Event::ObjectStart {
        return None;
    }
    while let Event::Key(key) = reader.next_event().ok()? {
        let wanted = key == "params";
        let first = reader.next_event().ok()?;
        let found = value(&mut reader, first, &mut names).ok()?;
        if wanted {
            return match found {
                RawValue::Map(entries) => Some(merge::last_of_each(entries)),
                _ => None,
            };
        }
    }
    None
}

/// Turns JSON into parameters; `params` are those of the request and its handler together, [`filled`] in.
/// Errors are bad requests in Solr's words.
pub fn expand(params: Params) -> Result<Params> {
    let Some(json) = merged(&params)? else { return Ok(params) };
    let mut found = params;
    let mut queries = Queries::default();
    for (key, value) in &json {
        match &**key {
            "query" => {
                let text = queries.text(value, &mut found)?;
                found.set(query::Q.name, text);
            }
            "filter" => append(&mut found, &mut queries, query::FQ.name, value)?,
            "fields" => {
                listed(value).iter().for_each(|value| found.push(response::FL.name, value.to_text()));
            }
            "offset" => found.set(paging::START.name, value.to_text()),
            "limit" => found.set(paging::ROWS.name, value.to_text()),
            "sort" => found.set(query::SORT.name, value.to_text()),
            "queries" => named_queries(&mut found, &mut queries, value)?,
            "params" | "facet" => {}
            _ => {
                let message = format!("Unknown top-level key in JSON request : {key}");
                return Err(Error::bad_request(message));
            }
        }
    }
    found.check_count()?;
    Ok(found.with_json(RawValue::Map(json)))
}

/// Adds one query or several to the values of a parameter.
fn append(params: &mut Params, queries: &mut Queries, name: &str, value: &RawValue) -> Result<()> {
    for value in listed(value) {
        let text = queries.text(value, params)?;
        params.push(name, text);
        params.check_count()?;
    }
    Ok(())
}

fn named_queries(params: &mut Params, queries: &mut Queries, value: &RawValue) -> Result<()> {
    let RawValue::Map(named) = value else {
        let message = format!("Expected Map for 'queries', received {}", value.to_text());
        return Err(Error::bad_request(message));
    };
    named.iter().try_for_each(|(name, value)| append(params, queries, name, value))
}

/// All JSON of the request as one object; `None` where there is none.
fn merged(params: &Params) -> Result<Option<Entries>> {
    let mut all = Entries::new();
    let mut any = false;
    for text in JSON.sent_all(params) {
        any = true;
        if let Some(value) = parse(text)? {
            merge::lay_over(&mut all, &[], value)?;
        }
    }
    for (path, text) in PARTS.sent_all(params) {
        if WRITER.iter().any(|name| name.strip_prefix(PART) == Some(path)) {
            continue;
        }
        any = true;
        if let Some(value) = parse(text)? {
            merge::lay_over(&mut all, &merge::path(path), value)?;
        }
    }
    Ok(any.then_some(all))
}

/// The one value of a text; `None` of an empty text and of `null`.
fn parse(text: &str) -> Result<Option<RawValue>> {
    let mut reader = JsonReader::complaining(text, Complaint::Text);
    let first = reader.next_event()?;
    if first == Event::End {
        return Ok(None);
    }
    let value = value(&mut reader, first, &mut Names::default())?;
    if reader.next_event()? != Event::End {
        return Err(reader.not_single());
    }
    Ok(Some(merge::with_distinct_keys(value)).filter(|value| *value != RawValue::Null))
}
