//! The chain against answers recorded from Solr 9.10.1: one JSON body in, the batch in short or the error
//! out.

use std::sync::Arc;

use plan::{AtomicOp, Document, Error, Operation, Query, Value};

use super::*;
use crate::update::chunk::ContentChunk;
use crate::update::processors::UpdateChains;
use crate::update::{json, testing};

fn parse_query(text: &str) -> Result<Query> {
    if text == "*:*" { Ok(Query::All) } else { Err(Error::bad_request("undefined field x")) }
}

/// The steps of the configset `_default`, or none.
fn route(guess: bool) -> Arc<Route> {
    let xml = crate::config::configset::builtin("_default").unwrap().file("solrconfig.xml").unwrap();
    let overlay = format!(r#"{{"userProps":{{"update.autoCreateFields":{guess}}}}}"#);
    let files = [("solrconfig.xml", xml), ("configoverlay.json", overlay.as_str())];
    let read = |name: &str| files.iter().find(|it| it.0 == name).map(|it| it.1.to_owned());
    let config = crate::config::load(&read).unwrap().config;
    Arc::new(Route::of(&Params::default(), &UpdateChains::new(&config)).unwrap())
}

fn run(body: &str, guess: bool) -> Processed {
    let options = UpdateOptions::default();
    let mut commands = Vec::new();
    let (piece, mut resume) = (ContentChunk::whole(body), json::Resume::default());
    let failure = json::decode(piece, &mut resume, &options, &mut commands).err();
    let new_uuid: NewUuid = Arc::new(|| "fresh".to_owned());
    let chain = Chain {
        schema: testing::schema(),
        route: &route(guess),
        params: &Params::default(),
        dates: DateMath::new(86_400_000 + 5),
        parse_query: &parse_query,
        new_uuid: &new_uuid,
        count_fields: &|| 0,
    };
    chain.process(commands, failure, &options)
}

/// The batch in short without the fields that defaults fill; behind it the error, if any.
fn show(body: &str, guess: bool) -> String {
    let processed = run(body, guess);
    let mut shown: Vec<String> = processed.batch.operations.iter().map(short).collect();
    shown.extend(processed.failure.map(|error| format!("!{}", error.message)));
    shown.join("; ")
}

fn short(operation: &Operation) -> String {
    match operation {
        Operation::Add(add) => format!("{} {}{}", add.id, fields(&add.document), expected(add.expect)),
        Operation::Modify(modify) => {
            let edits: Vec<_> = modify
                .edits
                .iter()
                .map(|edit| format!("{}{}{}", edit.field, sign(edit.op), values(&edit.values)))
                .collect();
            format!("{} ~ {}{}", modify.id, edits.join(" "), expected(modify.expect))
        }
        Operation::Delete { id, expect, .. } => format!("-{id}{}", expected(*expect)),
        Operation::DeleteByQuery { text, .. } => format!("-({text})"),
        Operation::Commit(_) => "commit".to_owned(),
        Operation::Rollback => "rollback".to_owned(),
        Operation::Refused(refusal) => format!("!{}", refusal.of),
    }
}

fn sign(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Set => "=",
        AtomicOp::Add => "+",
        AtomicOp::AddDistinct => "|",
        AtomicOp::Remove => "-",
        AtomicOp::RemoveRegex => "-~",
        AtomicOp::Inc => "++",
    }
}

fn fields(document: &Document) -> String {
    let filled = ["id", "req", "day"];
    let shown = document.fields.iter().filter(|(name, _)| !filled.contains(&&**name));
    shown.map(|(name, list)| format!("{name}={}", values(list))).collect::<Vec<_>>().join(" ")
}

fn values(list: &[Value]) -> String {
    format!("{list:?}")
}

fn expected(expect: Expect) -> String {
    if expect == Expect::Anything { String::new() } else { format!(" v{}", expect.as_version()) }
}

