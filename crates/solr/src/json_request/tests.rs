//! Requests in JSON as the parameters they become.

use super::*;
use crate::params::parse_form;

fn expanded(form: &str, body: &str) -> Result<Params> {
    expand(filled(with_params(&with_body(&parse_form(form.as_bytes()).unwrap(), body)))?)
}

fn shown(params: &Params) -> Vec<String> {
    let pairs = params.pairs().iter().filter(|(name, _)| !name.starts_with("json"));
    pairs.map(|(name, value)| format!("{name}={value}")).collect()
}

#[test]
fn json_becomes_parameters() {
    let check = |form: &str, body: &str, expected: &[&str]| {
        assert_eq!(shown(&expanded(form, body).unwrap()), expected, "{form} {body}");
    };
    check("", "", &[]);
    check("q=a", "{}", &["q=a"]);
    check("q=a", "{query:b,limit:3,offset:2,sort:'x asc'}", &["q=b", "rows=3", "start=2", "sort=x asc"]);
    check("fq=a&fl=x", "{filter:[b,c],fields:y}", &["fq=a", "fl=x", "fq=b", "fq=c", "fl=y"]);
    check("rows=1", "{params:{rows:3,fl:[a,b],x:null}}", &["rows=1", "fl=a", "fl=b"]);
    check("", "{limit:1,limit:2}", &["rows=2"]);
    check("json.limit=7&json.filter='c'", "{limit:1,filter:b}", &["rows=7", "fq=b", "fq=c"]);
    check("x=1", "{query:'n:${x} ${y:2}${z}'}", &["x=1", "q=n:1 2"]);
    check("expandMacros=false", "{query:'${x}'}", &["expandMacros=false", "q=${x}"]);
    check("q=${\\${a}\\${q}", "", &["q=${\\${a}\\${q}"]);
}

#[test]
fn query_objects_become_local_parameters() {
    let check = |query: &str, expected: &[&str]| {
        assert_eq!(shown(&expanded("", &format!("{{query:{query}}}")).unwrap()), expected, "{query}");
    };
    check("{term:{f:a,query:b}}", &["_tt0=a", "_tt1=b", "q={!term f=$_tt0 v=$_tt1 }"]);
    check(
        "{bool:{must:['a:b',{x:{n:5}}]}}",
        &["_tt0=a:b", "_tt1={!x n=5 }", "q={!bool must=$_tt0 must=$_tt1 }"],
    );
    check("{param:p}", &["q={!v=$p}"]);
    check("{'#t':'a:b'}", &["q={!tag=t}a:b"]);
    check("{'#t':{x:{n:1}}}", &["q={!x tag=t n=1 }"]);
    check("{bool:{must:{param:p}}}", &["q={!bool must=$p }"]);
    check("{lucene:{param:p}}", &["q={!lucene v=$p }"]);
}

#[test]
fn mistakes_are_told_in_solrs_words() {
    let check = |form: &str, body: &str, expected: &str| {
        assert_eq!(expanded(form, body).unwrap_err().message, expected, "{form} {body}");
    };
    check("", "[1]", "Expected JSON Object but got ArrayList=[1]");
    check("", "{quarry:1}", "Unknown top-level key in JSON request : quarry");
    check("", "{queries:5}", "Expected Map for 'queries', received 5");
    check(
        "json.sort=id desc",
        "{}",
        "org.noggit.JSONParser$ParseException: Expecting single object only.: char=d,position=3 AFTER='id d' BEFORE='esc'",
    );
    check(
        "",
        "{query:",
        "org.noggit.JSONParser$ParseException: Premature EOF: char=(EOF),position=7 AFTER='{query:'",
    );
    check(
        "",
        "{query:{a:1,b:2}}",
        "Error when parsing json query, expect only one query parser here, but found : [a, b]",
    );
    check("a=${a}", "", "Request template exceeded max nesting of 25 expanding '${a}'");
    let multiplied = format!("q={}&b={}", "${b}".repeat(2000), "x".repeat(10_000));
    check(&multiplied, "", "references by `${…}` unfold into too much text; use fewer, or shorter values");
}

#[test]
fn facets_go_with_the_parameters() {
    let params = expanded("json.facet.a.limit=1", "{facet:{a:{type:terms}}}").unwrap();
    assert_eq!(params.facet_tree().unwrap().to_text(), "{a={type=terms, limit=1}}");
}

#[test]
fn json_stands_for_so_many_parameters() {
    let check = |count: usize, expected: bool| {
        let list = vec!["'a'"; count].join(",");
        for body in [
            format!("{{filter:[{list}]}}"),
            format!("{{fields:[{list}]}}"),
            format!("{{params:{{fq:[{list}]}}}}"),
            format!("{{query:{{bool:{{must:[{list}]}}}}}}"),
        ] {
            assert_eq!(expanded("", &body).is_ok(), expected, "{count} {}", body.get(..40).unwrap());
        }
    };
    check(9_000, true);
    check(10_001, false);
    check(200_000, false);
}
