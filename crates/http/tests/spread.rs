//! What changes a collection that two members have parts of, asked of either: rebuilds, shards that come and go,
//! and its return from a backup.

mod cluster_of;
mod served;

use cluster_of::{Cluster, Served, found, json};

/// On which members the leaders of a collection's shards are.
async fn leaders(member: &Served, collection: &str) -> Vec<(String, String)> {
    let status = member.get("/solr/admin/collections?action=CLUSTERSTATUS").await;
    let shards = json(&status)["cluster"]["collections"][collection]["shards"].clone();
    let shards = shards.as_object().unwrap().iter().map(|(name, shard)| {
        let mut replicas = shard["replicas"].as_object().unwrap().values();
        let leader = replicas.find(|it| it["leader"] == "true").unwrap();
        (name.clone(), leader["node_name"].as_str().unwrap().replace(":8983_solr", ""))
    });
    shards.collect()
}

fn pairs(expected: [(&str, &str); 2]) -> Vec<(String, String)> {
    expected.map(|(shard, member)| (shard.to_owned(), member.to_owned())).to_vec()
}

async fn is_done(member: &Served, path: &str) {
    let answer = member.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_collection_is_spread_and_rebuilt_whoever_is_asked() {
    let cluster = Cluster::default();
    let members = cluster.two().await;
    let [a, b] = &members;
    is_done(b, "/solr/admin/collections?action=CREATE&name=films&numShards=2").await;
    let mut nodes: Vec<String> = leaders(a, "films").await.into_iter().map(|(_, node)| node).collect();
    nodes.sort();
    assert_eq!(nodes, ["a", "b"]);
    let before = leaders(a, "films").await;
    let films: Vec<String> = (0..20).map(|at| format!(r#"{{"id":"{at}","shelf_s":"{at}"}}"#)).collect();
    assert_eq!(a.update("films", &format!("[{}]", films.join(","))).await.status, 200);
    for (member, name) in [(a, "one"), (b, "two")] {
        let commands = format!(r#"{{"add-field":{{"name":"{name}","type":"pint"}}}}"#);
        let head = "POST /solr/films/schema/apply HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n";
        let applied = member.send(head, &commands).await;
        assert_eq!(applied.status, 200, "{}", applied.body);
        // Whoever is asked, the lead tells.
        loop {
            let status = json(&member.get("/solr/films/schema/apply").await);
            match status["rebuild"]["state"].as_str() {
                Some("running") => tokio::task::yield_now().await,
                state => break assert_eq!(state, Some("done"), "{status}"),
            }
        }
        for member in &members {
            assert_eq!(found(&member.get("/solr/films/select?q=*:*").await), 20);
            assert_eq!(member.get(&format!("/solr/films/schema/fields/{name}")).await.status, 200);
            assert_eq!(leaders(member, "films").await, before);
        }
    }
    let backup = "/solr/admin/collections?action=BACKUP&collection=films&name=kept";
    is_done(a, backup).await;
    is_done(b, "/solr/admin/collections?action=RESTORE&collection=again&name=kept").await;
    a.node.refresh().unwrap();
    let mut nodes: Vec<String> = leaders(a, "again").await.into_iter().map(|(_, node)| node).collect();
    nodes.sort();
    assert_eq!(nodes, ["a", "b"]);
    for member in &members {
        assert_eq!(found(&member.get("/solr/again/select?q=*:*").await), 20);
    }
    let restore = "/solr/admin/collections?action=RESTORE&name=kept&collection";
    is_done(b, &format!("{restore}=two&replicationFactor=2&createNodeSet=a:8983_solr,b:8983_solr")).await;
    let status = json(&b.get("/solr/admin/collections?action=CLUSTERSTATUS&collection=two").await);
    let shards = &status["cluster"]["collections"]["two"]["shards"];
    assert_eq!(shards["shard1"]["replicas"].as_object().unwrap().len(), 2, "{shards}");
    for refused in
        ["replicationFactor=3", "collection.configName=x", "property.a=b", "createNodeSet=c:8983_solr"]
    {
        assert_eq!(b.get(&format!("{restore}=three&{refused}")).await.status, 400, "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn shards_come_and_go_whoever_is_asked() {
    let cluster = Cluster::default();
    let members = cluster.two().await;
    let [a, b] = &members;
    is_done(
        a,
        "/solr/admin/collections?action=CREATE&name=films&router.name=implicit&shards=x&router.field=shelf_s",
    )
    .await;
    // It has no part, and hears by the view.
    b.node.refresh().unwrap();
    is_done(b, "/solr/admin/collections?action=CREATESHARD&collection=films&shard=y").await;
    assert_eq!(leaders(b, "films").await, pairs([("x", "a"), ("y", "b")]));
    let of_three = "/solr/admin/collections?action=CREATESHARD&collection=films&shard=z&nrtReplicas=3";
    assert_eq!(b.get(of_three).await.status, 400);
    let two = r#"[{"id":"1","shelf_s":"x"},{"id":"2","shelf_s":"y"}]"#;
    for member in &members {
        assert_eq!(member.update("films", two).await.status, 200);
        assert_eq!(found(&member.get("/solr/films/select?q=*:*").await), 2);
    }
    is_done(b, "/solr/admin/collections?action=DELETESHARD&collection=films&shard=x").await;
    for member in &members {
        member.node.refresh().unwrap();
        assert_eq!(found(&member.get("/solr/films/select?q=*:*").await), 1);
        let gone = member.update("films", r#"[{"id":"3","shelf_s":"x"}]"#).await;
        assert_eq!(gone.status, 400, "{}", gone.body);
    }
}
