//! Queries as Solr 9.10.1 builds them, compared through debug output; texts without end in a property test.
//! How each piece of the grammars reads is tested beside it.

use plan::{Error, Result};
use proptest::prelude::*;

use crate::date_math::DateMath;
use crate::debug::QueryPrinter;
use crate::params::Params;
use crate::query::parse_query;
use crate::query::tests::Fixture;

/// `parsedquery_toString` of `query` under parameters in the form of a request's.
fn shown(fixture: &Fixture, query: &str, parser: &str, form: &str) -> Result<String> {
    let mut params = crate::params::parse_form(form.as_bytes())?;
    params.push("q", query);
    params.push("df", "df_t");
    let dates = DateMath::new(1_795_261_289_622);
    let parsed = parse_query(&fixture.context(&params, &dates), query, parser)?;
    Ok(QueryPrinter::new(&fixture.schema).parsed_to_string(&parsed))
}

fn check_all(parser: &str, cases: &[(&str, &str, &str)]) {
    let fixture = Fixture::new();
    for (query, form, expected) in cases {
        let found = shown(&fixture, query, parser, form).unwrap_or_else(|error| error.message);
        assert_eq!(found, *expected, "{query} & {form}");
    }
}

#[test]
fn each_word_is_scored_by_its_best_field() {
    check_all(
        "edismax",
        &[
            ("Fox", "", "+(df_t:fox)"),
            ("quick fox", "qf=a_t b_t^2", "+((a_t:quick | (b_t:quick)^2.0) (a_t:fox | (b_t:fox)^2.0))"),
            ("quick fox", "qf=a_t^1 b_t&tie=0.1", "+((a_t:quick | b_t:quick)~0.1 (a_t:fox | b_t:fox)~0.1)"),
            ("quick fox", "qf=a_t a_s&q.op=AND", "+(+(a_t:quick | a_s:quick) +(a_t:fox | a_s:fox))"),
            ("quick-x fox", "qf=a_t a_s", "+((a_t:quick a_t:x a_t:fox) | (a_s:quick-x a_s:fox))"),
            (
                "quick-x fox",
                "qf=a_t a_s&sow=true",
                "+(((a_t:quick a_t:x) | a_s:quick-x) (a_t:fox | a_s:fox))",
            ),
            ("the fox", "qf=a_stop a_t", "+(a_stop:fox | (a_t:the a_t:fox))"),
            ("fox", "qf=a_t a_i", "+(a_t:fox)"),
            ("fox", "qf=a_i", "+()"),
            ("quick fox", "qf=a_i", "+((MatchNoDocsQuery(\"\")) (MatchNoDocsQuery(\"\")))"),
            (
                "\"quick fox\" \"a b\"~1",
                "qf=a_t a_s&qs=2",
                "+((a_t:\"quick fox\"~2 | a_s:quick fox) (a_t:\"a b\"~1 | a_s:a b))",
            ),
            ("fo* f?x fax~1", "qf=a_t", "+((a_t:fo*) (a_t:f?x) (a_t:fax~1))"),
            ("fox^2 (a b)^3", "qf=a_t", "+(((a_t:fox))^2.0 ((a_t:a) (a_t:b))^3.0)"),
        ],
    );
}

#[test]
fn fields_may_be_named() {
    check_all(
        "edismax",
        &[
            ("a_s:Ash fox", "qf=a_t", "+(a_s:Ash (a_t:fox))"),
            ("a_s:Ash fox", "qf=a_t&uf=a_t", "+((a_t:a_s:ash) (a_t:fox))"),
            ("a_s:Ash", "qf=a_t&uf=* a_s^3", "+(a_s:Ash)^3.0"),
            ("nosuch:fox", "qf=a_t", "+(a_t:nosuch:fox)"),
            ("a_i:abc fox", "qf=a_t", "+(a_t:fox)"),
            ("a_t:(quick fox)", "qf=b_t&mm=100%25", "+((a_t:quick a_t:fox)~2)"),
            ("name:fox", "f.name.qf=a_t^2 a_s&tie=0.2", "+((a_t:fox)^2.0 | a_s:fox)~0.2"),
            (
                "name:fox",
                "f.name.qf=name",
                "org.apache.solr.search.SyntaxError: Field aliases lead to a cycle",
            ),
            ("x", "qf=name&f.name.qf=a_t b_t", "+((a_t:x | b_t:x))"),
            (
                "x",
                "qf=a_t nosuch",
                "org.apache.solr.search.SyntaxError: Query Field 'nosuch' is not a valid field name",
            ),
            ("_query_:\"{!term f=a_s}Ash\"", "qf=a_t&uf=* _query_", "+a_s:Ash"),
            ("{!term f=a_s}Ash", "qf=a_t&uf=* _query_", "+a_s:Ash"),
            ("{!term f=a_s}Ash", "qf=a_t", "+((a_t:term) (a_t:f) (a_t:a_s) (a_t:ash))"),
            ("a_t:*", "qf=b_t", "+FieldExistsQuery [field=a_t]"),
        ],
    );
}

