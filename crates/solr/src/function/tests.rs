//! Functions from their text, as Solr 9.10.1 shows them in debug output, and its messages for what is no
//! function.

use plan::{Function, Query, Result, Value};
use proptest::prelude::*;

use super::{Failure, leading_function, parse_function};
use crate::date_math::DateMath;
use crate::params::{Params, parse_form};
use crate::query::tests::Fixture;

/// `text & parameters`.
fn parse(fixture: &Fixture, case: &str) -> Result<Function> {
    let (text, more) = case.split_once(" & ").unwrap_or((case, ""));
    let (params, dates) = (parse_form(more.as_bytes())?, DateMath::new(86_400_000));
    let function = parse_function(&fixture.context(&params, &dates), text, 0)?;
    Ok(function.unwrap_or(Function::Constant(Value::Str("nothing".to_owned()))))
}

fn check_all(cases: &[(&str, &str)]) {
    let fixture = Fixture::new();
    for (case, expected) in cases {
        let shown = parse(&fixture, case).map_or_else(|error| error.message, |found| found.to_string());
        assert_eq!(shown, *expected, "{case}");
    }
}

#[test]
fn functions_are_read() {
    check_all(&[
        ("a_i", "int(a_i)"),
        (" sum ( a_i , 1 ) ", "sum(int(a_i),const(1))"),
        ("add(a_i,a_l,a_f,a_d)", "sum(int(a_i),long(a_l),float(a_f),double(a_d))"),
        ("mul()", "product()"),
        ("sum(a_i,)", "sum(int(a_i))"),
        ("sub(-1,+2)", "sub(const(-1),const(2))"),
        ("max(.5,1e3)", "max(const(0.5),const(1000.0))"),
        ("linear(a_i,2,1)", "2.0*float(int(a_i))+1.0"),
        ("recip(a_i,1,2,3)", "2.0/(1.0*float(int(a_i))+3.0)"),
        ("map(a_i,1,2,a_f)", "map(int(a_i),1.0,2.0,float(a_f),null)"),
        ("map(a_i,1,2,a_f,3)", "map(int(a_i),1.0,2.0,float(a_f),const(3))"),
        ("scale(a_i,0,1)", "scale(int(a_i),0.0,1.0)"),
        ("concat(a_s,'\\u0041\"',\"b\\n\")", "concat(str(a_s),literal(A\"),literal(b\n))"),
        ("exists(a_dt)", "exists(date(a_dt))"),
        ("if(a_b,true,false())", "if(bool(a_b),const(true),const(false))"),
        ("field(\"a_i\")", "int(a_i)"),
        ("field(a_i,min)", "int(a_i)"),
        ("top(ord(a_s))", "ord(a_s)"),
        ("ms(NOW)", "const(86400000)"),
        ("ms(a_dt,1970-01-01T00:00:01Z)", "ms(date(a_dt),const(1000))"),
        ("ms(NOW/DAY,1970-01-01T00:00:00Z)", "const(86400000)"),
        ("termfreq(a_t,'Foo')", "termfreq(a_t,Foo)"),
        ("ttf(nowhere,x)", "totaltermfreq(nowhere,x)"),
        ("query($q,2) & q=a_t:foo", "query(a_t:foo,def=2.0)"),
        ("query({!term f=a_s v='b c'})", "query(a_s:b c,def=0.0)"),
        ("boost({!v=a_s:x},a_i)", "query(FunctionScoreQuery(a_s:x, scored by boost(int(a_i))),def=0.0)"),
        ("sum($a,$b) & a=a_i&b={!func}abs($a)", "sum(int(a_i),abs(int(a_i)))"),
        ("$q & q={!lucene}a_s:x", "query(a_s:x,def=0.0)"),
        ("{!func x=5}linear(a_i,$x,1)", "5.0*float(int(a_i))+1.0"),
        ("dist(2,a_i,a_f,0,0)", "dist(2.0,vector(int(a_i),float(a_f)),vector(const(0),const(0)))"),
        ("dist(1,vector(1,2),vector(3,4))", "dist(1.0,vector(const(1),const(2)),vector(const(3),const(4)))"),
        ("geodist(a_p,1,2)", "distSort(a_p, Pt(x=2.0,y=1.0), mult:0.001)"),
        ("geodist() & pt=1,2&sfield=a_p", "distSort(a_p, Pt(x=2.0,y=1.0), mult:0.001)"),
        ("geodist(1,2,abs(a_i),4)", "geodist(vector(abs(int(a_i)),const(4)),1.0,2.0)"),
    ]);
}

