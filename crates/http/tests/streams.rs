//! Updates whose bodies are taken as they arrive: what has come is there before the end has, in bounded room,
//! and stays whatever comes after it.

mod served;

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use served::{Served, parse};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// An update whose body comes in chunks.
async fn begin(served: &Served, query: &str, fields: &str) -> TcpStream {
    let mut stream = served.connect().await;
    let head = format!(
        "POST /solr/films/update{query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{fields}\
         Transfer-Encoding: chunked\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

async fn chunk(stream: &mut TcpStream, bytes: &[u8]) {
    stream.write_all(format!("{:x}\r\n", bytes.len()).as_bytes()).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    stream.write_all(b"\r\n").await.unwrap();
}

/// The end of the body, and the answer.
async fn end(mut stream: TcpStream) -> served::Answer {
    stream.write_all(b"0\r\n\r\n").await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    parse(&String::from_utf8(bytes).unwrap())
}

/// Returns once the document is there.
async fn until_there(served: &Served, id: &str) {
    while served.get(&format!("/solr/films/get?id={id}&fl=id")).await.body.contains(r#""doc":null"#) {}
}

async fn count(served: &Served) -> String {
    let body = served.get("/solr/films/select?q=*:*&rows=0").await.body;
    body.split("\"numFound\":").nth(1).unwrap().split(',').next().unwrap().to_owned()
}

const JSON: &str = "Content-Type: application/json\r\n";

#[tokio::test(flavor = "multi_thread")]
async fn what_has_come_is_there_before_the_rest() {
    let formats: [(&str, &[u8], &[u8]); 5] = [
        (JSON, br#"[{"id":"a1"},{"id":"a2"},{"id":"#, br#""a3"}]"#),
        (
            "Content-Type: text/xml\r\n",
            b"<add><doc><field name='id'>a1</field></doc><doc><field name='id'>a2</field></doc><doc><fie",
            b"ld name='id'>a3</field></doc></add>",
        ),
        ("Content-Type: text/csv\r\n", b"id\na1\na2\na", b"3"),
        (
            "Content-Type: application/javabin\r\n",
            b"\x02\xc1\xe0\x24docs\x0e\x10\x01\x08\0\0\0\0\xe0\x22id\x22a1\x10\x01\x08\0\0\0\0\xe2\x22a2\x10\x01\x08\0\0",
            b"\0\0\xe2\x22a3\x0f",
        ),
        (
            "Content-Type: application/cbor\r\n",
            b"\x9f\xa1\x62id\x62a1\xa1\x62id\x62a2\xa1\x62i",
            b"d\x62a3\xff",
        ),
    ];
    for (fields, first, rest) in formats {
        let served = Served::start().await;
        let mut stream = begin(&served, "?commit=true", fields).await;
        chunk(&mut stream, first).await;
        until_there(&served, "a2").await;
        // The commit comes with the end.
        assert_eq!(count(&served).await, "0", "{fields}");
        chunk(&mut stream, rest).await;
        let answer = end(stream).await;
        assert_eq!(answer.status, 200, "{fields}{}", answer.body);
        assert_eq!(count(&served).await, "3", "{fields}");
    }
}

fn document(number: usize) -> String {
    format!(r#"{{"id":"{number}","title_s":"{}"}}"#, "é".repeat(500))
}

/// Five times as much as there is room for.
#[tokio::test(flavor = "multi_thread")]
async fn a_body_may_be_longer_than_any_room() {
    let served = Served::start_with(|config| {
        config.body_bytes_max = 2 << 20;
        config.bodies_bytes_max = 2 << 20;
    })
    .await;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let plain = (0..10_000).map(document).collect::<Vec<_>>().join("\n");
    packer.write_all(plain.as_bytes()).unwrap();
    for (encoding, body) in
        [("", plain.as_bytes()), ("Content-Encoding: gzip\r\n", &packer.finish().unwrap())]
    {
        let fields = format!("{JSON}{encoding}");
        let mut stream = begin(&served, "/json/docs?versions=true&commit=true", &fields).await;
        for part in body.chunks(70_001) {
            chunk(&mut stream, part).await;
        }
        let answer = end(stream).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert!(answer.body.contains("\"0\",") && answer.body.contains("\"9999\","), "all versions are told");
        assert_eq!(count(&served).await, "10000");
    }
}

/// All of a body is read before its answer comes, or until nothing more does.
#[tokio::test(flavor = "multi_thread")]
async fn a_document_has_to_find_room() {
    let served = Served::start_with(|config| {
        config.body_bytes_max = 2 << 20;
        config.bodies_bytes_max = 2 << 20;
        config.body_idle_timeout = Duration::from_secs(2);
    })
    .await;
    let mut stream = begin(&served, "", JSON).await;
    chunk(&mut stream, br#"[{"id":"small"},{"id":"large","title_s":""#).await;
    let _ = stream.write_all(format!("300000\r\n{}\r\n", "x".repeat(3 << 20)).as_bytes()).await;
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    assert_eq!(parse(&String::from_utf8(bytes).unwrap()).status, 413);
    until_there(&served, "small").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_before_an_error_stays() {
    let served = Served::start().await;
    let mut stream = begin(&served, "", JSON).await;
    chunk(&mut stream, br#"[{"id":"a"},{"id":"b","nothing_such":1},"#).await;
    until_there(&served, "a").await;
    // All is read before the answer comes.
    for number in 0..100 {
        chunk(&mut stream, document(number).as_bytes()).await;
    }
    let answer = end(stream).await;
    assert_eq!(answer.status, 400, "{}", answer.body);
    assert!(answer.body.contains("nothing_such"), "{}", answer.body);
    // A client that goes away.
    let mut stream = begin(&served, "", JSON).await;
    chunk(&mut stream, br#"[{"id":"c"},{"id":"d"#).await;
    drop(stream);
    until_there(&served, "c").await;
    let found = served.get("/solr/films/get?ids=0,b,d&fl=id").await.body;
    assert!(found.contains("\"numFound\":0"), "{found}");
}

/// A pass among updates is for work, not for waiting: with a single one, others come and go while a body is
/// under way.
#[tokio::test(flavor = "multi_thread")]
async fn who_takes_its_time_keeps_nobody_out() {
    let served = Served::start_with(one_at_a_time).await;
    let mut stream = begin(&served, "", JSON).await;
    chunk(&mut stream, br#"[{"id":"a"},"#).await;
    until_there(&served, "a").await;
    // What was done of it is there a moment before its pass is given back.
    let answer = loop {
        let answer = served.post("/solr/films/update", "application/json", r#"[{"id":"b"}]"#).await;
        if answer.status != 429 {
            break answer;
        }
    };
    assert_eq!(answer.status, 200, "{}", answer.body);
    chunk(&mut stream, br#"{"id":"c"}]"#).await;
    assert_eq!(end(stream).await.status, 200);
}

/// One update at a time, and nobody waits.
fn one_at_a_time(config: &mut http::ServeConfig) {
    config.updates = http::GateLimits {
        at_once: 1,
        at_once_pressed: 1,
        waiting_max: 0,
        patience: std::time::Duration::ZERO,
    };
}

/// Behind pieces that are done a refusal is no 429, upon which clients would send these again too; before them
/// it is.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn who_is_refused_behind_its_first_pieces_is_told_how_many_are_done() {
    let (arrived, arrivals) = std::sync::mpsc::channel();
    let (let_go, held) = std::sync::mpsc::channel::<()>();
    let holds = Arc::new(AtomicBool::new(false));
    let (is_held, held) = (holds.clone(), Mutex::new(held));
    let on_arrival = move || {
        if is_held.swap(false, Ordering::SeqCst) {
            arrived.send(()).unwrap();
            held.lock().unwrap().recv().unwrap();
        }
    };
    let served = Served::start_interrupted_with(Arc::new(on_arrival), one_at_a_time).await;
    let mut begun = begin(&served, "", JSON).await;
    chunk(&mut begun, br#"[{"id":"a"},{"id":"b"},"#).await;
    until_there(&served, "b").await;
    // Another update is worked on, for as long as this test likes.
    holds.store(true, Ordering::SeqCst);
    let mut other = begin(&served, "", JSON).await;
    chunk(&mut other, br#"[{"id":"c"}]"#).await;
    tokio::task::spawn_blocking(move || arrivals.recv().unwrap()).await.unwrap();
    let whole = served.post("/solr/films/update", "application/json", r#"[{"id":"d"}]"#).await;
    assert_eq!((whole.status, whole.header("retry-after")), (429, "1"), "{}", whole.body);
    chunk(&mut begun, br#"{"id":"e"}]"#).await;
    let answer = end(begun).await;
    assert_eq!((answer.status, answer.header("retry-after")), (503, ""), "{}", answer.body);
    let words =
        "only the first 2 commands of this update are done: too many requests are waiting here; send those";
    assert!(answer.body.contains(words), "{}", answer.body);
    let_go.send(()).unwrap();
    assert_eq!(end(other).await.status, 200);
    let found = served.get("/solr/films/get?ids=a,b,c,d,e&fl=id").await.body;
    assert!(found.contains("\"numFound\":3") && found.contains("\"c\""), "{found}");
}

/// The same where it is the room for bodies that is used up.
/// An update that takes this much room and does not end, once another that wants so much finds none. Where
/// that one was there first it is this one that is refused, of which it is told at its end alone: another
/// is sent.
async fn holding(served: &Served, bytes: usize, wanted: usize) -> TcpStream {
    // One text, which has to be there whole: blanks would be passed over as they come.
    let wanted = format!(r#"[{{"id":"p","title_s":"{}"}}]"#, "x".repeat(wanted));
    loop {
        let mut stream = begin(served, "", JSON).await;
        chunk(&mut stream, format!(r#"[{{"id":"b","title_s":"{}"#, "x".repeat(bytes)).as_bytes()).await;
        for _ in 0..20 {
            // First something that takes no room: this one is on its way.
            count(served).await;
            if served.post("/solr/films/update", "application/json", &wanted).await.status == 429 {
                return stream;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_finds_no_room_behind_its_first_pieces_is_told_how_many_are_done() {
    let served = Served::start_with(|config| config.bodies_bytes_max = 32 << 10).await;
    let mut begun = begin(&served, "", JSON).await;
    chunk(&mut begun, br#"[{"id":"a"},"#).await;
    until_there(&served, "a").await;
    let mut other = holding(&served, 20 << 10, 15 << 10).await;
    chunk(&mut begun, format!(r#"{{"id":"c","title_s":"{}"#, "x".repeat(15 << 10)).as_bytes()).await;
    let answer = end(begun).await;
    assert_eq!(answer.status, 503, "{}", answer.body);
    assert!(answer.body.contains("only the first command of this update is done"), "{}", answer.body);
    chunk(&mut other, br#""}]"#).await;
    assert_eq!(end(other).await.status, 200);
}
