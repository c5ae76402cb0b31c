//! The parameters of a search as the query log keeps them: comparable between searches that ask the same in
//! another spelling, bounded, and without secrets. In: parameters in effect, with the handler's presets and
//! what a JSON body stands for; out: JSON, values by name. Who writes it where is the binary's.

use std::borrow::Cow;

use crate::params::Params;
use crate::params::query::FQ;
use crate::params::response;
use crate::redact::{is_left_out, redacted};
use crate::redact_text::LEFT_OUT;
use crate::response::write_string;

/// Most of one value, and of all names and values together, in bytes.
const VALUE_BYTES_MAX: usize = 4 << 10;
const PARAMS_BYTES_MAX: usize = 16 << 10;

/// Parameters that only say how the answer is written.
const PRESENTATION: [&str; 8] = [
    response::WT.name,
    response::INDENT.name,
    response::ECHO_PARAMS.name,
    response::ECHO_HANDLER.name,
    response::OMIT_HEADER.name,
    response::JSON_NAMED_LISTS.name,
    response::JSON_WRAPPER.name,
    "_",
];

/// A search as the members `collection`, `handler` and `params` of a JSON object, without its braces.
///
/// Of the parameters: values by name, names in order. Filters are in order and each there once, as neither
/// changes what is found; other values stay in the order in which they were sent. Parameters that say how the
/// answer is written are left out, and so are those of a name in `left_out`, in upper or lower case, and what
/// JSON says of them. Values of secrets are never kept.
pub fn logged_search(collection: &str, handler: &str, params: &Params, left_out: &[String]) -> Vec<u8> {
    // Written here and once: the log is to cost a request less than a hundredth of its time, and maps of
    // names, made here, copied and taken apart on the log's thread, took several times that (2026-11-29).
    let mut out = Vec::with_capacity(320);
    out.extend_from_slice(b"\"collection\":");
    write_string(&mut out, collection);
    out.extend_from_slice(b",\"handler\":");
    write_string(&mut out, handler);
    out.extend_from_slice(b",\"params\":{");
    write_params(&mut out, &kept_params(params, left_out));
    out.push(b'}');
    out
}

/// Those that are kept, in their order; a name `…` where there are too many.
fn kept_params<'a>(params: &'a Params, left_out: &[String]) -> Vec<(&'a str, Cow<'a, str>)> {
    let is_kept = |name: &str| !PRESENTATION.contains(&name) && !is_left_out(name, left_out);
    let sent = params.pairs().iter().filter(|(name, _)| is_kept(name));
    let mut sent: Vec<(&str, &str)> = sent.map(|(name, value)| (name.as_str(), value.as_str())).collect();
    sent.sort_by_key(|(name, _)| *name);
    let mut kept: Vec<(&str, Cow<'_, str>)> = Vec::with_capacity(sent.len());
    let mut bytes = 0;
    let mut is_cut = false;
    for (name, value) in sent {
        // Before it is cut: what is cut is no JSON any more.
        let value = cut(redacted(name, value, left_out));
        bytes += name.len() + value.len();
        if name.len() > VALUE_BYTES_MAX || bytes > PARAMS_BYTES_MAX {
            is_cut = true;
            break;
        }
        kept.push((name, value));
    }
    let first = kept.partition_point(|(name, _)| *name < FQ.name);
    let end = first + kept[first..].partition_point(|(name, _)| *name == FQ.name);
    kept[first..end].sort_unstable_by(|one, other| one.1.cmp(&other.1));
    kept.dedup_by(|one, other| one.0 == FQ.name && one == other);
    kept.extend(is_cut.then_some((LEFT_OUT, Cow::Borrowed(""))));
    kept
}

/// Members of an object: lists of values by name, of which equal ones stand side by side.
fn write_params(out: &mut Vec<u8>, params: &[(&str, Cow<'_, str>)]) {
    for (at, values) in params.chunk_by(|one, other| one.0 == other.0).enumerate() {
        let name = values[0].0;
        if at > 0 {
            out.push(b',');
        }
        write_string(out, name);
        out.extend_from_slice(b":[");
        let values = values.iter().filter(|_| name != LEFT_OUT);
        for (at, (_, value)) in values.enumerate() {
            if at > 0 {
                out.push(b',');
            }
            write_string(out, value);
        }
        out.push(b']');
    }
}

fn cut(value: Cow<'_, str>) -> Cow<'_, str> {
    if value.len() <= VALUE_BYTES_MAX {
        return value;
    }
    let (kept, _) = value.split_at(value.floor_char_boundary(VALUE_BYTES_MAX));
    Cow::Owned(format!("{kept}{LEFT_OUT}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(query: &str, left_out: &[&str]) -> String {
        let left_out: Vec<String> = left_out.iter().map(|name| (*name).to_owned()).collect();
        let params = crate::parse_form(query.as_bytes()).unwrap();
        let text = String::from_utf8(logged_search("films", "/select", &params, &left_out)).unwrap();
        let params = text.strip_prefix(r#""collection":"films","handler":"/select","params":"#);
        params.unwrap_or_else(|| panic!("{text}")).to_owned()
    }

    fn check(query: &str, left_out: &[&str], expected: &str) {
        assert_eq!(logged(query, left_out), expected, "{query}");
    }

    #[test]
    fn the_same_search_in_another_spelling_is_the_same() {
        let expected = r#"{"fq":["a:1","b:2"],"q":["x"],"sort":["n asc"]}"#;
        check("q=x&fq=b:2&fq=a:1&sort=n+asc", &[], expected);
        check("sort=n+asc&fq=a:1&fq=b:2&fq=a:1&q=x&wt=xml&indent=true&_=17", &[], expected);
        check("facet.field=b&facet.field=a&q=b&q=b", &[], r#"{"facet.field":["b","a"],"q":["b","b"]}"#);
        check("q=a%22%0A", &[], r#"{"q":["a\"\n"]}"#);
        check("", &[], "{}");
    }

    #[test]
    fn secrets_and_what_is_named_are_left_out() {
        check("q=x&API_KEY=y&user=z", &["USER"], r#"{"API_KEY":["…"],"q":["x"]}"#);
        let body = r#"json={"query":"x","params":{"authToken":"y"}}&q=x"#;
        check(body, &["Q"], r#"{"json":["{\"params\":{\"authToken\":\"…\"}}"]}"#);
        check("q={!x+password%3Dhush}y", &[], r#"{"q":["{!x password=…}y"]}"#);
    }

    #[test]
    fn parameters_are_bounded() {
        let kept = logged(&format!("q={}", "é".repeat(VALUE_BYTES_MAX)), &[]);
        assert_eq!(kept, format!(r#"{{"q":["{}…"]}}"#, "é".repeat(VALUE_BYTES_MAX / 2)));
        let many: Vec<String> = (0..2000).map(|at| format!("fq=some_field:value{at:04}")).collect();
        let kept = logged(&many.join("&"), &[]);
        assert!(kept.ends_with(r#"],"…":[]}"#) && kept.len() < 2 * PARAMS_BYTES_MAX, "{}", kept.len());
    }
}
