//! Sources of files: however they are cut into ranges, and wherever reading is broken off, all rows come
//! once.

use std::fs;
use std::path::Path;

use super::*;
use crate::config::parse;

fn open_source(kind: &str, path: &Path) -> Box<dyn Source> {
    let key = if kind == "folder" { "" } else { "key = \"id\"\n" };
    let text = format!(
        "[target]\nurl = \"h:1\"\ncollection = \"c\"\n[[source]]\nname = \"s\"\n{key}[source.{kind}]\npath = {path:?}\n"
    );
    open(&parse(&text, "x").unwrap().sources[0]).unwrap()
}

/// Keys, refusals and cursors of the source in about `wanted` ranges; each range from its start and, when
/// `broken`, again from each of its cursors.
async fn read(source: &dyn Source, wanted: usize, broken: bool) -> (Vec<String>, Vec<String>, usize) {
    let snapshot = source.snapshot().await.unwrap();
    let (mut keys, mut refused, mut cursors) = (Vec::new(), Vec::new(), 0);
    for range in snapshot.ranges(wanted).await.unwrap() {
        let mut pages = snapshot.pages(&range, None).await.unwrap();
        while let Some(page) = pages.next().await.unwrap() {
            keys.extend(page.records.into_iter().map(|record| record.key));
            refused.extend(
                page.rejected.into_iter().map(|rejected| format!("{}: {}", rejected.key, rejected.reason)),
            );
            cursors += 1;
            if broken {
                pages = snapshot.pages(&range, Some(&page.cursor)).await.unwrap();
            }
        }
    }
    keys.sort();
    (keys, refused, cursors)
}

async fn check(kind: &str, path: &Path, rows: usize, refused: &[&str]) {
    let source = open_source(kind, path);
    let (keys, letters, _) = read(source.as_ref(), 1, false).await;
    assert_eq!(keys.len(), rows, "{kind}");
    assert_eq!(letters.len(), refused.len(), "{kind}: {letters:?}");
    for (letter, expected) in letters.iter().zip(refused) {
        assert!(letter.contains(expected), "`{letter}` lacks `{expected}`");
    }
    for wanted in [1, 3, 7] {
        let (again, _, cursors) = read(source.as_ref(), wanted, true).await;
        assert_eq!(again, keys, "{kind} in {wanted} ranges, broken off after each page");
        assert!(cursors > 1, "{kind}: one page would prove nothing");
    }
}

#[tokio::test]
async fn csv_rows_come_once_and_bad_ones_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let mut bytes = b"id,text\n".to_vec();
    for row in 0..2500 {
        bytes.extend_from_slice(format!("{row},\"a \"\"quoted\"\"\nline {row}\"\n").as_bytes());
    }
    bytes.extend_from_slice(b"x,too,many\n,no key\ny,\xff\n");
    fs::write(&path, bytes).unwrap();
    check("csv", &path, 2500, &["3 cells, 2 columns", "`id` has no value", "not UTF-8"]).await;
    let missing = open_source("csv", &folder.path().join("none.csv"));
    let error = missing.snapshot().await.unwrap().pages(&KeyRange::default(), None).await.err().unwrap();
    assert_eq!(error.kind, SourceErrorKind::Refused);
    fs::write(&path, "ID,text\n").unwrap();
    let error =
        open_source("csv", &path).snapshot().await.unwrap().pages(&KeyRange::default(), None).await.err();
    assert!(error.unwrap().to_string().contains("no column `id`; did you mean `ID`?"));
}

#[tokio::test]
async fn json_lines_come_once_and_bad_ones_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let long = "x".repeat(3000);
    let mut text = String::from("\n{\"id\": 1\n[1]\n{\"text\":2}\n");
    for row in 0..2500 {
        text.push_str(&format!("{{\"id\":\"{row}\",\"text\":\"{long}\"}}\n"));
    }
    // The last line may lack its end.
    text.push_str("{\"id\":\"last\"}");
    fs::write(&path, text).unwrap();
    check("jsonl", &path, 2501, &["not a JSON object", "not a JSON object", "`id` has no value"]).await;
}

/// By which progress is estimated.
#[tokio::test]
async fn pages_of_files_say_how_much_of_the_file_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let header = "id,text\n";
    let csv: String = (0..2500).map(|row| format!("{row},\"two\nlines\"\n")).collect();
    let json: String =
        (0..2500).map(|row| format!("{{\"id\":{row},\"text\":\"{}\"}}\n", "x".repeat(900))).collect();
    for (kind, header, rows) in [("csv", header, csv), ("jsonl", "", json)] {
        fs::write(&path, format!("{header}{rows}")).unwrap();
        let snapshot = open_source(kind, &path).snapshot().await.unwrap();
        assert_eq!(snapshot.bytes().await.unwrap(), Some((header.len() + rows.len()) as u64), "{kind}");
        let mut bytes = 0;
        for range in snapshot.ranges(3).await.unwrap() {
            let mut pages = snapshot.pages(&range, None).await.unwrap();
            while let Some(page) = pages.next().await.unwrap() {
                bytes += page.bytes;
            }
        }
        assert_eq!(bytes, rows.len() as u64, "{kind}");
    }
}

#[tokio::test]
async fn a_line_without_end_is_refused_and_the_next_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    fs::write(&path, format!("{{\"id\":\"{}\"}}\n{{\"id\":\"b\"}}\n", "a".repeat(files::RECORD_BYTES_MAX)))
        .unwrap();
    let (keys, refused, _) = read(open_source("jsonl", &path).as_ref(), 1, false).await;
    assert_eq!(keys, ["b"]);
    assert!(refused[0].contains("longer than"), "{refused:?}");
}

#[tokio::test]
async fn files_come_once_with_their_readers() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("below")).unwrap();
    for file in 0..350 {
        fs::write(folder.path().join(format!("below/{file}.txt")), "text").unwrap();
    }
    fs::write(folder.path().join("a.html"), "<html><title>A &amp; B</title><p>body").unwrap();
    fs::write(folder.path().join("b.json"), "{\"author\":\"Lem\",\"path\":\"mine\"}").unwrap();
    fs::write(folder.path().join("c.json"), "[]").unwrap();
    fs::write(folder.path().join("d.bin"), [0, 1]).unwrap();
    check("folder", folder.path(), 352, &["not an object", "NUL"]).await;
    let source = open_source("folder", folder.path());
    let keys = ["a.html", "b.json", "gone.txt", "../a.html"].map(str::to_owned);
    let page = source.fetch(&keys).await.unwrap();
    assert_eq!(page.records.len(), 2);
    let get = |at: usize, column| page.records[at].row.get(column).unwrap().to_string();
    assert_eq!((get(0, "title"), get(0, "text")), ("A & B".to_owned(), "A & B body".to_owned()));
    assert_eq!((get(1, "author"), get(1, "path")), ("Lem".to_owned(), "b.json".to_owned()));
    assert!(get(0, "readers").contains("uid:"));
}
