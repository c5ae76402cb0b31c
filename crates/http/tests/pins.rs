//! Requests that search and then ask about what they found, while the collection changes between the two.

mod served;

use served::{Served, body};

/// With the documents `a`, `b` and `c`, of which each search loses the first.
async fn films() -> Served {
    let served = Served::start_restless().await;
    let documents = r#"[{"id":"a"},{"id":"b"},{"id":"c"}]"#;
    assert_eq!(
        served.post("/solr/films/update?commit=true", "application/json", documents).await.status,
        200
    );
    served
}

#[tokio::test]
async fn term_vectors_are_of_the_hits() {
    let served = films().await;
    let told = body(&served, "/solr/films/tvrh?q=id:b&tv=true&fl=id&wt=json&json.nl=map&indent=off").await;
    assert!(told.contains(r#""b":{"uniqueKey":"b"}"#), "{told}");
}

#[tokio::test]
async fn luke_shows_the_document_that_it_found() {
    let served = films().await;
    let luke = body(&served, "/solr/films/admin/luke?id=b&indent=off").await;
    assert!(luke.contains(r#""docId":1"#) && luke.contains(r#""value":"b""#), "{luke}");
}
