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

/// What the log in a store does can be read: its tail until it is flushed, requests by what they are for, and
/// in the slow log how long the store took.
#[test]
fn the_log_in_a_store_tells_how_it_is_doing() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = format!("file://{}", folder.path().join("bucket").display());
    let arguments = ["--store", &store, "--slow-ms", "1", "--store-prices", "1000,0"];
    let server = Server::start_with(&folder.path().join("data"), &arguments);
    let client = server.client();
    client.create_collection("films", 1);
    let figures = |name: &str| {
        let metrics = client.json("admin/metrics", &[("prefix", "STORE")])["metrics"].clone();
        let of_core = &metrics["solr.core.films_shard1_replica_n1"][format!("STORE.log.shard1.{name}")];
        let of_node = &metrics["solr.node"][format!("STORE.{name}")];
        if of_core.is_null() { of_node.as_f64() } else { of_core.as_f64() }.unwrap_or_else(|| {
            panic!("no {name} in {metrics}");
        })
    };
    assert_eq!((figures("tailRecords"), figures("tailBytes"), figures("groups")), (0.0, 0.0, 0.0));
    assert_eq!(update(&server, "a"), 200);
    assert_eq!((figures("tailRecords"), figures("groups"), figures("log.puts")), (1.0, 1.0, 1.0));
    assert!(figures("tailBytes") > 0.0 && figures("log.priceAMonth") > 0.0);
    assert_eq!((figures("windowMillis"), figures("pendingBytes")), (0.0, 0.0));
    let kinds = ["log", "manifest", "segment", "epoch", "document"];
    let puts: f64 = kinds.iter().map(|kind| figures(&format!("{kind}.puts"))).sum();
    assert_eq!(puts, figures("puts"));
    // So many take longer than a millisecond.
    let many: Vec<_> = (0..3_000).map(|id| serde_json::json!({ "id": format!("m{id}") })).collect();
    let many = serde_json::to_string(&many).expect("JSON");
    assert_eq!(client.post_json("films/update", &[], many).expect("an answer").status, 200);
    let slow = client.json("admin/slow", &[]);
    let requests = slow["requests"].as_array().expect("a list");
    let update = requests
        .iter()
        .find(|it| it["path"] == "/solr/films/update")
        .unwrap_or_else(|| panic!("no update: {slow}"));
    assert!(update["store"].is_number(), "{update}");
    assert_eq!(ids(&server)[0], "a");
    assert_eq!((figures("tailRecords"), figures("tailAgeMillis")), (0.0, 0.0));
}
