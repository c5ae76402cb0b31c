//! Replicas of a collection's shards over three members: they come and go, are moved and counted, and answer
//! where those that lead do not.

mod cluster_of;
mod served;

use cluster_of::{Cluster, Served, found, json, lives};
use served::Answer;

const STATUS: &str = "/solr/admin/collections?action=CLUSTERSTATUS";

/// As `core_node2@a*`, in order of shards and names; whoever leads has the star.
fn replicas_of(status: &Answer, collection: &str) -> String {
    let status = json(status);
    let shards = status["cluster"]["collections"][collection]["shards"].as_object().unwrap();
    let of = |(name, it): (&String, &serde_json::Value)| {
        let node = it["node_name"].as_str().unwrap().split(':').next().unwrap().to_owned();
        format!("{name}@{node}{}", if it["leader"] == "true" { "*" } else { "" })
    };
    let of_shard = |shard: &serde_json::Value| {
        let mut found: Vec<String> = shard["replicas"].as_object().unwrap().iter().map(of).collect();
        found.sort();
        found.join(" ")
    };
    shards.values().map(of_shard).collect::<Vec<_>>().join("; ")
}

async fn three(cluster: &Cluster) -> [Served; 3] {
    let members = [cluster.member("a").await, cluster.member("b").await, cluster.member("c").await];
    let [a, b, c] = &members;
    lives(&members, &[a, b, c]);
    members
}

