//! Logging in, rules, edits and keys, over HTTP: who is let in, and that nothing goes round it.

mod served;

use std::sync::Arc;

use served::{Answer, Served};
use solr::security::Security;

/// The password of everybody is `SolrRocks`.
const HASH: &str =
    "IV0EHq1OnNrj6gvRCwvFwTrZ1+z1oBbnQdiVC3otuq0= Ndd7LKvVBAaZIF0QAVi1ekCfAJXr1GGfLtRUXhgrF8c=";
const ADMIN: &str = "Basic c29scjpTb2xyUm9ja3M=";
const TOM: &str = "Basic dG9tOlNvbHJSb2Nrcw==";

/// `solr` is the administrator; `tom` has no role but that of logging in.
async fn guarded(block_unknown: bool, permissions: &str) -> Served {
    let text = format!(
        r#"{{"authentication":{{"class":"solr.BasicAuthPlugin","blockUnknown":{block_unknown},"credentials":{{"solr":"{HASH}","tom":"{HASH}"}}}},
            "authorization":{{"class":"solr.RuleBasedAuthorizationPlugin","permissions":[{permissions}],"user-role":{{"solr":"admin"}}}}}}"#
    );
    let security = Security::read(&text).unwrap().unwrap();
    Served::start_with(|config| config.security = Some(Arc::new(security))).await
}

async fn ask(served: &Served, method: &str, path: &str, authorization: &str, body: &str) -> Answer {
    let kind = if body.starts_with(['{', '[', '<']) {
        "application/json"
    } else {
        "application/x-www-form-urlencoded"
    };
    ask_with(
        served,
        method,
        path,
        &format!("Authorization: {authorization}\r\nContent-Type: {kind}\r\n"),
        body,
    )
    .await
}

async fn ask_with(served: &Served, method: &str, path: &str, headers: &str, body: &str) -> Answer {
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n"
    );
    served.send(&head, body.as_bytes()).await
}

#[tokio::test]
async fn who_is_not_known_is_asked() {
    let served = guarded(true, "").await;
    let check = async |headers: &str, status: u16, challenge: &str, part: &str| {
        let answer = ask_with(&served, "GET", "/solr/films/select?q=*:*", headers, "").await;
        assert_eq!((answer.status, answer.header("www-authenticate")), (status, challenge), "{headers}");
        assert!(answer.body.contains(part), "{headers}: {}", answer.body);
    };
    let basic = "Basic realm=\"solr\"";
    check("", 401, basic, "HTTP ERROR 401 require authentication").await;
    check("X-Requested-With: XMLHttpRequest\r\n", 401, "xBasic realm=\"solr\"", "require authentication")
        .await;
    check("Authorization: Basic c29scjp3cm9uZw==\r\n", 401, basic, "Bad credentials").await;
    check("Authorization: Basic !!!\r\n", 401, basic, "Bad credentials").await;
    check("Authorization: Bearer phk_x\r\n", 401, basic, "Bad credentials").await;
    check(&format!("Authorization: {ADMIN}\r\nAuthorization: {TOM}\r\n"), 401, basic, "Bad credentials")
        .await;
    // Solr's nodes know each other by these; here they say nothing.
    check("SolrAuth: x\r\n", 401, basic, "require authentication").await;
    check("SolrAuthV2: x\r\n", 401, basic, "require authentication").await;
    check(&format!("Authorization: {ADMIN}\r\n"), 200, "", "numFound").await;
}

