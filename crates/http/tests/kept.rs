//! Answers that are kept: the same as long as nothing changes, and never longer.

mod served;

use served::Served;

async fn add(served: &Served, id: &str) {
    let body = format!(r#"[{{"id":"{id}"}}]"#);
    let answer = served.post("/solr/films/update?commit=true", "application/json", &body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
}

/// How many answers were taken from those kept.
async fn hits(served: &Served) -> u64 {
    let answer = served.get("/solr/admin/metrics?key=solr.node:CACHE.answers:hits&indent=off").await;
    let (_, number) = answer.body.rsplit_once(':').unwrap();
    number.trim_end_matches('}').parse().unwrap_or_else(|_| panic!("{}", answer.body))
}

#[tokio::test]
async fn an_answer_is_kept_until_something_changes() {
    let served = Served::start().await;
    add(&served, "1").await;
    let path = "/solr/films/select?q=*:*&fl=id";
    let first = served.get(path).await;
    assert!(first.body.contains(r#""numFound":1"#), "{}", first.body);
    assert_eq!(hits(&served).await, 0);
    let second = served.get(path).await;
    assert_eq!((second.body, second.status, hits(&served).await), (first.body, 200, 1));
    assert_eq!(second.headers.len(), first.headers.len());

    add(&served, "2").await;
    assert!(served.get(path).await.body.contains(r#""numFound":2"#));
    assert_eq!(hits(&served).await, 1);
    served.get(path).await;
    assert_eq!(hits(&served).await, 2);

    served.get("/solr/admin/cores?action=RELOAD&core=films").await;
    served.get(path).await;
    assert_eq!(hits(&served).await, 2);

    served.get("/solr/admin/cores?action=UNLOAD&core=films").await;
    assert_eq!(served.get(path).await.status, 404);
}

#[tokio::test]
async fn suggestions_are_kept_until_a_suggester_is_built() {
    let served = Served::start().await;
    let path = "/solr/films/suggest?suggest.q=a";
    let first = served.get(path).await;
    assert_eq!(first.status, 200, "{}", first.body);
    for (path, expected) in [
        (path, 1),
        ("/solr/films/suggest?suggest.q=a&suggest.build=true", 1),
        ("/solr/films/suggest?suggest.q=a&suggest.build=true", 1),
        (path, 1),
        (path, 2),
    ] {
        served.get(path).await;
        assert_eq!(hits(&served).await, expected, "{path}");
    }
}

#[tokio::test]
async fn what_may_differ_the_next_time_is_not_kept() {
    let served = Served::start().await;
    add(&served, "1").await;
    for query in [
        "q=id:1&timeAllowed=0",
        "q=id:1&debug=timing",
        "q={!cache=false}id:1",
        "q=id:1&fq=nosuch:1",
        "q=id:1&rows=x",
    ] {
        let path = format!("/solr/films/select?{query}");
        served.get(&path).await;
        served.get(&path).await;
        assert_eq!(hits(&served).await, 0, "{query}");
    }
}

#[tokio::test]
async fn a_server_may_keep_nothing() {
    let served = Served::start_with(|config| config.answer_bytes_max = 0).await;
    served.get("/solr/films/select?q=*:*").await;
    served.get("/solr/films/select?q=*:*").await;
    assert_eq!(hits(&served).await, 0);
}
