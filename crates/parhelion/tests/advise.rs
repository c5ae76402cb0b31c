//! `parhelion advise` against a real server, by the query log that this very server wrote: what each search
//! uses, what nobody asks for and what it takes, habits, proofs by asking again, and logs that are none.

#[allow(dead_code, reason = "each test file uses its own part")]
mod support;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use support::{Blocking, Server};

/// A server that logs, with a thousand documents that have a field of each kind.
fn logging(data: &Path) -> Server {
    let server = Server::start_with(data, &["--query-log", "on"]);
    let client = server.client();
    client.create_collection("films", 1);
    fill(&client, "films", true);
    server
}

fn fill(client: &Blocking, collection: &str, with_unused: bool) {
    let documents: Vec<Value> = (0..1000)
        .map(|at| {
            let mut document = serde_json::json!({
                "id": at.to_string(), "title_t": format!("film {}", at % 7), "cat_s": format!("c{}", at % 5),
                "year_i": 1900 + at % 120, "added_dt": "2026-01-01T00:00:00Z", "price_i": at, "rank_f": 1.5,
                "shown_s": format!("seen {at}"), "marked_t": "some words", "like_t": "some words", "maybe_s": "x",
            });
            if with_unused {
                document["unused_t"] = format!("nobody ever asks for these words {at}").into();
            }
            document
        })
        .collect();
    let body = Value::Array(documents).to_string();
    client.post_json(&format!("{collection}/update"), &[("commit", "true")], body).unwrap().ok().unwrap();
}

fn advise(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_parhelion")).arg("advise").args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

/// Waits for the log's own thread, by what the server says of it.
fn wait_for_log(client: &Blocking, written: u64) {
    for _ in 0..100_000 {
        let answer = client.json("admin/metrics", &[("prefix", "CONTAINER.queryLog.written")]);
        if answer.to_string().contains(&format!("\"CONTAINER.queryLog.written\":{written}")) {
            return;
        }
    }
    panic!("{written} searches are not in the log");
}

fn field<'a>(report: &'a Value, name: &str) -> &'a Value {
    let mut fields = report["fields"].as_array().expect("fields").iter();
    fields.find(|it| it["field"] == name).unwrap_or_else(|| panic!("no `{name}` in {report}"))
}

/// Asks for `params` of films, with the ids alone.
fn search(client: &Blocking, params: &[(&str, &str)]) {
    client.json("films/select", &[params, &[("fl", "id")]].concat());
}

