//! Configuration over HTTP: configsets that are uploaded, collections made of them, and changes to what is in
//! force.

mod served;

use served::{Answer, Served};

const SCHEMA: &str = r#"<schema name="s" version="1.7"><uniqueKey>id</uniqueKey>
  <fieldType name="string" class="solr.StrField"/><field name="id" type="string"/></schema>"#;
const CONFIG: &str = r#"<config><requestHandler name="/select" class="solr.SearchHandler">
  <lst name="defaults"><int name="rows">${rows:3}</int></lst></requestHandler></config>"#;

async fn put(served: &Served, path: &str, body: &str) -> Answer {
    let head = format!(
        "PUT {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/octet-stream\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    served.send(&head, body.as_bytes()).await
}

async fn check(answer: Answer, status: u16, expected: &str) {
    assert!(answer.status == status && answer.body.contains(expected), "{}: {}", answer.status, answer.body);
}

/// A collection of an uploaded configset.
async fn mine(served: &Served) {
    const UPLOAD: &str = "/solr/admin/configs?action=UPLOAD&name=mine&filePath";
    let octets = "application/octet-stream";
    check(served.post(&format!("{UPLOAD}=managed-schema.xml"), octets, SCHEMA).await, 200, "\"status\":0")
        .await;
    check(put(served, "/api/configsets/mine/solrconfig.xml", CONFIG).await, 200, "\"status\":0").await;
    let create = "/solr/admin/collections?action=CREATE&name=books&collection.configName=mine";
    check(served.get(create).await, 200, "success").await;
}

#[tokio::test]
async fn configsets_come_and_go() {
    let served = Served::start().await;
    mine(&served).await;
    let list = "/solr/admin/configs?action=LIST&indent=off";
    check(served.get(list).await, 200, r#""configSets":["_default","mine"]"#).await;
    check(served.get("/api/configsets?indent=off").await, 200, r#"["_default","mine"]"#).await;
    let refused = [
        ("action=DELETE&name=mine", "currently being used by collection [books]"),
        ("action=DELETE&name=_default", "comes with the server"),
        ("action=DELETE&name=other", "ConfigSet does not exist to delete: other"),
        ("action=CREATE&name=copy&baseConfigSet=other", "Base ConfigSet does not exist: other"),
        ("action=CREATE&name=../evil", "Invalid configset"),
        ("action=CREATE", "Missing required parameter: name"),
        ("action=FROB", "Unknown action: FROB"),
        ("action=UPLOAD&name=x", "the request has no body"),
    ];
    for (query, message) in refused {
        check(served.get(&format!("/solr/admin/configs?{query}")).await, 400, message).await;
    }
    check(served.get("/solr/admin/configs?action=CREATE&name=copy&baseConfigSet=mine").await, 200, "").await;
    let again = "/solr/admin/configs?action=CREATE&name=copy&baseConfigSet=mine";
    check(served.get(again).await, 400, "ConfigSet already exists: copy").await;
    let octets = "application/octet-stream";
    let upload = "/solr/admin/configs?action=UPLOAD&name=mine";
    check(served.post(upload, octets, "no zip").await, 400, "cannot unpack the archive").await;
    let path = format!("{upload}&filePath=../../evil.txt");
    check(served.post(&path, octets, "x").await, 400, "Invalid file").await;
    let kept = format!("{upload}&filePath=solrconfig.xml&overwrite=false");
    check(served.post(&kept, octets, CONFIG).await, 400, "already exists").await;
    check(served.get("/solr/admin/configs?action=DELETE&name=copy").await, 200, "").await;
    check(served.get(list).await, 200, r#""configSets":["_default","mine"]"#).await;
    let broken = "/solr/admin/configs?action=UPLOAD&name=broken&filePath=solrconfig.xml";
    check(served.post(broken, octets, "<config/>").await, 200, "").await;
    let create = "/solr/admin/collections?action=CREATE&name=b&collection.configName=broken";
    check(served.get(create).await, 400, "configset `broken`: there is no schema").await;
}

#[tokio::test]
async fn what_is_in_force_changes_at_once_and_stays() {
    let served = Served::start().await;
    mine(&served).await;
    let json = "application/json";
    let show = "/solr/books/select?q=*:*&echoParams=all&indent=off";
    check(served.get(show).await, 200, r#""rows":"3""#).await;
    let edit = r#"{"set-user-property":{"rows":"4"}}"#;
    check(served.post("/solr/books/config", json, edit).await, 200, "WARNING").await;
    check(served.get(show).await, 200, r#""rows":"4""#).await;
    let sets = r#"{"set":{"few":{"rows":1}}}"#;
    check(served.post("/solr/books/config/params", json, sets).await, 200, "").await;
    check(served.get(&format!("{show}&useParams=few")).await, 200, r#""rows":"1""#).await;
    let add =
        r#"{"add-requesthandler":{"name":"/titles","class":"solr.SearchHandler","defaults":{"rows":5}}}"#;
    check(served.get("/solr/books/titles?q=*:*").await, 404, "").await;
    check(served.post("/solr/books/config", json, add).await, 200, "").await;
    check(served.get("/solr/books/titles?q=*:*&echoParams=all&indent=off").await, 200, r#""rows":"5""#).await;
    let wrong = r#"{"set-property":{"a.b":1}}"#;
    let told = r#""errorMessages":["error processing commands"#;
    check(served.post("/solr/books/config?indent=off", json, wrong).await, 400, told).await;
    check(served.get("/solr/books/config/nosuch").await, 404, "there is no section").await;

    // Another upload counts from the next reload on; what was changed since stays.
    let upload = "/solr/admin/configs?action=UPLOAD&name=mine&filePath=solrconfig.xml";
    let renewed = CONFIG.replace("\"rows\"", "\"start\"");
    check(served.post(upload, "application/octet-stream", &renewed).await, 200, "").await;
    check(served.get(show).await, 200, r#""rows":"4""#).await;
    check(served.get("/solr/admin/collections?action=RELOAD&name=books").await, 200, "").await;
    check(served.get(show).await, 200, r#""start":"4""#).await;
    check(served.get("/solr/books/titles?q=*:*").await, 200, "").await;
    let overlay = served.get("/solr/books/config/overlay?indent=off").await;
    check(overlay, 200, r#""userProps":{"rows":"4"}"#).await;
}

#[tokio::test]
async fn an_edit_of_the_schema_says_what_it_means() {
    let served = Served::start().await;
    let json = "application/json";
    let plan = "/solr/films/schema/plan?indent=off";
    let edit = r#"{"add-field":{"name":"year","type":"pint"}}"#;
    check(served.post(plan, json, edit).await, 200, r#""rebuild":false,"documents":0"#).await;
    check(served.post(plan, json, r#"{"frob":{}}"#).await, 400, "No such operation : frob").await;
    check(served.get(plan).await, 400, "send it by POST").await;
    check(served.get("/solr/films/schema/apply?indent=off").await, 200, r#""state":"none""#).await;
    check(served.post("/solr/films/schema/undo", json, "{}").await, 400, "nothing to undo").await;
}
