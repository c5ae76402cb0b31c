//! Nodes that read what another one owns in a store: they see what it has flushed, take up what becomes of
//! its collections, and change nothing.

#![cfg(unix)]

mod support;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::Server;

/// Asks until the answer is this one. A reader looks by itself: nobody tells it.
fn until(what: &str, mut asked: impl FnMut() -> bool) {
    let began = Instant::now();
    while !asked() {
        assert!(began.elapsed() < Duration::from_secs(30), "{what} did not come");
        std::thread::yield_now();
    }
}

fn ids(server: &Server, collection: &str) -> Option<Value> {
    let params = [("q", "*:*"), ("fl", "id"), ("sort", "id asc"), ("rows", "100")];
    let answer = server.client().get(&format!("{collection}/select"), &params).ok()?;
    let found = answer.ok().ok()?.json().ok()?;
    Some(found["response"]["docs"].as_array()?.iter().map(|it| it["id"].clone()).collect())
}

fn update(server: &Server, path: &str, body: &Value) -> u16 {
    server.client().post_json(path, &[("commit", "true")], body.to_string()).expect("an answer").status
}

#[test]
fn readers_follow_the_owner_of_a_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = format!("file://{}", folder.path().join("bucket").display());
    let serve = |data: &str, more: &[&str]| {
        Server::start_with(&folder.path().join(data), &[&["--store", &store], more].concat())
    };
    let mut owner = serve("owner", &[]);
    owner.client().create_collection("films", 2);
    assert_eq!(update(&owner, "films/update", &json!([{"id": "a"}, {"id": "b"}])), 200);
    let readers = ["one", "other"].map(|data| serve(data, &["--read-only", "--follow", "20"]));
    for reader in &readers {
        assert_eq!(ids(reader, "films"), Some(json!(["a", "b"])), "what was there when it began");
    }
    // Documents, and a field that the schema gets with them.
    assert_eq!(update(&owner, "films/update", &json!([{"id": "c", "fresh": 7}])), 200);
    assert_eq!(update(&owner, "films/update", &json!({"delete": "a"})), 200);
    owner.client().create_collection("books", 1);
    assert_eq!(update(&owner, "books/update", &json!([{"id": "x"}])), 200);
    for reader in &readers {
        until("the newest documents", || ids(reader, "films") == Some(json!(["b", "c"])));
        until("another collection", || ids(reader, "books") == Some(json!(["x"])));
        until("a field", || {
            let params = [("q", "fresh:[5 TO 9]")];
            let found = reader.client().get("films/select", &params).expect("an answer");
            found.ok().is_ok_and(|it| it.json().is_ok_and(|it: Value| it["response"]["numFound"] == 1))
        });
        let got = reader.client().json("films/get", &[("id", "c")]);
        assert_eq!(got["doc"]["id"], "c");
        // Changes of every kind.
        assert_eq!(update(reader, "films/update", &json!([{"id": "z"}])), 403);
        assert_eq!(update(reader, "films/schema", &json!({"delete-field": {"name": "fresh"}})), 403);
        for action in ["CREATE", "DELETE", "RELOAD"] {
            let params = [("action", action), ("name", "films"), ("numShards", "1")];
            let refused = reader.client().get("admin/collections", &params).expect("an answer");
            assert_eq!(refused.status, 403, "{action}");
        }
        let listed = reader.client().json("admin/collections", &[("action", "LIST")]);
        assert_eq!(listed["collections"], json!(["books", "films"]));
    }
    let aliased = [("action", "CREATEALIAS"), ("name", "all"), ("collections", "books,films")];
    owner.client().json("admin/collections", &aliased);
    for reader in &readers {
        until("an alias", || ids(reader, "all") == Some(json!(["b", "c", "x"])));
    }
    owner.client().json("admin/collections", &[("action", "DELETEALIAS"), ("name", "all")]);
    owner.client().json("admin/collections", &[("action", "DELETE"), ("name", "books")]);
    for reader in &readers {
        until("the end of a collection", || ids(reader, "books").is_none());
    }
    // Readers go on without an owner, and take nothing from the next one.
    owner.kill();
    assert_eq!(ids(&readers[0], "films"), Some(json!(["b", "c"])));
    let owner = serve("next", &[]);
    assert_eq!(update(&owner, "films/update", &json!([{"id": "d"}])), 200);
    for reader in &readers {
        until("what the next owner has", || ids(reader, "films") == Some(json!(["b", "c", "d"])));
    }
}
