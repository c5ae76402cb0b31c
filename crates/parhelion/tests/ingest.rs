//! `parhelion ingest` against a real server: whole runs from files and from another Solr, refusals, going on,
//! the swap and the way back.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use support::{Blocking, Server};

/// Runs `parhelion ingest`; whether it succeeded, and all that it said.
fn ingest(arguments: &[&str], file: &Path) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_parhelion"))
        .arg("ingest")
        .args(arguments)
        .arg(file)
        .output()
        .expect("the binary starts");
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.success(), said)
}

fn expect(arguments: &[&str], file: &Path, success: bool, words: &str) {
    let (succeeded, said) = ingest(arguments, file);
    assert_eq!(succeeded, success, "{arguments:?}: {said}");
    assert!(said.contains(words), "{arguments:?}: `{words}` is not in: {said}");
}

fn count(client: &Blocking, collection: &str) -> u64 {
    let answer = client.json(&format!("{collection}/select"), &[("q", "*:*"), ("rows", "0")]);
    answer["response"]["numFound"].as_u64().unwrap()
}

fn write_csv(path: &Path, rows: usize, bad: &[usize]) {
    let mut text = String::from("id,title,year\n");
    for row in 0..rows {
        let year = if bad.contains(&row) { "soon".to_owned() } else { (1900 + row % 120).to_string() };
        text.push_str(&format!("{row},Film {row},{year}\n"));
    }
    fs::write(path, text).unwrap();
}

fn write_config(folder: &Path, url: &str) -> std::path::PathBuf {
    let path = folder.join("films.toml");
    let text = format!(
        "[target]\nurl = \"{url}\"\ncollection = \"films\"\nretry_seconds = 10\n\
         [[source]]\nname = \"film\"\nkey = \"id\"\n[source.csv]\npath = \"films.csv\"\n\
         [[source.field]]\nname = \"title_t\"\ncolumn = \"title\"\n\
         [[source.field]]\nname = \"year_i\"\ncolumn = \"year\"\ntype = \"int\"\n"
    );
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_run_ends_at_too_many_refusals_goes_on_and_is_swapped_in_and_out() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(&folder.path().join("data"));
    let client = server.client();
    let file = write_config(folder.path(), &server.url);
    let csv = folder.path().join("films.csv");

    // The second thousand has a row too many that is refused: the run ends there, and nobody sees it.
    write_csv(&csv, 3500, &[5, 1500]);
    expect(&["check"], &file, false, "row `5`: field `year_i`: `soon` is not a whole number");
    expect(&["once", "--max-errors", "1"], &file, false, "2 rows were refused, more than --max-errors 1");
    expect(&["status"], &file, true, "run 1: reading, 999 sent, 0 kept back, 1 refused");
    // However often it is begun again: it does not come to an end without the row.
    expect(&["once", "--max-errors", "1"], &file, false, "2 rows were refused, more than --max-errors 1");
    assert!(client.get("films/select", &[("q", "*:*")]).unwrap().ok().is_err(), "no alias before the end");
    let letters = fs::read_to_string(folder.path().join("films.state/dead-letters-1.jsonl")).unwrap();
    assert_eq!(letters.lines().count(), 2, "{letters}");

    // It goes on behind what was acknowledged.
    expect(&["once", "--max-errors", "9"], &file, true, "run 1: 3498 documents in `films_run1`");
    expect(&["status"], &file, true, "begun again 2 times");
    let letters = fs::read_to_string(folder.path().join("films.state/dead-letters-1.jsonl")).unwrap();
    assert_eq!(letters.lines().count(), 2, "each row once: {letters}");
    assert_eq!(count(&client, "films"), 3498);

    // The next run has fewer rows: those that are gone are gone in one step, and come back with the way back.
    write_csv(&csv, 1000, &[]);
    expect(&["once"], &file, true, "`films_run1` is kept");
    assert_eq!(count(&client, "films"), 1000);
    expect(&["rollback"], &file, true, "`films` is `films_run1` again");
    assert_eq!(count(&client, "films"), 3498);
    expect(&["rollback"], &file, true, "`films` is `films_run2` again");

    // Two rows with one id are never put in place.
    fs::write(&csv, "id,title,year\n1,a,1\n1,b,2\n").unwrap();
    expect(&["once"], &file, false, "1 rows share their `id` with another");
    assert_eq!(count(&client, "films"), 1000);

    server.kill();
    expect(&["check"], &file, false, "no server answers");
}