/// Documents with these numbers as ids.
fn numbered(ids: std::ops::Range<usize>) -> String {
    let documents: Vec<String> = ids.map(|id| format!(r#"{{"id":"{id}"}}"#)).collect();
    format!("[{}]", documents.join(","))
}

/// An action that has to work.
async fn act(at: &Served, action: &str) -> serde_json::Value {
    let answer = at.get(&format!("/solr/admin/collections?action={action}")).await;
    assert_eq!(answer.status, 200, "{action}: {}", answer.body);
    json(&answer)
}

async fn refused(at: &Served, action: &str, told: &str) {
    let answer = at.get(&format!("/solr/admin/collections?action={action}")).await;
    assert!(answer.status == 400 && answer.body.contains(told), "{action}: {}", answer.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_are_added_moved_and_taken_away() {
    let cluster = Cluster::default();
    let members = three(&cluster).await;
    let [a, b, c] = &members;
    a.create("films", "a").await;
    assert_eq!(a.update("films", r#"[{"id":"1"},{"id":"2"}]"#).await.status, 200);
    b.node.refresh().unwrap();
    c.node.refresh().unwrap();
    let act = |action: &str| format!("/solr/admin/collections?action={action}&collection=films&shard=shard1");
    let status = STATUS;
    // Whoever is asked: the lead does it.
    let added = c.get(&format!("{}&node=b:8983_solr&type=tlog", act("ADDREPLICA"))).await;
    assert_eq!(
        json(&added)["success"]["b:8983_solr"]["core"],
        "films_shard1_replica_t1001",
        "{}",
        added.body
    );
    assert_eq!(replicas_of(&a.get(status).await, "films"), "core_node1001@b core_node2@a*");
    for (refused, told) in [
        (format!("{}&node=b:8983_solr", act("ADDREPLICA")), "`b:8983_solr` has a replica of `shard1`"),
        (format!("{}&node=x:1_solr", act("ADDREPLICA")), "the node `x:1_solr` does not live"),
        (format!("{}&type=push", act("ADDREPLICA")), "`type` is `push`"),
        (
            format!("{}&nrtReplicas=2", act("ADDREPLICA")),
            "every node that lives and is there for data has a replica of `shard1`",
        ),
        (format!("{}&nrtReplicas=2&node=c:8983_solr", act("ADDREPLICA")), "2 replicas are to be added"),
        (format!("{}&type=pull&nrtReplicas=1", act("ADDREPLICA")), "`type` is `PULL`"),
        (format!("{}&property.name=x", act("ADDREPLICA")), "`property.name` is not supported"),
        (format!("{}&replica=core_node1001&onlyIfDown=true", act("DELETEREPLICA")), "but state is 'active'"),
        (format!("{}&replica=core_node9", act("DELETEREPLICA")), "has no replica `core_node9`"),
        (format!("{}&count=3", act("DELETEREPLICA")), "1 replica(s) of `shard1` could go"),
        (format!("{}&count=1&replica=core_node2", act("DELETEREPLICA")), "use one of them"),
        (format!("{}&sourceNode=c:8983_solr&targetNode=b:8983_solr", act("MOVEREPLICA")), "no such replica"),
    ] {
        let answer = a.get(&refused).await;
        assert!(answer.status == 400 && answer.body.contains(told), "{refused}: {}", answer.body);
    }
    assert_eq!(replicas_of(&b.get(status).await, "films"), "core_node1001@b core_node2@a*", "all or none");
    assert_eq!(found(&b.get("/solr/films_shard1_replica_t1001/select?q=*:*&distrib=false").await), 2);
    // The follower goes to another node, then the leader to where that was, with what it has.
    let moved = a.get(&format!("{}&replica=core_node1001&targetNode=c:8983_solr", act("MOVEREPLICA"))).await;
    assert_eq!(moved.status, 200, "{}", moved.body);
    let moved = b.get(&format!("{}&sourceNode=a:8983_solr&targetNode=b:8983_solr", act("MOVEREPLICA"))).await;
    assert_eq!(moved.status, 200, "{}", moved.body);
    for member in &members {
        member.node.refresh().unwrap();
        assert_eq!(replicas_of(&member.get(status).await, "films"), "core_node1001@c core_node2@b*");
        let id = member.node.member().id;
        let stored = member.update("films", &format!(r#"[{{"id":"{id}"}}]"#)).await;
        assert_eq!(stored.status, 200, "{}", stored.body);
    }
    // Without the one that had it all before.
    a.server.abort();
    for member in [b, c] {
        assert_eq!(found(&member.get("/solr/films/select?q=*:*").await), 5);
    }
    lives(&members, &[b, c]);
    assert!(b.node.take_part().is_ok() && c.node.take_part().is_ok());
    let leader = if b.node.find_own("films").is_some_and(|it| it.lead_elsewhere().is_none()) { b } else { c };
    let removed = leader.get(&format!("{}&replica=core_node1001", act("DELETEREPLICA"))).await;
    assert_eq!(removed.status, 200, "{}", removed.body);
    assert_eq!(replicas_of(&leader.get(status).await, "films"), "core_node2@b*");
    let again = leader.get(&format!("{}&replica=core_node1001", act("DELETEREPLICA"))).await;
    assert_eq!(again.status, 400, "{}", again.body);
    assert_eq!(found(&b.get("/solr/films/select?q=*:*").await), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_ask_a_follower_where_an_owner_does_not_answer() {
    let cluster = Cluster::default();
    let members = three(&cluster).await;
    let a = &members[0];
    let create = "/solr/admin/collections?action=CREATE&name=films&numShards=2&replicationFactor=2";
    let made = a.get(&format!("{create}&createNodeSet=ALL_LIVE_NODES")).await;
    assert_eq!(made.status, 200, "{}", made.body);
    let films: Vec<String> = (0..40).map(|at| format!(r#"{{"id":"{at}","shelf_s":"{}"}}"#, at % 4)).collect();
    assert_eq!(a.update("films", &format!("[{}]", films.join(","))).await.status, 200);
    let status = json(&a.get(STATUS).await);
    let shards = &status["cluster"]["collections"]["films"]["shards"];
    let nodes = |shard: &str| -> Vec<String> {
        let replicas = shards[shard]["replicas"].as_object().unwrap();
        replicas.values().map(|it| it["node_name"].as_str().unwrap().to_owned()).collect()
    };
    let (first, second) = (nodes("shard1"), nodes("shard2"));
    // One of the three has no replica of the second shard, whose leader is gone.
    let [leader, rest @ ..] = &*second else { panic!("{second:?}") };
    let gone = members.iter().find(|member| member.node.member().name == *leader).unwrap();
    gone.server.abort();
    let asked = members.iter().filter(|member| member.node.member().name != *leader);
    let mut has_none = 0;
    for member in asked {
        has_none += usize::from(!rest.contains(&member.node.member().name));
        let all = member.get("/solr/films/select?q=*:*&facet=true&facet.field=shelf_s&rows=3").await;
        assert_eq!(found(&all), 40, "{first:?} {second:?} {}", all.body);
        let terms = json(&member.get("/solr/films/terms?terms.fl=shelf_s").await);
        assert_eq!(terms["terms"]["shelf_s"], serde_json::json!(["0", 10, "1", 10, "2", 10, "3", 10]));
    }
    assert_eq!(has_none, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_have_the_kinds_that_were_asked_for_and_those_that_may_lead() {
    let cluster = Cluster::default();
    let members = three(&cluster).await;
    let [a, b, c] = &members;
    refused(a, "CREATE&name=films&nrtReplicas=0", "nrtReplicas + tlogReplicas must be greater than 0").await;
    refused(
        a,
        "CREATE&name=films&pullReplicas=3",
        "there are to be 4 replicas of each, and 3 node(s) may have them",
    )
    .await;
    act(a, "CREATE&name=films&nrtReplicas=1&tlogReplicas=1&pullReplicas=1&createNodeSet=a:8983_solr,b:8983_solr,c:8983_solr")
        .await;
    b.node.refresh().unwrap();
    c.node.refresh().unwrap();
    assert_eq!(a.update("films", r#"[{"id":"1"},{"id":"2"}]"#).await.status, 200);
    let shown = json(&a.get(STATUS).await);
    let films = &shown["cluster"]["collections"]["films"];
    let counts =
        ["nrtReplicas", "tlogReplicas", "pullReplicas", "replicationFactor"].map(|name| films[name].clone());
    assert_eq!(counts, [1, 1, 1, 2]);
    let kind = |core_node: &str| {
        let replica = &films["shards"]["shard1"]["replicas"][core_node];
        (replica["type"].as_str().unwrap().to_owned(), replica["core"].as_str().unwrap().to_owned())
    };
    assert_eq!(kind("core_node2"), ("NRT".into(), "films_shard1_replica_n1".into()));
    assert_eq!(kind("core_node1001"), ("TLOG".into(), "films_shard1_replica_t1001".into()));
    assert_eq!(kind("core_node1002"), ("PULL".into(), "films_shard1_replica_p1002".into()));
    assert_eq!(replicas_of(&a.get(STATUS).await, "films"), "core_node1001@b core_node1002@c core_node2@a*");
    refused(
        a,
        "MOVEREPLICA&collection=films&replica=core_node1001&targetNode=c:8983_solr",
        "has a replica of",
    )
    .await;
    // Each keeps its replica when another leads.
    a.server.abort();
    lives(&members, &[b, c]);
    assert!(b.node.take_part().is_ok() && c.node.take_part().is_ok());
    assert_eq!(replicas_of(&c.get(STATUS).await, "films"), "core_node1001@b* core_node1002@c core_node2@a");
    assert_eq!(b.update("films", r#"[{"id":"3"}]"#).await.status, 200);
    // Who has a PULL replica leads where nobody else is left, as the replica that led before.
    b.server.abort();
    lives(&members, &[c]);
    assert!(c.node.take_part().is_ok());
    assert_eq!(replicas_of(&c.get(STATUS).await, "films"), "core_node1001@c* core_node1002@b core_node2@a");
    assert_eq!(c.update("films", r#"[{"id":"4"}]"#).await.status, 200);
    assert_eq!(found(&c.get("/solr/films/select?q=*:*").await), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_is_taken_away_is_followed_by_another() {
    let cluster = Cluster::default();
    let members = three(&cluster).await;
    let [a, b, _] = &members;
    act(a, "CREATE&name=films&replicationFactor=2&createNodeSet=a:8983_solr,b:8983_solr").await;
    assert_eq!(a.update("films", r#"[{"id":"1"},{"id":"2"}]"#).await.status, 200);
    b.node.refresh().unwrap();
    act(b, "DELETEREPLICA&collection=films&shard=shard1&replica=core_node2").await;
    assert_eq!(replicas_of(&b.get(STATUS).await, "films"), "core_node1001@b*");
    refused(
        b,
        "DELETEREPLICA&collection=films&shard=shard1&replica=core_node1001",
        "leads `shard1`, and no other",
    )
    .await;
    refused(b, "FORCELEADER&collection=films&shard=shard1", "already has an active leader").await;
    assert_eq!(found(&b.get("/solr/films/select?q=*:*").await), 2);
    assert_eq!(b.update("films", r#"[{"id":"3"}]"#).await.status, 200);
    // With a kind, as many as are counted, and those that are down first.
    act(b, "ADDREPLICA&collection=films&shard=shard1&pullReplicas=2").await;
    assert_eq!(
        replicas_of(&b.get(STATUS).await, "films"),
        "core_node1001@b* core_node1002@a core_node1003@c"
    );
    lives(&members, &[&members[0], b]);
    act(b, "DELETEREPLICA&collection=films&shard=shard1&count=1&onlyIfDown=true").await;
    assert_eq!(replicas_of(&b.get(STATUS).await, "films"), "core_node1001@b* core_node1002@a");
}

#[tokio::test(flavor = "multi_thread")]
async fn leaders_go_where_they_are_preferred() {
    let cluster = Cluster::default();
    let members = three(&cluster).await;
    let [a, b, c] = &members;
    act(
        a,
        "CREATE&name=films&numShards=3&replicationFactor=3&createNodeSet=a:8983_solr,b:8983_solr,c:8983_solr",
    )
    .await;
    for member in [b, c] {
        member.node.refresh().unwrap();
    }
    assert_eq!(a.update("films", &numbered(0..30)).await.status, 200);
    let leaders = |status: &Answer| {
        let shown = replicas_of(status, "films");
        let leads = shown.split([' ', ';']).filter_map(|it| it.strip_suffix('*'));
        leads.map(|it| it.split('@').nth(1).unwrap().to_owned()).collect::<Vec<_>>()
    };
    // All to one, then one to each.
    let shown = json(&a.get(STATUS).await);
    for shard in ["shard1", "shard2", "shard3"] {
        let replicas =
            shown["cluster"]["collections"]["films"]["shards"][shard]["replicas"].as_object().unwrap();
        let on_c = replicas.iter().find(|(_, it)| it["node_name"] == "c:8983_solr").unwrap().0;
        let property = format!("collection=films&shard={shard}&replica={on_c}&property=preferredLeader");
        refused(
            b,
            &format!("ADDREPLICAPROP&{property}&property.value=true&shardUnique=false"),
            "leave it out",
        )
        .await;
        act(b, &format!("ADDREPLICAPROP&{property}&property.value=true")).await;
    }
    let told = act(b, "REBALANCELEADERS&collection=films").await;
    assert_eq!(
        told["Summary"]["Success"],
        "All active replicas with the preferredLeader property set are leaders"
    );
    assert_eq!(leaders(&a.get(STATUS).await), ["c", "c", "c"], "{told}");
    assert_eq!(c.update("films", r#"[{"id":"30"}]"#).await.status, 200);
    refused(a, "BALANCESHARDUNIQUE&collection=films&property=kept", "'shardUnique' be set to 'true'").await;
    act(a, "BALANCESHARDUNIQUE&collection=films&property=preferredLeader").await;
    act(a, "REBALANCELEADERS&collection=films").await;
    let mut each = leaders(&a.get(STATUS).await);
    each.sort();
    assert_eq!(each, ["a", "b", "c"]);
    for member in &members {
        assert_eq!(found(&member.get("/solr/films/select?q=*:*").await), 31);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_are_emptied_replaced_and_balanced() {
    let cluster = Cluster::default();
    let members = three(&cluster).await;
    let [a, b, c] = &members;
    let nodes = "createNodeSet=a:8983_solr,b:8983_solr";
    act(a, &format!("CREATE&name=films&numShards=2&replicationFactor=2&{nodes}")).await;
    act(b, "CREATE&name=books&numShards=2&createNodeSet=b:8983_solr").await;
    for member in &members {
        member.node.refresh().unwrap();
    }
    for collection in ["films", "books"] {
        assert_eq!(c.update(collection, &numbered(0..30)).await.status, 200);
    }
    let on = |status: &Answer, node: &str| {
        let all = ["films", "books"].map(|it| replicas_of(status, it)).join(" ");
        all.matches(&format!("@{node}")).count()
    };
    let status = a.get(STATUS).await;
    assert_eq!((on(&status, "a"), on(&status, "b"), on(&status, "c")), (2, 4, 0));
    refused(c, "REPLACENODE&sourceNode=x:1_solr", "Source Node: x:1_solr is not live").await;
    refused(c, "REPLACENODE&sourceNode=b:8983_solr&targetNode=a:8983_solr", "cannot leave `b:8983_solr`")
        .await;
    refused(c, "DELETENODE&node=b:8983_solr", "Can't delete the only existing non-PULL replica(s)").await;
    let status = a.get(STATUS).await;
    assert_eq!((on(&status, "a"), on(&status, "b"), on(&status, "c")), (2, 4, 0), "nothing was done");
    act(c, "REPLACENODE&sourceNode=b:8983_solr&targetNode=c:8983_solr").await;
    let status = b.get(STATUS).await;
    assert_eq!((on(&status, "a"), on(&status, "b"), on(&status, "c")), (2, 0, 4));
    // What was moved is there without the node that had it.
    b.server.abort();
    lives(&members, &[a, c]);
    assert!(a.node.take_part().is_ok() && c.node.take_part().is_ok());
    for collection in ["films", "books"] {
        for member in [a, c] {
            assert_eq!(found(&member.get(&format!("/solr/{collection}/select?q=*:*")).await), 30);
        }
    }
    act(a, "DELETENODE&node=a:8983_solr").await;
    assert_eq!(on(&a.get(STATUS).await, "a"), 0);
    assert_eq!(found(&c.get("/solr/films/select?q=*:*").await), 30);
    act(c, "BALANCE_REPLICAS").await;
    let status = c.get(STATUS).await;
    assert_eq!((on(&status, "a"), on(&status, "c")), (2, 2));
    act(c, "MIGRATE_REPLICAS&sourceNodes=a:8983_solr").await;
    for collection in ["films", "books"] {
        assert_eq!(found(&c.get(&format!("/solr/{collection}/select?q=*:*")).await), 30);
    }
    assert_eq!(on(&c.get(STATUS).await, "a"), 0);
}

/// Ten searches, so that looks of followers between them do not hide whom they ask.
async fn answered_by(cluster: &Cluster, members: &[Served; 3], at: usize, preference: &str) -> Vec<String> {
    let mut all = Vec::new();
    for _ in 0..10 {
        cluster.asked(members, "");
        let path = format!("/solr/films/select?q=*:*&shards.preference={preference}");
        assert_eq!(found(&members[at].get(&path).await), 2, "{preference}");
        all.extend(cluster.asked(members, "/parhelion/shards"));
    }
    all.sort();
    all.dedup();
    // Followers look at whoever leads all the time.
    all.retain(|id| id != "a");
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_ask_the_replicas_that_are_preferred() {
    let cluster = Cluster::default();
    let members = three(&cluster).await;
    let a = &members[0];
    act(
        a,
        "CREATE&name=films&nrtReplicas=2&pullReplicas=1&createNodeSet=a:8983_solr,b:8983_solr,c:8983_solr",
    )
    .await;
    assert_eq!(replicas_of(&a.get(STATUS).await, "films"), "core_node1001@b core_node1002@c core_node2@a*");
    for member in &members[1..] {
        member.node.refresh().unwrap();
        assert_eq!(member.node.take_part(), Ok(false));
    }
    assert_eq!(a.update("films", r#"[{"id":"1"},{"id":"2"}]"#).await.status, 200);
    let none: [&str; 0] = [];
    assert_eq!(answered_by(&cluster, &members, 0, "").await, none);
    assert_eq!(answered_by(&cluster, &members, 0, "replica.type:PULL").await, ["c"]);
    assert_eq!(answered_by(&cluster, &members, 0, "replica.leader:false,replica.type:NRT").await, ["b"]);
    assert_eq!(answered_by(&cluster, &members, 0, "replica.location:local").await, none);
    assert_eq!(answered_by(&cluster, &members, 1, "replica.type:PULL").await, ["c"]);
    assert_eq!(answered_by(&cluster, &members, 1, "replica.type:NRT,replica.leader:false").await, none);
    let b = format!("replica.location:{}", members[1].node.member().url);
    assert_eq!(answered_by(&cluster, &members, 2, &b).await, ["b"]);
    assert_eq!(answered_by(&cluster, &members, 0, "replica.base:random").await, ["b", "c"]);
    let stable = answered_by(&cluster, &members, 0, "replica.base:stable").await;
    assert!(stable.len() <= 1, "{stable:?}");
    let wrong = a.get("/solr/films/select?q=*:*&shards.preference=moon").await;
    assert!(wrong.status == 400 && wrong.body.contains("`moon` is no preference"), "{}", wrong.body);
    // What the cluster prefers counts for those that say nothing.
    act(a, "CLUSTERPROP&name=defaultShardPreferences&val=replica.type:PULL").await;
    refused(a, "CLUSTERPROP&name=defaultShardPreferences&val=moon", "`moon` is no preference").await;
    cluster.asked(&members, "");
    assert_eq!(found(&a.get("/solr/films/select?q=*:*").await), 2);
    assert!(cluster.asked(&members, "/parhelion/shards").contains(&"c".to_owned()));
    assert_eq!(answered_by(&cluster, &members, 0, "replica.leader:true").await, none);
    act(a, "CLUSTERPROP&name=defaultShardPreferences").await;
    // Whoever is preferred and does not answer is passed over, for what is here at last.
    members[2].server.abort();
    assert_eq!(answered_by(&cluster, &members, 0, "replica.type:PULL").await, ["c"]);
    cluster.silence(&[&members[1]]);
    assert_eq!(found(&a.get("/solr/films/select?q=*:*&shards.preference=replica.leader:false").await), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collection_on_several_nodes_is_backed_up_by_whoever_is_asked() {
    let cluster = Cluster::default();
    let members = three(&cluster).await;
    let [a, b, c] = &members;
    act(a, "CREATE&name=films&numShards=3&createNodeSet=a:8983_solr,b:8983_solr").await;
    b.node.refresh().unwrap();
    c.node.refresh().unwrap();
    assert_eq!(a.update("films", &numbered(0..30)).await.status, 200);
    act(c, "BACKUP&collection=films&name=nightly").await;
    assert_eq!(a.update("films", &numbered(30..60)).await.status, 200);
    act(b, "BACKUP&collection=films&name=nightly").await;
    act(a, "VERIFYBACKUP&name=nightly&backupId=0").await;
    for (backup, count) in [(0, 30), (1, 60)] {
        act(a, &format!("RESTORE&name=nightly&backupId={backup}&collection=again{backup}")).await;
        assert_eq!(found(&a.get(&format!("/solr/again{backup}/select?q=*:*")).await), count);
    }
    refused(a, "CREATESNAPSHOT&collection=films&commitName=now", "use BACKUP").await;
    // What an owner that is gone had is not left out.
    b.server.abort();
    let answer = a.get("/solr/admin/collections?action=BACKUP&collection=films&name=nightly").await;
    assert_eq!(answer.status, 503, "{}", answer.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_says_nothing_is_not_waited_for_where_another_has_the_shard() {
    let cluster = Cluster::default();
    let members = three(&cluster).await;
    let [a, b, c] = &members;
    act(a, "CREATE&name=films&numShards=2&replicationFactor=2&createNodeSet=a:8983_solr,b:8983_solr").await;
    b.node.refresh().unwrap();
    let documents: Vec<String> =
        (0..30).map(|at| format!(r#"{{"id":"{at}","shelf_s":"{}"}}"#, at % 2)).collect();
    assert_eq!(a.update("films", &format!("[{}]", documents.join(","))).await.status, 200);
    act(a, "CREATE&name=books&createNodeSet=c:8983_solr").await;
    for member in &members {
        member.node.refresh().unwrap();
    }
    // Each shard is told of by the replica that answered: a leader here, where nothing else is preferred.
    let told = json(&c.get("/solr/films,books/select?q=*:*&rows=0&shards.info=true").await);
    let names: Vec<_> = told["shards.info"].as_object().unwrap().keys().collect();
    for member in &members {
        let own = format!("{}/solr/", member.node.member().url);
        assert_eq!(names.iter().filter(|name| name.starts_with(&own)).count(), 1, "{own}: {names:?}");
    }
    let told = json(
        &a.get("/solr/films/select?q=*:*&rows=0&shards.info=true&shards.preference=replica.leader:false")
            .await,
    );
    for (_, one) in told["shards.info"].as_object().unwrap() {
        let address = one["shardAddress"].as_str().unwrap();
        assert!(names.iter().all(|name| !name.starts_with(address)), "{address}: {names:?}");
    }
    // It lives as far as anybody was told. One without a part of it sends requests to the lead; one that
    // gathers from several asks their shards.
    cluster.silence(&[a]);
    for path in ["/solr/films/select?q=*:*&facet=true&facet.field=shelf_s", "/solr/films,books/select?q=*:*"]
    {
        assert_eq!(found(&c.get(path).await), 30, "{path}");
        cluster.asked(&members, "");
        assert_eq!(found(&c.get(path).await), 30, "{path}");
        let asked = cluster.asked(&members, "/");
        assert!(!asked.contains(&"a".to_owned()), "it was silent a moment ago: {asked:?}");
    }
    let terms = json(&c.get("/solr/films/terms?terms.fl=shelf_s").await);
    assert_eq!(terms["terms"]["shelf_s"], serde_json::json!(["0", 15, "1", 15]));
    // Some time later one search tries it again, and all the others once it answers.
    cluster.clock.0.fetch_add(2_000, std::sync::atomic::Ordering::Relaxed);
    // What `b` has of the shard that `a` leads is as old as that, and it says so.
    let status = json(&b.get(STATUS).await);
    let shards = status["cluster"]["collections"]["films"]["shards"].as_object().unwrap();
    let replicas = shards.values().flat_map(|shard| shard["replicas"].as_object().unwrap().values());
    let lags: Vec<_> =
        replicas.filter_map(|replica| Some((&replica["node_name"], replica.get("lagMs")?))).collect();
    assert_eq!(lags, [(&serde_json::json!("b:8983_solr"), &serde_json::json!(2_000))]);
    cluster.silence(&[]);
    for _ in 0..2 {
        cluster.asked(&members, "");
        assert_eq!(found(&c.get("/solr/films/select?q=*:*").await), 30);
        assert!(cluster.asked(&members, "/solr/films").contains(&"a".to_owned()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn others_follow_in_the_place_of_who_is_gone_for_long() {
    let cluster = Cluster::default();
    let members = [
        cluster.member("a").await,
        cluster.member("b").await,
        cluster.member("c").await,
        cluster.member("d").await,
    ];
    let [a, b, c, d] = &members;
    lives(&members, &[a, b, c, d]);
    let nodes = "createNodeSet=a:8983_solr,b:8983_solr";
    act(a, &format!("CREATE&name=films&numShards=3&replicationFactor=2&{nodes}")).await;
    assert_eq!(a.update("films", &numbered(0..30)).await.status, 200);
    for member in &members {
        member.node.refresh().unwrap();
        member.node.replace_gone_after(Some(600_000));
    }
    b.server.abort();
    lives(&members, &[a, c, d]);
    let pass = |ms: i64| {
        cluster.clock.0.fetch_add(ms, std::sync::atomic::Ordering::Relaxed);
        for member in [a, c, d] {
            assert!(member.node.take_part().is_ok());
        }
    };
    let on = |status: &Answer| {
        ["a", "b", "c", "d"].map(|it| replicas_of(status, "films").matches(&format!("@{it}")).count())
    };
    // What it led another leads at once; it is expected back.
    pass(0);
    let status = a.get(STATUS).await;
    assert_eq!(on(&status), [3, 3, 0, 0]);
    assert_eq!(json(&status)["cluster"]["gone_nodes"]["b:8983_solr"]["replacedInMs"], 600_000);
    pass(599_999);
    assert_eq!(on(&a.get(STATUS).await), [3, 3, 0, 0]);
    // A few at a time, evenly.
    pass(1);
    assert_eq!(on(&a.get(STATUS).await), [3, 1, 1, 1]);
    pass(0);
    pass(0);
    let status = a.get(STATUS).await;
    assert_eq!((on(&status)[0], on(&status)[1]), (3, 0));
    assert_eq!(json(&status)["cluster"]["gone_nodes"], serde_json::Value::Null);
    // They have what it had, without whoever leads.
    a.server.abort();
    lives(&members, &[c, d]);
    for member in [c, d] {
        assert!(member.node.take_part().is_ok());
    }
    assert_eq!(found(&c.get("/solr/films/select?q=*:*").await), 30);
    assert_eq!(found(&d.get("/solr/films/select?q=*:*").await), 30);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collection_that_is_read_only_takes_no_updates_whoever_is_asked() {
    let cluster = Cluster::default();
    let members = three(&cluster).await;
    let [a, b, c] = &members;
    act(a, "CREATE&name=films&numShards=2&createNodeSet=a:8983_solr,b:8983_solr").await;
    for member in [b, c] {
        member.node.refresh().unwrap();
    }
    assert_eq!(c.update("films", r#"[{"id":"1"},{"id":"2"}]"#).await.status, 200);
    act(c, "MODIFYCOLLECTION&collection=films&readOnly=true").await;
    for member in &members {
        let answer = member.update("films", r#"[{"id":"3"}]"#).await;
        assert!(
            answer.status == 403 && answer.body.contains("Collection films is read-only."),
            "{}",
            answer.body
        );
        assert_eq!(found(&member.get("/solr/films/select?q=*:*").await), 2);
    }
    let shown = json(&b.get(STATUS).await);
    assert_eq!(shown["cluster"]["collections"]["films"]["readOnly"], "true");
    assert_eq!(shown["cluster"]["collections"]["films"]["health"], "GREEN");
    let commit = b.get("/solr/films/update?commit=true").await;
    assert_eq!(commit.status, 403, "{}", commit.body);
    // Whoever takes a part of it over goes by the document.
    a.server.abort();
    lives(&members, &[b, c]);
    assert!(b.node.take_part().is_ok() && c.node.take_part().is_ok());
    assert_eq!(c.update("films", r#"[{"id":"3"}]"#).await.status, 403);
    act(c, "MODIFYCOLLECTION&collection=films&readOnly=false").await;
    assert_eq!(c.update("films", r#"[{"id":"3"},{"id":"4"}]"#).await.status, 200);
    assert_eq!(found(&b.get("/solr/films/select?q=*:*").await), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_has_not_heard_of_another_leader_searches_all_the_same() {
    let cluster = Cluster::default();
    let members = three(&cluster).await;
    let [a, _, c] = &members;
    let films = "CREATE&name=films&replicationFactor=2&createNodeSet=a:8983_solr,b:8983_solr";
    act(a, films).await;
    act(c, "CREATE&name=books&createNodeSet=c:8983_solr").await;
    assert_eq!(a.update("films", &numbered(0..10)).await.status, 200);
    c.node.refresh().unwrap();
    let search = "/solr/films,books/select?q=*:*";
    assert_eq!(found(&c.get(search).await), 10);
    let shown = json(&a.get(STATUS).await);
    let replicas = shown["cluster"]["collections"]["films"]["shards"]["shard1"]["replicas"].clone();
    let on = |node: &str| {
        let mut all = replicas.as_object().unwrap().iter();
        all.find(|(_, it)| it["node_name"] == node).unwrap().0.clone()
    };
    // By what the third knows each is asked for what it has no more.
    for node in ["b:8983_solr", "a:8983_solr", "b:8983_solr"] {
        let property = format!("collection=films&shard=shard1&replica={}&property=preferredLeader", on(node));
        act(a, &format!("ADDREPLICAPROP&{property}&property.value=true")).await;
        act(a, "REBALANCELEADERS&collection=films").await;
        assert_eq!(found(&c.get(search).await), 10, "{node} leads");
    }
}