/// Who fails too often is not listened to, whatever is shown next; others are, and from elsewhere, and
/// programs with keys.
#[tokio::test]
async fn who_guesses_is_turned_away() {
    let served = guarded(true, "").await;
    let create = r#"{"create-key":{"name":"ingest","user":"solr"}}"#;
    let answer = ask(&served, "POST", "/solr/admin/authentication", ADMIN, create).await;
    let key = answer.body.split('"').find(|part| part.starts_with("phk_")).unwrap();
    let bearer = format!("Bearer {key}");
    let check = async |from: [u8; 4], who: &str, status: u16, wait_s: &str| {
        let mut stream = served.connect_from(from.into()).await;
        let head = format!(
            "GET /solr/films/select HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: {who}\r\n\r\n"
        );
        let answer = served::answer(&mut stream, &head).await;
        assert_eq!((answer.status, answer.header("retry-after")), (status, wait_s), "{from:?} {who}");
    };
    let (here, there) = ([127, 0, 0, 1], [127, 0, 0, 2]);
    let wrong = "Basic c29scjp3cm9uZw==";
    for _ in 0..10 {
        check(here, wrong, 401, "").await;
        check(here, "Bearer phk_x", 401, "").await;
        check(here, "Basic !!!", 401, "").await;
    }
    check(here, wrong, 429, "300").await;
    check(here, ADMIN, 429, "300").await;
    check(here, TOM, 200, "").await;
    check(there, ADMIN, 200, "").await;
    check(here, &bearer, 200, "").await;
    check(here, "Bearer phk_x", 401, "").await;
}

/// However a path is spelt (CVE-2024-45216), whatever headers of nodes say (CVE-2017-7660), nothing is told
/// to those who are not known: not even what is there.
#[tokio::test]
async fn no_spelling_of_a_path_goes_round_the_log_in() {
    let served = guarded(true, "").await;
    for path in [
        "/",
        "/solr/",
        "/solr/admin/noop",
        "/solr/admin/info/key",
        "/solr/admin/info/health",
        "/solr/films/select:/admin/info/key",
        "/solr/films/select;/admin/info/key",
        "/solr/films/select%3B/admin/info/key",
        "/solr/films/select/../../admin/info/key",
        "/solr/admin/info/key/../../../films/select",
        "/solr//films//select",
        "/solr/%66ilms/select",
        "/solr/films/select%3F:/admin/info/key",
        "/api/collections/films/select",
        "/api/c/films/select",
        "/api/node/system",
        "/api/configsets",
        "/nothing/here",
        "/solr/nope/select",
        "/solr/%ff/select",
        "/solr/a,b/select",
    ] {
        for method in ["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"] {
            let answer = ask_with(&served, method, path, "", "").await;
            assert_eq!(answer.status, 401, "{method} {path}: {}", answer.body);
        }
    }
}