#[test]
fn what_does_not_parse_is_text() {
    check_all(
        "edismax",
        &[
            ("quick (", "qf=a_t", "+(a_t:quick)"),
            ("\"unclosed fox", "qf=a_t", "+((a_t:unclosed) (a_t:fox))"),
            ("AND fox OR", "qf=a_t", "+((a_t:and) (a_t:fox) (a_t:or))"),
            ("a:b:c fox", "qf=a_t", "+((a_t:a:b:c) (a_t:fox))"),
            ("fox^x", "qf=a_t", "+((a_t:fox a_t:x))"),
            ("a_t::b", "qf=b_t", "+a_t:b"),
            ("/fo.*/", "qf=a_t", "+(a_t:fo)"),
            ("+(a_t:x y", "qf=b_t", "+(+a_t:x (b_t:y))"),
            ("+", "qf=a_t", "+()"),
            ("\\", "qf=a_t", "+()"),
            (") (", "qf=a_t", "+()"),
        ],
    );
}

#[test]
fn operators_and_minimum() {
    check_all(
        "edismax",
        &[
            ("quick OR fox", "qf=a_t&q.op=AND", "+((a_t:quick) (a_t:fox))"),
            ("quick OR fox", "qf=a_t&mm=100%25", "+(((a_t:quick) (a_t:fox))~2)"),
            ("a b -c", "qf=a_t&mm=2", "+(((a_t:a) (a_t:b) -(a_t:c))~2)"),
            ("quick or fox", "qf=a_t&lowercaseOperators=true&mm=100%25", "+(((a_t:quick) (a_t:fox))~2)"),
            ("-fox", "qf=a_t", "+(-(a_t:fox) +*:*)^1.0"),
            ("quick AND (-fox)", "qf=a_t", "+(+(a_t:quick) +(-(a_t:fox) +*:*)^1.0)"),
            ("*:*", "qf=a_t", "*:*"),
            ("*:*", "qf=a_t&bq=a_s:x", "+*:* a_s:x"),
            ("the a", "qf=a_stop a_t&sow=true&mm=2&mm.autoRelax=true", "+(((a_t:the) (a_stop:a | a_t:a))~1)"),
            ("a b", "qf=a_t&mm=x", "Invalid 'mm' spec. Expecting an integer."),
            ("(quick fox)^2", "qf=a_t&mm=100%25", "+((a_t:quick) (a_t:fox))^2.0"),
        ],
    );
}

#[test]
fn phrases_and_boosts_add() {
    check_all(
        "edismax",
        &[
            ("brown fox", "qf=a_t&pf=a_t^10", "+((a_t:brown) (a_t:fox)) ((a_t:\"brown fox\")^10.0)"),
            ("fox", "qf=a_t&pf=a_t&pf2=a_t", "+(a_t:fox) ()"),
            (
                "a b c",
                "qf=a_t&pf2=a_t&pf3=a_t&ps=1&ps2=2",
                "+((a_t:a) (a_t:b) (a_t:c)) ((a_t:\"a b\"~2) (a_t:\"b c\"~2)) (a_t:\"a b c\"~1)",
            ),
            (
                "a b",
                "qf=a_t&pf=a_t~1^2 b_t~1 a_t~3&ps=5",
                "+((a_t:a) (a_t:b)) ((a_t:\"a b\"~1)^2.0 | b_t:\"a b\"~1) (a_t:\"a b\"~3)",
            ),
            (
                "a OR +b a_t:c \"d e\" f*",
                "qf=a_t&pf=b_t",
                "+((a_t:a) +(a_t:b) a_t:c (a_t:\"d e\") (a_t:f*)) (b_t:\"a b f\")",
            ),
            ("fox", "qf=a_t&bq=a_s:x^5&bq=-a_s:y", "+(a_t:fox) (a_s:x)^5.0 (-a_s:y)"),
            ("fox", "qf=a_t&bf=a_i^0.5&bf=b_i", "+(a_t:fox) (int(a_i))^0.5 int(b_i)"),
            (
                "fox",
                "qf=a_t&boost=2&boost=a_i",
                "FunctionScoreQuery(+(a_t:fox), scored by boost(product(const(2),int(a_i))))",
            ),
            ("", "q.alt=a_s:x&bq=a_s:y", "+a_s:x a_s:y"),
            ("", "qf=a_t", "MatchNoDocsQuery(\"\")"),
        ],
    );
}