#[test]
fn fields_are_judged_by_what_was_asked() {
    let data = tempfile::tempdir().unwrap();
    let server = logging(data.path());
    let client = server.client();
    search(&client, &[("q", "title_t:film"), ("sort", "rank_f desc")]);
    search(&client, &[("q", "*:*"), ("fq", "cat_s:c1"), ("facet", "true"), ("facet.field", "year_i")]);
    search(&client, &[("q", "{!func}sum(price_i,1)")]);
    search(&client, &[("q", "title_t:film"), ("hl", "true"), ("hl.fl", "marked_t")]);
    search(&client, &[("q", "title_t:film"), ("mlt", "true"), ("mlt.fl", "like_t"), ("mlt.mindf", "1")]);
    let body = r#"{"query":"*:*","fields":["shown_s"],"facet":{"d":{"type":"range","field":"added_dt","start":"2026-01-01T00:00:00Z","end":"2027-01-01T00:00:00Z","gap":"+1MONTH"}}}"#;
    client.post_json("films/select", &[], body.to_owned()).unwrap().ok().unwrap();
    client.json(
        "films/select",
        &[("q", "*:*"), ("fl", "id,more:[subquery]"), ("more.q", "maybe_s:x"), ("rows", "1")],
    );
    wait_for_log(&client, 7);

    let target = format!("{}/films", server.url);
    let log = data.path().to_str().unwrap();
    let output = advise(&[&target, "--query-log", log, "--json"]);
    assert!(output.status.success(), "{}", said(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["searches"], 7, "{report}");
    for (name, role) in [
        ("title_t", "query"),
        ("rank_f", "sort"),
        ("cat_s", "filter"),
        ("year_i", "facet"),
        ("price_i", "query"),
        ("marked_t", "highlight"),
        ("like_t", "like"),
        ("added_dt", "facet"),
    ] {
        let field = field(&report, name);
        assert!(field["standing"] == "used" && field["uses"][role].as_u64() >= Some(1), "{field}");
    }
    assert_eq!(field(&report, "maybe_s")["standing"], "maybe_used");
    assert_eq!(field(&report, "_root_")["standing"], "kept");
    assert_eq!(field(&report, "_version_")["standing"], "kept");
    let shown = field(&report, "shown_s");
    assert_eq!(
        (&shown["standing"], &shown["may_go"][0]),
        (&"only_shown".into(), &"indexed".into()),
        "{shown}"
    );

    // The whole field may go: no search shows all that is stored, and nobody asked `/get`.
    let unused = field(&report, "unused_t");
    assert_eq!((&unused["standing"], &unused["may_go"][0]), (&"unused".into(), &"field".into()), "{unused}");
    let of = |part: &str| unused["bytes"][part].as_u64().unwrap();
    assert!(of("terms") > 0 && of("postings") > 0 && of("positions") > 0 && of("stored") > 0, "{unused}");
    let percent = |name: &str| field(&report, name)["indexing_percent"].as_f64().unwrap_or_default();
    assert!(of("indexingMicros") > 0 && percent("unused_t") > percent("price_i"), "{unused}");
    assert!(
        unused["saves"].as_u64().unwrap() > of("stored")
            && report["bytes"].as_u64() > unused["saves"].as_u64()
    );

    // A document by its id shows it, and so does a search without a list.
    client.json("films/get", &[("id", "1")]);
    client.json("films/select", &[("q", "*:*")]);
    wait_for_log(&client, 8);
    let text = said(&advise(&[&target, "--query-log", log]));
    for part in ["8 searches of `films`", "`/get` (1 since", "1 searches show all stored fields", "unused_t"]
    {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
    let report = advise(&[&target, "--query-log", log, "--json", "--keep", "unused_*"]);
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(field(&report, "unused_t")["standing"], "kept");
}

#[test]
fn what_updates_and_the_configuration_need_is_kept() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start_with(data.path(), &["--query-log", "on"]);
    let client = server.client();
    let create = [("action", "CREATE"), ("name", "films"), ("numShards", "2"), ("router.field", "route_s")];
    client.json("admin/collections", &create);
    let copy = r#"{"add-copy-field":{"source":"from_t","dest":"into_t"}}"#;
    client.post_json("films/schema", &[], copy.to_owned()).unwrap().ok().unwrap();
    let document = r#"[{"id":"1","route_s":"x","from_t":"words","other_s":"y"}]"#;
    client.post_json("films/update", &[("commit", "true")], document.to_owned()).unwrap().ok().unwrap();
    search(&client, &[("q", "into_t:words")]);
    wait_for_log(&client, 1);
    let target = format!("{}/films", server.url);
    let output = advise(&[&target, "--query-log", data.path().to_str().unwrap(), "--json"]);
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    let check = |name: &str, standing: &str, why: &str| {
        let field = field(&report, name);
        let said = field["why"][0].as_str().unwrap_or_default();
        assert!(field["standing"] == standing && said.contains(why), "{field}");
    };
    check("route_s", "kept", "router.field");
    check("from_t", "kept", "copied to into_t");
    check("into_t", "used", "");
    check("_text_", "kept", "configuration");
    check("other_s", "unused", "");
}

#[test]
fn habits_are_named_and_proved() {
    let data = tempfile::tempdir().unwrap();
    let server = logging(data.path());
    let client = server.client();
    client.create_collection("fewer", 1);
    fill(&client, "fewer", false);
    for at in 0..25 {
        let range = format!("price_i:[{at} TO 900]");
        search(&client, &[("q", "title_t:film"), ("fq", "added_dt:[* TO NOW]"), ("fq", &range)]);
    }
    search(&client, &[("q", "title_t:film AND cat_s:c1")]);
    search(&client, &[("q", "title_t:1 AND cat_s:c1"), ("fq", "{!cache=false}year_i:1951")]);
    search(&client, &[("q", "title_t:3 AND cat_s:c2"), ("fq", "{!cache=false}year_i:1951")]);
    search(&client, &[("q", "title_t:missing")]);
    wait_for_log(&client, 29);

    let (target, other) = (format!("{}/films", server.url), format!("{}/fewer", server.url));
    let log = data.path().join("logs/queries");
    let replay = ["--replay-searches", "4", "--replay-rounds", "2", "--json", "--replay"];
    let ask = |to: &str| -> Value {
        let output = advise(&[&[&target, "--query-log", log.to_str().unwrap()], &replay[..], &[to]].concat());
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)))
    };
    let report = ask(&target);
    let now = &report["unrounded_now"][0];
    assert_eq!((&now["searches"], &now["wants_rule"]), (&25.into(), &true.into()), "{report}");
    assert_eq!(now["rounded"], "added_dt:[* TO NOW/MINUTE+1MINUTE]");
    assert_eq!(
        (&report["many_ends"][0]["field"], &report["many_ends"][0]["distinct"]),
        (&"price_i".into(), &25.into())
    );
    let forbidden =
        report["filters"].as_array().unwrap().iter().find(|it| it["kept"] == "forbidden").unwrap();
    assert_eq!(
        (&forbidden["filter"], &forbidden["searches"]),
        (&"{!cache=false}year_i:1951".into(), &2.into())
    );
    assert_eq!(report["filters_in_q"][0]["clause"], "cat_s:c1");
    let zero = report["zero"].as_array().unwrap();
    assert!(zero.iter().any(|it| it["q"] == "title_t:missing"), "{zero:?}");

    let proofs = report["proofs"].as_array().unwrap();
    let kinds: Vec<_> = proofs.iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["now_rounded", "clause_as_filter", "filter_kept"]);
    let proof = |report: &Value, kind: &str| {
        report["proofs"].as_array().unwrap().iter().find(|it| it["kind"] == kind).cloned().unwrap()
    };
    for kind in kinds {
        let proof = proof(&report, kind);
        assert!(proof["hits_equal"] == proof["searches"] && proof["ratio"].as_f64() > Some(0.0), "{proof}");
    }

    // Another collection with the same documents finds as much; one with others does not, and it is said.
    let elsewhere = proof(&ask(&other), "other_collection");
    assert!(elsewhere["searches"] == 4 && elsewhere["hits_equal"] == 4, "{elsewhere}");
    client
        .post_json("fewer/update", &[("commit", "true")], r#"{"delete":{"query":"*:*"}}"#.to_owned())
        .unwrap()
        .ok()
        .unwrap();
    let elsewhere = proof(&ask(&other), "other_collection");
    assert!(elsewhere["hits_equal"].as_u64() < Some(4) && elsewhere["hits_differ"][0][2] == 0, "{elsewhere}");
}

