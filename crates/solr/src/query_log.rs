//! The parameters of a search as the query log keeps them: comparable between searches that ask the same in
//! another spelling, bounded, and without secrets. In: parameters in effect, with the handler's presets and
//! what a JSON body stands for; out: values by name. Who writes them where is the binary's.

use std::collections::BTreeMap;

use crate::params::Params;
use crate::params::query::FQ;
use crate::params::response;
use crate::redact::{LEFT_OUT, is_left_out, redacted};

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

/// Values by name, names in order. Filters are in order and each there once, as neither changes what is
/// found; other values stay in the order in which they were sent. Parameters that say how the answer is
/// written are left out, and so are those of a name in `left_out`, in upper or lower case, and what JSON says
/// of them. Values of secrets are never kept.
pub fn logged_params(params: &Params, left_out: &[String]) -> BTreeMap<String, Vec<String>> {
    let is_kept = |name: &str| !PRESENTATION.contains(&name) && !is_left_out(name, left_out);
    let mut pairs: Vec<&(String, String)> = params.pairs().iter().filter(|(name, _)| is_kept(name)).collect();
    pairs.sort_by_key(|(name, _)| name);
    let mut kept: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut bytes = 0;
    for (name, value) in pairs {
        // Before it is cut: what is cut is no JSON any more.
        let value = cut(&redacted(name, value, left_out));
        bytes += name.len() + value.len();
        if name.len() > VALUE_BYTES_MAX || bytes > PARAMS_BYTES_MAX {
            kept.insert(LEFT_OUT.to_owned(), Vec::new());
            break;
        }
        kept.entry(name.clone()).or_default().push(value);
    }
    if let Some(filters) = kept.get_mut(FQ.name) {
        filters.sort_unstable();
        filters.dedup();
    }
    kept
}

fn cut(value: &str) -> String {
    if value.len() <= VALUE_BYTES_MAX {
        return value.to_owned();
    }
    let (kept, _) = value.split_at(value.floor_char_boundary(VALUE_BYTES_MAX));
    format!("{kept}{LEFT_OUT}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, left_out: &[&str], expected: &[(&str, &[&str])]) {
        let left_out: Vec<String> = left_out.iter().map(|name| (*name).to_owned()).collect();
        let kept = logged_params(&crate::parse_form(query.as_bytes()).unwrap(), &left_out);
        let kept: Vec<(&str, Vec<&str>)> = kept
            .iter()
            .map(|(name, values)| (name.as_str(), values.iter().map(String::as_str).collect()))
            .collect();
        let expected: Vec<(&str, Vec<&str>)> =
            expected.iter().map(|(name, values)| (*name, values.to_vec())).collect();
        assert_eq!(kept, expected, "{query}");
    }

    #[test]
    fn the_same_search_in_another_spelling_is_the_same() {
        let expected: &[(&str, &[&str])] = &[("fq", &["a:1", "b:2"]), ("q", &["x"]), ("sort", &["n asc"])];
        check("q=x&fq=b:2&fq=a:1&sort=n+asc", &[], expected);
        check("sort=n+asc&fq=a:1&fq=b:2&fq=a:1&q=x&wt=xml&indent=true&_=17", &[], expected);
        check("facet.field=b&facet.field=a", &[], &[("facet.field", &["b", "a"])]);
        check("", &[], &[]);
    }

    #[test]
    fn secrets_and_what_is_named_are_left_out() {
        check("q=x&API_KEY=y&user=z", &["USER"], &[("API_KEY", &["…"]), ("q", &["x"])]);
        let body = r#"json={"query":"x","params":{"authToken":"y"}}&q=x"#;
        check(body, &["Q"], &[("json", &[r#"{"params":{"authToken":"…"}}"#])]);
    }

    #[test]
    fn parameters_are_bounded() {
        let long = format!("q={}", "é".repeat(VALUE_BYTES_MAX));
        let kept = logged_params(&crate::parse_form(long.as_bytes()).unwrap(), &[]);
        assert_eq!(kept["q"], [format!("{}…", "é".repeat(VALUE_BYTES_MAX / 2))]);
        let many = vec!["fq=some_field:value"; 2000].join("&");
        let kept = logged_params(&crate::parse_form(many.as_bytes()).unwrap(), &[]);
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["fq", "…"]);
    }
}
