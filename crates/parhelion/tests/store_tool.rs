//! `parhelion store`: what a node has goes from a disk to a bucket and back with all that was acknowledged,
//! and a byte that is wrong in either is found.

#![cfg(unix)]

#[path = "support/files.rs"]
mod files;
mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use files::{files_below, flip_a_bit, largest, objects_of_segments, segment_file, swap_documents};
use serde_json::{Value, json};
use support::Server;

fn store(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parhelion"));
    command.arg("store").args(arguments).output().expect("the binary runs")
}

/// What it prints as JSON, of a call that succeeds.
#[track_caller]
fn told(arguments: &[&str]) -> Value {
    let output = store(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// What it says of a call that fails.
#[track_caller]
fn refused(arguments: &[&str]) -> String {
    let output = store(arguments);
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

fn update(server: &Server, body: &Value) {
    let answer = server.client().post_json("films/update", &[], body.to_string()).expect("an answer");
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// All documents with their versions, by way of an alias.
fn documents(server: &Server) -> Value {
    server.client().json("films/update", &[("commit", "true")]);
    let asked = [("q", "*:*"), ("fl", "id,kind,_version_"), ("sort", "id asc"), ("rows", "100")];
    server.client().json("movies/select", &asked)["response"]["docs"].clone()
}

#[test]
fn all_that_was_acknowledged_moves_to_a_bucket_and_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (data, back, bucket) = (path("data"), path("back"), format!("file://{}", path("bucket")));
    let mut first = Server::start(Path::new(&data));
    first.client().create_collection("films", 2);
    first.client().json(
        "admin/collections",
        &[("action", "CREATEALIAS"), ("name", "movies"), ("collections", "films")],
    );
    let field = json!({"add-field": {"name": "kind", "type": "string", "docValues": true}});
    first.client().post_json("films/schema", &[], field.to_string()).expect("an answer");
    update(&first, &json!([{"id": "a", "kind": "short"}, {"id": "b"}, {"id": "c"}, {"id": "d"}]));
    first.client().json("films/update", &[("commit", "true")]);
    // In the log alone.
    update(&first, &json!({"delete": "b"}));
    update(&first, &json!([{"id": "e", "kind": "long"}]));
    first.kill();

    let planned = told(&["move", &data, &bucket, "--dry-run"]);
    assert_eq!(planned, json!({"wouldMove": [{"collection": "films", "shards": 2}]}));
    let moved = told(&["move", &data, &bucket])["moved"][0].clone();
    assert_eq!((&moved["collection"], &moved["shards"]), (&json!("films"), &json!(2)));
    assert!(moved["files"].as_u64() > Some(0) && moved["copiedFiles"] == moved["files"], "{moved}");
    // Again: there is nothing left to do.
    let again = told(&["move", &data, &bucket])["moved"][0].clone();
    assert_eq!((&again["files"], &again["copiedFiles"]), (&moved["files"], &json!(0)));
    let verified = told(&["verify", &bucket]);
    assert_eq!((&verified["damaged"], verified["shards"].as_array().unwrap().len()), (&json!(0), 2));

    let mut second = Server::start_with(Path::new(&path("other")), &["--store", &bucket]);
    let served = documents(&second);
    let mut old = Server::start(Path::new(&data));
    assert_eq!(documents(&old), served, "the old place has what it had");
    let ids: Value = served.as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
    assert_eq!((ids, &served[0]["kind"]), (json!(["a", "c", "d", "e"]), &json!("short")));
    old.kill();
    update(&second, &json!([{"id": "f"}]));
    let served = documents(&second);
    second.kill();
    // One that was served there is not written over.
    let said = refused(&["move", &data, &bucket]);
    assert!(said.contains("films") && said.contains("has changed, here or there"), "{said}");

    told(&["move", &bucket, &back]);
    let mut third = Server::start(Path::new(&back));
    assert_eq!(documents(&third), served);
    update(&third, &json!([{"id": "g"}]));
    third.kill();
    let third = Server::start(Path::new(&back));
    assert_eq!(documents(&third).as_array().unwrap().len(), 6);
}

/// The node goes on serving and taking updates; the move itself brings the rest.
#[test]
fn what_is_copied_ahead_is_not_copied_by_the_move() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (data, bucket) = (path("data"), format!("file://{}", path("bucket")));
    let mut first = Server::start(Path::new(&data));
    first.client().create_collection("films", 2);
    update(&first, &json!([{"id": "a"}, {"id": "b"}, {"id": "c"}, {"id": "d"}]));
    first.client().json("films/update", &[("commit", "true")]);
    let ahead = told(&["move", &data, &bucket, "--ahead"])["copiedAhead"][0].clone();
    assert!(ahead["files"].as_u64() > Some(0) && ahead["copiedFiles"] == ahead["files"], "{ahead}");
    // It serves, and there is nothing at the new place yet that could be served.
    update(&first, &json!([{"id": "e"}]));
    first.client().json("films/update", &[("commit", "true")]);
    update(&first, &json!({"delete": "b"}));
    assert_eq!(told(&["digest", &bucket])["shards"], json!([]));
    let again = told(&["move", &data, &bucket, "--ahead"])["copiedAhead"][0].clone();
    let copied = |it: &Value| it["copiedFiles"].as_u64().unwrap();
    assert!(copied(&again) > 0 && copied(&again) < again["files"].as_u64().unwrap(), "{again}");
    first.kill();

    let moved = told(&["move", &data, &bucket])["moved"][0].clone();
    assert!(copied(&moved) < copied(&ahead), "what was copied ahead is there: {moved}");
    let said = refused(&["move", &data, &bucket, "--ahead"]);
    assert!(said.contains("at the new place already"), "{said}");
    assert_eq!(told(&["verify", &bucket, "--sample", "10"])["differences"], 0);
    let second = Server::start_with(Path::new(&path("other")), &["--store", &bucket]);
    let asked = [("q", "*:*"), ("fl", "id"), ("sort", "id asc")];
    let found = second.client().json("films/select", &asked)["response"]["docs"].clone();
    assert_eq!(found, json!([{"id": "a"}, {"id": "c"}, {"id": "d"}, {"id": "e"}]));
}

/// What documents come to says whether two places have the same, and segments are made anew of them.
#[test]
fn segments_are_made_anew_and_documents_come_to_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (data, bucket) = (path("data"), format!("file://{}", path("bucket")));
    let mut server = Server::start(Path::new(&data));
    server.client().create_collection("films", 2);
    update(&server, &json!([{"id": "a"}, {"id": "b"}, {"id": "c"}, {"id": "d"}]));
    server.client().json("films/update", &[("commit", "true")]);
    update(&server, &json!({"delete": "b"}));
    server.client().json("films/update", &[("commit", "true")]);
    // Beside the node that serves them.
    let served = told(&["digest", &data]);
    assert_eq!((&served["documents"], served["shards"].as_array().unwrap().len()), (&json!(3), 2));
    // In the log alone: a reader does not see it, an owner does.
    update(&server, &json!([{"id": "e"}]));
    assert_eq!(told(&["digest", &data])["digest"], served["digest"]);
    let said = refused(&["rebuild", &data]);
    assert!(said.contains("cannot open"), "a node has it: {said}");
    server.kill();

    let planned = told(&["rebuild", &data, "--dry-run"]);
    assert_eq!(planned["wouldRebuild"], served["shards"]);
    let file = segment_file(Path::new(&data));
    let rebuilt = told(&["rebuild", &data, "--collection", "films"]);
    assert_eq!(rebuilt["documents"], 4);
    assert!(!file.exists(), "the old segments are gone");
    assert_eq!(told(&["digest", &data])["digest"], rebuilt["digest"]);
    told(&["move", &data, &bucket]);
    assert_eq!(told(&["digest", &bucket])["shards"], rebuilt["rebuilt"]);
    assert_eq!(told(&["rebuild", &bucket])["rebuilt"], rebuilt["rebuilt"]);
    assert_eq!(told(&["verify", &bucket])["damaged"], 0);

    let said = refused(&["digest", &data, "--collection", "books"]);
    assert!(said.contains("there is no collection `books`; there are: films"), "{said}");
    let server = Server::start_with(Path::new(&path("other")), &["--store", &bucket]);
    server.client().json("films/update", &[("commit", "true")]);
    let asked = [("q", "*:*"), ("fl", "id"), ("sort", "id asc")];
    let found = server.client().json("films/select", &asked)["response"]["docs"].clone();
    assert_eq!(found, json!([{"id": "a"}, {"id": "c"}, {"id": "d"}, {"id": "e"}]));
}

/// A restore on trial reads beside the owner, leaves nothing behind, and fails where a file is not what it was.
#[test]
fn a_drill_restores_and_compares() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (scratch, bucket) = (path("scratch"), format!("file://{}", path("bucket")));
    std::fs::create_dir(&scratch).unwrap();
    let server = Server::start_with(Path::new(&path("data")), &["--store", &bucket]);
    server.client().create_collection("films", 1);
    update(&server, &json!([{"id": "a"}, {"id": "b"}]));
    let said = refused(&["drill", &bucket, "--into", &scratch]);
    assert!(said.contains("nothing that was flushed; commit first"), "{said}");
    server.client().json("films/update", &[("commit", "true")]);
    let came_back = told(&["drill", &bucket, "--into", &scratch]);
    assert_eq!(came_back["documents"], 2);
    assert_eq!(came_back["restored"], told(&["digest", &bucket])["shards"]);
    // It has not lost the bucket to the drill.
    update(&server, &json!([{"id": "c"}]));
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0, "nothing is left");
    flip_a_bit(&largest(&objects_of_segments(&folder.path().join("bucket"))));
    let said = refused(&["drill", &bucket, "--into", &scratch]);
    assert!(said.contains("does not come back") || said.contains("cannot read"), "{said}");
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0, "nothing is left");
}

