//! What logs may keep of a parameter's value: nothing of a secret, and of a request in JSON all but its
//! secrets, at whatever depth they stand. In: a name and its value; out: the value, or what stands for it.
//! Secrets within a text are `redact_text`'s. How much of a value a log has room for is each log's own matter
//! (`query_log.rs`, `slow/`).

use std::borrow::Cow;

use crate::json_request::is_json;
use crate::params::{paging, query, response};
use crate::redact_text::{LEFT_OUT, is_secret, without_secrets};
use crate::response::{JsonStyle, Node, write_json};
use crate::update::{Event, JsonReader, Names, RawValue, value};

/// What a request in JSON calls a parameter.
const JSON_NAMES: [(&str, &str); 5] = [
    ("query", query::Q.name),
    ("filter", query::FQ.name),
    ("fields", response::FL.name),
    ("offset", paging::START.name),
    ("limit", paging::ROWS.name),
];

/// The value of the parameter `name` as a log may keep it. Members of JSON by a name in `left_out`, or by
/// what JSON calls it, are gone; those of secrets have no value. JSON that cannot be read is left out whole:
/// nobody can tell where in it a secret ends.
pub(crate) fn redacted<'a>(name: &str, value: &'a str, left_out: &[String]) -> Cow<'a, str> {
    if is_secret(name) {
        return Cow::Borrowed(LEFT_OUT);
    }
    if !is_json(name) {
        return without_secrets(value);
    }
    if left_out.is_empty() && !may_hold_secret(value) {
        return Cow::Borrowed(value);
    }
    let Some(mut json) = parse(value) else { return Cow::Borrowed(LEFT_OUT) };
    let before = json.clone();
    redact(&mut json, left_out);
    if json == before { Cow::Borrowed(value) } else { Cow::Owned(text(json)) }
}

/// Whether a parameter is one of `left_out`, in upper or lower case, or a part of a request's JSON by its
/// name.
pub(crate) fn is_left_out(name: &str, left_out: &[String]) -> bool {
    if left_out.is_empty() {
        return false;
    }
    let last = if is_json(name) { name.rsplit('.').next().unwrap_or(name) } else { name };
    left_out.iter().any(|known| names_it(known, name) || names_it(known, last))
}

fn names_it(known: &str, name: &str) -> bool {
    let called = JSON_NAMES.iter().find(|(_, parameter)| parameter.eq_ignore_ascii_case(known));
    known.eq_ignore_ascii_case(name) || called.is_some_and(|(json, _)| json.eq_ignore_ascii_case(name))
}

/// Most requests in JSON hold no such word, and are not read a second time. An escape may spell one.
fn may_hold_secret(json: &str) -> bool {
    json.contains(['\\', '@']) || is_secret(json)
}

fn parse(text: &str) -> Option<RawValue> {
    let mut reader = JsonReader::new(text);
    let first = reader.next_event().ok()?;
    let found = value(&mut reader, first, &mut Names::default()).ok()?;
    matches!(reader.next_event(), Ok(Event::End)).then_some(found)
}

fn redact(value: &mut RawValue, left_out: &[String]) {
    match value {
        RawValue::List(values) => values.iter_mut().for_each(|value| redact(value, left_out)),
        RawValue::Map(entries) => {
            entries.retain(|(name, _)| !left_out.iter().any(|known| names_it(known, name)));
            for (name, value) in entries {
                match is_secret(name) {
                    true => *value = RawValue::Str(LEFT_OUT.to_owned()),
                    false => redact(value, left_out),
                }
            }
        }
        RawValue::Str(text) => {
            if let Cow::Owned(kept) = without_secrets(text) {
                *text = kept;
            }
        }
        _ => {}
    }
}

fn text(value: RawValue) -> String {
    let mut out = Vec::new();
    match Node::from(value) {
        Node::Map(entries) => write_json(&entries, &JsonStyle::default(), &mut out),
        // A part of a request (`json.filter`) is any value: written as the one member, without its name.
        other => {
            write_json(&vec![("".into(), other)], &JsonStyle::default(), &mut out);
            out.drain(..br#"{"":"#.len());
            out.pop();
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, value: &str, left_out: &[&str], expected: &str) {
        let left_out: Vec<String> = left_out.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(redacted(name, value, &left_out), expected, "{name}={value}");
    }

    #[test]
    fn secrets_in_json_are_left_out_at_any_depth() {
        let body = r#"{"query":"a","params":{"password":"x","rows":3},"facet":{"t":[{"api_key":["y"]}]}}"#;
        let kept = r#"{"query":"a","params":{"password":"…","rows":3},"facet":{"t":[{"api_key":"…"}]}}"#;
        check("json", body, &[], kept);
        check("json.params", r#"{"authToken":{"a":1}}"#, &[], r#"{"authToken":"…"}"#);
        check("json.filter", r#"[{"secret":1},"b"]"#, &[], r#"[{"secret":"…"},"b"]"#);
        // As Solr reads it: names without quotes, comments, escapes in names.
        check("json", r#"{params:{/* a */passwd:'x'}}"#, &[], r#"{"params":{"passwd":"…"}}"#);
        check("json", r#"{"params":{"pass\u0077ord":"x"}}"#, &[], r#"{"params":{"password":"…"}}"#);
        check("json.params.password", "x", &[], LEFT_OUT);
    }

    #[test]
    fn json_that_cannot_be_read_is_left_out_where_it_may_hold_one() {
        check("json", r#"{"params":{"password":"x"#, &[], LEFT_OUT);
        check("json", r#"{"params":{"password":"x"}} {"a":1}"#, &[], LEFT_OUT);
        check("json", r#"{"query":"x"#, &[], r#"{"query":"x"#);
        check("json", r#"{"query":"x"#, &["user"], LEFT_OUT);
    }

    #[test]
    fn what_holds_no_secret_stays_as_it_was_sent() {
        for body in [r#"{ query : 'the secret token', "limit":1.50 }"#, r#"{"query":"a\\b"}"#, "", "{}"] {
            check("json", body, &[], body);
        }
        check("json.nl", "map", &["q"], "map");
        check("q", r#"{"password":"x"}"#, &[], r#"{"password":"x"}"#);
    }

    #[test]
    fn named_parameters_are_left_out_of_json_by_both_their_names() {
        let body = r#"{"query":"who","filter":["a"],"limit":3,"params":{"USER":"me","q":"who"}}"#;
        check("json", body, &["q", "user"], r#"{"filter":["a"],"limit":3,"params":{}}"#);
        let named = ["q".to_owned(), "user".to_owned()];
        for (name, expected) in [
            ("Q", true),
            ("json.query", true),
            ("json.params.user", true),
            ("json.filter", false),
            ("json", false),
        ] {
            assert_eq!(is_left_out(name, &named), expected, "{name}");
        }
        assert!(!is_left_out("query", &[]) && !is_left_out("json.nl", &["nl".to_owned()]));
    }
}
