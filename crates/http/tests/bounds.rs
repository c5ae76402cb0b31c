//! What a request may ask for has bounds: beyond them it is refused with a reason, and the server goes on.

mod served;

use served::Served;

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

/// A hundred documents with a text of 32 KB each.
async fn with_large_documents(served: &Served) {
    let document = |id| format!(r#"{{"id":"{id}","a_i":{id},"a_ss":["{}"]}}"#, "x".repeat(32_000));
    let update = format!("[{}]", (0..100).map(document).collect::<Vec<_>>().join(","));
    let answer = served.post("/solr/films/update?commit=true", JSON, &update).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
}

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

#[tokio::test]
async fn a_request_takes_no_more_memory_than_it_may() {
    let served = Served::start_with(|config| config.request_bytes_max = 1 << 20).await;
    with_large_documents(&served).await;
    let check = async |query: &str, status: u16| {
        let answer = served.get(&format!("/solr/films/{query}")).await;
        assert_eq!(answer.status, status, "{query}: {}", &answer.body[..answer.body.len().min(500)]);
        let told =
            answer.body.contains("more than the `1` MiB") && answer.body.contains("--request-memory-max");
        assert_eq!(told, status == 400, "{query}");
    };
    for (query, status) in [
        ("select?q=*:*&rows=10", 200),
        ("select?q=*:*&rows=100", 400),
        ("select?q=*:*&rows=100&fl=id", 200),
        ("select?q=*:*&rows=100&sort=a_i+desc", 400),
        ("select?q=*:*&rows=100&memAllowed=1000", 400),
        ("select?q=*:*&rows=100&group=true&group.field=id", 400),
        ("select?q=*:*&rows=1&group=true&group.field=id", 200),
        ("select?q=*:*&rows=2147483647&fl=id", 200),
    ] {
        check(query, status).await;
    }
}

/// Requests that are short and ask for much: each is refused, none is a fault of the server, none takes it down.
#[tokio::test]
async fn short_requests_that_ask_for_much_are_refused() {
    let served = Served::start().await;
    with_large_documents(&served).await;
    let check = async |what: &str, body: String, kind: &str| {
        let answer = served.post("/solr/films/select", kind, &body).await;
        assert_eq!(answer.status, 400, "{what}: {}", &answer.body[..answer.body.len().min(500)]);
    };
    let deep = |open: &str, close: &str, within: &str, depth: usize| {
        format!("{}{within}{}", open.repeat(depth), close.repeat(depth))
    };
    let facets = deep(r#"{"a":{"type":"terms","field":"a_i","facet":"#, "}}", "{}", 1000);
    for (what, body) in [
        ("brackets", format!("q={}", deep("(", ")", "a", 100_000))),
        ("clauses", format!("q={}", "a_s:a ".repeat(100_000).replace(' ', "+"))),
        ("parsers", format!("q={}a", "{!lucene}".repeat(10_000))),
        ("references", "q={!v=$a}&a={!v=$b}&b={!v=$a}".to_owned()),
        ("functions", format!("q={{!func}}{}", deep("abs(", ")", "1", 10_000))),
        ("sum", format!("q={{!func}}sum({})", vec!["1"; 50_000].join(","))),
        ("repetitions", "q=a_s:/(((a{1,1000}){1,1000}){1,1000}){1,1000}/".to_owned()),
        ("macros", "q=${a}&a=${b}${b}${b}&b=${c}${c}${c}&c=${a}".to_owned()),
        ("buckets", "q=*:*&facet=true&facet.range=a_i&facet.range.start=-2000000000&facet.range.end=2000000000&facet.range.gap=1".to_owned()),
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
