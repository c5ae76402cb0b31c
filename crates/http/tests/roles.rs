//! What members say of themselves, and what follows from it: roles and zones decide who is given replicas,
//! and who is asked.

mod cluster_of;
mod served;

use cluster::{LivingMember, NodeRoles};
use cluster_of::{Cluster, Served, found, json};

/// Each knows that these live, a name with its roles and zone.
fn tell(members: &[Served], says: &[(usize, NodeRoles, &str)]) {
    let living: Vec<LivingMember> = says
        .iter()
        .map(|(at, roles, zone)| LivingMember {
            member: members[*at].node.member(),
            roles: *roles,
            zone: Some((*zone).to_owned()).filter(|zone| !zone.is_empty()),
        })
        .collect();
    members.iter().for_each(|member| member.node.set_living(living.clone()));
}

const DATA: NodeRoles = NodeRoles { data: true, coordinator: false };
const COORDINATES: NodeRoles = NodeRoles { data: false, coordinator: true };

async fn act(at: &Served, action: &str) -> serde_json::Value {
    let answer = at.get(&format!("/solr/admin/collections?action={action}")).await;
    assert_eq!(answer.status, 200, "{action}: {}", answer.body);
    json(&answer)
}

/// Who has a replica of each shard, by the first letter of its name; whoever leads comes first.
async fn placed(at: &Served, collection: &str) -> Vec<String> {
    let status = act(at, "CLUSTERSTATUS").await;
    let shards = status["cluster"]["collections"][collection]["shards"].as_object().unwrap().clone();
    let of_shard = |shard: &serde_json::Value| {
        let replicas = shard["replicas"].as_object().unwrap().values();
        let mut found: Vec<(bool, String)> = replicas
            .map(|it| (it["leader"] != "true", it["node_name"].as_str().unwrap()[..1].to_owned()))
            .collect();
        found.sort();
        found.into_iter().map(|(_, name)| name).collect::<String>()
    };
    shards.values().map(of_shard).collect()
}

