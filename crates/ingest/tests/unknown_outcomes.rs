//! What ingest sends again when nobody knows whether it was done: whole documents, deletes and commits, for
//! they do no harm twice; what its guard brings along, under the version that is there now; and what is
//! refused the second time only after a look.

#[path = "../../client/tests/support/mod.rs"]
mod support;

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use ingest::config::parse;
use ingest::follow::{Fence, FenceError};
use ingest::record::{Record, Row, Value};
use ingest::shape::{Document, Documents, Shaper};
use ingest::sources::Page;
use ingest::target::{Delivery, Target};
use support::{Act, Server, answer, ok};

/// As a server says it that has done the first pieces of an update and has no room for the next.
const IN_PART: &str = r#"{"error":{"msg":"only the first command of this update is done","code":503}}"#;

fn in_part() -> Act {
    Act::Answer(answer("503 Service Unavailable", &[], IN_PART.as_bytes()))
}

fn conflict() -> Act {
    Act::Answer(answer("409 Conflict", &[], br#"{"error":{"msg":"version conflict","code":409}}"#))
}

fn done(body: &str) -> Act {
    Act::Answer(ok(body))
}

/// What an update is answered whose first document has this version now.
fn guard_written(update: &str, version: i64) -> Act {
    let id = update.split(r#""id":""#).nth(1).unwrap().split('"').next().unwrap();
    done(&format!(r#"{{"adds":["{id}",{version}]}}"#))
}

fn target(server: &Server) -> Target {
    let text = format!(
        "[target]\nurl = \"{}\"\ncollection = \"c\"\nretry_seconds = 5\n[[source]]\nname = \"s\"\nkey = \"id\"\n\
         [source.jsonl]\npath = \"x\"\n",
        server.url
    );
    Target::new(&parse(&text, "x").unwrap().target).unwrap()
}

/// Two.
fn documents() -> Documents {
    let text = "[target]\nurl = \"h:1\"\ncollection = \"c\"\n[[source]]\nname = \"s\"\nkey = \"id\"\n[source.jsonl]\npath = \"x\"\n";
    let config = parse(text, "x").unwrap();
    let record = |key: &str| Record {
        key: key.to_owned(),
        row: Row { columns: ["id".to_owned()].into(), values: vec![Value::Text(key.to_owned())] },
        children: Vec::new(),
    };
    let page = Page { records: vec![record("1"), record("2")], ..Page::default() };
    Shaper::new(&config, &config.sources[0]).unwrap().shape(page, jiff::Timestamp::UNIX_EPOCH).documents
}

fn bodies(server: &Server, path: &str) -> Vec<String> {
    server.seen(|seen| {
        let of_path = seen.requests.iter().filter(|request| request.contains(path));
        of_path.map(|request| request.split_once("\r\n\r\n").unwrap().1.to_owned()).collect()
    })
}

#[tokio::test]
async fn whole_documents_go_again_where_a_part_of_them_may_be_in() {
    let server = Server::start(|number, _| if number == 0 { in_part() } else { done("{}") }).await;
    let documents = documents();
    let delivery = Delivery { collection: "c", source: "s", documents: &documents, params: &[] };
    let rejected = target(&server).deliver(delivery, documents.all()).await.unwrap();
    let sent = r#"[{"id":"1"},{"id":"2"}]"#;
    assert_eq!((rejected.len(), bodies(&server, "/c/update")), (0, vec![sent.to_owned(), sent.to_owned()]));
}

/// Three times the server breaks off behind the guard, so each time the next meets a conflict with itself.
#[tokio::test]
async fn a_guarded_write_that_is_done_in_part_goes_again_under_the_version_that_is_there() {
    let version = AtomicI64::new(0);
    let server = Server::start(move |_, request| {
        let there = version.load(Relaxed);
        if request.starts_with("GET") && there == 0 {
            return done(r#"{"doc":null}"#);
        }
        if request.starts_with("GET") {
            return done(&format!(r#"{{"doc":{{"ingest_token_l":7,"_version_":{there}}}}}"#));
        }
        let expected = if there == 0 { -1 } else { there };
        if !request.contains(&format!(r#""_version_":{expected}"#)) {
            return conflict();
        }
        version.store(there + 1, Relaxed);
        // The claim is answered, the next three writes are done as far as the guard.
        if (1..4).contains(&there) {
            return in_part();
        }
        guard_written(request, there + 1)
    })
    .await;
    let mut fence = Fence::claim(&target(&server), "c", 7).await.unwrap();
    let documents = documents();
    let all: &[Document] = documents.all();
    let rejected = fence.send("s", &documents, all, &["3".to_owned()], 1000).await.unwrap();
    assert!(rejected.is_empty());
    let sent = bodies(&server, "/c/update");
    // The claim; then three times what was done in part and its conflict; then all of it.
    assert_eq!(sent.len(), 1 + 3 * 2 + 1, "{sent:#?}");
    assert!(sent[7].contains(r#"{"id":"1"}"#) && sent[7].contains(r#""delete":["3"]"#), "{}", sent[7]);
}

#[tokio::test]
async fn a_guard_that_somebody_else_has_written_ends_it() {
    let server = Server::start(|number, request| match (number, request.starts_with("GET")) {
        (0, _) => done(r#"{"doc":null}"#),
        (1, _) => guard_written(request, 5),
        (_, false) => conflict(),
        (_, true) => done(r#"{"doc":{"ingest_token_l":8,"_version_":6}}"#),
    })
    .await;
    let mut fence = Fence::claim(&target(&server), "c", 7).await.unwrap();
    let documents = documents();
    let error = fence.send("s", &documents, documents.all(), &[], 1000).await.unwrap_err();
    assert!(matches!(error, FenceError::Deposed(8)), "{error}");
    assert_eq!(bodies(&server, "/c/update").len(), 2);
}

/// CREATE and DELETE are refused the second time: after an answer that says nothing, the list is asked.
#[tokio::test]
async fn collections_are_made_and_removed_once() {
    for (lists, sent) in [(r#"["c_run1"]"#, 1), ("[]", 2)] {
        let server = Server::start(move |number, request| match request {
            _ if number == 0 => in_part(),
            list if list.contains("action=LIST") => done(&format!(r#"{{"collections":{lists}}}"#)),
            _ => done("{}"),
        })
        .await;
        target(&server).create("c_run1").await.unwrap();
        assert_eq!(bodies(&server, "action=CREATE").len(), sent, "{lists}");
    }
    let server = Server::start(|number, _| match number {
        0 => in_part(),
        _ => done(r#"{"collections":["other"]}"#),
    })
    .await;
    target(&server).delete("c_run1").await.unwrap();
    assert_eq!(bodies(&server, "action=DELETE").len(), 1);
}

/// What was certainly not done is sent again, whatever it is.
#[tokio::test]
async fn a_server_that_is_busy_is_asked_again() {
    let server = Server::start(|number, _| match number {
        0 => Act::Answer(answer("429 Too Many Requests", &[], b"{}")),
        _ => done("{}"),
    })
    .await;
    target(&server).create("c_run1").await.unwrap();
    assert_eq!(bodies(&server, "action=CREATE").len(), 2);
}
