//! Answers byte for byte. Bodies were recorded from Solr 9.10.1 (core `oracle`, its `_default` configset),
//! with times and versions set to what the still clock gives here.

mod served;

use served::Served;

const JSON: &str = "application/json;charset=utf-8";
const XML: &str = "application/xml; charset=UTF-8";

const DOCUMENTS: &str = r#"[{"id":"1","name_s":"a \"q\" <b> & é 😀","cat_ss":["x","y"],"n_i":5,"f_f":1.1},
    {"id":"2","cat_ss":["only"],"f_f":0.0001}]"#;

async fn with_documents() -> Served {
    let served = Served::start().await;
    let answer = served.post("/solr/films/update?commit=true", "application/json", DOCUMENTS).await;
    assert_eq!(answer.body, "{\n  \"responseHeader\":{\n    \"status\":0,\n    \"QTime\":0\n  }\n}");
    served
}

async fn check(served: &Served, path: &str, status: u16, content_type: &str, body: &str) {
    let answer = served.get(path).await;
    assert_eq!(answer.body, body, "{path}");
    assert_eq!((answer.status, answer.header("content-type")), (status, content_type), "{path}");
}

#[tokio::test]
async fn searches_answer_in_json() {
    let served = with_documents().await;
    check(
        &served,
        "/solr/films/select?q=*:*&fl=id,cat_ss,n_i,f_f,name_s",
        200,
        JSON,
        r#"{
  "responseHeader":{
    "status":0,
    "QTime":0,
    "params":{
      "q":"*:*",
      "fl":"id,cat_ss,n_i,f_f,name_s"
    }
  },
  "response":{
    "numFound":2,
    "start":0,
    "numFoundExact":true,
    "docs":[{
      "id":"1",
      "name_s":"a \"q\" <b> & é \uD83D\uDE00",
      "cat_ss":["x","y"],
      "n_i":5,
      "f_f":1.1
    },{
      "id":"2",
      "cat_ss":["only"],
      "f_f":1.0E-4
    }]
  }
}"#,
    )
    .await;
    check(
        &served,
        "/solr/films/select?q=id:2&fl=id,score&omitHeader=true&indent=off&json.wrf=cb",
        200,
        JSON,
        r#"cb( {"response":{"numFound":1,"start":0,"maxScore":1.0,"numFoundExact":true,"docs":[{"id":"2","score":1.0}]}} )"#,
    )
    .await;
    check(
        &served,
        "/solr/films/select?q=*:*&rows=0&facet=true&indent=off&omitHeader=true",
        200,
        JSON,
        r#"{"response":{"numFound":2,"start":0,"numFoundExact":true,"docs":[]},"facet_counts":{"facet_queries":{},"facet_fields":{},"facet_ranges":{},"facet_intervals":{},"facet_heatmaps":{}}}"#,
    )
    .await;
}

#[tokio::test]
async fn searches_answer_in_xml() {
    let served = with_documents().await;
    check(
        &served,
        "/solr/films/select?q=*:*&fl=id,cat_ss,score&wt=xml&rows=1",
        200,
        XML,
        r#"<?xml version="1.0" encoding="UTF-8"?>
<response>

<lst name="responseHeader">
  <int name="status">0</int>
  <int name="QTime">0</int>
  <lst name="params">
    <str name="q">*:*</str>
    <str name="fl">id,cat_ss,score</str>
    <str name="rows">1</str>
    <str name="wt">xml</str>
  </lst>
</lst>
<result name="response" numFound="2" start="0" maxScore="1.0" numFoundExact="true">
  <doc>
    <str name="id">1</str>
    <arr name="cat_ss">
      <str>x</str>
      <str>y</str>
    </arr>
    <float name="score">1.0</float></doc>
</result>
</response>
"#,
    )
    .await;
}

#[tokio::test]
async fn a_form_is_as_good_as_a_url() {
    let served = with_documents().await;
    let form = "application/x-www-form-urlencoded";
    let answer = served.post("/solr/films/select?indent=off", form, "q=id%3Azz&rows=1").await;
    assert_eq!(
        answer.body,
        r#"{"responseHeader":{"status":0,"QTime":0,"params":{"q":"id:zz","indent":"off","rows":"1"}},"response":{"numFound":0,"start":0,"numFoundExact":true,"docs":[]}}"#
    );
    let answer = served.post("/solr/films/select?indent=off&q=id:zz", "text/plain", "foo").await;
    assert_eq!(answer.status, 400);
    assert!(answer.body.contains("Bad contentType for search handler :text/plain"), "{}", answer.body);
}

