//! The versions of a shard's documents in one number (`/get?getFingerprint=…`): the same of whoever leads it and
//! whoever follows it, and that of a collection is its shards' together.

mod cluster_of;
mod served;

use cluster_of::{Cluster, Served, json};
use serde_json::Value;

const ALL: &str = "9223372036854775807";

async fn fingerprint(member: &Served, name: &str, up_to: &str) -> Value {
    let answer = member.get(&format!("/solr/{name}/get?getFingerprint={up_to}&wt=json")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    json(&answer)["fingerprint"].clone()
}

/// Of each shard its replicas' numbers, as their own nodes tell them, and whether each leads.
async fn by_replica(members: &[Served; 2]) -> Vec<Vec<(bool, Value)>> {
    let status = json(&members[0].get("/solr/admin/collections?action=CLUSTERSTATUS").await);
    let shards = status["cluster"]["collections"]["films"]["shards"].as_object().unwrap();
    let mut all = Vec::new();
    for shard in shards.values() {
        let mut told = Vec::new();
        for replica in shard["replicas"].as_object().unwrap().values() {
            let is_own = |it: &&Served| replica["node_name"] == it.node.member().name.as_str();
            let member = members.iter().find(is_own).unwrap();
            let own =
                fingerprint(member, replica["core"].as_str().unwrap(), &format!("{ALL}&distrib=false")).await;
            told.push((replica["leader"] == "true", own));
        }
        all.push(told);
    }
    all
}

fn documents(ids: std::ops::Range<usize>) -> String {
    let all: Vec<String> = ids.map(|id| format!(r#"{{"id":"{id}"}}"#)).collect();
    format!("[{}]", all.join(","))
}

#[tokio::test(flavor = "multi_thread")]
async fn who_follows_has_what_its_leader_has() {
    let cluster = Cluster::default();
    let members = cluster.two().await;
    let [a, b] = &members;
    let create = "/solr/admin/collections?action=CREATE&name=films&numShards=2&replicationFactor=2";
    let made = b.get(create).await;
    assert_eq!(made.status, 200, "{}", made.body);
    assert_eq!(a.update("films", &documents(0..40)).await.status, 200);
    assert_eq!(a.get("/solr/films/update?commit=true").await.status, 200);

    let shards = by_replica(&members).await;
    let hashes = |shards: &[Vec<(bool, Value)>]| -> Vec<Vec<i64>> {
        let hash = |(_, it): &(bool, Value)| it["versionsHash"].as_i64().unwrap();
        shards.iter().map(|all| all.iter().map(hash).collect()).collect()
    };
    let settled = hashes(&shards);
    assert!(settled.iter().all(|all| all.len() == 2 && all[0] == all[1] && all[0] != 0), "{settled:?}");
    let of_all = fingerprint(a, "films", ALL).await;
    let sum = settled.iter().fold(0i64, |sum, all| sum.wrapping_add(all[0]));
    assert_eq!((of_all["versionsHash"].as_i64(), of_all["numDocs"].as_u64()), (Some(sum), Some(40)));
    // Nothing is as old as that.
    let none = fingerprint(b, "films", "1").await;
    assert_eq!((none["versionsHash"].as_i64(), none["numVersions"].as_u64()), (Some(0), Some(0)));
    assert_eq!(none["maxVersionEncountered"], of_all["maxVersionEncountered"]);

    // What is changed and not committed is in the leaders' alone, and in all once it is.
    let head = "POST /solr/films/update HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n";
    assert_eq!(b.send(head, &documents(0..40)).await.status, 200);
    for shard in by_replica(&members).await {
        let hash = |leads| shard.iter().find(|it| it.0 == leads).map(|it| it.1["versionsHash"].clone());
        assert_ne!(hash(true), hash(false));
    }
    assert_eq!(a.get("/solr/films/update?commit=true").await.status, 200);
    let after = hashes(&by_replica(&members).await);
    assert!(after.iter().all(|all| all[0] == all[1]), "{after:?}");
    assert_ne!(after, settled);
}
