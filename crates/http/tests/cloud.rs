//! A cluster of one: what cloud clients read, names that stand for collections, backups, and what is reported of
//! a node.

mod served;

use served::{Served, body, refused};

/// What a cloud client reads, in the parts in which it asks for it. Shapes recorded from a cloud of Solr
/// 9.10.1.
#[tokio::test]
async fn clusters_are_read_in_parts() {
    let served = Served::start().await;
    let path = |query: &str| format!("/solr/admin/collections?indent=off&{query}");
    let status = "action=CLUSTERSTATUS&includeAll=false&prs=true";
    let check = async |query: &str, expected: &str| {
        let found = body(&served, &path(query)).await;
        let expected = format!(r#"{{"responseHeader":{{"status":0,"QTime":0}}{expected}}}"#);
        assert_eq!(found, expected, "{query}");
    };
    check(&format!("{status}&liveNodes=true"), r#","cluster":{"live_nodes":["node:8983_solr"]}"#).await;
    check("action=CLUSTERPROP&name=ext.shelf&val=2", "").await;
    check(&format!("{status}&clusterProperties=true"), r#","cluster":{"properties":{"ext.shelf":"2"}}"#)
        .await;
    check(&format!("{status}&roles=true"), r#","cluster":{"roles":{}}"#).await;
    check("action=CREATE&name=books&numShards=1&async=a", r#","requestid":"a""#).await;
    let unknown = r#","status":{"state":"notfound","msg":"Did not find [b] in any tasks queue"}"#;
    check("action=REQUESTSTATUS&requestid=b", unknown).await;
    check("action=DELETESTATUS&requestid=b", r#","status":"[b] not found in stored responses""#).await;
    refused(&served, &path("action=DELETESTATUS"), "Either requestid or flush").await;
    refused(
        &served,
        &path("action=CREATE&name=x&async=a"),
        "Task with the same requestid already exists. (a)",
    )
    .await;
    let answer = served.get(&path("action=CLUSTERSTATUS&collection=nobody")).await;
    let metadata = r#""metadata":["CLUSTERSTATUS","NOT_FOUND","error-class","#;
    assert!(answer.status == 400 && answer.body.contains(metadata), "{}", answer.body);
    refused(&served, &path("action=CLUSTERPROP&name=bogus&val=x"), "Not a known cluster property").await;
    refused(&served, &path("action=CLUSTERPROP&name=urlScheme&val=ftp"), "`urlScheme` is `ftp`").await;
    refused(
        &served,
        &path("action=CLUSTERPROP&name=samplePercentage&val=1"),
        "`samplePercentage` says how many",
    )
    .await;
    refused(&served, &path("action=CLUSTERPROP&name=maxCoresPerNode&val=x"), "`maxCoresPerNode` is `x`")
        .await;
    refused(&served, &path("action=SPLITSHARD&collection=films"), "`SPLITSHARD` is not supported").await;
    let alone = "action=ADDREPLICA&collection=films&shard=shard1";
    refused(&served, &path(alone), "this node is alone; replicas are on several").await;
    refused(&served, &path("action=MODIFYCOLLECTION&collection=films"), "no supported values provided").await;
    refused(&served, &path("action=ZZ"), "Unknown action: ZZ").await;
}

#[tokio::test]
async fn names_stand_for_collections() {
    let served = Served::start().await;
    let path = |query: &str| format!("/solr/admin/collections?indent=off&{query}");
    let ask = async |query: &str| body(&served, &path(query)).await;
    ask("action=CREATE&name=books&numShards=1").await;
    ask("action=CREATEALIAS&name=reading&collections=books").await;
    ask("action=ALIASPROP&name=reading&property.shelf=2").await;
    ask("action=RENAME&name=books&target=volumes").await;
    let list = ask("action=LISTALIASES").await;
    let expected =
        r#""aliases":{"reading":"volumes","volumes":"books"},"properties":{"reading":{"shelf":"2"}}}"#;
    assert!(list.ends_with(expected), "{list}");
    assert_eq!(served.get("/solr/reading/select?q=*:*").await.status, 200);
    ask("action=CREATEALIAS&name=all&collections=films,reading").await;
    assert_eq!(served.get("/solr/all/select?q=*:*").await.status, 200);
    refused(&served, "/solr/all/admin/luke", "`all` stands for `2` collections").await;
    refused(&served, "/solr/films,books/schema", "`films,books` stands for `2` collections").await;
    assert_eq!(served.get("/solr/films,nobody/select").await.status, 404);
    refused(&served, &path("action=DELETE&name=books"), "Collection : books is part of aliases: [volumes]")
        .await;
    refused(&served, &path("action=CREATE&name=all"), "collection alias already exists: all").await;
    refused(&served, &path("action=CREATEALIAS&name=x"), "Alias creation requires").await;
    refused(&served, &path("action=CREATEALIAS&name=x&collections=no"), "Can't create collection alias")
        .await;
    refused(&served, &path("action=CREATEALIAS&name=x&router.name=time"), "`router.name` is not supported")
        .await;
    ask("action=DELETEALIAS&name=all").await;
    ask("action=COLLECTIONPROP&name=books&propertyName=shelf&propertyValue=2").await;
    let stale = body(&served, "/solr/books/select?q=*:*&rows=0&_stateVer_=films:0|books:0&indent=off").await;
    assert!(stale.ends_with(r#","_stateVer_":{"books":1}}"#), "{stale}");
    let fresh = body(&served, "/solr/books/select?q=*:*&rows=0&_stateVer_=books:1&indent=off").await;
    assert!(!fresh.contains(r#""_stateVer_":{"#), "{fresh}");
}

/// Forms recorded from a cloud of two Solr nodes.
#[tokio::test]
async fn a_collection_says_where_its_documents_are() {
    let served = Served::start_whole(|_| {}).await;
    body(&served, "/solr/admin/collections?action=CREATE&name=halves&numShards=2").await;
    let add = async |name: &str, documents: &str| {
        let path = format!("/solr/{name}/update?commit=true&indent=off");
        served.post(&path, "application/json", documents).await.body
    };
    // `a` and `b` lie in two shards.
    let header = |rf: &str| format!(r#"{{"responseHeader":{{{rf}"status":0,"QTime":0}}}}"#);
    assert_eq!(add("halves", r#"[{"id":"a"},{"id":"b"},{"id":"c"},{"id":"d"}]"#).await, header(r#""rf":1,"#));
    assert_eq!(add("halves", "{}").await, header(""));
    let found = body(&served, "/solr/halves/get?ids=a,b,c,d&fl=id,[shard]&indent=off").await;
    let searched = body(&served, "/solr/halves/select?q=*:*&fl=id,[shard]&sort=id+asc&indent=off").await;
    let docs = |answer: &str| answer.split_once(r#""docs":"#).unwrap().1.to_owned();
    assert_eq!(docs(&found), docs(&searched));
    assert!(found.contains(r#""[shard]":"shard1""#) && found.contains(r#""[shard]":"shard2""#), "{found}");
    // Without a query that matches, its own shard says so; the other does not have it.
    let why = async |shard: &str| {
        let path = format!("/solr/halves/whynot?q=name_s:nothing&id=a&shards={shard}&wt=json&indent=off");
        body(&served, &path).await
    };
    let is_first = found.contains(r#"{"id":"a","[shard]":"shard1"}"#);
    let (own, other) = if is_first { ("shard1", "shard2") } else { ("shard2", "shard1") };
    assert!(why(own).await.contains(r#""verdict":"query""#));
    assert!(why(other).await.contains(r#""verdict":"elsewhere""#));
    assert!(why("shard1,shard2").await.contains(r#""verdict":"query""#));
    refused(&served, "/solr/halves/admin/luke?docId=0", "`docId` is a number within one core").await;
    let core = body(&served, "/solr/halves_shard2_replica_n2/admin/luke?docId=0&indent=off").await;
    assert!(core.contains(r#""doc":{"docId":0"#), "{core}");
}

/// What leads from documents to others asks all shards, and answers as one that has all documents; also after
/// a change in a shard other than the one whose document is found.
#[tokio::test]
async fn documents_lead_to_others_over_shards() {
    let served = Served::start_whole(|_| {}).await;
    for (name, shards) in [("one", 1), ("many", 5)] {
        body(&served, &format!("/solr/admin/collections?action=CREATE&name={name}&numShards={shards}")).await;
    }
    let words = ["red fox", "red owl", "green fox", "owl hunts fox", "red red owl", "blue"];
    let page = |number: usize, next: usize| {
        let (size, words) = (number % 4, words[number % words.len()]);
        format!(
            r#"{{"id":"p{number}","at_i":{number},"next_is":[{next}],"size_i":{size},"words_t":"{words}"}}"#
        )
    };
    // A circle, cut at one place.
    let next = |number: usize| if number == 17 { 99 } else { (number + 7) % 40 };
    let pages: Vec<_> = (0..40).map(|number| page(number, next(number))).collect();
    let update = async |documents: &str| {
        for name in ["one", "many"] {
            let path = format!("/solr/{name}/update?commit=true");
            let answer = served.post(&path, "application/json", documents).await;
            assert_eq!(answer.status, 200, "{}", answer.body);
        }
    };
    let alike = async |query: &str, fields: &str| {
        let ask = async |name: &str| {
            // Without scores, so that what is found could be kept.
            let sort = if fields == "id" { "id+asc" } else { "score+desc,id+asc" };
            let path = format!("/solr/{name}/select?q={query}&fl={fields}&sort={sort}&rows=100");
            body(&served, &format!("{path}&omitHeader=true&indent=off")).await
        };
        let (one, many) = (ask("one").await, ask("many").await);
        // Solr shows the greatest score of several shards wherever hits are ordered by it.
        assert_eq!(many[many.find("\"docs\"").unwrap()..], one[one.find("\"docs\"").unwrap()..], "{query}");
        one.matches("\"id\"").count()
    };
    update(&format!("[{}]", pages.join(","))).await;
    let graph = |rest: &str| format!("{{!graph+from=at_i+to=next_is{rest}}}id:p1");
    assert_eq!(alike(&graph(""), "id").await, 9);
    assert_eq!(alike(&graph("+maxDepth=0"), "id").await, 1);
    assert_eq!(alike(&graph("+maxDepth=3"), "id").await, 4);
    assert_eq!(alike(&graph("+maxDepth=3+returnRoot=false"), "id").await, 3);
    alike(&graph("+traversalFilter='size_i:[0+TO+2]'"), "id").await;
    assert_eq!(alike("{!graph+from=at_i+to=next_is+returnOnlyLeaf=true}id:p10", "id").await, 0);
    assert_eq!(alike("{!graph+from=next_is+to=at_i+maxDepth=1}id:p10", "id").await, 2);
    for likes in ["{!mlt+qf=words_t+mintf=1+mindf=1}p4", "{!mlt+qf=words_t+mintf=1+mindf=9+boost=true}p3"] {
        assert!(alike(likes, "id,score").await > 5, "{likes}");
    }
    let join = "{!join+from=next_is+to=at_i}id:p20";
    assert_eq!(alike(join, "id").await, 1);
    for other in 30..36 {
        update(&format!("[{}]", page(20, other))).await;
        assert_eq!(alike(join, "id").await, 1);
        alike(&graph(""), "id").await;
    }
    refused(
        &served,
        "/solr/many/select?q={!mlt+qf=words_t}nobody",
        "Error completing MLT request. Could not fetch document with id [nobody]",
    )
    .await;
}

/// Scores of several shards are those of one, unless the configset wants Solr's default.
#[tokio::test]
async fn scores_are_by_the_statistics_that_the_configset_names() {
    let served = Served::start_whole(|_| {}).await;
    let text = |number: usize| if number.is_multiple_of(3) { "red fox" } else { "owl" };
    let documents: Vec<_> =
        (0..13).map(|number| format!(r#"{{"id":"{number}","words_t":"{}"}}"#, text(number))).collect();
    let mut found = Vec::new();
    for (name, shards) in [("one", 1), ("many", 2)] {
        body(&served, &format!("/solr/admin/collections?action=CREATE&name={name}&numShards={shards}")).await;
        let path = format!("/solr/{name}/update?commit=true");
        let sent = format!("[{}]", documents.join(","));
        assert_eq!(served.post(&path, "application/json", &sent).await.status, 200);
    }
    let ask = async |name: &str| {
        let path = format!("/solr/{name}/select?q=words_t:red&fl=id,score&sort=id+asc&omitHeader=true");
        let body = body(&served, &path).await;
        body[body.find("\"docs\"").unwrap()..].to_owned()
    };
    found.extend([ask("one").await, ask("many").await]);
    let many = served.node.find("many").unwrap();
    let own = |config: &plan::CollectionConfig| -> plan::Result<plan::CollectionConfig> {
        Ok(plan::CollectionConfig { score_statistics: plan::ScoreStatistics::Shard, ..config.clone() })
    };
    many.edit_config(own).await.unwrap();
    assert_eq!(found[0], found[1]);
    assert_ne!(ask("many").await, found[1]);
}

#[tokio::test]
async fn cores_change_their_names() {
    let served = Served::start().await;
    let path = |query: &str| format!("/solr/admin/cores?indent=off&{query}");
    body(&served, &path("action=CREATE&name=books")).await;
    let update = r#"[{"id":"1"}]"#;
    assert_eq!(served.post("/solr/books/update?commit=true", "application/json", update).await.status, 200);
    let count = async |core: &str| {
        let answer = body(&served, &format!("/solr/{core}/select?q=*:*&rows=0&indent=off")).await;
        answer.contains(r#""numFound":1,"#)
    };
    body(&served, &path("action=SWAP&core=films&other=books")).await;
    assert!(count("films").await && !count("books").await);
    body(&served, &path("action=RENAME&core=films&other=volumes")).await;
    assert!(count("volumes").await);
    assert_eq!(served.get("/solr/films/select?q=*:*").await.status, 404);
    refused(&served, &path("action=SWAP&core=volumes&other=nobody"), "No such core: nobody").await;
    refused(&served, &path("action=SWAP&core=volumes"), "Missing required parameter: other").await;
    refused(&served, &path("action=RENAME&core=volumes&other=books"), "collection already exists: books")
        .await;
    refused(&served, &path("action=PREPRECOVERY&core=volumes"), "`PREPRECOVERY` is not supported").await;
    let unknown = body(&served, &path("action=REQUESTSTATUS&requestid=x")).await;
    assert!(
        unknown
            .ends_with(r#""STATUS":"notfound","msg":"No task found in running, completed or failed tasks"}"#)
    );
}

#[tokio::test]
async fn backups_are_made_below_one_folder() {
    let without = Served::start().await;
    let backup = "/solr/admin/collections?action=BACKUP&collection=films&name=b";
    refused(&without, backup, "there is no folder for backups").await;
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start_with(|config| config.backup_dir = Some(folder.path().to_owned().into())).await;
    let made = body(&served, &format!("{backup}&indent=off")).await;
    assert!(made.contains(r#""response":{"collection":"films","numShards":1,"backupId":0,"#), "{made}");
    let path = |query: &str| format!("/solr/admin/collections?name=b&indent=off&action={query}");
    let list = body(&served, &path("LISTBACKUP")).await;
    assert!(list.contains(r#""collection":"films","backups":[{"backupId":0,"#), "{list}");
    body(&served, &path("RESTORE&collection=again")).await;
    body(&served, &path("VERIFYBACKUP&backupId=0")).await;
    assert_eq!(served.get("/solr/again/select?q=*:*").await.status, 200);
    refused(&served, &path("RESTORE&collection=again"), "collection already exists: again").await;
    refused(&served, &path("BACKUP&collection=films&location=/etc"), "`location` is `/etc`").await;
    refused(&served, &path("BACKUP&collection=films&repository=s3"), "`repository` is `s3`").await;
    refused(&served, &path("BACKUP&collection=nobody"), "Collection 'nobody' does not exist").await;
    refused(&served, &path("DELETEBACKUP"), "Exactly one of maxNumBackupPoints").await;
    refused(&served, &path("DELETEBACKUP&backupId=7"), "Backup ID [7] not found").await;
    let gone = body(&served, &path("DELETEBACKUP&backupId=0")).await;
    assert!(gone.contains(r#""deleted":[{"startTime":"2026-"#), "{gone}");
    assert_eq!(served.get(&path("LISTBACKUP")).await.status, 404);
}

/// Shapes recorded from Solr 9.10.1.
#[tokio::test]
async fn a_node_and_its_cores_tell_of_themselves() {
    let served = Served::start().await;
    let check = async |path: &str, part: &str| {
        let found = body(&served, path).await;
        assert!(found.contains(part), "{path}: {found}");
    };
    check(
        "/solr/admin/metrics?wt=prometheus",
        "solr_metrics_node_cores{category=\"CONTAINER\",item=\"loaded\"} 1.0",
    )
    .await;
    check(
        "/solr/admin/info/properties?name=file.encoding&indent=off",
        r#""system.properties":{"file.encoding":"UTF-8"}"#,
    )
    .await;
    check("/solr/admin/info/logging?indent=off", r#""loggers":[{"name":"root","level":""#).await;
    check("/solr/admin/info/threads?indent=off", r#""threadCount":{"current":"#).await;
    check("/api/node/health?indent=off", r#""status":"OK""#).await;
    check("/api/collections/films/select?q=*:*&rows=0&indent=off", r#""numFound":0"#).await;
    check("/solr/films/replication?command=indexversion&indent=off", r#""generation":0,"status":"OK"}"#)
        .await;
    check("/solr/films/replication?command=details&indent=off", r#""isLeader":"true","isFollower":"false""#)
        .await;
    check("/solr/films/admin/file?indent=off", r#""files":{"managed-schema.xml":{"size":"#).await;
    check("/solr/films/admin/file?file=managed-schema.xml", "<uniqueKey>id</uniqueKey>").await;
    check("/solr/films/debug/dump?a=1&a=2&indent=off", r#""params":{"a":["1","2"],"#).await;
    assert_eq!(served.get("/solr/admin/info/nothing").await.status, 404);
    assert_eq!(served.get("/solr/films/admin/file?file=nothing.txt").await.status, 404);
    refused(&served, "/solr/films/admin/file?file=../x", "Path must be inside core config directory").await;
    refused(&served, "/solr/films/replication", "Missing required parameter: command").await;
    refused(
        &served,
        "/solr/films/replication?command=fetchindex",
        "the command `fetchindex` is not supported",
    )
    .await;
    refused(&served, "/solr/films/admin/mbeans", "`/admin/mbeans` is not supported").await;
    refused(&served, "/solr/admin/info/logging?set=root:DEBUG", "the level of `root` cannot be changed")
        .await;
}
