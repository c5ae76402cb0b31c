//! Clauses of `q` that could be filters: those that must match, ask for an exact value or a range, and come
//! again in other searches. Only of the standard parser's plainest form, clauses joined by `AND`; what is
//! more than that is left alone.

use super::asked::AskedSearch;

/// A search in which one clause may be a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClauseAsFilter {
    pub clause: String,
    /// What `q` is without it.
    pub rest: String,
}

/// The clauses of a search whose field is exact, by what `is_exact` says of names: its values are no words,
/// so that scores of documents differ by nothing that a filter leaves out.
pub fn filters_in_q(search: &AskedSearch, is_exact: &dyn Fn(&str) -> bool) -> Vec<ClauseAsFilter> {
    let is_plain = search.values("defType").all(|parser| parser == "lucene");
    let Some(q) = search.values("q").next().filter(|_| is_plain) else { return Vec::new() };
    // Within parentheses and quotes `AND` is not the outermost.
    if q.contains(['(', ')', '"', '{', '\\', '^']) || q.contains(" OR ") {
        return Vec::new();
    }
    // One clause alone has nothing to be a filter of.
    let parts: Vec<&str> = q.split(" AND ").map(str::trim).collect();
    if parts.len() < 2 || !parts.iter().all(|part| is_one_clause(part)) {
        return Vec::new();
    }
    let as_filter = |at: usize| {
        let others: Vec<&str> =
            parts.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, part)| *part).collect();
        ClauseAsFilter { clause: parts[at].to_owned(), rest: others.join(" AND ") }
    };
    let names_exact = |part: &&str| part.split_once(':').is_some_and(|(name, _)| is_exact(name));
    (0..parts.len()).filter(|at| names_exact(&parts[*at])).map(as_filter).collect()
}

/// One word or one range, with a field or without.
fn is_one_clause(part: &str) -> bool {
    let value = part.split_once(':').map_or(part, |(_, value)| value);
    let is_range = value.starts_with('[') && value.find(']') == Some(value.len() - 1);
    !part.is_empty()
        && !part.starts_with(['-', '!', '+'])
        && (is_range || !value.contains([' ', ':', '[', ']']))
}

#[cfg(test)]
mod tests {
    use super::super::asked::testing::asked;
    use super::*;

    #[test]
    fn only_exact_clauses_that_must_match_become_filters() {
        let check = |params: &[(&str, &str)], expected: &[(&str, &str)]| {
            let found = filters_in_q(&asked(params), &|name| name == "cat" || name == "year");
            let found: Vec<_> = found.iter().map(|it| (it.clause.as_str(), it.rest.as_str())).collect();
            assert_eq!(found, expected, "{params:?}");
        };
        check(&[("q", "word AND cat:x")], &[("cat:x", "word")]);
        check(
            &[("q", "cat:x AND body:y AND year:[1 TO 2]")],
            &[("cat:x", "body:y AND year:[1 TO 2]"), ("year:[1 TO 2]", "cat:x AND body:y")],
        );
        check(&[("q", "cat:x")], &[]);
        check(&[("q", "word AND cat:x OR y")], &[]);
        check(&[("q", "a b AND cat:x")], &[]);
        check(&[("q", "(word AND cat:x)")], &[]);
        check(&[("q", "word AND -cat:x")], &[]);
        check(&[("q", "word AND cat:x"), ("defType", "edismax")], &[]);
    }
}