#[test]
fn a_drill_of_a_backup_says_what_comes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (data, scratch, backups) = (path("data"), path("scratch"), path("backups"));
    std::fs::create_dir(&scratch).unwrap();
    let server = Server::start_with(Path::new(&data), &["--backup-dir", &backups]);
    server.client().create_collection("films", 2);
    update(&server, &json!([{"id": "a"}, {"id": "b"}, {"id": "c"}]));
    server.client().json("films/update", &[("commit", "true")]);
    let back_up = || {
        let asked =
            [("action", "BACKUP"), ("collection", "films"), ("name", "nightly"), ("location", "films")];
        server.client().json("admin/collections", &asked)
    };
    back_up();
    let named = ["drill", &backups, "--backup", "films/nightly", "--into", &scratch];
    let came_back = told(&[&named[..], &["--against", &data]].concat());
    assert_eq!((&came_back["documents"], &came_back["same"]), (&json!(3), &json!(true)), "{came_back}");
    assert_eq!(came_back["restored"], told(&["digest", &data])["shards"]);
    update(&server, &json!([{"id": "d"}]));
    server.client().json("films/update", &[("commit", "true")]);
    back_up();
    let said = refused(&[&named[..], &["--backup-id", "0", "--against", &data]].concat());
    assert!(said.contains("`films` has other documents in"), "{said}");
    let came_back = told(&named);
    assert_eq!((&came_back["backupId"], &came_back["documents"]), (&json!(1), &json!(4)), "the newest");
    assert_eq!(came_back["same"], Value::Null);
    let said = refused(&["drill", &backups, "--backup", "none", "--into", &scratch]);
    assert!(said.contains("there is not backup under the name `none`"), "{said}");
    let is_object = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "object");
    let files = files_below(Path::new(&backups));
    flip_a_bit(&largest(files.iter().filter(|path| is_object(path))));
    let said = refused(&named);
    assert!(said.contains("does not come back") && said.contains("CRC"), "{said}");
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0, "nothing is left");
}