#[test]
fn what_is_no_function_is_told_as_in_solr() {
    let syntax = |message: &str| format!("org.apache.solr.search.SyntaxError: {message}");
    let cases = [
        ("", "Expected identifier at pos 0 str=''"),
        ("nosuch(1)", "Unknown function nosuch in FunctionQuery('nosuch(1)', pos=7)"),
        ("sum(1,", "Expected ')' at position 6 in 'sum(1,'"),
        ("sum(a_i 1)", "Expected ',' at position 8 in 'sum(a_i 1)'"),
        ("1,2", "Unexpected text after function: ,2"),
        ("sum(1))", "Unexpected text after function: )"),
        ("\"a", "Missing end quote for string at pos 0 str='\"a'"),
        ("linear(1,a,1)", "Expected float instead of 'a' for function 'linear(1,a,1)', pos=11"),
        ("linear(1,\"1\",1)", "Expected float instead of quoted string:1"),
        ("linear(1,1)", "Expected float instead of 'null' for function 'linear(1,1)', pos=10"),
        ("linear(1,1", "Missing end to unquoted value starting at 9 str='linear(1,1'"),
        ("div(1)", "Expected identifier at pos 5 str='div(1)'"),
        ("ord()", "Expected identifier instead of 'null' for function 'ord()', pos=4"),
        ("ord('a_s')", "Expected identifier instead of quoted string:a_s"),
        ("$x", "Missing param x while parsing function '$x'"),
        ("query($x)", "Missing param x while parsing function 'query($x)'"),
        ("query(a_s)", "Nested function query must use $param or {!v=value} forms. got 'query(a_s)'"),
        ("query({!v=''})", "Nested function query returned null for 'query({!v=''})'"),
        ("geodist()", "geodist - not enough parameters:[]"),
        ("geodist(45,-93)", "geodist - not enough parameters:[const(45), const(-93)]"),
    ];
    let fixture = Fixture::new();
    for (case, expected) in cases {
        assert_eq!(parse(&fixture, case).unwrap_err().message, syntax(expected), "{case}");
    }
    check_all(&[
        ("nope", "undefined field: \"nope\""),
        ("ord(a_i)", "ord() is not supported over Points based field a_i"),
        ("field(a_s,avg)", "Multi-Valued field selector 'avg' not supported"),
        ("dist(2,1,2,3)", "Illegal number of sources.  There must be an even number of sources"),
        ("hsin(1,true,1,1)", "Input must either be 2 MultiValueSources, or there must be 4 ValueSources"),
        ("idf(a_t,foo)", "requires a TFIDFSimilarity (such as ClassicSimilarity)"),
        ("--1", "For input string: \"--1\""),
    ]);
}

#[test]
fn what_has_no_number_is_no_number() {
    let fixture = Fixture::new();
    for text in ["sum(a_s,1)", "gt('a',1)", "abs(vector(1,2))", "concat(vector(1))", "abs(if(a_i,a_s,1))"] {
        let message = parse(&fixture, text).unwrap_err().message;
        assert!(message.contains("is no number") || message.contains("several values"), "{text}: {message}");
    }
    assert!(parse(&fixture, "sum(strdist(a_s,'x',edit),exists(a_s))").is_ok());
}

#[test]
fn depth_and_size_are_bounded() {
    let fixture = Fixture::new();
    let deep = |levels: usize| format!("{}1{}", "abs(".repeat(levels), ")".repeat(levels));
    assert!(parse(&fixture, &deep(64)).is_ok());
    assert!(parse(&fixture, "$p & p=sum($p,1)").unwrap_err().message.contains("nest deeper"));
    assert!(parse(&fixture, &deep(10_000)).unwrap_err().message.contains("nest deeper"));
    let doubled: Vec<String> = (0..30).map(|level| format!("p{level}=sum($p{0},$p{0})", level + 1)).collect();
    let laughs = format!("$p0 & {}&p30=1", doubled.join("&"));
    assert!(parse(&fixture, &laughs).unwrap_err().message.contains("made of more than"));
}

