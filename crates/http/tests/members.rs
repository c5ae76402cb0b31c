//! Two members of a cluster that share documents and homes: a request is served by whoever has its collection,
//! whichever member got it.

mod cluster_of;
mod served;

use cluster_of::{Cluster, Served, found, json, lives};
use served::Answer;

#[tokio::test]
async fn any_member_serves_any_collection() {
    let cluster = Cluster::default();
    let [a, b] = cluster.two().await;
    a.create("films", "b").await;
    assert!(a.node.find("films").is_none() && b.node.find("films").is_some());
    for (at, member) in [&a, &b].into_iter().enumerate() {
        let stored = member.update("films", &format!(r#"[{{"id":"{at}","title_t":"Solaris"}}]"#)).await;
        assert_eq!(stored.status, 200, "{}", stored.body);
    }
    for member in [&a, &b] {
        assert_eq!(found(&member.get("/solr/films/select?q=title_t:solaris").await), 2);
        assert_eq!(found(&member.get("/solr/films_shard1_replica_n1/select?q=*:*").await), 2);
        assert_eq!(member.get("/solr/nowhere/select").await.status, 404);
        let listed = member.get("/solr/admin/collections?action=CLUSTERSTATUS").await.body;
        assert!(listed.contains(r#""live_nodes":["a:8983_solr","b:8983_solr"]"#), "{listed}");
        assert!(listed.contains(r#""node_name":"b:8983_solr""#), "{listed}");
    }
    // Errors are the owner's own.
    let refused = a.get("/solr/films/select?q=nowhere:x").await;
    assert_eq!((refused.status, refused.body.contains("undefined field nowhere")), (400, true));
}

#[tokio::test]
async fn administration_is_the_owners_and_is_known_to_whoever_was_asked() {
    let cluster = Cluster::default();
    let [a, b] = cluster.two().await;
    a.create("films", "b").await;
    let act = async |what: &str| a.get(&format!("/solr/admin/collections?action={what}")).await;
    for what in [
        "RELOAD&name=films",
        "COLLECTIONPROP&name=films&propertyName=x&propertyValue=y",
        "MODIFYCOLLECTION&collection=films&property.z=1",
        "CREATESNAPSHOT&collection=films&commitName=one",
        "RENAME&name=films&target=movies",
    ] {
        let answer = act(what).await;
        assert_eq!(answer.status, 200, "{what}: {}", answer.body);
    }
    assert!(b.node.find("films").unwrap().properties().contains_key("property.z"));
    assert_eq!(found(&a.get("/solr/movies/select?q=*:*").await), 0);
    let listed = a.get("/solr/admin/collections?action=LISTSNAPSHOTS&collection=films&wt=xml").await;
    assert!(listed.body.contains("one"), "{}", listed.body);
    // What is refused is refused in the owner's words.
    let refused = act("DELETE&name=films").await;
    assert_eq!((refused.status, refused.body.contains("is part of aliases: [movies]")), (400, true));
    assert_eq!(act("DELETEALIAS&name=movies").await.status, 200);
    // Beside, and asked for where it was begun.
    assert_eq!(act("DELETE&name=films&async=7").await.status, 200);
    let mut status = act("REQUESTSTATUS&requestid=7").await;
    while status.body.contains(r#""state":"running""#) {
        tokio::task::yield_now().await;
        status = act("REQUESTSTATUS&requestid=7").await;
    }
    assert!(status.body.contains(r#""state":"completed""#), "{}", status.body);
    assert_eq!(a.get("/solr/films/select").await.status, 404);
    assert!(b.node.list().is_empty());
}

#[tokio::test]
async fn while_nobody_serves_it_clients_are_told_to_come_again() {
    let cluster = Cluster::default();
    let members = cluster.two().await;
    let [a, b] = &members;
    a.create("films", "b").await;
    lives(&members, &[a]);
    let gone = a.get("/solr/films/select?q=*:*").await;
    assert_eq!((gone.status, gone.header("retry-after").is_empty()), (503, false), "{}", gone.body);
    let listed = a.get("/solr/admin/collections?action=CLUSTERSTATUS").await.body;
    assert!(listed.contains(r#""state":"down""#), "{listed}");
    assert_eq!(a.get("/solr/admin/collections?action=RELOAD&name=films").await.status, 503);
    assert_eq!(a.node.take_part(), Ok(true));
    assert_eq!(found(&a.get("/solr/films/select?q=*:*").await), 0);
    // Whoever had it learns of that; what is sent on to it meanwhile goes no further.
    let head = "GET /solr/films/select?q=*:* HTTP/1.1\r\nHost: x\r\nConnection: close\r\nparhelion-forwarded-by: a\r\n";
    assert_eq!(b.node.take_part(), Ok(true));
    assert_eq!(b.send(head, "").await.status, 503);
    lives(&members, &[a, b]);
    assert_eq!(found(&b.get("/solr/films/select?q=*:*").await), 0);
}

/// Films here, their directors there: what one member answers of both is what one that had both would.
async fn films_and_books(cluster: &Cluster) -> [Served; 2] {
    let [a, b] = cluster.two().await;
    a.create("films", "a").await;
    b.node.refresh().unwrap();
    a.create("books&numShards=2", "b").await;
    a.node.set_alias("all", vec!["films".to_owned(), "books".to_owned()]).await.unwrap();
    b.node.refresh().unwrap();
    let films = r#"[{"id":"f1","title_t":"Solaris","year_i":1972,"author_s":"lem"},
        {"id":"f2","title_t":"Stalker","year_i":1979,"author_s":"strugatsky"}]"#;
    let books = r#"[{"id":"b1","title_t":"Solaris","year_i":1961,"name_s":"lem"},
        {"id":"b2","title_t":"Roadside Picnic","year_i":1972,"name_s":"strugatsky"},
        {"id":"b3","title_t":"Solaris again, and Solaris","year_i":1980,"name_s":"lem"}]"#;
    assert_eq!(a.update("films", films).await.status, 200);
    assert_eq!(a.update("books", books).await.status, 200);
    [a, b]
}

#[tokio::test(flavor = "multi_thread")]
async fn collections_of_several_members_are_searched_together() {
    let cluster = Cluster::default();
    let members = films_and_books(&cluster).await;
    for member in &members {
        let get = async |query: &str| json(&member.get(&format!("/solr/{query}")).await);
        let ids = async |query: &str| -> Vec<String> {
            let answer = get(query).await;
            let docs = answer["response"]["docs"].as_array().unwrap_or_else(|| panic!("{answer}"));
            docs.iter().map(|doc| doc["id"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(ids("all/select?q=*:*&sort=year_i+asc,id+desc").await, ["b1", "f1", "b2", "f2", "b3"]);
        assert_eq!(ids("films,books/select?q=title_t:solaris&sort=year_i+desc&rows=2").await, ["b3", "f1"]);
        assert_eq!(ids("films/select?q=*:*&collection=books&sort=id+asc").await, ["b1", "b2", "b3"]);
        let facets = get("all/select?q=*:*&rows=0&facet=true&facet.field=year_i&facet.mincount=2").await;
        assert_eq!(facets["facet_counts"]["facet_fields"]["year_i"], serde_json::json!(["1972", 2]));
        // From one to the other, from whoever has it.
        let join = "select?q={!join+from=name_s+to=author_s+fromIndex=books}title_t:solaris";
        assert_eq!(ids(&format!("films/{join}")).await, ["f1"]);
        let join = "select?q={!join+from=author_s+to=name_s+fromIndex=films}title_t:stalker&fl=id";
        assert_eq!(ids(&format!("books/{join}")).await, ["b2"]);
        let likes = "all/select?q={!mlt+qf=title_t+mintf=1+mindf=1}";
        assert_eq!(ids(&format!("{likes}f1&sort=id+asc")).await, ["b1", "b3"]);
        assert_eq!(ids(&format!("{likes}b3&sort=id+asc")).await, ["b1", "f1"]);
        assert_eq!(ids("all/get?ids=f1,b1,b2,b3&fl=id&fq=year_i:1972").await, ["f1", "b2"]);
        let within = get("films/select?q=id:f1&fl=id,author_s,of:[subquery+fromIndex=books]&of.q={!terms+f=name_s+v=$row.author_s}&of.fl=id&of.sort=id+asc").await;
        assert_eq!(within["response"]["docs"][0]["of"]["docs"], serde_json::json!([{"id":"b1"},{"id":"b3"}]));
        let terms = get("all/terms?terms.fl=title_t&terms.limit=1").await;
        assert_eq!(terms["terms"]["title_t"], serde_json::json!(["solaris", 3]));
        // An update goes to the first of them.
        assert_eq!(
            member
                .update("all", r#"[{"id":"f2","title_t":"Stalker","year_i":1979,"author_s":"strugatsky"}]"#)
                .await
                .status,
            200
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_owner_changes_counts_for_whoever_asks_it() {
    let cluster = Cluster::default();
    let members = films_and_books(&cluster).await;
    let [a, b] = &members;
    let both = "/solr/all/select?q=*:*&sort=year_i+desc&rows=1";
    assert_eq!(found(&a.get(both).await), 5);
    // Fields come by updates; a member that has not heard of them resolves its question anew.
    let more = r#"[{"id":"b4","title_t":"Hard to be a God","year_i":1964,"price_i":7}]"#;
    assert_eq!(b.update("books", more).await.status, 200);
    assert_eq!(found(&a.get("/solr/films,books/select?q=price_i:7").await), 1);
    let schema = r#"{"add-field":{"name":"shelf","type":"string"}}"#;
    let head = "POST /solr/books/schema HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n";
    assert_eq!(b.send(head, schema).await.status, 200);
    assert_eq!(b.update("books", r#"[{"id":"b5","shelf":"B4"}]"#).await.status, 200);
    assert_eq!(found(&a.get("/solr/books,films/select?q=*:*").await), 7);
    // What is gone for its owner is gone for all.
    assert_eq!(a.get("/solr/admin/collections?action=DELETEALIAS&name=all").await.status, 200);
    assert_eq!(a.get("/solr/admin/collections?action=DELETE&name=books").await.status, 200);
    assert_eq!(a.get("/solr/books,films/select?q=*:*").await.status, 404);
    a.create("novels", "b").await;
    assert_eq!(found(&a.get("/solr/novels,films/select?q=*:*").await), 2);
    // Whoever serves a part of it is gone: told, and not left out.
    lives(&members, &[a]);
    let gone = a.get("/solr/novels,films/select?q=*:*").await;
    assert_eq!((gone.status, gone.header("retry-after").is_empty()), (503, false), "{}", gone.body);
    let join = "/solr/films/select?q={!join+from=name_s+to=author_s+fromIndex=novels}*:*";
    assert_eq!(a.get(join).await.status, 503);
    assert_eq!(a.node.take_part(), Ok(true));
    assert_eq!(found(&a.get("/solr/novels,films/select?q=*:*").await), 2);
}

#[tokio::test]
async fn clients_have_no_way_to_what_members_ask() {
    let cluster = Cluster::default();
    let [a, _b] = cluster.two().await;
    let head = "POST /parhelion/shards HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/octet-stream\r\n";
    let refused = a.send(head, "x").await;
    assert_eq!((refused.status, refused.body.contains("only members")), (400, true), "{}", refused.body);
}

/// The hash is of `SolrRocks`, and the header says `solr:SolrRocks`.
const HASH: &str =
    "IV0EHq1OnNrj6gvRCwvFwTrZ1+z1oBbnQdiVC3otuq0= Ndd7LKvVBAaZIF0QAVi1ekCfAJXr1GGfLtRUXhgrF8c=";
const ADMIN: &str = "Basic c29scjpTb2xyUm9ja3M=";
/// `ann:secret`, `bob:secret`.
const ANN: &str = "Basic YW5uOnNlY3JldA==";
const BOB: &str = "Basic Ym9iOnNlY3JldA==";

impl Served {
    async fn get_as(&self, who: &str, path: &str) -> u16 {
        let head = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: {who}\r\n");
        self.send(&head, "").await.status
    }

    /// Whether somebody is let in.
    async fn lets_in(&self, who: &str) -> bool {
        match self.get_as(who, "/solr/admin/info/health").await {
            200 => true,
            401 => false,
            other => panic!("{other}"),
        }
    }

    async fn edit_users(&self, commands: &str) -> Answer {
        let head = format!(
            "POST /solr/admin/authentication HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: {ADMIN}\r\n\
             Content-Type: application/json\r\n"
        );
        self.send(&head, commands).await
    }
}

/// With one user, who may do everything.
fn security_file() -> String {
    format!(r#"{{"authentication":{{"class":"solr.BasicAuthPlugin","credentials":{{"solr":"{HASH}"}}}}}}"#)
}

#[tokio::test]
async fn all_members_follow_who_may_do_what() {
    let cluster = Cluster::default();
    let [a, b] = cluster.two().await;
    let security = security_file();
    // Both started open. A file that comes to be shuts them.
    a.node.save_security(security).await.unwrap();
    assert_eq!((a.get("/solr/admin/info/health").await.status, a.lets_in(ADMIN).await), (401, true));
    assert_eq!(b.get("/solr/admin/info/health").await.status, 200);
    b.node.refreshed().await.unwrap();
    let refused = b.get("/solr/admin/info/health").await;
    assert_eq!((refused.status, refused.header("www-authenticate")), (401, "Basic realm=\"solr\""));

    assert_eq!(a.edit_users(r#"{"set-user":{"ann":"secret"}}"#).await.status, 200);
    assert_eq!((a.lets_in(ANN).await, b.lets_in(ANN).await), (true, false));
    b.node.refreshed().await.unwrap();
    assert!(b.lets_in(ANN).await);

    // Each edits what the other has not seen yet: neither edit is lost.
    assert_eq!(a.edit_users(r#"{"delete-user":["ann"]}"#).await.status, 200);
    assert_eq!(b.edit_users(r#"{"set-user":{"bob":"secret"}}"#).await.status, 200);
    a.node.refreshed().await.unwrap();
    for member in [&a, &b] {
        assert_eq!((member.lets_in(ANN).await, member.lets_in(BOB).await), (false, true));
    }
}

#[tokio::test]
async fn a_security_file_that_is_none_opens_no_door() {
    let cluster = Cluster::default();
    let [a, b] = cluster.two().await;
    let security = security_file();
    a.node.save_security(security.clone()).await.unwrap();
    b.node.refreshed().await.unwrap();
    assert!(a.lets_in(ADMIN).await && b.lets_in(ADMIN).await, "what was never looked at cannot stay");
    for broken in ["{", "{}", r#"{"authentication":{"class":"solr.JWTAuthPlugin"}}"#] {
        a.node.save_security(broken.to_owned()).await.unwrap();
        b.node.refreshed().await.unwrap();
        for member in [&a, &b] {
            let stranger = member.get("/solr/admin/info/health").await.status;
            assert_eq!((stranger, member.lets_in(ADMIN).await), (401, true), "{broken}");
            // It would undo what somebody made of the file.
            let refused = member.edit_users(r#"{"set-user":{"ann":"secret"}}"#).await;
            assert_eq!(refused.status, 409, "{}", refused.body);
            assert!(refused.body.contains("mend it"), "{}", refused.body);
        }
        assert_eq!(a.node.security().unwrap().as_deref(), Some(broken));
    }
    a.node.save_security(security).await.unwrap();
    assert_eq!(b.edit_users(r#"{"set-user":{"ann":"secret"}}"#).await.status, 200, "it looks first");
    assert!(b.lets_in(ANN).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn shards_of_one_collection_are_on_several_members() {
    let cluster = Cluster::default();
    let members = cluster.two().await;
    let [a, b] = &members;
    let made = b.get("/solr/admin/collections?action=CREATE&name=films&numShards=2&createNodeSet=a:8983_solr,b:8983_solr").await;
    assert_eq!(made.status, 200, "{}", made.body);
    // Whoever is asked: fields that nobody knew come by updates, and are the lead's to add.
    for (at, member) in members.iter().enumerate() {
        let films: Vec<String> =
            (0..20).map(|number| format!(r#"{{"id":"{at}-{number}","year_of_{at}":{number}}}"#)).collect();
        let stored = member.update("films", &format!("[{}]", films.join(","))).await;
        assert_eq!(stored.status, 200, "{}", stored.body);
    }
    let deleted = a.update("films", r#"{"delete":{"id":"1-19"},"delete":{"query":"year_of_0:19"}}"#).await;
    assert_eq!(deleted.status, 200, "{}", deleted.body);
    for member in &members {
        assert_eq!(found(&member.get("/solr/films/select?q=*:*").await), 38);
        let sorted =
            member.get("/solr/films/select?q=year_of_1:[3+TO+*]&sort=year_of_1+desc&rows=2&fl=id").await;
        assert_eq!(json(&sorted)["response"]["docs"], serde_json::json!([{"id":"1-18"},{"id":"1-17"}]));
        let one = json(&member.get("/solr/films/get?id=0-7&fl=id,year_of_0").await);
        assert_eq!(one["doc"], serde_json::json!({"id":"0-7","year_of_0":[7]}));
        let status = json(&member.get("/solr/admin/collections?action=CLUSTERSTATUS").await);
        let shards = &status["cluster"]["collections"]["films"]["shards"];
        let node = |shard: &str| {
            let replicas = shards[shard]["replicas"].as_object().unwrap();
            replicas.values().next().unwrap()["node_name"].as_str().unwrap().to_owned()
        };
        let mut nodes = [node("shard1"), node("shard2")];
        nodes.sort();
        assert_eq!(nodes, ["a:8983_solr", "b:8983_solr"]);
        // A core is a shard, wherever it is.
        let of_shards = [1, 2].map(|number| {
            format!("/solr/films_shard{number}_replica_n{number}/select?q=*:*&distrib=false&rows=0")
        });
        let [one, two] = [member.get(&of_shards[0]).await, member.get(&of_shards[1]).await];
        assert!(found(&one) > 0 && found(&two) > 0 && found(&one) + found(&two) == 38);
        let cores = member.get("/solr/admin/cores?action=STATUS&indexInfo=false").await.body;
        assert_eq!(cores.matches(r#""name":"films_shard"#).count(), 1, "{cores}");
    }
    // What the collection is, its lead is asked, whoever is.
    for (at, member) in members.iter().enumerate() {
        let add = format!(r#"{{"add-field":{{"name":"shelf{at}","type":"string"}}}}"#);
        let head = "POST /solr/films/schema HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n";
        let added = member.send(head, &add).await;
        assert_eq!(added.status, 200, "{}", added.body);
        for known in &members {
            let field = known.get(&format!("/solr/films/schema/fields/shelf{at}")).await;
            assert_eq!(field.status, 200, "{}", field.body);
            assert_eq!(found(&known.get(&format!("/solr/films/select?q=shelf{at}:x")).await), 0);
        }
    }
    let reloaded = b.get("/solr/admin/collections?action=RELOAD&name=films").await;
    assert_eq!(reloaded.status, 200, "{}", reloaded.body);
    // One is gone: told, until the other has its shard.
    lives(&members, &[a]);
    let gone = a.get("/solr/films/select?q=*:*").await;
    assert_eq!((gone.status, gone.header("retry-after").is_empty()), (503, false), "{}", gone.body);
    assert_eq!(a.node.take_part(), Ok(true));
    assert_eq!(found(&a.get("/solr/films/select?q=*:*").await), 38);
    assert_eq!(a.update("films", r#"[{"id":"late"}]"#).await.status, 200);
    // Whoever had it and lived learns of that, and asks for it as for any.
    lives(&members, &[a, b]);
    assert_eq!(b.node.take_part(), Ok(true));
    assert_eq!(found(&b.get("/solr/films/select?q=*:*").await), 39);
    assert_eq!(a.get("/solr/admin/collections?action=DELETE&name=films").await.status, 200);
    b.node.refresh().unwrap();
    assert_eq!(b.get("/solr/films/select?q=*:*").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_answers_what_its_leader_shows_and_leads_when_that_is_gone() {
    let cluster = Cluster::default();
    let members = cluster.two().await;
    let [a, b] = &members;
    let create = "/solr/admin/collections?action=CREATE&name=films&replicationFactor";
    let refused = a.get(&format!("{create}=3")).await;
    assert_eq!(refused.status, 400, "{}", refused.body);
    assert!(refused.body.contains("3 replicas of each, and 2 node(s) may have them"), "{}", refused.body);
    let refused = a.get(&format!("{create}=2&nrtReplicas=1")).await;
    assert!(refused.status == 400 && refused.body.contains("mean the same"), "{}", refused.body);
    let made = b.get(&format!("{create}=2&createNodeSet=a:8983_solr,b:8983_solr")).await;
    assert_eq!(made.status, 200, "{}", made.body);
    // Behind a commit each shows it, whoever was asked; none of this was flushed before.
    for (at, member) in members.iter().enumerate() {
        let films = format!(r#"[{{"id":"{at}-1","year_of_{at}":1}},{{"id":"{at}-2","year_of_{at}":2}}]"#);
        let stored = member.update("films", &films).await;
        assert_eq!(stored.status, 200, "{}", stored.body);
        let gone = member.update("films", &format!(r#"{{"delete":{{"id":"{at}-1"}}}}"#)).await;
        assert_eq!(gone.status, 200, "{}", gone.body);
        for member in &members {
            let shown = member.get("/solr/films/select?q=*:*&fl=id&sort=id+asc").await;
            assert_eq!(found(&shown), at as u64 + 1, "{}", shown.body);
            let by_new_field = member.get(&format!("/solr/films/select?q=year_of_{at}:2")).await;
            assert_eq!(found(&by_new_field), 1, "{}", by_new_field.body);
        }
    }
    let leader_of = |status: &Answer| {
        let status = json(status);
        let shard = &status["cluster"]["collections"]["films"]["shards"]["shard1"];
        let replicas = shard["replicas"].as_object().unwrap().clone();
        assert_eq!(replicas.len(), 2, "{shard}");
        let leads = replicas.values().find(|replica| replica["leader"] == "true").unwrap();
        (leads["node_name"].as_str().unwrap().to_owned(), shard["health"].as_str().unwrap().to_owned())
    };
    let status = "/solr/admin/collections?action=CLUSTERSTATUS";
    let (leader, health) = leader_of(&a.get(status).await);
    assert_eq!(health, "GREEN");
    let (led, follower) = if leader == "a:8983_solr" { (a, b) } else { (b, a) };
    // Not committed: a get is the leader's to answer, and a search shows nothing of it.
    let head = "POST /solr/films/update HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n";
    assert_eq!(follower.send(head, r#"[{"id":"late"}]"#).await.status, 200);
    assert_eq!(json(&follower.get("/solr/films/get?id=late&fl=id").await)["doc"]["id"], "late");
    assert_eq!(found(&follower.get("/solr/films/select?q=*:*").await), 2);
    let other = cluster.member("c").await;
    other.node.refresh().unwrap();
    let everyone = [led.node.member(), follower.node.member(), other.node.member()];
    [led, follower, &other].iter().for_each(|served| served.node.set_living(everyone.to_vec()));
    // Its leader is gone, and nobody has heard of it: searches go on, updates do not.
    led.server.abort();
    let alone = follower.get("/solr/films/select?q=*:*&fl=id,year_of_1&sort=id+desc&rows=1").await;
    assert_eq!(json(&alone)["response"]["docs"], serde_json::json!([{"id":"1-2","year_of_1":[2]}]));
    assert_eq!(follower.update("films", r#"[{"id":"lost"}]"#).await.status, 503);
    // Whoever has no part of it asks who has.
    assert_eq!(found(&other.get("/solr/films/select?q=*:*").await), 2);
    // It is heard of: the follower leads, and has what the log had.
    follower.node.set_living(vec![follower.node.member()]);
    assert_eq!(follower.node.take_part(), Ok(true));
    let (leader, health) = leader_of(&follower.get(status).await);
    assert_eq!((leader, health.as_str()), (follower.node.member().name, "YELLOW"));
    assert_eq!(follower.update("films", r#"[{"id":"new"}]"#).await.status, 200);
    assert_eq!(found(&follower.get("/solr/films/select?q=id:(late+new)").await), 2);
}
