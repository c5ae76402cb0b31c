//! What each field takes (`/admin/segments?fieldBytes=true`) of a collection whose shards are on two members:
//! of all of them, whoever is asked, and an error where one is not heard of, for half a sum looks like a whole.

mod cluster_of;
mod served;

use cluster_of::{Cluster, Served, json};
use serde_json::Value;

const BYTES: &str = "admin/segments?fieldBytes=true";

async fn bytes_of(member: &Served, name: &str) -> Value {
    let answer = member.get(&format!("/solr/{name}/{BYTES}")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    json(&answer)["fieldBytes"].clone()
}

fn total(bytes: &Value, field: &str) -> u64 {
    bytes["fields"][field]["total"].as_u64().unwrap_or_else(|| panic!("no `{field}` in {bytes}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_take_what_they_take_on_all_members() {
    let cluster = Cluster::default();
    let members = cluster.two().await;
    let [a, b] = &members;
    let made = b.get("/solr/admin/collections?action=CREATE&name=films&numShards=2").await;
    assert_eq!(made.status, 200, "{}", made.body);
    let films: Vec<String> =
        (0..200).map(|at| format!(r#"{{"id":"{at}","title_t":"film number {at}","year_i":{at}}}"#)).collect();
    assert_eq!(a.update("films", &format!("[{}]", films.join(","))).await.status, 200);
    let (from_a, from_b) = (bytes_of(a, "films").await, bytes_of(b, "films").await);
    assert_eq!(from_a, from_b);
    for field in ["id", "title_t", "year_i", "_version_"] {
        assert!(total(&from_a, field) > 0, "{field}: {from_a}");
    }
    let status = json(&a.get("/solr/admin/collections?action=CLUSTERSTATUS").await);
    let shards = status["cluster"]["collections"]["films"]["shards"].as_object().unwrap();
    let cores = shards.values().flat_map(|shard| shard["replicas"].as_object().unwrap().values());
    let cores: Vec<&str> = cores.map(|replica| replica["core"].as_str().unwrap()).collect();
    let mut sum = 0;
    for core in &cores {
        let (one, other) = (bytes_of(a, core).await, bytes_of(b, core).await);
        assert_eq!(one, other, "{core}");
        sum += total(&one, "title_t");
    }
    assert_eq!(sum, total(&from_a, "title_t"), "{cores:?}");
    let segments = |answer: &served::Answer| json(answer)["info"]["totalMaxDoc"].as_u64().unwrap();
    let mut documents = 0;
    for core in &cores {
        documents += segments(&a.get(&format!("/solr/{core}/admin/segments")).await);
    }
    assert_eq!((documents, segments(&b.get("/solr/films/admin/segments").await)), (200, 200));

    // Of a member that is gone nobody knows what its shard takes.
    a.server.abort();
    let refused = b.get(&format!("/solr/films/{BYTES}")).await;
    assert!(refused.status >= 500, "{} {}", refused.status, refused.body);
    let mut answered = 0;
    for core in &cores {
        answered += usize::from(b.get(&format!("/solr/{core}/{BYTES}")).await.status == 200);
    }
    assert_eq!(answered, 1, "its own is known");
}