#[test]
fn a_place_with_something_of_its_own_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (data, collection) in [("one", "films"), ("other", "books")] {
        let mut server = Server::start(Path::new(&path(data)));
        server.client().create_collection(collection, 1);
        server.kill();
    }
    let said = refused(&["move", &path("one"), &path("other")]);
    assert!(said.contains("the collection `books`, which is not from here"), "{said}");
    let said = refused(&["move", &path("none"), &path("other")]);
    assert!(said.contains("is no data directory"), "{said}");
    assert!(!Path::new(&path("none")).exists(), "nothing is made of a name that was mistyped");
}

#[test]
fn a_wrong_byte_is_found_beside_the_node_that_serves_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let server = Server::start(&data);
    server.client().create_collection("films", 1);
    update(&server, &json!([{"id": "a"}, {"id": "b"}]));
    server.client().json("films/update", &[("commit", "true")]);
    let data = data.display().to_string();
    let sound = told(&["verify", &data]);
    assert_eq!(sound["damaged"], 0);
    let file = segment_file(Path::new(&data));
    flip_a_bit(&file);
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    let said = refused(&["verify", &data]);
    assert!(said.contains(&name) && said.contains("files are damaged: 1"), "{said}");
}

/// Every byte is what was written, and the index is wrong: documents that are compared with it tell.
#[test]
fn an_index_that_is_wrong_with_right_checksums_is_found_and_made_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let place = data.display().to_string();
    let mut server = Server::start(&data);
    server.client().create_collection("films", 1);
    for documents in [["a", "b"], ["c", "d"]] {
        update(&server, &documents.map(|id| json!({"id": id, "kind_s": format!("of {id}")})).into());
        server.client().json("films/update", &[("commit", "true")]);
    }
    // Beside the node that serves them.
    let sound = told(&["verify", &place, "--sample", "10"]);
    let shard = &sound["sampled"][0];
    assert_eq!((&sound["differences"], &shard["documents"]), (&json!(0), &json!(4)), "{sound}");
    assert_eq!((&shard["segments"], &shard["unknownSegments"]), (&json!(2), &json!(0)), "{sound}");
    assert!(shard["terms"].as_u64() > Some(4), "{sound}");
    server.kill();
    let segment = swap_documents(&data);

    assert_eq!(told(&["verify", &place])["damaged"], 0, "its files are whole");
    let output = store(&["verify", &place, "--sample", "10", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let wrong: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(wrong["damaged"], 0);
    let differences = wrong["sampled"][0]["differences"].as_array().expect("differences");
    let named =
        |it: &Value| it["segment"] == *segment && ["c", "d"].contains(&it["document"].as_str().unwrap());
    assert!(!differences.is_empty() && differences.iter().all(named), "{wrong}");
    let said = refused(&["verify", &place, "--sample", "10", "--collection", "films"]);
    assert!(said.contains(&format!("segment `{segment}`, document `c`")), "{said}");
    assert!(said.contains("store rebuild"), "{said}");

    told(&["rebuild", &place]);
    assert_eq!(told(&["verify", &place, "--sample", "10"])["differences"], 0);
    let said = refused(&["verify", &place, "--sample", "10", "--collection", "books"]);
    assert!(said.contains("there is no collection `books`"), "{said}");
}

/// Nothing is lost while the log has what came behind an older manifest, and what is lost is told before it is.
#[test]
fn damaged_segments_are_mended_or_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let bucket = format!("file://{}", path("bucket"));
    let segments = || objects_of_segments(Path::new(&path("bucket")));
    let mut first = Server::start_with(Path::new(&path("first")), &["--store", &bucket]);
    first.client().create_collection("films", 1);
    // So many that one that is deleted is no reason to merge them: `before` stays in the manifests.
    let kept = ["a", "e", "f", "g", "h", "i", "j", "k"];
    let documents: Vec<_> = kept.iter().chain(&["b"]).map(|id| json!({"id": id})).collect();
    update(&first, &json!(documents));
    first.client().json("films/update", &[("commit", "true")]);
    let before = segments();
    update(&first, &json!([{"id": "c"}, {"id": "d"}]));
    first.client().json("films/update", &[("commit", "true")]);
    // In the log alone.
    update(&first, &json!({"delete": "b"}));
    first.kill();
    flip_a_bit(&largest(segments().difference(&before)));

    assert!(refused(&["verify", &bucket]).contains("store repair"));
    let repaired = told(&["repair", &bucket])["shards"][0].clone();
    assert_eq!((&repaired["outcome"], &repaired["replayed"]), (&json!("wentBack"), &json!(2)), "{repaired}");
    assert_eq!(told(&["verify", &bucket])["damaged"], 0);
    assert_eq!(told(&["repair", &bucket])["shards"][0]["outcome"], "whole");
    let ids = |server: &Server| -> Vec<String> {
        let found = server.client().json("films/select", &[("q", "*:*"), ("fl", "id"), ("sort", "id asc")]);
        let documents = found["response"]["docs"].as_array().expect("a page").iter();
        documents.map(|it| it["id"].as_str().map(str::to_owned).expect("an id")).collect()
    };
    let mut second = Server::start_with(Path::new(&path("second")), &["--store", &bucket]);
    let mut all = kept.iter().chain(&["c", "d"]).copied().collect::<Vec<_>>();
    all.sort_unstable();
    assert_eq!(ids(&second), all);
    second.client().json("films/update", &[("commit", "true")]);
    second.kill();

    // The first segment is in every manifest.
    flip_a_bit(&largest(&before));
    let said = refused(&["repair", &bucket]);
    assert!(said.contains("nothing was changed: 8 documents are in damaged segments"), "{said}");
    assert!(said.contains("--accept-loss"), "{said}");
    let left = told(&["repair", &bucket, "--accept-loss"])["shards"][0].clone();
    assert_eq!((&left["outcome"], &left["documents"]), (&json!("leftOut"), &json!(8)), "{left}");
    let third = Server::start_with(Path::new(&path("third")), &["--store", &bucket]);
    assert_eq!(ids(&third), ["c", "d"]);
    assert!(refused(&["repair", &bucket, "--collection", "books"]).contains("no collection `books`"));
}