/// A cursor into a file counts bytes of the file as it was.
#[test]
fn a_file_that_was_mended_is_read_from_its_start() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"));
    let client = server.client();
    let file = write_config(folder.path(), &server.url);
    let csv = folder.path().join("films.csv");
    write_csv(&csv, 2500, &[1500]);
    expect(&["once"], &file, false, "1 rows were refused, more than --max-errors 0");
    expect(&["once"], &file, false, "1 rows were refused, more than --max-errors 0");
    write_csv(&csv, 2500, &[]);
    expect(&["once"], &file, true, "the file of source `film` is another than when the run was broken off");
    assert_eq!(count(&client, "films"), 2500);
    let years = client.json("films/select", &[("q", "year_i:[* TO *]"), ("rows", "0")]);
    assert_eq!(years["response"]["numFound"], 2500);
}

#[test]
fn another_solr_is_copied_document_by_document() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"));
    let client = server.client();
    client.create_collection("old", 1);
    let documents: Vec<String> =
        (0..2500).map(|row| format!(r#"{{"id":"a,{row}","name_s":"é{row}","tag_ss":["x","y"]}}"#)).collect();
    client
        .post_json("old/update", &[("commit", "true")], format!("[{}]", documents.join(",")))
        .unwrap()
        .ok()
        .unwrap();
    let file = folder.path().join("copy.toml");
    let text = format!(
        "[target]\nurl = \"{url}\"\ncollection = \"new\"\n\
         [[source]]\nname = \"old\"\n[source.solr]\nurl = \"{url}\"\ncollection = \"old\"\n",
        url = server.url
    );
    fs::write(&file, text).unwrap();
    expect(&["plan"], &file, true, "10 documents of 2500 rows");
    expect(&["once"], &file, true, "run 1: 2500 documents in `new_run1`");
    let answer = client.json("new/select", &[("q", "id:\"a,2499\""), ("fl", "name_s,tag_ss")]);
    assert_eq!(answer["response"]["docs"][0].to_string(), r#"{"name_s":"é2499","tag_ss":["x","y"]}"#);
}

/// Rows are roots; what is below them arrives below them, at every depth.
#[test]
fn documents_below_others_of_another_solr_arrive_below_them() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"));
    let client = server.client();
    client.create_collection("old", 1);
    let shelf = |at: usize| {
        let book = |book: usize| {
            format!(
                r#"{{"id":"s{at}b{book}","title_s":"b{book}","notes":[{{"id":"s{at}b{book}n","text_s":"n"}}]}}"#
            )
        };
        let books = (0..12).map(book).collect::<Vec<_>>().join(",");
        format!(
            r#"{{"id":"s{at}","name_s":"n","books":[{books}],"owner":{{"id":"o{at}","name_s":"p"}},"only":[{{"id":"l{at}"}}]}}"#
        )
    };
    let documents = format!("[{},{},{},{{\"id\":\"t\",\"name_s\":\"alone\"}}]", shelf(0), shelf(1), shelf(2));
    client.post_json("old/update", &[("commit", "true")], documents).unwrap().ok().unwrap();
    let file = folder.path().join("shelves.toml");
    let copy = |new: &str, fields: &str| {
        let text = format!(
            "[target]\nurl = \"{url}\"\ncollection = \"{new}\"\n\
             [[source]]\nname = \"old\"\n[source.solr]\nurl = \"{url}\"\ncollection = \"old\"\npage_rows = 2\n{fields}",
            url = server.url
        );
        fs::write(&file, text).unwrap();
        expect(&["once"], &file, true, "4 documents in");
        expect(&["diff"], &file, true, "sources 4, collection 4, 0 differ");
    };
    let shelves = |collection: &str| {
        // Without versions, which are each collection's own.
        let fields = "id,name_s,title_s,text_s,books,notes,owner,only,[child]";
        let params = [("q", "name_s:*"), ("fq", "-_nest_path_:*"), ("fl", fields), ("sort", "id asc")];
        client.json(&format!("{collection}/select"), &params)["response"]["docs"].clone()
    };
    let old = shelves("old");
    let notes = old[0]["books"].as_array().unwrap().iter().filter(|book| book["notes"].is_array());
    assert_eq!((old.as_array().unwrap().len(), notes.count()), (4, 12), "{old:#?}");
    copy("new", "");
    assert_eq!(shelves("new"), old);
    assert_eq!(count(&client, "new"), count(&client, "old"));
    client
        .post_json("new/update", &[("commit", "true")], r#"{"delete":"s1"}"#.to_owned())
        .unwrap()
        .ok()
        .unwrap();
    expect(&["diff", "--repair"], &file, true, "1 mended");
    assert_eq!(shelves("new"), old, "a single row comes with what is below it");
    let why = ["why", file.to_str().unwrap()];
    expect(&why, Path::new("s0"), true, "row `s0`: visible");
    expect(&why, Path::new("s0b0"), true, "row `s0b0`: the source has no such row");
    copy("named", "fields = [\"id\", \"name_s\", \"books\"]\n");
    let named = shelves("named");
    assert_eq!(named[0]["books"][0].to_string(), r#"{"id":"s0b0"}"#);
    assert!(named[0]["owner"].is_null(), "{named:#?}");
}

/// A collection that another name of the file has made serves those who search it.
#[test]
fn another_collections_runs_are_left_alone_and_contents_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"));
    let client = server.client();
    let file = write_config(folder.path(), &server.url);
    write_csv(&folder.path().join("films.csv"), 10, &[]);
    // The schema guesses this field, which makes it one of many values.
    let text =
        fs::read_to_string(&file).unwrap().replace("[[source]]", "digest_field = \"digest\"\n[[source]]");
    fs::write(&file, &text).unwrap();
    expect(&["once"], &file, true, "run 1: 10 documents in `films_run1`");
    expect(&["diff"], &file, true, "sources 10, collection 10, 0 differ (ids and contents)");
    fs::write(&file, text.replace("\"films\"", "\"movies\"")).unwrap();
    expect(&["rollback"], &file, false, "no finished run");
    expect(&["once"], &file, true, "run 2: 10 documents in `movies_run2`");
    assert_eq!((count(&client, "films"), count(&client, "movies")), (10, 10));

    let other = text.replace("digest_field", "id_field = \"uid\"\nconfigset = \"none\"\ndigest_field");
    fs::write(&file, other).unwrap();
    expect(
        &["check"],
        &file,
        false,
        "no configset `none`; upload it, or set `target.configset` to one of _default",
    );
    expect(&["check"], &file, false, "the unique key of `films` is `id`, and `target.id_field` is `uid`");
}

/// Documents of files that cannot be read any more are nobody's to delete.
#[test]
fn what_cannot_be_read_is_not_taken_for_gone() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"));
    let client = server.client();
    let papers = folder.path().join("papers");
    fs::create_dir(&papers).unwrap();
    let file = folder.path().join("papers.toml");
    let text = format!(
        "[target]\nurl = \"{}\"\ncollection = \"papers\"\n\
         [[source]]\nname = \"paper\"\n[source.folder]\npath = \"papers\"\n\
         [[source.field]]\nname = \"text_t\"\ncolumn = \"text\"\n",
        server.url
    );
    fs::write(&file, text).unwrap();
    for name in ["a.txt", "b.txt", "c.txt"] {
        fs::write(papers.join(name), name).unwrap();
    }
    expect(&["once"], &file, true, "3 documents");

    fs::write(papers.join("a.txt"), b"\xff\xfe").unwrap();
    fs::remove_file(papers.join("b.txt")).unwrap();
    let left =
        "1 rows cannot be read, so that 2 documents that no other row has may be theirs and are left alone";
    expect(&["diff", "--repair"], &file, false, left);
    expect(&["diff"], &file, false, "refused: source `paper`, row `a.txt`: not a text in UTF-8");
    assert_eq!(count(&client, "papers"), 3);

    fs::write(papers.join("a.txt"), "a.txt").unwrap();
    expect(&["diff", "--repair"], &file, true, "1 mended");
    assert_eq!(count(&client, "papers"), 2);
}

#[test]
fn a_quote_that_is_never_closed_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&folder.path().join("data"));
    let file = write_config(folder.path(), &server.url);
    let csv = folder.path().join("films.csv");
    let rows = |quote: &str| format!("id,year,title\n1,1950,One\n2,1951,{quote}Two\n3,1952,Three\n");
    fs::write(&csv, rows("\"")).unwrap();
    expect(&["once"], &file, false, "the quote that line 3 opens is never closed");
    fs::write(&csv, rows("")).unwrap();
    expect(&["once"], &file, true, "3 documents");
}

#[test]
fn files_that_make_no_sense_are_refused_with_the_next_step() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_config(folder.path(), "http://127.0.0.1:1/solr");
    expect(&["check"], &file, false, "no server answers");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("collection", "colection")).unwrap();
    expect(&["once"], &file, false, "line 3: unknown key `colection`; did you mean `collection`?");
}
