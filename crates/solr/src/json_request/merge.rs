//! One JSON value laid over another, as Solr lays them: objects grow together, `fields` and `filter` become
//! lists of both, anything else gives way to what comes later. In: two values; out: one. It is used where
//! several `json` parameters, a body and `json.path=value` speak of the same, and knows nothing of what any
//! of it means.

use std::collections::HashMap;
use std::sync::Arc;

use plan::{Error, Result};

use super::values::{Entries, listed, type_name};
use crate::update::RawValue;

/// The names of a path such as `facet.authors.limit`; a backslash keeps a point.
pub(super) fn path(text: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let plain = if c == '\\' { chars.next() } else { Some(c) };
        match (c, names.last_mut()) {
            ('.', _) => names.push(String::new()),
            (_, Some(name)) => name.extend(plain),
            _ => {}
        }
    }
    names
}

/// Lays `value` over what is at `path` below `outer`. Without a path it must be an object.
pub(super) fn lay_over(outer: &mut Entries, path: &[String], value: RawValue) -> Result<()> {
    match (path, value) {
        ([], RawValue::Map(entries)) => fold_in(outer, entries, joined),
        ([], other) => {
            let message = format!("Expected JSON Object but got {}={}", type_name(&other), other.to_text());
            return Err(Error::bad_request(message));
        }
        ([name], value) => fold_in(outer, vec![(Arc::from(name.as_str()), value)], joined),
        ([name, rest @ ..], value) => {
            let known = outer.iter().position(|(key, _)| **key == **name);
            let at = known.unwrap_or_else(|| {
                outer.push((Arc::from(name.as_str()), RawValue::Map(Vec::new())));
                outer.len() - 1
            });
            return match outer.get_mut(at) {
                Some((_, RawValue::Map(inner))) => lay_over(inner, rest, value),
                _ => {
                    Err(Error::bad_request(format!("`json.{name}` is no object; nothing can be put into it")))
                }
            };
        }
    }
    Ok(())
}

/// What becomes of an entry that comes again.
fn joined(name: &str, previous: RawValue, current: RawValue) -> RawValue {
    match (previous, current) {
        (RawValue::Null, current) => current,
        (previous, current) if matches!(name, "fields" | "filter") => {
            let values = [&previous, &current].into_iter().flat_map(listed);
            RawValue::List(values.cloned().collect())
        }
        (RawValue::Map(mut previous), RawValue::Map(current)) if !previous.is_empty() => {
            fold_in(&mut previous, current, joined);
            RawValue::Map(previous)
        }
        (_, current) => current,
    }
}

/// Adds entries to others, with `join` where a name is there already; each keeps its first place.
fn fold_in(target: &mut Entries, entries: Entries, join: fn(&str, RawValue, RawValue) -> RawValue) {
    // Parameters such as `json.facet.a` come one by one.
    if let [(name, _)] = entries.as_slice()
        && !target.iter().any(|(known, _)| known == name)
    {
        return target.extend(entries);
    }
    let known = target.iter().enumerate().map(|(at, (name, _))| (name.clone(), at));
    let mut places: HashMap<Arc<str>, usize> = known.collect();
    for (name, value) in entries {
        match places.get(&name).and_then(|at| target.get_mut(*at)) {
            Some((_, known)) => {
                let previous = std::mem::replace(known, RawValue::Null);
                *known = join(&name, previous, value);
            }
            None => {
                places.insert(name.clone(), target.len());
                target.push((name, value));
            }
        }
    }
}

/// Of entries of the same name the last.
pub(super) fn last_of_each(entries: Entries) -> Entries {
    let mut distinct = Entries::with_capacity(entries.len());
    fold_in(&mut distinct, entries, |_, _, current| current);
    distinct
}

/// The value with [`last_of_each`] in all its objects.
pub(super) fn with_distinct_keys(value: RawValue) -> RawValue {
    match value {
        RawValue::List(values) => RawValue::List(values.into_iter().map(with_distinct_keys).collect()),
        RawValue::Map(entries) => {
            let entries = last_of_each(entries).into_iter();
            RawValue::Map(entries.map(|(name, value)| (name, with_distinct_keys(value))).collect())
        }
        other => other,
    }
}
