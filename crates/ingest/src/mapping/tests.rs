//! Records to documents: one `check` for all that a field can be.

use serde_json::Value as Json;

use super::*;
use crate::config::parse;

const HEAD: &str = "[target]\nurl = \"h:1\"\ncollection = \"c\"\n[[source]]\nname = \"s\"\nkey = \"no\"\n\
    [source.postgres]\nurl = \"postgresql://h/d\"\nquery = \"SELECT 1\"\n\
    [[source.child]]\nname = \"cast\"\nquery = \"SELECT 1\"\nparent_key = \"no\"\n";

fn record() -> Record {
    let row = |cells: Vec<(&str, Value)>| {
        let (names, values): (Vec<_>, Vec<_>) =
            cells.into_iter().map(|(name, value)| (name.to_owned(), value)).unzip();
        Row { columns: names.into(), values }
    };
    let text = |text: &str| Value::Text(text.to_owned());
    Record {
        key: "7".to_owned(),
        row: row(vec![
            ("no", Value::Int(7)),
            ("title", text(" Solaris ")),
            ("tags", text("a| b ||c")),
            ("made", Value::Civil("1972-03-20T20:00:00".parse().unwrap())),
            ("none", Value::Null),
            ("price", Value::Decimal("12.50".to_owned())),
            ("nan", Value::Float(f64::NAN)),
        ]),
        children: vec![vec![
            row(vec![("no", Value::Int(7)), ("name", text("Banionis"))]),
            row(vec![("no", Value::Int(7)), ("name", text("Bondarchuk"))]),
        ]],
    }
}

fn check(fields: &str, expected: Result<&str, &str>) {
    let config = parse(&format!("{HEAD}{fields}"), "x").unwrap();
    let mapping = Mapping::compile(&config.sources[0], &config.target).unwrap();
    let mut out = b"before".to_vec();
    let written = mapping.write(&record(), &mut out);
    let text = String::from_utf8(out).unwrap();
    match expected {
        Ok(document) => {
            written.unwrap();
            assert_eq!(text, format!("before{document}"), "{fields}");
            serde_json::from_str::<Json>(&text["before".len()..]).unwrap();
        }
        Err(reason) => {
            let error = written.unwrap_err();
            assert!(error.contains(reason), "`{error}` lacks `{reason}`");
            assert_eq!(text, "before", "nothing of a refused record is written");
        }
    }
}

fn field(text: &str) -> String {
    format!("[[source.field]]\n{text}\n")
}

#[test]
fn fields_come_from_columns_children_templates_and_constants() {
    check(
        &field("name = \"title_t\"\ncolumn = \"title\"\ntransform = [\"trim\", \"lower\"]"),
        Ok(r#"{"id":"7","title_t":"solaris"}"#),
    );
    check(
        &field("name = \"cast_ss\"\ncolumn = \"name\"\nchild = \"cast\""),
        Ok(r#"{"id":"7","cast_ss":["Banionis","Bondarchuk"]}"#),
    );
    check(&field("name = \"id\"\ntemplate = \"film-{no}\""), Ok(r#"{"id":"film-7"}"#));
    check(&field("name = \"k\"\nconstant = [1, \"x\"]"), Ok(r#"{"id":"7","k":[1,"x"]}"#));
    check(
        &field(
            "name = \"tag\"\ncolumn = \"tags\"\ntransform = [{ split = \"|\" }, { lookup = { table = { a = \"A\" } } }]",
        ),
        Ok(r#"{"id":"7","tag":["A","b","c"]}"#),
    );
    check(&field("name = \"n\"\ncolumn = \"none\""), Ok(r#"{"id":"7"}"#));
    check(&field("name = \"n\"\ntemplate = \"x{none}\""), Ok(r#"{"id":"7"}"#));
    check(
        &field("name = \"d\"\ncolumn = \"made\"\ntype = \"date\"\nzone = \"Europe/Moscow\""),
        Ok(r#"{"id":"7","d":"1972-03-20T17:00:00Z"}"#),
    );
    check(
        &field(
            "name = \"year\"\ncolumn = \"made\"\ntype = \"int\"\ntransform = [{ extract = \"^(\\\\d+)\" }]",
        ),
        Ok(r#"{"id":"7","year":1972}"#),
    );
    check(&field("name = \"p\"\ncolumn = \"price\""), Ok(r#"{"id":"7","p":12.50}"#));
}

#[test]
fn what_does_not_fit_is_refused_with_its_value() {
    check(
        &field("name = \"n\"\ncolumn = \"title\"\ntype = \"int\""),
        Err("field `n`: ` Solaris ` is not a whole"),
    );
    check(&field("name = \"n\"\ncolumn = \"titel\""), Err("no column `titel`; did you mean `title`?"));
    check(&field("name = \"n\"\ncolumn = \"none\"\nrequired = true"), Err("required"));
    check(&field("name = \"n\"\ncolumn = \"nan\""), Err("not a number that JSON"));
    check(&field("name = \"id\"\ncolumn = \"none\""), Err("no single `id`"));
    check(&field("name = \"n\"\nconstant = { inc = 1 }"), Err("`inc` edits the document that is there"));
    check(&field("name = \"d\"\ncolumn = \"title\"\ntype = \"date\""), Err("is not a date such as"));
}

#[test]
fn rows_below_become_documents_below() {
    let nested = "nested = true\n[[source.child.field]]\nname = \"id\"\ntemplate = \"{no}!{name}\"\n";
    check(
        &format!("{nested}{}", field("name = \"p\"\ncolumn = \"price\"")),
        Ok(r#"{"id":"7","p":12.50,"cast":[{"id":"7!Banionis"},{"id":"7!Bondarchuk"}]}"#),
    );
}

#[test]
fn an_id_of_the_key_alone_is_known_without_its_row() {
    for (fields, expected) in [
        (String::new(), Some("7")),
        (field("name = \"id\"\ntemplate = \"film-{no}\""), Some("film-7")),
        (field("name = \"id\"\ntemplate = \"{title}-{no}\""), None),
    ] {
        let config = parse(&format!("{HEAD}{fields}"), "x").unwrap();
        let mapping = Mapping::compile(&config.sources[0], &config.target).unwrap();
        assert_eq!(mapping.id_of_key("7", "no").as_deref(), expected, "{fields}");
    }
}
