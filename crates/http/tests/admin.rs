//! Administration: cores, collections, Luke, the node itself.

mod served;

use served::Served;

async fn body(served: &Served, path: &str) -> String {
    let answer = served.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    answer.body
}

async fn refused(served: &Served, path: &str, message: &str) {
    let answer = served.get(path).await;
    assert_eq!(answer.status, 400, "{path}");
    assert!(answer.body.contains(&format!("\"msg\":\"{message}")), "{path}: {}", answer.body);
}

#[tokio::test]
async fn cores_come_and_go() {
    let served = Served::start().await;
    let created = body(&served, "/solr/admin/cores?action=CREATE&name=books&indent=off").await;
    assert_eq!(created, r#"{"responseHeader":{"status":0,"QTime":0},"core":"books"}"#);
    let status = body(&served, "/solr/admin/cores?indexInfo=false&indent=off").await;
    assert!(
        status.starts_with(
            r#"{"responseHeader":{"status":0,"QTime":0},"initFailures":{},"status":{"books":{"name":"books","#
        ),
        "{status}"
    );
    let one = body(&served, "/solr/admin/cores?action=STATUS&core=nope&indent=off").await;
    assert!(one.ends_with(r#""status":{"nope":{}}}"#), "{one}");
    let full = body(&served, "/solr/admin/cores?core=films&indent=off").await;
    assert!(full.contains(r#""index":{"numDocs":0,"maxDoc":0,"deletedDocs":0,"version":"#), "{full}");
    body(&served, "/solr/admin/cores?action=RELOAD&core=books").await;
    body(&served, "/solr/admin/cores?action=UNLOAD&core=books&deleteInstanceDir=true").await;
    assert_eq!(served.get("/solr/books/select?q=*:*").await.status, 404);

    refused(&served, "/solr/admin/cores?action=RELOAD&core=books", "No such core: books").await;
    refused(&served, "/solr/admin/cores?action=UNLOAD&core=books", "Cannot unload non-existent core [books]")
        .await;
    refused(&served, "/solr/admin/cores?action=CREATE", "Missing required parameter: name").await;
    refused(&served, "/solr/admin/cores?action=CREATE&name=films", "Core with name 'films' already exists.")
        .await;
    refused(&served, "/solr/admin/cores?action=CREATE&name=..x", "Invalid collection: [..x]").await;
    refused(
        &served,
        "/solr/admin/cores?action=CREATE&name=x&configSet=y",
        "Can not find the specified config set: y",
    )
    .await;
    refused(&served, "/solr/admin/cores?action=ZZ", "Unsupported operation: ZZ").await;
}

/// What stays of a core, as recorded from Solr 9.10.1.
#[tokio::test]
async fn an_unloaded_core_keeps_its_files() {
    let served = Served::start().await;
    let field = r#"{"add-field":{"name":"extra","type":"string"}}"#;
    assert_eq!(served.post("/solr/films/schema", "application/json", field).await.status, 200);
    for (flags, kept) in [("", true), ("&deleteIndex=true", true), ("&deleteInstanceDir=true", false)] {
        body(&served, &format!("/solr/admin/cores?action=UNLOAD&core=films{flags}")).await;
        assert_eq!(served.get("/solr/films/select?q=*:*").await.status, 404);
        refused(&served, "/solr/admin/cores?action=UNLOAD&core=films", "Cannot unload non-existent core")
            .await;
        if kept {
            let path = "/solr/admin/collections?action=CREATE&name=films";
            refused(&served, path, "cannot create `films`: an unloaded core left its files there").await;
        }
        body(&served, "/solr/admin/cores?action=CREATE&name=films").await;
        assert_eq!(served.get("/solr/films/schema/fields/extra").await.status == 200, kept, "{flags}");
    }
}

/// A configset that is named takes the place of the schema that was left.
#[tokio::test]
async fn an_unloaded_core_may_come_back_as_another() {
    let served = Served::start().await;
    let field = r#"{"add-field":{"name":"extra","type":"string"}}"#;
    assert_eq!(served.post("/solr/films/schema", "application/json", field).await.status, 200);
    body(&served, "/solr/admin/cores?action=UNLOAD&core=films").await;
    body(&served, "/solr/admin/cores?action=CREATE&name=films&configSet=_default").await;
    assert_eq!(served.get("/solr/films/schema/fields/extra").await.status, 404);
}

#[tokio::test]
async fn a_core_tells_of_itself() {
    let served = Served::start().await;
    let update = r#"[{"id":"1","a_s":"x"},{"id":"2"}]"#;
    assert_eq!(served.post("/solr/films/update?commit=true", "application/json", update).await.status, 200);
    let check = async |path: &str, parts: &[&str]| {
        let answer = body(&served, &format!("/solr/films/{path}")).await;
        for part in parts {
            assert!(answer.contains(part), "{path}: {part} in {answer}");
        }
    };
    check("admin/segments?indent=off", &[r#""numSegments":1"#, r#""_0":{"name":"_0","delCount":0"#]).await;
    check("admin/system?indent=off", &[r#""core":{"schema":"small","host":"node""#]).await;
    check("config/requestHandler?indent=off", &[r#""/select":{"name":"/select""#, r#""rows":"10""#]).await;
    check("config?indent=off", &[r#""maxBooleanClauses":1024"#]).await;
    let ping = r#"{"responseHeader":{"zkConnected":null,"status":0,"QTime":0,"params":{"#;
    check("admin/ping?indent=off", &[ping, r#""rows":"10""#]).await;
    let handler = r#""handler":"org.apache.solr.handler.component.SearchHandler""#;
    check("select?rows=0&echoHandler=true&indent=off", &[handler]).await;
    check("admin/luke?id=1&indent=off", &[r#""doc":{"docId":0,"lucene":{"id":{"type":"string""#]).await;
    check(
        "select?q=*:*&fl=id,[docid],[shard]&indent=off",
        &[r#"{"id":"2","[docid]":1,"[shard]":"[not a shard request]"}"#],
    )
    .await;
    check("get?getVersions=1&indent=off", &[r#"{"versions":[18"#]).await;
    let missing = served.get("/solr/films/admin/luke?id=9&indent=off").await;
    assert_eq!(missing.status, 404);
    assert!(missing.body.contains(r#""msg":"Can't find document: 9""#), "{}", missing.body);
    let edit = served.post("/solr/films/config", "application/json", "{}").await;
    assert_eq!(edit.status, 400);
    let body = served.post("/solr/films/select?q=1", "text/plain", "x").await;
    assert!(
        body.body.contains("Bad contentType for search handler :text/plain request={q=1}"),
        "{}",
        body.body
    );
}

#[tokio::test]
async fn collections_come_and_go() {
    let served = Served::start().await;
    let created =
        body(&served, "/solr/admin/collections?action=CREATE&name=books&numShards=1&indent=off").await;
    assert_eq!(
        created,
        r#"{"responseHeader":{"status":0,"QTime":0},"success":{"node:8983_solr":{"responseHeader":{"status":0,"QTime":0},"core":"books_shard1_replica_n1"}}}"#
    );
    let list = body(&served, "/solr/admin/collections?action=LIST&indent=off").await;
    assert!(list.ends_with(r#""collections":["books","films"]}"#), "{list}");
    assert_eq!(served.get("/solr/books_shard1_replica_n1/select?q=*:*").await.status, 200);
    let status =
        body(&served, "/solr/admin/collections?action=CLUSTERSTATUS&collection=books&indent=off").await;
    for part in [
        r#""live_nodes":["node:8983_solr"]"#,
        r#""shards":{"shard1":{"range":"80000000-7fffffff","replicas":{"core_node2":{"core":"books_shard1_replica_n1""#,
        r#""base_url":"http://node:8983/solr""#,
        r#""configName":"_default""#,
    ] {
        assert!(status.contains(part), "{part} in {status}");
    }
    body(&served, "/solr/admin/collections?action=RELOAD&name=books").await;
    body(&served, "/solr/admin/collections?action=DELETE&name=books").await;
    refused(&served, "/solr/admin/collections?action=DELETE&name=books", "Could not find collection : books")
        .await;
    refused(
        &served,
        "/solr/admin/collections?action=CREATE&name=b&numShards=2",
        "cannot create `b`: `numShards` is `2`",
    )
    .await;
    refused(
        &served,
        "/solr/admin/collections?action=CREATE&name=b&replicationFactor=2",
        "cannot create the collection: `replicationFactor` is `2`",
    )
    .await;
    refused(&served, "/solr/admin/collections?action=CLUSTERSTATUS&collection=b", "Collection: b not found")
        .await;
    refused(&served, "/solr/admin/collections", "action is a required param").await;
}

/// What a cloud client reads, in the parts in which it asks for it. Shapes recorded from a cloud of Solr 9.10.1.
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
    refused(&served, &path("action=ADDREPLICA&collection=films"), "`ADDREPLICA` is not supported").await;
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
    for path in ["/solr/all/select?q=*:*", "/solr/films,books/update"] {
        let answer = served.get(path).await;
        assert!(
            answer.status == 400 && answer.body.contains("stands for `2` collections"),
            "{}",
            answer.body
        );
    }
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
    refused(&served, &path("action=SPLIT&core=volumes"), "`SPLIT` is not supported").await;
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
    let served = Served::start_with(|config| config.backup_dir = Some(folder.path().to_owned())).await;
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

#[tokio::test]
async fn luke_shows_the_index() {
    let served = Served::start().await;
    let documents = r#"[{"id":"1","cat_ss":["x"],"n_i":5}]"#;
    served.post("/solr/films/update?commit=true", "application/json", documents).await;
    let luke = body(&served, "/solr/films/admin/luke?indent=off").await;
    for part in [
        r#""index":{"numDocs":1,"maxDoc":1,"deletedDocs":0,"version":"#,
        r#""cat_ss":{"type":"strings","schema":"I-SD-M----OF-----l","dynamicBase":"*_ss","index":"ITS-------OF------","docs":1}"#,
        r#""n_i":{"type":"pint","schema":"I-SD------OF------","dynamicBase":"*_i"}"#,
        r#""info":{"key":{"I":"Indexed","#,
    ] {
        assert!(luke.contains(part), "{part} in {luke}");
    }
    let schema = body(&served, "/solr/films/admin/luke?show=schema&indent=off").await;
    assert!(schema.contains(r#""id":{"type":"string","flags":"I-SD------OF-----l","uniqueKey":true,"copyDests":[],"copySources":[]}"#), "{schema}");
    let index = body(&served, "/solr/films/admin/luke?show=index&indent=off").await;
    assert!(!index.contains("\"fields\""));
    refused(&served, "/solr/films/admin/luke?show=zz", "Unknown ShowStyle: zz").await;
    refused(&served, "/solr/films/admin/luke?numTerms=zz", "For input string: \\\"zz\\\"").await;
}

#[tokio::test]
async fn the_node_says_who_it_is() {
    let served = Served::start().await;
    let system = body(&served, "/solr/admin/info/system?indent=off").await;
    assert!(
        system.contains(r#""mode":"std","solr_home":""#)
            && system.contains(r#""solr-spec-version":"9.10.1""#),
        "{system}"
    );
    let health = body(&served, "/solr/admin/info/health?indent=off").await;
    assert_eq!(health, r#"{"responseHeader":{"status":0,"QTime":0},"status":"OK"}"#);
    assert_eq!(body(&served, "/solr/admin/noop").await, "");
    let ping = body(&served, "/solr/films/admin/ping?indent=off").await;
    assert!(ping.contains(r#""q":"{!lucene}*:*""#) && ping.ends_with(r#""status":"OK"}"#), "{ping}");
    assert_eq!(served.get("/solr/films/admin/ping?action=status").await.status, 503);
}

#[tokio::test]
async fn the_schema_can_be_read_and_edited() {
    let served = Served::start().await;
    let key = body(&served, "/solr/films/schema/uniquekey?indent=off").await;
    assert_eq!(key, r#"{"responseHeader":{"status":0,"QTime":0},"uniqueKey":"id"}"#);
    let file = served.get("/solr/films/schema?wt=schema.xml").await;
    assert_eq!(file.header("content-type"), "application/xml; charset=UTF-8");
    assert!(file.body.contains("<uniqueKey>id</uniqueKey>"), "{}", file.body);

    let edit =
        async |command: &str| served.post("/solr/films/schema?indent=off", "application/json", command).await;
    let answer = edit(r#"{"add-field":{"name":"year","type":"pint"}}"#).await;
    assert_eq!(answer.body, r#"{"responseHeader":{"status":0,"QTime":0}}"#);
    assert!(body(&served, "/solr/films/schema/fields/year").await.contains("\"type\":\"pint\""));
    // Recorded from Solr 9.10.1.
    let answer = edit(r#"{"add-field":{"name":"id","type":"string"}}"#).await;
    assert_eq!(
        (answer.status, answer.body.as_str()),
        (
            400,
            r#"{"responseHeader":{"status":400,"QTime":0},"error":{"metadata":["error-class","org.apache.solr.api.ApiBag$ExceptionWithErrObject","root-error-class","org.apache.solr.api.ApiBag$ExceptionWithErrObject"],"details":[{"add-field":{"name":"id","type":"string"},"errorMessages":["Field 'id' already exists.\n"]}],"msg":"error processing commands, errors: [{add-field={name=id, type=string}, errorMessages=[Field 'id' already exists.\n]}], ","code":400}}"#
        )
    );
}