#[test]
fn dismax_reads_words_phrases_and_signs() {
    check_all(
        "dismax",
        &[
            (
                "quick +fox -lazy",
                "qf=a_t b_t^1",
                "+((a_t:quick | (b_t:quick)^1.0) +(a_t:fox | (b_t:fox)^1.0) -(a_t:lazy | (b_t:lazy)^1.0)) ()",
            ),
            (
                "\"brown fox\" x",
                "qf=a_t&qs=2&pf=a_t^3&ps=1",
                "+((a_t:\"brown fox\"~2) (a_t:x)) ((a_t:\"brown fox x\"~1)^3.0)",
            ),
            ("a_s:x (y)", "qf=a_t", "+((a_t:a_s:x) (a_t:y)) ()"),
            ("\"a b", "qf=a_t&mm=2", "+(((a_t:a) (a_t:b))~2) ()"),
            ("a b", "qf=a_t&q.op=AND", "+(((a_t:a) (a_t:b))~2) ()"),
            ("a +-b", "qf=a_t", "+((a_t:a) (a_t:b)) ()"),
            ("a +", "qf=a_t", "+(a_t:a) ()"),
            ("a ++ b - ", "qf=a_t", "+((a_t:a) (a_t:b)) ()"),
            ("a + b", "qf=a_t", "+((a_t:a) (a_t:b)) ()"),
            ("fox", "qf=nosuch", "+() ()"),
            ("fox", "qf=a_t&bq=%2Ba_s:x -a_s:y", "+(a_t:fox) () +a_s:x -a_s:y"),
            ("fox", "qf=a_t&bq=a_s:x a_s:y&bq=a_s:z", "+(a_t:fox) () (a_s:x a_s:y) a_s:z"),
        ],
    );
}

#[test]
fn nesting_without_end_is_found_soon() {
    let fixture = Fixture::new();
    let twice = "_query_:\"{!edismax v=$q}\" (_query_:\"{!edismax v=$q}\"";
    let error = shown(&fixture, twice, "edismax", "qf=a_t&uf=* _query_").unwrap_err();
    assert!(error.message.contains("Infinite Recursion detected"), "{error}");
}

/// Pieces that mean something to the parser, so that random texts reach deep.
fn piece() -> impl Strategy<Value = String> {
    let known = [
        "a_s:", "a_t:", "a_i:", "name:", "nosuch:", "_query_:", "_val_:", "*:*", "AND ", "OR ", "NOT ",
        "and ", "+", "-", "!", "(", ")", "\"", "[", "]", "{", "}", " TO ", "*", "?", "~", "^", "^=", "2",
        "/", "\\", "{!", "'", "filter(", "/*", "*/", " ", "usa", "the", "tv", "NOW", "\u{3000}", "é", ":",
        "&&", "||", "x", "word ",
    ];
    prop_oneof![
        4 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => ".{0,4}",
    ]
}

/// The only mistake of a text that `edismax` reports: an escape by number without its digits.
fn is_bad_escape(error: &Error) -> bool {
    error.message.contains("nicode escape")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_is_an_error(pieces in proptest::collection::vec(piece(), 0..24)) {
        thread_local!(static FIXTURE: Fixture = Fixture::new());
        let query = pieces.concat();
        FIXTURE.with(|fixture| {
            let forms = ["qf=a_t a_i b_syn^2&pf=a_t&pf2=a_s&mm=2<50%25&f.name.qf=a_t b_t", "sow=true&uf=* _query_&qf=a_stop"];
            for form in forms {
                let found = shown(fixture, &query, "edismax", form);
                prop_assert!(found.as_ref().err().is_none_or(is_bad_escape), "{query}: {found:?}");
            }
            let _ = shown(fixture, &query, "dismax", "qf=a_t a_i&pf=b_t");
            Ok(())
        })?;
    }
}

#[test]
fn a_request_without_fields_is_an_error() {
    let fixture = Fixture::new();
    let params = Params::default();
    let dates = DateMath::new(0);
    let error = parse_query(&fixture.context(&params, &dates), "x", "edismax").unwrap_err();
    assert_eq!(error.message, "org.apache.solr.search.SyntaxError: Neither qf nor df are present.");
}