async fn four(cluster: &Cluster) -> [Served; 4] {
    [
        cluster.member("a").await,
        cluster.member("b").await,
        cluster.member("c").await,
        cluster.member("d").await,
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_there_for_data_is_given_none_and_answers_all_the_same() {
    let cluster = Cluster::default();
    let members = four(&cluster).await;
    let [a, b, c, _] = &members;
    tell(&members, &[(0, COORDINATES, ""), (1, DATA, ""), (2, DATA, "")]);
    act(a, "CREATE&name=films&numShards=4&replicationFactor=2").await;
    let on = placed(a, "films").await;
    assert!(on.iter().all(|shard| matches!(shard.as_str(), "bc" | "cb")), "{on:?}");
    assert_eq!(a.update("films", r#"[{"id":"1"},{"id":"2"},{"id":"3"}]"#).await.status, 200);
    assert_eq!(found(&a.get("/solr/films/select?q=*:*").await), 3);
    // More than may have them; whoever is named may.
    let refused = a.get("/solr/admin/collections?action=CREATE&name=more&numShards=1&nrtReplicas=3").await;
    assert!(refused.status == 400 && refused.body.contains("2 node(s) may"), "{}", refused.body);
    let named = "createNodeSet=a:8983_solr,b:8983_solr,c:8983_solr";
    act(b, &format!("CREATE&name=more&numShards=1&nrtReplicas=3&{named}")).await;
    assert_eq!(placed(a, "more").await[0].len(), 3);
    act(b, "ADDREPLICA&collection=films&shard=shard1&node=a:8983_solr").await;
    assert_eq!(placed(a, "films").await[0].len(), 3);
    // Nothing is moved there either.
    act(c, "BALANCE_REPLICAS").await;
    let on = placed(a, "films").await;
    assert!(on[1..].iter().all(|shard| matches!(shard.as_str(), "bc" | "cb")), "{on:?}");
    let full = a.get("/solr/admin/collections?action=REPLACENODE&sourceNode=c:8983_solr").await;
    assert!(full.status == 400 && full.body.contains("cannot leave"), "{}", full.body);
    // Nor taken over, as long as anybody else is left.
    tell(&members, &[(0, COORDINATES, ""), (2, DATA, "")]);
    b.server.abort();
    for member in [a, c] {
        member.node.refresh().unwrap();
        assert!(member.node.take_part().is_ok());
    }
    a.node.refresh().unwrap();
    assert_eq!(found(&a.get("/solr/films/select?q=*:*").await), 3);
    let on = placed(a, "films").await;
    assert!(on[1..].iter().all(|shard| shard.starts_with('c')), "{on:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_of_a_shard_are_in_as_many_zones_as_there_are() {
    let cluster = Cluster::default();
    let members = four(&cluster).await;
    let [a, ..] = &members;
    tell(&members, &[(0, DATA, "west"), (1, DATA, "west"), (2, DATA, "east"), (3, DATA, "east")]);
    act(a, "CREATE&name=films&numShards=4&replicationFactor=2").await;
    let is_spread = |on: &[String]| {
        on.iter().all(|shard| shard.contains(['a', 'b']) && shard.contains(['c', 'd']) && shard.len() == 2)
    };
    let on = placed(a, "films").await;
    assert!(is_spread(&on), "{on:?}");
    act(a, "REPLACENODE&sourceNode=d:8983_solr").await;
    let on = placed(a, "films").await;
    assert!(is_spread(&on) && !on.concat().contains('d'), "{on:?}");
    act(a, "BALANCE_REPLICAS").await;
    let on = placed(a, "films").await;
    assert!(is_spread(&on) && on.concat().matches('d').count() == 2, "{on:?}");
    // A third one has to share a zone with another; before it does, it takes whichever has fewer.
    act(a, "ADDREPLICA&collection=films&shard=shard1").await;
    assert_eq!(placed(a, "films").await[0].len(), 3);
}

/// Who else is asked by the one that leads, where a request prefers this.
async fn asked_by_leader(cluster: &Cluster, members: &[Served], preference: &str) -> Vec<String> {
    cluster.asked(members, "");
    let path = format!("/solr/films/select?q=*:*&shards.preference={preference}");
    assert_eq!(found(&members[0].get(&path).await), 1, "{preference}");
    let mut asked = cluster.asked(members, "/parhelion/shards");
    // Followers look at whoever leads all the time.
    asked.retain(|id| id != "a");
    asked.sort();
    asked.dedup();
    asked
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_ask_the_zone_that_is_preferred() {
    let cluster = Cluster::default();
    let members = four(&cluster).await;
    let a = &members[0];
    tell(&members, &[(0, DATA, "west"), (1, DATA, "west"), (2, DATA, "east")]);
    let nodes = "createNodeSet=a:8983_solr,b:8983_solr,c:8983_solr";
    act(a, &format!("CREATE&name=films&numShards=1&nrtReplicas=3&{nodes}")).await;
    for member in &members[1..3] {
        member.node.refresh().unwrap();
        assert_eq!(member.node.take_part(), Ok(false));
    }
    assert_eq!(a.update("films", r#"[{"id":"1"}]"#).await.status, 200);
    let none: [&str; 0] = [];
    assert_eq!(asked_by_leader(&cluster, &members, "zone:east").await, ["c"]);
    assert_eq!(asked_by_leader(&cluster, &members, "zone:west").await, none);
    assert_eq!(asked_by_leader(&cluster, &members, "zone:west,replica.leader:false").await, ["b"]);
    let same = "replica.leader:false,node.sysprop:sysprop.availability_zone";
    assert_eq!(asked_by_leader(&cluster, &members, same).await, ["b"]);
    let shown = json(&a.get("/solr/admin/info/properties?name=availability_zone").await);
    assert_eq!(shown["system.properties"], serde_json::json!({"availability_zone": "west"}));
    // Nobody is there: all are equal.
    assert_eq!(asked_by_leader(&cluster, &members, "zone:north").await, none);
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_are_listed_as_solr_does() {
    let cluster = Cluster::default();
    let members = four(&cluster).await;
    let a = &members[0];
    tell(&members, &[(0, COORDINATES, ""), (1, DATA, "")]);
    let read = async |path: &str| {
        let answer = a.get(&format!("/api/cluster/node-roles{path}")).await;
        let mut answer = json(&answer);
        answer.as_object_mut().unwrap().remove("responseHeader");
        answer
    };
    let (on_a, on_b) = (serde_json::json!(["a:8983_solr"]), serde_json::json!(["b:8983_solr"]));
    let all = serde_json::json!({"node-roles": {
        "coordinator": {"off": on_b, "on": on_a},
        "data": {"off": on_a, "on": on_b},
    }});
    assert_eq!(read("").await, all);
    assert_eq!(
        read("/supported").await["supported-roles"]["data"]["modes"],
        serde_json::json!(["off", "on"])
    );
    assert_eq!(
        read("/role/data").await["node-roles"],
        serde_json::json!({"data": {"off": on_a, "on": on_b}})
    );
    assert_eq!(read("/role/data/off").await["node-roles"], serde_json::json!({"data": {"off": on_a}}));
    assert_eq!(read("/node/a:8983_solr").await, serde_json::json!({"coordinator": "on", "data": "off"}));
    assert_eq!(read("/node/nobody").await, serde_json::json!({}));
    for unknown in ["/role/overseer", "/role/data/maybe"] {
        let answer = a.get(&format!("/api/cluster/node-roles{unknown}")).await;
        assert!(answer.status == 404 && answer.body.contains("use one of"), "{}", answer.body);
    }
}