#[test]
fn a_log_that_says_nothing_says_what_to_do() {
    let data = tempfile::tempdir().unwrap();
    let server = logging(data.path());
    let target = format!("{}/films", server.url);
    let check = |log: &Path, code: i32, expected: &str| {
        let output = advise(&[&target, "--query-log", log.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
        assert!(said(&output).contains(expected), "`{expected}` is not in: {}", said(&output));
    };
    let nowhere = data.path().join("nowhere");
    check(&nowhere, 1, "there is no query log in");
    check(&nowhere, 1, "--query-log on");
    let file = data.path().join("half.jsonl");
    std::fs::write(&file, "").unwrap();
    check(&file, 0, "let the server log searches for some days");
    let line = |collection: &str, time: &str| {
        format!(
            "{{\"time\":\"{time}\",\"collection\":\"{collection}\",\"handler\":\"/select\",\
             \"params\":{{\"q\":[\"*:*\"]}},\"status\":200,\"hits\":1,\"elapsed_ms\":1.0}}\n"
        )
    };
    std::fs::write(&file, line("books", "2999-01-01T00:00:00.000Z")).unwrap();
    check(&file, 0, "it has searches of books");
    std::fs::write(&file, line("films", "2001-01-01T00:00:00.000Z")).unwrap();
    check(&file, 0, "no searches of `films` in the last 30 days");
    let half = line("films", "2999-01-01T00:00:00.000Z") + "{\"time\":\"2999-01-01T0";
    std::fs::write(&file, half).unwrap();
    check(&file, 0, "1 lines are none of a query log");
    let unknown = advise(&[&format!("{}/unknown", server.url), "--query-log", file.to_str().unwrap()]);
    assert_eq!(unknown.status.code(), Some(1));
    assert_eq!(advise(&["films", "--query-log", "x"]).status.code(), Some(2));
}
