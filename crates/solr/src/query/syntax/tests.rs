//! Syntax errors as recorded from Solr 9.10.1, the bounds, and a run over random texts.

use super::check;
use super::parse::{NESTING_MAX, parse};

/// The start of a message, up to what would have fitted.
fn message(query: &str) -> String {
    let error = parse(query, false).unwrap_err().error;
    let start = error.message().split("\nWas expecting").next().unwrap_or_default();
    start.strip_prefix(&format!("Cannot parse '{query}': ")).unwrap_or(start).to_owned()
}

#[test]
fn errors_say_what_was_met_and_where() {
    let check = |query: &str, expected: &str| assert_eq!(message(query), expected, "{query}");
    check("foo AND", "Encountered \"<EOF>\" at line 1, column 7.");
    check("AND foo", "Encountered \" <AND> \"AND \"\" at line 1, column 0.");
    check("(foo", "Encountered \"<EOF>\" at line 1, column 4.");
    check("foo)", "Encountered \" \")\" \") \"\" at line 1, column 3.");
    check("()", "Encountered \" \")\" \") \"\" at line 1, column 1.");
    check("a_d:-2", "Encountered \" \"-\" \"- \"\" at line 1, column 4.");
    check("a::b", "Encountered \" \":\" \": \"\" at line 1, column 2.");
    check("NOT NOT a", "Encountered \" <NOT> \"NOT \"\" at line 1, column 4.");
    check("a^", "Encountered \"<EOF>\" at line 1, column 2.");
    check("a^2^3", "Encountered \" \"^\" \"^ \"\" at line 1, column 3.");
    check("[a b]", "Encountered \" <RANGE_GOOP> \"b \"\" at line 1, column 3.");
    check("[a TO]", "Encountered \" \"]\" \"] \"\" at line 1, column 5.");
    check("[a TO b]~2", "Encountered \" <FUZZY_SLOP> \"~2 \"\" at line 1, column 8.");
    check("\u{1F600} )", "Encountered \" \")\" \") \"\" at line 1, column 3.");
    check(
        "\"foo",
        "Lexical error at line 1, column 5.  Encountered: <EOF> after prefix \"\\\"foo\" (in lexical state 3)",
    );
    check("foo\"", "Lexical error at line 1, column 5.  Encountered: <EOF> (in lexical state 3)");
    check("a\\", "Lexical error at line 1, column 3.  Encountered: <EOF> (in lexical state 3)");
    check("a ] b", "Lexical error at line 1, column 3.  Encountered: '93' (93), (in lexical state 3)");
    check(
        "a // b",
        "Lexical error at line 1, column 4.  Encountered: '47' (47), after prefix \"/\" (in lexical state 3)",
    );
    check("a^ 2", "Lexical error at line 1, column 3.  Encountered: '32' (32),");
    check("a^a", "Lexical error at line 1, column 4.  Encountered: <EOF>");
}

#[test]
fn errors_say_what_would_have_fitted() {
    let check = |query: &str, expected: &[&str]| {
        let error = parse(query, false).unwrap_err().error;
        let (_, list) = error.message().split_once("Was expecting").unwrap();
        let names: Vec<_> = list.lines().skip(1).map(|name| name.trim().trim_end_matches(" ...")).collect();
        assert_eq!(names.strip_suffix(&[""]).unwrap(), expected, "{query}");
    };
    const CLAUSE: &[&str] = &[
        "<BAREOPER>",
        "\"(\"",
        "\"*\"",
        "<QUOTED>",
        "<TERM>",
        "<PREFIXTERM>",
        "<WILDTERM>",
        "<REGEXPTERM>",
        "\"[\"",
        "\"{\"",
        "<LPARAMS>",
        "\"filter(\"",
        "<NUMBER>",
    ];
    check("a^", &["<NUMBER>"]);
    check("[a b]", &["\"TO\""]);
    check("[a TO b", &["\"]\"", "\"}\""]);
    check("[", &["\"TO\"", "<RANGE_QUOTED>", "<RANGE_GOOP>"]);
    check("a:", CLAUSE);
    check("+", &[CLAUSE, &["<TERM>", "\"*\""]].concat());
    check("()", &[&["<NOT>", "\"+\"", "\"-\""], CLAUSE, &["<TERM>"]].concat());
    check("a AND", &[&["<NOT>", "\"+\"", "\"-\""], CLAUSE, &["<TERM>", "\"*\""]].concat());
}

#[test]
fn what_was_whole_is_kept() {
    let check = |query: &str, items: usize, ended: bool| {
        let failure = parse(query, false).unwrap_err();
        assert_eq!((failure.before.len(), failure.ended), (items, ended), "{query}");
    };
    check("a:b:c", 1, true);
    check("a b:c )", 2, true);
    check("(a:b:c", 1, false);
    check("x AND (", 1, false);
    check("(x AND", 1, false);
    check(")", 0, false);
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    assert!(check(&nested(NESTING_MAX - 1)).is_ok());
    assert!(check(&nested(NESTING_MAX)).unwrap_err().message().contains("nested deeper"));
    assert!(check(&"(".repeat(1_000_000)).is_err());
    assert!(check(&"filter(".repeat(100_000)).is_err());
}

#[test]
fn long_queries_are_read() {
    let many = |piece: &str| piece.repeat(50_000);
    assert!(check(&many("a ")).is_ok());
    assert!(check(&many("+a:b ")).is_ok());
    assert!(check(&format!("a {}", many("/* "))).is_ok());
    assert!(check(&many("{!a=")).is_err());
    assert!(check(&format!("{}='}}'", many("{!a= TO b] "))).is_err());
    assert!(check(&many("\"")).is_ok());
    assert!(check(&many("\\")).is_ok());
    assert!(check(&many("/a\\/")).is_ok());
}
