//! Bodies of the v2 API: a JSON object that says what the older paths say with parameters, and lists of
//! levels of the log. In: the body's text; out: parameters, so that both APIs are served by the same handlers
//! and read by the same definitions. Numbers and flags become their texts, as a query string would have them.

use plan::{Error, Result};

use crate::commands::object;
use crate::params::Params;
use crate::update::{JsonReader, Names, RawValue, value};

/// Objects in objects; deeper ones mean nothing to anyone.
const DEPTH_MAX: usize = 4;

/// An object as parameters: what is in an object within goes by `outer.inner`, a list of texts is joined by
/// commas. An empty text is an empty object. Errors: what is no object, or is nested too deeply.
pub fn body_params(text: &str) -> Result<Params> {
    let mut params = Params::default();
    if text.trim().is_empty() {
        return Ok(params);
    }
    let shape = || Error::bad_request("the body is no object; send `{\"name\": …}`");
    for (name, value) in object(text)?.ok_or_else(shape)? {
        add(&mut params, &name, &value, 1)?;
    }
    Ok(params)
}

fn add(params: &mut Params, name: &str, value: &RawValue, depth: usize) -> Result<()> {
    let unfit = || {
        Error::bad_request(format!(
            "`{name}` of the body is neither a text, a number, a flag nor a list of them"
        ))
    };
    match value {
        RawValue::Null => {}
        RawValue::Map(members) if depth < DEPTH_MAX => {
            for (inner, value) in members {
                add(params, &format!("{name}.{inner}"), value, depth + 1)?;
            }
        }
        RawValue::List(values) if values.iter().all(is_plain) => {
            let texts: Vec<String> = values.iter().map(RawValue::to_text).collect();
            params.push(name, texts.join(","));
        }
        plain if is_plain(plain) => params.push(name, plain.to_text()),
        _ => return Err(unfit()),
    }
    Ok(())
}

fn is_plain(value: &RawValue) -> bool {
    !matches!(value, RawValue::Null | RawValue::List(_) | RawValue::Map(_))
}

/// Loggers with their levels, of `[{"logger": "root", "level": "INFO"}]`; no level takes the choice back.
pub fn level_changes(text: &str) -> Result<Vec<(String, Option<String>)>> {
    let shape = || {
        Error::bad_request(
            "the body is no list of levels; send `[{\"logger\": \"root\", \"level\": \"INFO\"}]`",
        )
    };
    let mut reader = JsonReader::new(text);
    let first = reader.next_event()?;
    let RawValue::List(changes) = value(&mut reader, first, &mut Names::default())? else {
        return Err(shape());
    };
    let one = |change: &RawValue| {
        let RawValue::Map(members) = change else { return Err(shape()) };
        let text = |name: &str| {
            members.iter().find_map(|(key, value)| match value {
                RawValue::Str(text) if **key == *name => Some(text.clone()),
                _ => None,
            })
        };
        Ok((text("logger").ok_or_else(shape)?, text("level")))
    };
    changes.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_become_parameters() {
        let check = |body: &str, expected: &str| {
            let shown = match body_params(body) {
                Ok(params) => {
                    let pairs = params.pairs().iter().map(|(name, value)| format!("{name}={value}"));
                    pairs.collect::<Vec<_>>().join("&")
                }
                Err(error) => error.message,
            };
            assert_eq!(shown, expected, "{body}");
        };
        check("", "");
        check(r#"{"name":"a","numShards":1,"x":true,"gone":null}"#, "name=a&numShards=1&x=true");
        check(
            r#"{"collections":["a","b"],"router":{"name":"compositeId"}}"#,
            "collections=a,b&router.name=compositeId",
        );
        check("[]", "the body is no object; send `{\"name\": …}`");
        check(r#"{"a":[{}]}"#, "`a` of the body is neither a text, a number, a flag nor a list of them");
        check(
            r#"{"a":{"a":{"a":{"a":{"a":1}}}}}"#,
            "`a.a.a.a` of the body is neither a text, a number, a flag nor a list of them",
        );
        assert!(body_params("{").is_err());
    }

    #[test]
    fn levels_are_listed() {
        let changes = level_changes(r#"[{"logger":"http","level":"DEBUG"},{"logger":"root"}]"#).unwrap();
        assert_eq!(changes, [("http".into(), Some("DEBUG".into())), ("root".into(), None)]);
        assert!(level_changes("{}").is_err() && level_changes(r#"[{"level":"INFO"}]"#).is_err());
    }
}
