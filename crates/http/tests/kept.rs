//! What is kept between searches is not true for longer than what it depends on: a segment, a snapshot, another
//! collection. Each search is asked, something is added, and the same search is asked again.

mod served;

use served::Served;

const JSON: &str = "application/json";
const FOXES: &str = r#"[{"id":"1","title_t":"fox and hound","n_i":1},{"id":"2","title_t":"fox den","n_i":2},
    {"id":"3","title_t":"hound dog","n_i":3}]"#;

async fn found(served: &Served, query: &str) -> Vec<String> {
    let answer = served.get(&format!("/solr/films/select?fl=id&sort=id+asc&{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.body);
    let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    let ids = body["response"]["docs"].as_array().unwrap().iter();
    ids.map(|doc| doc["id"].as_str().unwrap().to_owned()).collect()
}

async fn add(served: &Served, collection: &str, documents: &str) {
    let answer = served.post(&format!("/solr/{collection}/update?commit=true"), JSON, documents).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
}

/// Before an addition and after it, as a filter and as a part of one, which is kept by itself where facets
/// ask for it.
async fn check(filter: &str, before: &[&str], addition: &str, after: &[&str]) {
    let served = Served::start_whole(|_| {}).await;
    add(&served, "films", FOXES).await;
    let forms = [
        format!("q=*:*&fq={filter}"),
        format!("q=*:*&fq=%2B_query_:%22{filter}%22"),
        format!("q=%2B_query_:%22{filter}%22"),
    ];
    for form in &forms {
        assert_eq!(found(&served, form).await, before, "{form}");
    }
    add(&served, "films", addition).await;
    for form in &forms {
        assert_eq!(found(&served, form).await, after, "{form}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_hangs_on_other_segments_is_not_kept_for_one() {
    let fox = r#"[{"id":"4","title_t":"fox","n_i":9}]"#;
    check("{!frange+l=4}numdocs()", &[], fox, &["1", "2", "3", "4"]).await;
    check("{!frange+l=3}docfreq(title_t,fox)", &[], fox, &["1", "2", "3", "4"]).await;
    check("{!frange+l=1}scale(n_i,0,1)", &["3"], fox, &["4"]).await;
    check("{!frange+l=2}ord(id)", &["3"], r#"[{"id":"0","n_i":0}]"#, &["2", "3"]).await;
    check(
        "{!fuzzy+f=title_t+maxExpansions=1+maxEdits=2}foxx",
        &["1", "2"],
        r#"[{"id":"4","title_t":"foxx"}]"#,
        &["4"],
    )
    .await;
    check("{!mlt+qf=title_t+mintf=1+mindf=1}1", &["2", "3"], r#"[{"id":"1","title_t":"den"}]"#, &["2"]).await;
    check(
        "{!join+from=n_i+to=n_i}title_t:fox",
        &["1", "2"],
        r#"[{"id":"1","title_t":"dog","n_i":1}]"#,
        &["2"],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_hangs_on_another_collection_is_not_kept() {
    let served = Served::start_whole(|_| {}).await;
    let create = "/solr/admin/collections?action=CREATE&name=lists&numShards=1";
    assert_eq!(served.get(create).await.status, 200);
    add(&served, "films", FOXES).await;
    add(&served, "lists", r#"[{"id":"a","film_s":"1"}]"#).await;
    let join = "{!join+from=film_s+to=id+fromIndex=lists}*:*";
    let forms =
        [format!("q={join}"), format!("q=*:*&fq={join}"), format!("q=*:*&fq=%2B_query_:%22{join}%22")];
    for form in &forms {
        assert_eq!(found(&served, form).await, ["1"], "{form}");
    }
    add(&served, "lists", r#"[{"id":"b","film_s":"3"}]"#).await;
    for form in &forms {
        assert_eq!(found(&served, form).await, ["1", "3"], "{form}");
    }
}