/// What each handler needs, however its path is spelt (CVE-2026-22022), as recorded from Solr: the permission
/// is given to administrators, and `tom` asks.
#[tokio::test]
async fn handlers_need_their_permission() {
    for (permission, requests) in [
        (
            "read",
            &[
                "GET /solr/films/select",
                "POST /solr/films/query",
                "GET /solr/films/get?id=1",
                "GET /solr/films/terms",
                "GET /solr/films/analysis/field",
                "POST /solr/films/analysis/document",
                "GET /solr/films/admin/luke",
                "GET /solr/films/replication?command=details",
                "GET /solr/films/whynot",
                "GET /api/c/films/select",
                "GET /solr/%66ilms//select/",
                "GET /solr/films/select?qt=/update",
                "HEAD /solr/films/select",
            ][..],
        ),
        (
            "update",
            &[
                "POST /solr/films/update",
                "GET /solr/films/update?commit=true",
                "POST /solr/films/update/json/docs",
                "POST /solr/films/update%2Fcsv",
                "POST /api/collections/films/update",
                "GET /solr/films/replication?command=backup",
            ],
        ),
        ("health", &["GET /solr/films/admin/ping", "GET /solr/admin/info/health", "GET /api/node/health"]),
        (
            "config-read",
            &[
                "GET /solr/films/config",
                "GET /solr/films/config/params",
                "GET /solr/films/admin/file",
                "GET /solr/films/admin/system",
                "GET /solr/films/debug/dump",
                "GET /solr/admin/info/system",
                "GET /solr/admin/info/properties",
                "GET /solr/admin/info/logging",
                "GET /solr/admin/configs?action=LIST",
                "GET /api/configsets",
            ],
        ),
        (
            "config-edit",
            &[
                "POST /solr/films/config",
                "POST /solr/films/config/params",
                "POST /solr/admin/configs?action=UPLOAD&name=x",
                "PUT /api/configsets/x/a.txt",
                "DELETE /api/configsets/x",
                "GET /solr/admin/info/logging?set=root:WARN",
                "GET /solr/admin/configs?action=delete&name=x",
            ],
        ),
        (
            "schema-read",
            &["GET /solr/films/schema", "GET /solr/films/schema/fields", "GET /solr/films/schema/managed"],
        ),
        (
            "schema-edit",
            &[
                "POST /solr/films/schema",
                "PUT /solr/films/schema/analysis/stopwords/x",
                "DELETE /solr/films/schema/analysis/stopwords/x/a",
            ],
        ),
        (
            "metrics-read",
            &[
                "GET /solr/admin/metrics",
                "GET /solr/films/admin/segments",
                "GET /solr/films/admin/mbeans",
                "GET /solr/admin/info/threads",
            ],
        ),
        ("core-admin-read", &["GET /solr/admin/cores", "GET /solr/admin/cores?action=status"]),
        (
            "core-admin-edit",
            &[
                "GET /solr/admin/cores?action=CREATE&name=x",
                "GET /solr/admin/cores?action=UNLOAD&core=films",
                "GET /solr/admin/cores?action=FROB",
                "GET /solr/admin/cores?action=CREATE&name=x&async=1",
            ],
        ),
        (
            "collection-admin-read",
            &["GET /solr/admin/collections?action=LIST", "GET /solr/admin/collections?action=CLUSTERSTATUS"],
        ),
        (
            "collection-admin-edit",
            &[
                "GET /solr/admin/collections?action=DELETE&name=films",
                "GET /solr/admin/collections?action=FROB",
                "GET /solr/admin/collections?action=CREATE&name=x&async=7",
            ],
        ),
        (
            "security-read",
            &[
                "GET /solr/admin/authentication",
                "GET /solr/admin/authorization",
                "GET /solr//admin/%61uthentication",
            ],
        ),
        (
            "security-edit",
            &[
                "POST /solr/admin/authentication",
                "POST /solr/admin/authorization",
                "PUT /solr/admin/authentication",
            ],
        ),
    ] {
        let served = guarded(true, &format!(r#"{{"name":"{permission}","role":"admin"}}"#)).await;
        for request in requests {
            let (method, path) = request.split_once(' ').unwrap();
            let answer = ask(&served, method, path, TOM, "").await;
            assert_eq!(answer.status, 403, "{permission}: {request}: {}", answer.body);
            if method != "HEAD" {
                assert!(
                    answer.body.contains("HTTP ERROR 403 Unauthorized request, Response code: 403"),
                    "{}",
                    answer.body
                );
            }
            let answer = ask(&served, method, path, "", "").await;
            assert_eq!(answer.status, 401, "{permission}: {request}");
            assert_ne!(ask(&served, method, path, ADMIN, "").await.status, 403, "{permission}: {request}");
        }
    }
}

/// What a form asks for counts as what a URL asks for.
#[tokio::test]
async fn forms_are_looked_at() {
    let served = guarded(true, r#"{"name":"collection-admin-edit","role":"admin"},{"path":"/select","params":{"q":"REGEX:x"},"role":"admin"}"#).await;
    let check = async |path: &str, form: &str, status: u16| {
        assert_eq!(ask(&served, "POST", path, TOM, form).await.status, status, "{path} {form}");
    };
    check("/solr/admin/collections", "action=LIST", 200).await;
    check("/solr/admin/collections", "action=DELETE&name=films", 403).await;
    check("/solr/admin/collections?action=LIST", "action=DELETE&name=films", 200).await;
    check("/solr/films/select", "q=id:1", 200).await;
    check("/solr/films/select", "q=id:x", 403).await;
    assert!(served.node.find("films").is_some());
}

#[tokio::test]
async fn without_a_log_in_rules_decide() {
    let rules = r#"{"name":"read","role":null},{"name":"all","role":"admin"}"#;
    let served = guarded(false, rules).await;
    let check = async |path: &str, who: &str, status: u16, part: &str| {
        let header = if who.is_empty() { String::new() } else { format!("Authorization: {who}\r\n") };
        let answer = ask_with(&served, "GET", path, &header, "").await;
        assert_eq!(answer.status, status, "{path} {who}: {}", answer.body);
        assert!(answer.body.contains(part), "{}", answer.body);
    };
    check("/solr/films/select", "", 200, "").await;
    check("/solr/films/update?commit=true", "", 401, "Authentication failed, Response code: 401").await;
    check("/solr/films/update?commit=true", TOM, 403, "").await;
    check("/solr/films/update?commit=true", ADMIN, 200, "").await;
    // Who says a wrong name is not let in as nobody.
    check("/solr/films/select", "Basic c29scjp3cm9uZw==", 401, "Bad credentials").await;
}

/// An answer that is kept is kept for those who may have it.
#[tokio::test]
async fn kept_answers_are_for_those_who_may_have_them() {
    let served = guarded(true, r#"{"name":"read","role":"admin"}"#).await;
    let path = "/solr/films/select?q=*:*&kept=1";
    for _ in 0..2 {
        assert_eq!(ask(&served, "GET", path, ADMIN, "").await.status, 200);
        assert_eq!(ask(&served, "GET", path, TOM, "").await.status, 403);
        assert_eq!(ask_with(&served, "GET", path, "", "").await.status, 401);
    }
    let metrics = ask(&served, "GET", "/solr/admin/metrics?prefix=CACHE.answers", ADMIN, "").await;
    assert!(metrics.body.contains("\"hits\":1"), "{}", metrics.body);
}

/// A search that names another collection needs that one too: without it, it is as if it were not there.
#[tokio::test]
async fn other_collections_are_permitted_too() {
    let served = guarded(true, r#"{"name":"all","collection":"secret","role":"admin"}"#).await;
    let create = "/solr/admin/collections?action=CREATE&name=secret&numShards=1";
    assert_eq!(ask(&served, "GET", create, ADMIN, "").await.status, 200);
    for (name, status) in [("films", 200), ("secret", 200)] {
        let path = format!("/solr/{name}/update?commit=true");
        let answer = ask(&served, "POST", &path, ADMIN, r#"[{"id":"1","a_s":"hidden"}]"#).await;
        assert_eq!(answer.status, status, "{name}");
    }
    assert_eq!(
        ask(
            &served,
            "GET",
            "/solr/admin/collections?action=CREATEALIAS&name=pub&collections=secret",
            ADMIN,
            ""
        )
        .await
        .status,
        200
    );
    assert_eq!(
        ask(
            &served,
            "GET",
            "/solr/admin/collections?action=CREATEALIAS&name=two&collections=films,secret",
            ADMIN,
            ""
        )
        .await
        .status,
        200
    );
    for (path, status) in [
        ("/solr/secret/select", 403),
        ("/solr/pub/select", 403),
        ("/solr/two/select", 403),
        ("/solr/films,secret/select", 403),
        ("/solr/admin/collections?action=DELETE&name=secret", 403),
        ("/solr/admin/collections?action=CREATEALIAS&name=mine&collections=films,secret", 403),
        ("/solr/admin/cores?action=SWAP&core=films&other=secret", 403),
        ("/solr/admin/cores?action=RELOAD&core=pub&async=1", 403),
    ] {
        assert_eq!(ask(&served, "GET", path, TOM, "").await.status, status, "{path}");
    }
    for path in [
        "/solr/films/select?q={!join+from=id+to=id+fromIndex=secret}a_s:hidden",
        "/solr/films/select?q={!join+from=id+to=id+fromIndex=pub}a_s:hidden",
        "/solr/films/select?q=*:*&fq={!join+from=id+to=id+fromIndex=secret}a_s:hidden",
        "/solr/films/select?q=*:*&fl=id,x:[subquery+fromIndex=secret]&x.q=*:*",
    ] {
        let path = path.replace('{', "%7B").replace('}', "%7D");
        let theirs = ask(&served, "GET", &path, ADMIN, "").await;
        assert_eq!(theirs.status, 200, "{path}: {}", theirs.body);
        for _ in 0..2 {
            let answer = ask(&served, "GET", &path, TOM, "").await;
            assert!(answer.status == 400 && !answer.body.contains("numFound"), "{path}: {}", answer.body);
        }
    }
    assert!(served.node.find("secret").is_some());
}

#[tokio::test]
async fn edits_are_in_force_and_kept() {
    let served = guarded(true, r#"{"name":"security-edit","role":"admin"}"#).await;
    let edit = async |what: &str, body: &str| {
        ask(&served, "POST", &format!("/solr/admin/{what}"), ADMIN, body).await
    };
    let ann = "Basic YW5uOnNlc2FtZQ==";
    assert_eq!(ask(&served, "GET", "/solr/films/select", ann, "").await.status, 401);
    assert_eq!(edit("authentication", r#"{"set-user":{"ann":"sesame"}}"#).await.status, 200);
    assert_eq!(ask(&served, "GET", "/solr/films/select", ann, "").await.status, 200);
    assert_eq!(
        edit("authorization", r#"{"set-permission":{"name":"read","role":"reader"}}"#).await.status,
        200
    );
    assert_eq!(ask(&served, "GET", "/solr/films/select", ann, "").await.status, 403);
    assert_eq!(edit("authorization", r#"{"set-user-role":{"ann":["reader"]}}"#).await.status, 200);
    assert_eq!(ask(&served, "GET", "/solr/films/select", ann, "").await.status, 200);
    let answer = edit("authentication", r#"{"set-user":{"bob":"x"},"frob":{}}"#).await;
    assert!(answer.status == 200 && answer.body.contains("Unknown operation 'frob' "), "{}", answer.body);
    let shown = ask(&served, "GET", "/solr/admin/authentication", ADMIN, "").await.body;
    assert!(
        shown.contains("\"ann\":\"***\"") && !shown.contains("bob") && !shown.contains("IV0EHq1"),
        "{shown}"
    );
    let kept = served.node.security().unwrap().unwrap();
    assert!(
        kept.contains(r#""ann""#) && !kept.contains("sesame") && Security::read(&kept).unwrap().is_some(),
        "{kept}"
    );
    assert_eq!(edit("authentication", r#"{"delete-user":"ann"}"#).await.status, 200);
    assert_eq!(ask(&served, "GET", "/solr/films/select", ann, "").await.status, 401);
    assert_eq!(edit("authentication", "[]").await.status, 400);
    assert_eq!(
        ask(&served, "POST", "/solr/admin/authentication", TOM, r#"{"set-user":{"tom":"x"}}"#).await.status,
        403
    );
}

#[tokio::test]
async fn keys_are_shown_once() {
    let served =
        guarded(true, r#"{"name":"update","role":"writer"},{"name":"security-edit","role":"admin"}"#).await;
    let create = r#"{"create-key":{"name":"ingest","roles":["writer"]}}"#;
    let answer = ask(&served, "POST", "/solr/admin/authentication", ADMIN, create).await;
    let key = answer.body.split('"').find(|part| part.starts_with("phk_")).unwrap().to_owned();
    let bearer = format!("Bearer {key}");
    assert_eq!(ask(&served, "GET", "/solr/films/update?commit=true", &bearer, "").await.status, 200);
    assert_eq!(ask(&served, "GET", "/solr/films/update?commit=true", TOM, "").await.status, 403);
    assert_eq!(ask(&served, "POST", "/solr/admin/authentication", &bearer, create).await.status, 403);
    let shown = ask(&served, "GET", "/solr/admin/authentication", ADMIN, "").await.body;
    assert!(shown.contains("\"ingest\"") && !shown.contains(&key) && !shown.contains("hash"), "{shown}");
    assert!(!served.node.security().unwrap().unwrap().contains(&key));
    let delete = r#"{"delete-key":"ingest"}"#;
    assert_eq!(ask(&served, "POST", "/solr/admin/authentication", ADMIN, delete).await.status, 200);
    assert_eq!(ask(&served, "GET", "/solr/films/update?commit=true", &bearer, "").await.status, 401);
}

/// Without a `security.json` there is nothing to edit, and the answers say so as Solr's do.
#[tokio::test]
async fn without_a_file_all_is_open() {
    let served = Served::start().await;
    for what in ["authentication", "authorization"] {
        let path = format!("/solr/admin/{what}");
        let answer = served.get(&path).await;
        assert!(
            answer.status == 200 && answer.body.contains(&format!("No {what} configured")),
            "{}",
            answer.body
        );
        let answer = served.post(&path, "application/json", r#"{"set-user":{"a":"b"}}"#).await;
        assert!(
            answer.status == 400 && answer.body.contains(&format!("No {what} plugin configured")),
            "{}",
            answer.body
        );
    }
}
