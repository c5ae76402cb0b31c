//! Administration: cores, collections, Luke, the node itself.

mod served;

use served::{Served, body, refused};

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

/// What is refused by name, where half an answer would pass for a whole.
#[tokio::test]
async fn vectors_of_texts_that_are_not_stored_are_refused() {
    let served = Served::start().await;
    let field = r#"{"add-field":{"name":"lost","type":"string","stored":false,"termVectors":true}}"#;
    assert_eq!(served.post("/solr/films/schema", "application/json", field).await.status, 200);
    let update = r#"[{"id":"1","lost":"x"}]"#;
    assert_eq!(served.post("/solr/films/update?commit=true", "application/json", update).await.status, 200);
    let ask = async |more: &str| served.get(&format!("/solr/films/tvrh?q=id:1&tv=true{more}")).await;
    let refused = ask("&tv.fl=lost").await;
    assert!(refused.status == 400 && refused.body.contains("vectors of `lost`"), "{}", refused.body);
    // Who names none gets those that there are.
    assert_eq!(ask("").await.status, 200);
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
    // Shards in memory have no files.
    let bytes = [r#""fieldBytes":{"fields":{},"shared":0}"#];
    check("admin/segments?fieldBytes=true&indent=off", &bytes).await;
    let refused = served.get("/solr/admin/collections?action=COLSTATUS&rawSize=true").await;
    assert!(refused.status == 400 && refused.body.contains("fieldBytes=true"), "{}", refused.body);
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
    let edit =
        served.post("/solr/films/config", "application/json", r#"{"set-property":{"no.such":1}}"#).await;
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
        "/solr/admin/collections?action=CREATE&name=b&numShards=65",
        "cannot create `b` with `65` shards",
    )
    .await;
    refused(
        &served,
        "/solr/admin/collections?action=CREATE&name=b&replicationFactor=2",
        "cannot make the shards: there are to be 2 replicas of each, and 1 node(s) may have them",
    )
    .await;
    for (asked, told) in [
        ("createNodeSet=EMPTY", "`createNodeSet` is `EMPTY`"),
        ("createNodeSet=node:8983_solr,other:8983_solr", "At least one of the node(s) specified"),
        ("perReplicaState=true", "cannot create the collection: `perReplicaState` is `true`"),
        ("property.shelf=2", "cannot create the collection: `property.shelf` would be"),
    ] {
        refused(&served, &format!("/solr/admin/collections?action=CREATE&name=b&{asked}"), told).await;
    }
    let placed = "createNodeSet=node:8983_solr&createNodeSet.shuffle=false&perReplicaState=false";
    body(&served, &format!("/solr/admin/collections?action=CREATE&name=c&{placed}")).await;
    refused(&served, "/solr/admin/collections?action=CLUSTERSTATUS&collection=b", "Collection: b not found")
        .await;
    refused(&served, "/solr/admin/collections", "action is a required param").await;
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
