//! Bodies of several parts have bounds, may be cut anywhere on the wire, and need the rights of what their
//! fields say.

mod served;

use std::fmt::Write as _;

use served::{Answer, Served};

const MULTIPART: &str = "multipart/form-data; boundary=cut";
const END: &str = "--cut--\r\n";

fn file(media_type: &str, content: &str) -> String {
    format!(
        "--cut\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\nContent-Type: {media_type}\r\n\r\n{content}\r\n"
    )
}

fn field(name: &str, value: &str) -> String {
    format!("--cut\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
}

async fn post_in_chunks(served: &Served, path: &str, body: &[u8], chunk_bytes: usize) -> Answer {
    served.post_in_chunks(path, (MULTIPART, body), chunk_bytes).await
}

#[tokio::test]
async fn parts_are_cut_anywhere() {
    // Files are then taken piece by piece, as long bodies are.
    let served = Served::start_whole(|config| config.piece_bytes = 16).await;
    for chunk_bytes in [1, 2, 3, 7, 11, 64, 4096] {
        let id = |number: u32| format!("c{chunk_bytes}-{number}");
        let documents: Vec<_> = (0..20).map(|number| format!(r#"{{"id":"{}"}}"#, id(number))).collect();
        let body = file("application/json", &format!("[{}]", documents.join(",")))
            + &file("text/csv", &format!("id\n{}\n{}\n", id(20), id(21)))
            + &field("commit", "true")
            + END;
        let path = "/solr/films/update";
        let answer = post_in_chunks(&served, path, body.as_bytes(), chunk_bytes).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let found = served.get(&format!("/solr/films/select?q=id:c{chunk_bytes}-*&rows=0")).await;
        assert!(found.body.contains(r#""numFound":22"#), "{chunk_bytes}: {}", found.body);
    }
}

#[tokio::test]
async fn parts_have_bounds() {
    let served = Served::start_with(|config| {
        config.query_bytes_max = 100_000;
        config.body_bytes_max = 4_000_000;
    })
    .await;
    let (update, select) = ("/solr/films/update", "/solr/films/select");
    let check = async |path: &str, body: String, status: u16, message: &str| {
        let answer = post_in_chunks(&served, path, body.as_bytes(), 64 << 10).await;
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
        assert!(answer.body.contains(message), "{path}: {}", answer.body);
    };
    let long = "x".repeat(100_001);
    let spaced = |bytes: usize| format!("[]{}", " ".repeat(bytes));
    // A file may be as long as a body, a field as long as a form.
    check(update, file("application/json", &spaced(3_000_000)) + END, 200, "QTime").await;
    check(update, file("application/json", &spaced(4_000_001)) + END, 413, "--body-max").await;
    check(update, field("a", &long) + END, 413, "--query-body-max").await;
    check(select, file("application/json", &spaced(100_001)) + END, 413, "--query-body-max").await;
    let header = |bytes: usize| format!("--cut\r\nX: {}\r\n\r\n", "x".repeat(bytes));
    check(update, header(3_000_000), 400, "headers are too long").await;
    check(update, "x".repeat(3_000_000), 400, "no part begins").await;
    let many = |part: String, count: usize| part.repeat(count) + END;
    check(update, many(file("application/json", "[]"), 1000), 200, "QTime").await;
    check(update, many(file("application/json", "[]"), 1001), 400, "more than 1000 files").await;
    check(update, many(field("a", ""), 10_001), 400, "more than 10000 fields").await;
    let mut headers = String::from("--cut\r\n");
    for number in 0..100 {
        write!(headers, "X{number}: x\r\n").unwrap();
    }
    check(update, headers + "\r\n\r\n" + END, 400, "cannot be read").await;
    // The server goes on.
    check(select, field("q", "*:*") + END, 200, "numFound").await;
}

#[tokio::test]
async fn a_body_that_breaks_off_does_nothing() {
    let served = Served::start_whole(|_| {}).await;
    let whole = file("application/json", r#"[{"id":"broken"}]"#) + END;
    for end in 0..whole.len() - 4 {
        let answer = served.post("/solr/films/update?commit=true", MULTIPART, &whole[..end]).await;
        assert_eq!(answer.status, 400, "{end}: {}", answer.body);
    }
    let found = served.get("/solr/films/select?q=id:broken&rows=0").await;
    assert!(found.body.contains(r#""numFound":0"#), "{}", found.body);
}
