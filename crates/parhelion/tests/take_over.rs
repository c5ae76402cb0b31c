//! Two nodes and one store: whoever opens it last has all that was acknowledged, and the one before writes
//! nothing more, whether it was killed or lives on.

#![cfg(unix)]

mod support;

use support::Server;

fn update(server: &Server, id: &str) -> u16 {
    let body = format!(r#"[{{"id":"{id}"}}]"#);
    server.client().post_json("films/update", &[], body).expect("the server answers").status
}

/// What searches see once everything before is visible.
fn ids(server: &Server) -> Vec<String> {
    let client = server.client();
    client.json("films/update", &[("commit", "true")]);
    let found =
        client.json("films/select", &[("q", "*:*"), ("fl", "id"), ("sort", "id asc"), ("rows", "100")]);
    let documents = found["response"]["docs"].as_array().expect("a page").iter();
    documents.map(|it| it["id"].as_str().map(str::to_owned).expect("an id")).collect()
}

#[test]
fn the_last_to_open_a_store_owns_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = format!("file://{}", folder.path().join("bucket").display());
    let serve = |data: &str| Server::start_with(&folder.path().join(data), &["--store", &store]);
    let mut first = serve("first");
    first.client().create_collection("films", 2);
    for id in ["a", "b", "c", "d", "e"] {
        assert_eq!(update(&first, id), 200);
    }
    first.kill();
    let second = serve("second");
    assert_eq!(ids(&second), ["a", "b", "c", "d", "e"]);
    assert_eq!(update(&second, "f"), 200);
    // It lives, and does not know that it has lost the store.
    let third = serve("third");
    assert!(folder.path().join("third/store-cache").is_dir(), "copies of what the store has");
    let figures = third.client().json("admin/metrics", &[("group", "node"), ("prefix", "STORE")]);
    assert!(figures["metrics"]["solr.node"]["STORE.gets"].as_u64().is_some_and(|gets| gets > 0), "{figures}");
    assert_eq!(update(&third, "c2"), 200);
    let stale = second.client().get("films/get", &[("ids", "a,b,c,d,e,f,c2")]).expect("an answer");
    assert_eq!(stale.status, 503, "{stale:?}");
    for id in ["g", "h", "i", "j"] {
        assert_eq!(update(&second, id), 503, "{id}");
    }
    assert_eq!(update(&third, "k"), 200);
    assert_eq!(ids(&third), ["a", "b", "c", "c2", "d", "e", "f", "k"]);
}