/// Neither silent nor shut: the rest answers and says that it is a part, updates are refused, and whoever brings
/// the bytes back has all of it.
#[test]
fn a_shard_that_lost_a_segment_serves_the_rest() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let bucket = format!("file://{}", path("bucket"));
    let mut first = Server::start_with(Path::new(&path("first")), &["--store", &bucket]);
    first.client().create_collection("films", 1);
    update(&first, &json!([{"id": "a"}, {"id": "b"}, {"id": "c"}]));
    first.client().json("films/update", &[("commit", "true")]);
    let lost = largest(&objects_of_segments(Path::new(&path("bucket"))));
    update(&first, &json!([{"id": "d"}]));
    first.client().json("films/update", &[("commit", "true")]);
    update(&first, &json!([{"id": "e"}]));
    first.kill();
    flip_a_bit(&lost);
    let there = objects_of_segments(Path::new(&path("bucket")));

    let asked = [("q", "*:*"), ("fl", "id"), ("sort", "id asc"), ("shards.info", "true")];
    let search = |server: &Server| server.client().json("films/select", &asked);
    let mut second = Server::start_with(Path::new(&path("second")), &["--store", &bucket]);
    for _ in 0..2 {
        let found = search(&second);
        assert_eq!(found["response"]["docs"], json!([{"id": "d"}, {"id": "e"}]), "{found}");
        assert_eq!(found["responseHeader"]["partialResults"], true, "{found}");
        let details = found["responseHeader"]["partialResultsDetails"].as_str().expect("details");
        assert!(details.contains("with 3 documents is lost: `"), "{details}");
    }
    let omitted = second.client().json("films/select", &[("q", "*:*"), ("partialResults", "false")]);
    assert_eq!(omitted["responseHeader"]["partialResults"], "omitted", "{omitted}");
    for (handler, key) in [("get", "id"), ("terms", "terms.fl")] {
        let answer = second.client().json(&format!("films/{handler}"), &[(key, "id")]);
        assert_eq!(answer["responseHeader"]["partialResults"], true, "{handler}: {answer}");
    }
    let solr = second.client();
    let refused_update =
        solr.post_json("films/update", &[], json!([{"id": "f"}]).to_string()).expect("an answer");
    assert_eq!(refused_update.status, 503, "{refused_update:?}");
    let said = refused_update.json().expect("JSON")["error"]["msg"].to_string();
    assert!(said.contains("3 documents") && said.contains("parhelion store repair"), "{said}");
    let cluster = &solr.json("admin/collections", &[("action", "CLUSTERSTATUS")])["cluster"]["collections"];
    assert_eq!(cluster["films"]["health"], "ORANGE", "{cluster}");
    let status = &solr.json("admin/collections", &[("action", "COLSTATUS"), ("collection", "films")]);
    let told_there = status["films"]["shards"]["shard1"]["missing"].to_string();
    assert!(told_there.contains("3 documents"), "{status}");
    let metrics = solr.json("admin/metrics", &[("group", "core"), ("prefix", "INDEX.lost")]);
    assert!(metrics.to_string().contains(".documents\":3"), "{metrics}");
    let verified: Value =
        serde_json::from_slice(&store(&["verify", &bucket, "--json"]).stdout).expect("JSON");
    assert_eq!(verified["shards"][0]["lost"][0]["documents"], 3, "{verified}");
    second.kill();
    assert_eq!(objects_of_segments(Path::new(&path("bucket"))), there, "nothing is removed");

    // A copy on the disk of the node that wrote it is as good.
    let mut first = Server::start_with(Path::new(&path("first")), &["--store", &bucket]);
    let found = search(&first);
    assert_eq!(
        (&found["response"]["numFound"], &found["responseHeader"]["partialResults"]),
        (&json!(5), &Value::Null)
    );
    first.kill();
    std::fs::remove_file(&lost).unwrap();
    let mut first = Server::start_with(Path::new(&path("first")), &["--store", &bucket]);
    assert_eq!(search(&first)["response"]["numFound"], 5, "of an object that is gone, too");
    update(&first, &json!([{"id": "f"}]));
    first.kill();
}
