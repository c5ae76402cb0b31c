//! What a request may ask for has bounds: beyond them it is refused with a reason, and the server goes on.

mod served;

use served::Served;

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

#[tokio::test]
async fn a_request_sends_no_more_than_it_may() {
    let served = Served::start_with(|config| config.query_bytes_max = 100_000).await;
    let check = async |path: &str, kind: &str, body: &str, status: u16, message: &str| {
        let answer = served.post(path, kind, body).await;
        let shown = &body[..body.len().min(40)];
        assert_eq!(answer.status, status, "{path} {shown}: {}", answer.body);
        assert!(answer.body.contains(message), "{path} {shown}: {}", answer.body);
    };
    let (select, update) = ("/solr/films/select", "/solr/films/update");
    let params = |count: usize| vec!["a=b"; count].join("&");
    check(select, FORM, &params(9_999), 200, "numFound").await;
    check("/solr/films/select?q=*:*", FORM, &params(10_000), 400, "more than `10000` parameters").await;
    let long = "x".repeat(100_001);
    check(select, FORM, &long, 413, "--query-body-max").await;
    check(select, JSON, &format!(r#"{{"query":"{long}"}}"#), 413, "--query-body-max").await;
    check(update, FORM, &long, 413, "--query-body-max").await;
    check(update, JSON, &format!("[]{}", " ".repeat(200_000)), 200, "QTime").await;
}

/// Requests that are short and ask for much: each is refused, none is a fault of the server, none takes it
/// down.
#[tokio::test]
async fn short_requests_that_ask_for_much_are_refused() {
    let served = Served::start().await;
    let check = async |what: &str, body: String, kind: &str| {
        let answer = served.post("/solr/films/select", kind, &body).await;
        assert_eq!(answer.status, 400, "{what}: {}", &answer.body[..answer.body.len().min(500)]);
    };
    let deep = |open: &str, close: &str, within: &str, depth: usize| {
        format!("{}{within}{}", open.repeat(depth), close.repeat(depth))
    };
    let facets = deep(r#"{"a":{"type":"terms","field":"a_i","facet":"#, "}}", "{}", 1000);
    let range = "facet.range.start=-2000000000&facet.range.end=2000000000&facet.range.gap=1";
    for (what, body) in [
        ("brackets", format!("q={}", deep("(", ")", "a", 100_000))),
        ("clauses", format!("q={}", "a_s:a ".repeat(100_000).replace(' ', "+"))),
        ("parsers", format!("q={}a", "{!lucene}".repeat(10_000))),
        ("functions", format!("q={{!func}}{}", deep("abs(", ")", "1", 10_000))),
        ("sum", format!("q={{!func}}sum({})", vec!["1"; 50_000].join(","))),
        ("macros", "q=${a}&a=${b}${b}${b}&b=${c}${c}${c}&c=${a}".to_owned()),
        ("buckets", format!("q=*:*&facet=true&facet.range=a_i&{range}")),
        ("facets", format!("q=*:*&json.facet={facets}")),
        ("grids", "q=*:*&facet=true&facet.heatmap=a_s&facet.heatmap.distErrPct=0".to_owned()),
        ("rows", "q=*:*&rows=99999999999".to_owned()),
    ] {
        check(what, body.replace('{', "%7B").replace('}', "%7D").replace('"', "%22"), FORM).await;
    }
    for (what, body) in [
        ("queries", deep(r#"{"query":{"bool":{"must":"#, "}}}", "\"*:*\"", 10_000)),
        ("arrays", format!(r#"{{"params":{}}}"#, deep("[", "]", "1", 100_000))),
        ("objects", deep(r#"{"a":"#, "}", "1", 100_000)),
        ("facets", format!(r#"{{"query":"*:*","facet":{facets}}}"#)),
    ] {
        check(what, body, JSON).await;
    }
    assert_eq!(served.get("/solr/films/select?q=*:*&rows=0").await.status, 200);
}