#[tokio::test]
async fn errors_come_in_the_format_asked_for() {
    let served = with_documents().await;
    check(
        &served,
        "/solr/films/select?q=foo:bar",
        400,
        JSON,
        r#"{
  "responseHeader":{
    "status":400,
    "QTime":0,
    "params":{
      "q":"foo:bar"
    }
  },
  "error":{
    "metadata":["error-class","org.apache.solr.common.SolrException","root-error-class","org.apache.solr.common.SolrException"],
    "msg":"undefined field foo",
    "code":400
  }
}"#,
    )
    .await;
    check(
        &served,
        "/solr/films/select?q=foo:bar&wt=xml",
        400,
        XML,
        r#"<?xml version="1.0" encoding="UTF-8"?>
<response>

<lst name="responseHeader">
  <int name="status">400</int>
  <int name="QTime">0</int>
  <lst name="params">
    <str name="q">foo:bar</str>
    <str name="wt">xml</str>
  </lst>
</lst>
<lst name="error">
  <lst name="metadata">
    <str name="error-class">org.apache.solr.common.SolrException</str>
    <str name="root-error-class">org.apache.solr.common.SolrException</str>
  </lst>
  <str name="msg">undefined field foo</str>
  <int name="code">400</int>
</lst>
</response>
"#,
    )
    .await;
    let number = r#"{"responseHeader":{"status":400,"QTime":0,"params":{"q":"*:*","indent":"off","rows":"x"}},"error":{"metadata":["error-class","org.apache.solr.common.SolrException","root-error-class","java.lang.NumberFormatException"],"msg":"For input string: \"x\"","code":400}}"#;
    check(&served, "/solr/films/select?q=*:*&rows=x&indent=off", 400, JSON, number).await;
}

#[tokio::test]
async fn updates_tell_versions_when_asked() {
    let served = Served::start().await;
    let version = 1_795_255_200_000_i64 << 20;
    let path = "/solr/films/update?versions=true&indent=off";
    let check = async |body: &str, status: u16, expected: String| {
        let answer = served.post(path, "application/json", body).await;
        assert_eq!((answer.status, answer.body), (status, expected), "{body}");
    };
    let header = r#"{"responseHeader":{"status":0,"QTime":0}"#;
    let added = format!(r#"{header},"adds":["1",{version},"2",{}]}}"#, version + 1);
    check(DOCUMENTS, 200, added).await;
    check(r#"{"delete":"1"}"#, 200, format!(r#"{header},"deletes":["1",-{}]}}"#, version + 2)).await;
    check(
        r#"{"delete":{"query":"id:7"}}"#,
        200,
        format!(r#"{header},"deleteByQuery":["id:7",-{}]}}"#, version + 3),
    )
    .await;
    let metadata = r#""metadata":["error-class","org.apache.solr.common.SolrException","root-error-class","org.apache.solr.common.SolrException"]"#;
    let conflict = format!(
        r#"{{"responseHeader":{{"status":409,"QTime":0}},"error":{{{metadata},"msg":"version conflict for 2 expected=5 actual={}","code":409}}}}"#,
        version + 1
    );
    check(r#"[{"id":"2","_version_":5}]"#, 409, conflict).await;
}

#[tokio::test]
async fn updates_say_what_they_cannot_read() {
    let served = Served::start().await;
    let check = async |media_type: &str, body: &str, status: u16, message: &str| {
        let answer = served.post("/solr/films/update", media_type, body).await;
        assert_eq!(answer.status, status, "{}", answer.body);
        assert!(answer.body.contains(&format!("\"msg\":\"{message}")), "{}", answer.body);
    };
    check("text/foo", "x", 415, "Unsupported ContentType: text/foo  Not in: [").await;
    check("application/x-www-form-urlencoded", "x", 400, "missing content stream").await;
    check("application/json", "{\"zap\":{}}", 400, "Unknown command 'zap' at [6]").await;
    let answer = served.get("/solr/films/update").await;
    assert!(answer.status == 400 && answer.body.contains("missing content stream"), "{}", answer.body);
    assert_eq!(served.get("/solr/films/update?commit=true").await.status, 200);
    assert_eq!(served.post("/solr/films/update", "application/json", "").await.status, 200);
}

#[tokio::test]
async fn a_document_can_be_fetched_before_any_commit() {
    let served = Served::start().await;
    served.post("/solr/films/update", "application/json", DOCUMENTS).await;
    let list = "{\n  \"response\":{\n    \"numFound\":1,\n    \"start\":0,\n    \"numFoundExact\":true,\n    \"docs\":[{\n      \"id\":\"2\"\n    }]\n  }\n}";
    check(&served, "/solr/films/get?id=1&fl=id", 200, JSON, "{\n  \"doc\":{\n    \"id\":\"1\"\n  }\n}").await;
    check(&served, "/solr/films/get?id=9", 200, JSON, "{\n  \"doc\":null\n}").await;
    check(&served, "/solr/films/get?ids=2,9&fl=id", 200, JSON, list).await;
    let xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<response>\n\n<null name=\"doc\"/>\n</response>\n";
    check(&served, "/solr/films/get?id=9&wt=xml", 200, XML, xml).await;
}