#[test]
fn a_function_ends_where_its_syntax_ends() {
    let fixture = Fixture::new();
    let (params, dates) = (Params::default(), DateMath::new(0));
    let check = |text: &str, expected: &str, rest: &str| {
        let found = leading_function(&fixture.context(&params, &dates), text).unwrap();
        assert_eq!((found.function.to_string().as_str(), &text[found.end..]), (expected, rest), "{text}");
    };
    check("a_i desc", "int(a_i)", "desc");
    check("sum(a_i,1) ,b", "sum(int(a_i),const(1))", ",b");
    check("{!func}a_i desc", "int(a_i)", "desc");
    check("{!func v=a_i} desc", "int(a_i)", " desc");
    check("{!term f=a_s v=x},b", "query(a_s:x,def=0.0)", ",b");
    let failure = leading_function(&fixture.context(&params, &dates), "nosuch(1) asc");
    assert!(matches!(failure, Err(Failure::Syntax(_))));
}

#[test]
fn parsers_make_queries_of_functions() {
    let fixture = Fixture::new();
    let check = |query: &str, expected: &str| {
        let shown = fixture.parse(query, "").map_or_else(|error| error.message, |(plain, _)| plain);
        assert_eq!(shown, expected, "{query}");
    };
    check("{!func}sum(a_i,1)", "sum(int(a_i),const(1))");
    check("a_s:x _val_:\"abs(a_i)\"^2", "a_s:x (abs(int(a_i)))^2.0");
    check("{!frange l=1 u=5 incl=false}a_i", "FunctionRangeQuery()");
    check("{!boost b=a_i}a_s:x", "FunctionScoreQuery(a_s:x, scored by boost(int(a_i)))");
    check("{!boost}a_s:x", "a_s:x");
    check("{!frange l=1.5}a_i", "For input string: \"1.5\"");
    check("{!frange incl=maybe}a_i", "invalid boolean value: maybe");
}

#[test]
fn bounds_are_of_the_kind_of_the_function() {
    let fixture = Fixture::new();
    let check = |text: &str, expected: Value| {
        let (params, dates) = (Params::default(), DateMath::new(0));
        let context = fixture.context(&params, &dates);
        let query = crate::query::parse_query(&context, text, "lucene").unwrap().query;
        let Some(Query::FunctionRange(range)) = query else { panic!("{query:?}") };
        assert_eq!(range.lower, std::ops::Bound::Included(expected), "{text}");
    };
    check("{!frange l=5}a_i", Value::Int(5));
    check("{!frange l=5}a_l", Value::Long(5));
    check("{!frange l=5}a_f", Value::Float(5.0));
    check("{!frange l=5}sqrt(a_i)", Value::Double(5.0));
    check("{!frange l=5}sum(a_i)", Value::Float(5.0));
    check("{!frange l=b}a_s", Value::Str("b".into()));
    check("{!frange l=1970-01-01T00:00:01Z}a_dt", Value::Date(1000));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_function_or_an_error(
        parts in proptest::collection::vec(
            prop_oneof![
                3 => proptest::sample::select(vec![
                    "sum(", "query(", "if(", "map(", "ms(", "strdist(", "geodist(", "field(", "dist(", ")", ")", ",", ",",
                    "a_i", "a_s", "a_p", "1", "-2.5", "'x'", "$p", "{!v=a_s:x}", "{!func}", "NOW/DAY", " ", "true",
                ]).prop_map(str::to_owned),
                1 => "[ -~é]{0,4}",
            ],
            0..16,
        )
    ) {
        thread_local!(static FIXTURE: Fixture = Fixture::new());
        FIXTURE.with(|fixture| {
            let (params, dates) = (Params::new(vec![("p".into(), "sum(a_i,$p)".into())]), DateMath::new(0));
            let _ = parse_function(&fixture.context(&params, &dates), &parts.concat(), 0);
        });
    }
}