#[test]
fn documents_become_typed() {
    let check = |fields: &str, expected: &str| {
        assert_eq!(show(&format!("[{{\"id\":\"a\",{fields}}}]"), false), format!("a {expected}"), "{fields}");
    };
    check(r#""n_i":12.7"#, "n_i=[Int(12)]");
    check(r#""n_i":[1]"#, "n_i=[Int(1)]");
    check(r#""n_i":null"#, "");
    check(r#""n_i":[]"#, "");
    check(r#""n_ss":["a",1,true,null,2.5]"#, r#"n_ss=[Str("a"), Str("1"), Str("true"), Str("2.5")]"#);
    check(r#""n_ss":[["a","b"],"c"]"#, r#"n_ss=[Str("[a, b]"), Str("c")]"#);
    check(r#""n_ss":[{"set":"a"}]"#, r#"n_ss=[Str("{set=a}")]"#);
    check(r#""n_ss":"a","n_ss":["b"]"#, r#"n_ss=[Str("a"), Str("b")]"#);
    check(r#""unk":null"#, "");
    check(r#""unk":[]"#, "");
    check(r#""src":"5""#, r#"src=[Str("5")]"#);
    check(r#""_version_":0,"_root_":"z""#, "");
    check(r#""_version_":5"#, " v5");
    check(r#""_version_":"-1""#, " v-1");
    check(r#""_version_":1.0"#, " v1");
}

#[test]
fn defaults_are_filled_in() {
    let processed = run(r#"[{"id":"a","req":null}]"#, false);
    let Some(Operation::Add(add)) = processed.batch.operations.first() else { panic!("no document") };
    assert_eq!(add.document.first("req"), Some(&Value::Str("filled".into())));
    assert_eq!(add.document.first("day"), Some(&Value::Date(86_400_000)));
}

#[test]
fn edits_become_typed() {
    let check = |fields: &str, expected: &str| {
        assert_eq!(
            show(&format!("[{{\"id\":\"a\",{fields}}}]"), false),
            format!("a ~ {expected}"),
            "{fields}"
        );
    };
    check(r#""n_i":{"set":5}"#, "n_i=[Int(5)]");
    check(r#""n_i":{"set":null}"#, "n_i=[]");
    check(r#""n_i":{"inc":1.5}"#, "n_i++[Int(1)]");
    check(r#""n_is":{"add":[1,"2"]}"#, "n_is+[Int(1), Int(2)]");
    check(r#""n_is":{"add-distinct":1}"#, "n_is|[Int(1)]");
    check(r#""n_is":{"remove":1}"#, "n_is-[Int(1)]");
    check(r#""n_ss":{"removeregex":"x.*"}"#, r#"n_ss-~[Str("x.*")]"#);
    check(r#""n_ss":{"add":"a","remove":"b"}"#, r#"n_ss+[Str("a")] n_ss-[Str("b")]"#);
    check(r#""n_s":"p","m_i":{"set":1}"#, r#"n_s=[Str("p")] m_i=[Int(1)]"#);
    check(r#""n_s":null,"m_i":{"set":1}"#, "n_s=[] m_i=[Int(1)]");
    check(r#""n_dt":{"set":"NOW"}"#, "n_dt=[Date(86400005)]");
    check(r#""_version_":1,"m_i":{"set":1}"#, "m_i=[Int(1)] v1");
}

#[test]
fn errors_are_in_solrs_words() {
    let check = |fields: &str, expected: &str| {
        assert_eq!(show(&format!("[{{\"id\":\"a\",{fields}}}]"), false), format!("!{expected}"), "{fields}");
    };
    check(r#""n_i":"abc""#, "ERROR: [doc=a] Error adding field 'n_i'='abc' msg=For input string: \"abc\"");
    check(r#""n_f":"""#, "ERROR: [doc=a] Error adding field 'n_f'='' msg=empty String");
    check(
        r#""n_dt":"2020-13-01T00:00:00Z""#,
        "ERROR: [doc=a] Error adding field 'n_dt'='2020-13-01T00:00:00Z' msg=Invalid Date in Date Math \
         String:'2020-13-01T00:00:00Z'",
    );
    check(
        r#""n_dt":"NOW/FOO""#,
        "ERROR: [doc=a] Error adding field 'n_dt'='NOW/FOO' msg=Invalid Date Math String:'NOW/FOO'",
    );
    check(
        r#""n_i":[1,2]"#,
        "ERROR: [doc=a] multiple values encountered for non multiValued field n_i: [1, 2]",
    );
    check(
        r#""n_i":[null,1]"#,
        "ERROR: [doc=a] multiple values encountered for non multiValued field n_i: [null, 1]",
    );
    check(
        r#""n_is":[1,"x"]"#,
        "ERROR: [doc=a] Error adding field 'n_is'='[1, x]' msg=For input string: \"x\"",
    );
    check(
        r#""n_is":{"add":["x"]}"#,
        "ERROR: [doc=a] Error adding field 'n_is'='[x]' msg=For input string: \"x\"",
    );
    check(r#""unk":1,"n_i":"x""#, "ERROR: [doc=a] unknown field 'unk'");
    check(r#""n_i":"x","unk":1"#, "ERROR: [doc=a] Error adding field 'n_i'='x' msg=For input string: \"x\"");
    check(r#""src":"abc""#, "ERROR: [doc=a] Error adding field 'src'='abc' msg=For input string: \"abc\"");
    check(r#""unk":{"set":1}"#, "undefined field: \"unk\"");
    check(r#""n_i":{"x":1}"#, "Error:[doc=a]  Unknown operation for the an atomic update: x");
    check(r#""n_s":{"inc":1}"#, "'inc' is not supported on non-numeric field n_s");
    check(
        r#""n_i":{"set":"x"}"#,
        "Error converting field 'n_i'='x' to native type, msg=For input string: \"x\"",
    );
    check(
        r#""n_i":{"set":true}"#,
        "ERROR: [doc=a] Error adding field 'n_i'='true' msg=For input string: \"true\"",
    );
    check(
        r#""n_i":{"inc":"x"}"#,
        "Error converting field 'n_i'='x' to native type, msg=For input string: \"x\"",
    );
    check(
        r#""n_i":{"set":[1,2]}"#,
        "ERROR: [doc=a] multiple values encountered for non multiValued field n_i: [1, 2]",
    );
    check(r#""_version_":"x""#, "For input string: \"x\"");
}

#[test]
fn ids_are_wanted_once() {
    let check = |body: &str, expected: &str| assert_eq!(show(body, false), expected, "{body}");
    check(r#"[{"x_s":1}]"#, "!Document is missing mandatory uniqueKey field: id");
    check(r#"[{"id":null}]"#, "!Document is missing mandatory uniqueKey field: id");
    check(r#"[{"id":["a","b"]}]"#, "!Document contains multiple values for uniqueKey field: id=[a, b]");
    check(r#"[{"id":"a","id":"a"}]"#, "!Document contains multiple values for uniqueKey field: id=[a, a]");
    check(
        r#"[{"id":{"set":"a"}}]"#,
        "!Updating unique key, version or route field is not allowed: id={set=a}",
    );
    check(r#"[{"id":["a"]},{"id":1.5}]"#, "a ; 1.5 ");
}

#[test]
fn documents_below_a_document_become_typed() {
    let check = |fields: &str, expected: &str| {
        let processed = run(&format!("[{{\"id\":\"a\",{fields}}}]"), false);
        let shown = match processed.batch.operations.first() {
            Some(Operation::Add(add)) => nested(&add.children),
            Some(Operation::Modify(modify)) => {
                let edits = modify.nested.iter();
                edits.map(|edit| format!("{} {:?} {}", edit.name, edit.op, ids(&edit.documents))).collect()
            }
            other => format!("{other:?} {:?}", processed.failure.map(|error| error.message)),
        };
        assert_eq!(shown, expected, "{fields}");
    };
    check(r#""kid":{"id":"b","n_i":"1"}"#, "kid: b n_i=[Int(1)]");
    check(r#""kids":[{"id":"b"},{"n_i":1}]"#, "kids#: b , a/kids#1 n_i=[Int(1)]");
    check(r#""_childDocuments_":[{"id":"b","kid":{"id":"c"}}]"#, "-: b (kid: c )");
    check(r#""kid":{"id":"b","_root_":"z","_version_":7}"#, "kid: b ");
    check(r#""kids":{"add":{"id":"b"}}"#, "kids Add b");
    check(r#""kids":{"set":[{"id":"b"},{"id":"c"}]}"#, "kids Set b c");
    check(r#""kids":{"set":null}"#, "kids Set ");
    let refuse = |fields: &str, expected: &str| {
        let failure = run(&format!("[{{\"id\":\"a\",{fields}}}]"), false).failure.unwrap();
        assert_eq!(failure.message, expected);
    };
    refuse(
        r#""kids":[{"id":"b","n_i":"x"}]"#,
        "ERROR: [doc=b] Error adding field 'n_i'='x' msg=For input string: \"x\"",
    );
    refuse(r#""_childDocuments_":[{"n_i":1}]"#, "[doc=null] missing required field: id");
    refuse(
        r#""kids":[{"id":"b"},"text"]"#,
        "Exception writing document id a to the index; possible analysis error.",
    );
}

fn nested(children: &[plan::NestedField]) -> String {
    let shown = |field: &plan::NestedField| {
        let documents = field.documents.iter().map(|it| {
            let below = nested(&it.children);
            let below = if below.is_empty() { below } else { format!("({below})") };
            format!("{} {}{below}", it.id, fields(&it.document))
        });
        let documents = documents.collect::<Vec<_>>().join(", ");
        let mark = if field.listed { "#" } else { "" };
        format!("{}{mark}: {documents}", field.name.as_deref().unwrap_or("-"))
    };
    children.iter().map(shown).collect::<Vec<_>>().join("; ")
}

fn ids(documents: &[plan::Nested]) -> String {
    documents.iter().map(|nested| nested.id.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_came_before_a_failure_stays() {
    let check = |body: &str, expected: &str| assert_eq!(show(body, false), expected, "{body}");
    check(r#"[{"id":"a"},{"id":"b","unk":1},{"id":"c"}]"#, "a ; !ERROR: [doc=b] unknown field 'unk'");
    check(
        r#"{"delete":["a",{"id":"b","_version_":7}],"delete":{"query":"*:*"},"commit":{},"rollback":{}}"#,
        "-a; -b v7; -(*:*); commit; rollback",
    );
    check(r#"{"delete":"a","delete":{"query":"x:1"},"commit":{}}"#, "-a; !undefined field x");
    check(
        r#"[{"id":"a"},{"id":}]"#,
        "a ; !Cannot parse provided JSON: JSON Parse Error: char=},position=18 AFTER='[{\"id\":\"a\"},{\"id\":}' BEFORE=']'",
    );
}

#[test]
fn unknown_fields_grow_the_schema_once() {
    let processed = run(r#"[{"id":"a","title":"x","n":"5"},{"title":["y","z"],"n":6}]"#, true);
    let shown: Vec<_> = processed.batch.operations.iter().map(short).collect();
    let expected = [r#"a title=[Str("x")] n=[Long(5)]"#, r#"fresh title=[Str("y"), Str("z")] n=[Long(6)]"#];
    assert_eq!(shown, expected);
    let source = processed.schema_additions.unwrap();
    let names: Vec<_> = source.fields.iter().rev().take(2).map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["n", "title"]);
    assert!(run(r#"[{"id":"a","n_i":1}]"#, true).schema_additions.is_none());
    assert_eq!(show(r#"[{"id":"a","new":{"set":1}}]"#, true), "!undefined field: \"new\"");
}

#[test]
fn a_guessed_type_binds_later_documents() {
    let shown = show(r#"[{"id":"a","n":5},{"id":"b","n":"five"}]"#, true);
    assert_eq!(
        shown,
        "a n=[Long(5)]; !ERROR: [doc=b] Error adding field 'n'='five' msg=For input string: \"five\""
    );
}

#[test]
fn names_are_shared_between_documents() {
    let processed = run(r#"[{"id":"a","n_i":1},{"id":"b","n_i":2}]"#, false);
    let names: Vec<&Arc<str>> = processed
        .batch
        .operations
        .iter()
        .filter_map(|operation| match operation {
            Operation::Add(add) => add.document.fields.get(1).map(|(name, _)| name),
            _ => None,
        })
        .collect();
    assert!(Arc::ptr_eq(names[0], names[1]));
}
