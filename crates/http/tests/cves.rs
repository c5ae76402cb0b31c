//! The published weaknesses of Solr, class by class, tried here against a server that asks nobody to log in:
//! what each would need is not there or is refused. `docs/security.md` says the same in words; that log-ins
//! cannot be gone round is in `security.rs`.

mod served;

use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use served::{Answer, Served};
use tokio::net::TcpListener;

/// `METHOD path`, with a body in JSON or XML.
async fn ask(served: &Served, request: &str, body: &str) -> Answer {
    let kind = match body.as_bytes().first() {
        Some(b'<') => "application/xml",
        _ => "application/json",
    };
    let length = body.len();
    let head = format!(
        "{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
    );
    served.send(&head, body.as_bytes()).await
}

/// Asks each, and wants this status and these words.
async fn check(served: &Served, cases: &[(&str, &str, u16, &str)]) {
    let mut wrong = Vec::new();
    for (request, body, status, part) in cases {
        let answer = ask(served, request, body).await;
        if answer.status != *status || !answer.body.contains(part) {
            wrong.push(format!("{request}: {} {}", answer.status, answer.body));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Templates that a request brings (CVE-2019-17558, CVE-2013-6397): no writer runs any.
#[tokio::test]
async fn templates_are_not_run() {
    let served = Served::start().await;
    check(
        &served,
        &[
            ("GET /solr/films/select?q=1&wt=velocity&v.template=x&v.template.x=%23set($x=7)", "", 400, "velocity"),
            ("GET /solr/films/select?q=1&wt=xslt&tr=../../../x.xsl", "", 400, "xslt"),
            ("POST /solr/films/update?tr=x.xsl", "<add/>", 200, ""),
            (
                "POST /solr/films/config",
                r#"{"add-queryresponsewriter":{"name":"velocity","class":"solr.VelocityResponseWriter","params.resource.loader.enabled":"true"}}"#,
                400,
                "",
            ),
            (
                "POST /solr/films/config",
                r#"{"update-queryresponsewriter":{"name":"velocity","class":"solr.VelocityResponseWriter"}}"#,
                400,
                "",
            ),
        ],
    )
    .await;
}

/// Code that a configuration names (CVE-2017-12629, CVE-2019-0192): there are no listeners, no libraries and
/// no classes but those that are served.
#[tokio::test]
async fn configurations_run_nothing() {
    let served = Served::start().await;
    let config = "POST /solr/films/config";
    check(
        &served,
        &[
            (config, r#"{"add-listener":{"event":"postCommit","name":"x","class":"solr.RunExecutableListener","exe":"sh"}}"#, 400, ""),
            (config, r#"{"set-property":{"jmx.serviceUrl":"service:jmx:rmi:///jndi/rmi://127.0.0.1:1/x"}}"#, 400, "jmx.serviceUrl"),
            (config, r#"{"add-runtimelib":{"name":"x","version":1}}"#, 400, ""),
            (config, r#"{"add-requesthandler":{"name":"/x","class":"evil.Handler"}}"#, 400, "evil.Handler"),
            (config, r#"{"add-updateprocessor":{"name":"x","class":"solr.StatelessScriptUpdateProcessorFactory","script":"x.js"}}"#, 400, ""),
            (config, r#"{"add-valuesourceparser":{"name":"x","class":"evil.Parser"}}"#, 400, ""),
            ("GET /solr/.system/blob", "", 404, ""),
            ("POST /solr/films/dataimport?command=full-import&debug=true&dataConfig=x", "", 404, ""),
            ("GET /solr/films/stream?expr=x", "", 400, "`/stream` is not supported"),
        ],
    )
    .await;
}

/// Code in uploaded configsets and files (CVE-2020-13957, CVE-2023-50292, CVE-2023-50386, CVE-2024-45217,
/// CVE-2025-24814): what they name is no more than what the built-in ones may.
#[tokio::test]
async fn uploads_run_nothing() {
    let served = Served::start().await;
    let schema = r#"<schema name="x" version="1.6"><fieldType name="string" class="solr.StrField"/>
        <field name="id" type="string"/><uniqueKey>id</uniqueKey></schema>"#;
    let put = async |name: &str, config: &str| {
        let base = format!("PUT /api/configsets/{name}");
        assert_eq!(ask(&served, &format!("{base}/managed-schema.xml"), schema).await.status, 200);
        assert_eq!(ask(&served, &format!("{base}/solrconfig.xml"), config).await.status, 200);
        let create = format!(
            "GET /solr/admin/collections?action=CREATE&name={name}&numShards=1&collection.configName={name}"
        );
        ask(&served, &create, "").await
    };
    for (at, (config, named)) in [
        (r#"<config><updateHandler><listener event="postCommit" class="solr.RunExecutableListener"><str name="exe">sh</str></listener></updateHandler></config>"#, ""),
        (r#"<config><requestHandler name="/x" class="evil.Handler"/></config>"#, "evil.Handler"),
        (r#"<config><updateRequestProcessorChain name="x" default="true"><processor class="solr.ScriptUpdateProcessorFactory"/></updateRequestProcessorChain></config>"#, "Script"),
        (r#"<config><queryResponseWriter name="velocity" class="solr.VelocityResponseWriter" startup="lazy"/></config>"#, ""),
        (r#"<config><lib dir="/tmp" regex=".*\.jar"/></config>"#, ""),
    ]
    .iter()
    .enumerate()
    {
        let answer = put(&format!("evil{at}"), config).await;
        // Either it is refused by name, or what it names is not there.
        assert!(matches!(answer.status, 200 | 400), "{config}: {}", answer.body);
        assert!(answer.status == 200 || answer.body.contains(named), "{config}: {}", answer.body);
        if answer.status == 200 {
            for path in ["x", "select?q=1&wt=velocity"] {
                let status = ask(&served, &format!("GET /solr/evil{at}/{path}"), "").await.status;
                assert!(matches!(status, 400 | 404), "{config}: {path}: {status}");
            }
        }
    }
    check(
        &served,
        &[
            ("PUT /api/cluster/files/x.jar", "x", 404, ""),
            ("GET /api/cluster/filestore/files", "", 404, ""),
            ("POST /api/cluster/package", r#"{"add":{"package":"x"}}"#, 404, ""),
            ("POST /api/cluster/plugin", r#"{"add":{"name":"x","class":"y"}}"#, 404, ""),
            ("GET /api/schema-designer/configs", "", 404, ""),
        ],
    )
    .await;
}

/// Files outside of where they should be (CVE-2017-3163, CVE-2020-13941, CVE-2024-52012, CVE-2026-22444).
#[tokio::test]
async fn names_stay_inside() {
    let served = Served::start().await;
    check(
        &served,
        &[
            ("GET /solr/films/admin/file?file=../../cluster.json", "", 400, "inside"),
            ("GET /solr/films/admin/file?file=/etc/passwd", "", 400, "inside"),
            ("GET /solr/films/admin/file?file=..%2F..%2Fcluster.json", "", 400, "inside"),
            ("GET /solr/films/replication?command=filecontent&file=../../../etc/passwd", "", 400, ""),
            ("GET /solr/films/replication?command=filecontent&cf=../../../etc/passwd", "", 400, ""),
            ("GET /solr/films/replication?command=backup&location=/tmp", "", 400, ""),
            ("GET /solr/films/replication?command=restore&location=/tmp", "", 400, ""),
            (
                "GET /solr/admin/collections?action=BACKUP&name=b&collection=films&location=//host/share",
                "",
                400,
                "",
            ),
            ("GET /solr/admin/collections?action=RESTORE&name=../b&collection=x&location=/etc", "", 400, ""),
            ("GET /solr/admin/collections?action=CREATE&name=../x&numShards=1", "", 400, "Invalid"),
            (
                "GET /solr/admin/collections?action=CREATE&name=x&numShards=1&collection.configName=../x",
                "",
                400,
                "",
            ),
            ("GET /solr/admin/cores?action=CREATE&name=..%2Fx", "", 400, "Invalid"),
            ("GET /solr/admin/cores?action=CREATE&name=y&configSet=../../x", "", 400, ""),
            ("PUT /api/configsets/x/..%2F..%2Fevil.txt", "x", 400, ""),
            ("PUT /api/configsets/x/a/../../evil.txt", "x", 400, ""),
            ("PUT /api/configsets/x/..%5C..%5Cevil.txt", "x", 400, ""),
            ("PUT /api/configsets/..%2Fx/a.txt", "x", 400, ""),
            ("GET /solr/films/schema/analysis/stopwords/..%2F..%2Fx", "", 400, "No REST managed resource"),
        ],
    )
    .await;
    let zip = archive("../evil.txt", b"x");
    for name in ["../evil.txt", "/evil.txt", "a/../../evil.txt", "..\\evil.txt", "C:\\evil.txt"] {
        let body = archive(name, b"x");
        let head = format!(
            "POST /solr/admin/configs?action=UPLOAD&name=z HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/octet-stream\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let answer = served.send(&head, &body).await;
        assert_eq!(answer.status, 400, "{name}: {}", answer.body);
    }
    assert!(!zip.is_empty() && served.node.configset("z").is_none());
}

/// A ZIP archive of one stored file.
fn archive(name: &str, bytes: &[u8]) -> Vec<u8> {
    let (name, crc) = (name.as_bytes(), crc32(bytes));
    let u16 = |number: usize| (number as u16).to_le_bytes();
    let u32 = |number: usize| (number as u32).to_le_bytes();
    let facts = [
        &u16(20)[..],
        &u16(0),
        &u16(0),
        &u32(0),
        &crc.to_le_bytes(),
        &u32(bytes.len()),
        &u32(bytes.len()),
        &u16(name.len()),
        &u16(0),
    ]
    .concat();
    let local = [b"PK\x03\x04", &facts[..], name, bytes].concat();
    let central =
        [b"PK\x01\x02", &u16(20)[..], &facts, &u16(0), &u16(0), &u16(0), &u32(0), &u32(0), name].concat();
    let end = [
        b"PK\x05\x06",
        &u16(0)[..],
        &u16(0),
        &u16(1),
        &u16(1),
        &u32(central.len()),
        &u32(local.len()),
        &u16(0),
    ]
    .concat();
    [local, central, end].concat()
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

/// Requests that make the server ask another (CVE-2017-3164, CVE-2021-27905, CVE-2021-44548, CVE-2023-50298,
/// CVE-2021-44228): nobody is asked.
#[tokio::test]
async fn nobody_else_is_asked() {
    let served = Served::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let there = listener.local_addr().unwrap().to_string();
    let mut wrong = Vec::new();
    for (request, status) in [
        ("GET /solr/films/select?q=*:*&shards=HERE/solr/films", 400),
        ("GET /solr/films/select?q=*:*&shards=http://HERE/solr/films&shards.qt=/x", 400),
        ("GET /solr/films/get?id=1&shards=HERE/solr/films", 400),
        ("GET /solr/films/terms?terms.fl=id&shards=HERE/solr/films&shards.qt=/terms", 400),
        ("GET /solr/films/select?q=*:*&stream.url=http://HERE/", 400),
        ("POST /solr/films/update?stream.url=http://HERE/&stream.contentType=text/xml", 400),
        ("GET /solr/films/debug/dump?param=ContentStreams&stream.url=http://HERE/", 400),
        ("GET /solr/films/debug/dump?param=ContentStreams&stream.url=file:///etc/passwd", 400),
        ("GET /solr/films/replication?command=fetchindex&masterUrl=http://HERE/solr/films", 400),
        ("GET /solr/films/replication?command=fetchindex&leaderUrl=http://HERE/solr/films", 400),
        ("GET /solr/films/stream?expr=search(films,zkHost=%22HERE%22,q=%22*:*%22)", 400),
        ("GET /solr/films/select?q=%7B!join+from=id+to=id+fromIndex=http://HERE/solr/films%7D*:*", 400),
        (
            "GET /solr/films/select?q=%7B!join+from=id+to=id+method=crossCollection+fromIndex=films+solrUrl=http://HERE/solr%7D*:*",
            400,
        ),
        ("GET /solr/http:%2F%2FHERE%2Fsolr/select", 404),
        ("GET /solr/films/select?q=$%7Bjndi:ldap://HERE/a%7D&fq=$%7Bjndi:ldap://HERE/a%7D", 400),
        ("GET /solr/admin/cores?action=$%7Bjndi:ldap://HERE/a%7D", 400),
        ("GET /solr/admin/zookeeper?zkHost=HERE", 404),
        ("GET /solr/admin/collections?action=MIGRATE&collection=films&target.collection=http://HERE", 400),
    ] {
        let answer = ask(&served, &request.replace("HERE", &there), "").await;
        if answer.status != status {
            wrong.push(format!("{request}: {} {}", answer.status, answer.body));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let reached = pin!(listener.accept()).poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(reached, Poll::Pending), "somebody was asked");
}

/// Parameters that make a handler another (CVE-2019-0193, CVE-2019-12401 by its parser): no parser reads XML,
/// no handler is named by a parameter.
#[tokio::test]
async fn parameters_name_no_handlers() {
    let served = Served::start().await;
    assert_eq!(ask(&served, "POST /solr/films/update?commit=true", r#"[{"id":"1"}]"#).await.status, 200);
    check(
        &served,
        &[
            ("GET /solr/films/select?q=*:*&qt=/update&stream.body=%3Cdelete/%3E", "", 400, "Stream Body is disabled"),
            ("GET /solr/films/select?qt=/update&commit=true&q=*:*", "", 200, "\"numFound\":1"),
            ("GET /solr/films/select?q=%7B!xmlparser+v=%27%3C!DOCTYPE+a+SYSTEM+%22http://127.0.0.1:1/x%22%3E%3Ca/%3E%27%7D", "", 400, "xmlparser"),
            ("GET /solr/films/select?q=%7B!evil%7Dx", "", 400, "evil"),
            ("GET /solr/films/select?defType=xmlparser&q=%3Ca/%3E", "", 400, "xmlparser"),
            ("POST /solr/films/dataimport", r#"{"dataConfig":"<dataConfig/>"}"#, 404, ""),
        ],
    )
    .await;
}

/// Entities of XML (CVE-2012-6612, CVE-2013-6407, CVE-2013-6408, CVE-2017-12629, CVE-2018-1308,
/// CVE-2018-8026, CVE-2022-39135, CVE-2025-54988): there is no document type, so none is fetched or expanded.
#[tokio::test]
async fn entities_are_not_expanded() {
    let served = Served::start().await;
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret.txt");
    std::fs::write(&secret, "hush").unwrap();
    let typed =
        |inside: &str| format!(r#"<!DOCTYPE a [<!ENTITY x SYSTEM "file://{}">]>{inside}"#, secret.display());
    let update = typed(r#"<add><doc><field name="id">&x;</field></doc></add>"#);
    let schema = typed(r#"<schema name="&x;" version="1.6"/>"#);
    let answer = ask(&served, "POST /solr/films/update?commit=true", &update).await;
    assert!(answer.status == 400 && !answer.body.contains("hush"), "{}", answer.body);
    assert_eq!(ask(&served, "PUT /api/configsets/x/managed-schema.xml", &schema).await.status, 200);
    assert_eq!(ask(&served, "PUT /api/configsets/x/solrconfig.xml", &typed("<config/>")).await.status, 200);
    let create = "GET /solr/admin/collections?action=CREATE&name=x&numShards=1&collection.configName=x";
    let answer = ask(&served, create, "").await;
    assert!(answer.status == 400 && !answer.body.contains("hush"), "{}", answer.body);
    let found = ask(&served, "GET /solr/films/select?q=*:*", "").await;
    assert!(found.body.contains("\"numFound\":0"), "{}", found.body);
    for (path, status) in [("/solr/films/sql", 400), ("/solr/films/update/extract", 404)] {
        assert_eq!(ask(&served, &format!("POST {path}"), &update).await.status, status, "{path}");
    }
}

/// Secrets in what the server tells of itself (CVE-2023-50290, CVE-2023-50291): it tells no environment, and
/// no parameter comes back in a message about another.
#[tokio::test]
async fn the_environment_is_not_told() {
    let served = Served::start().await;
    // Set by cargo for every test.
    let secret = env!("CARGO_MANIFEST_DIR");
    assert_eq!(std::env::var("CARGO_MANIFEST_DIR").as_deref(), Ok(secret));
    for path in [
        "/solr/admin/info/properties",
        "/solr/admin/info/properties?name=CARGO_MANIFEST_DIR",
        "/solr/admin/info/system",
        "/solr/admin/info/threads",
        "/solr/admin/info/logging",
        "/solr/admin/metrics",
        "/solr/admin/metrics?wt=prometheus",
        "/solr/films/admin/system",
        "/solr/films/config",
        "/solr/films/schema",
        "/solr/films/debug/dump",
        "/solr/films/select?q=$%7BCARGO_MANIFEST_DIR%7D",
        "/solr/nothing",
    ] {
        let answer = ask(&served, &format!("GET {path}"), "").await;
        assert!(!answer.body.contains(secret), "{path}: {}", answer.body);
    }
    let property = r#"{"set-user-property":{"x":"${CARGO_MANIFEST_DIR}"}}"#;
    ask(&served, "POST /solr/films/config", property).await;
    assert!(!ask(&served, "GET /solr/films/config", "").await.body.contains(secret));
}

/// Requests that grow on the way (CVE-2019-12401): entities, nesting, patterns, archives.
#[tokio::test]
async fn small_requests_stay_small() {
    let served = Served::start_with(|config| config.body_bytes_max = 4 << 20).await;
    let laughs = r#"<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><add><doc><field name="id">&b;</field></doc></add>"#;
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    let update = "POST /solr/films/update";
    check(
        &served,
        &[
            (update, laughs, 400, ""),
            (update, &deep("[", "]"), 400, ""),
            (update, &deep("{\"a\":", "}"), 400, ""),
            (update, &deep("<add>", "</add>"), 400, ""),
            (
                "POST /solr/films/select",
                &format!("{{\"query\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000)),
                400,
                "",
            ),
            ("POST /solr/films/config", &deep("{\"a\":", "}"), 400, ""),
        ],
    )
    .await;
    let clauses = "(".repeat(5_000);
    let answer = served
        .post("/solr/films/select", "application/x-www-form-urlencoded", &format!("q={clauses}a"))
        .await;
    assert_eq!(answer.status, 400, "{}", answer.body);
    let pattern = "/solr/films/select?q=a_s:/((a%2B)%2B)%2Bb((a%7B1,1000%7D)%7B1,1000%7D)%7B1,1000%7D/";
    assert!(matches!(served.get(pattern).await.status, 200 | 400));
}
