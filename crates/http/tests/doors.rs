//! Routing, methods, limits and the end of a server.

mod served;

use std::time::Duration;

use served::{Served, parse};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

#[tokio::test]
async fn paths_nobody_serves_are_404() {
    let served = Served::start().await;
    for path in [
        "/solr/nope/select?q=*:*",
        "/solr/films/nope",
        "/solr/films",
        "/solr/admin/nope",
        "/x",
        "/solr/films/../x",
    ] {
        let answer = served.get(path).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (404, "text/html;charset=utf-8"),
            "{path}"
        );
    }
    assert_eq!(served.get("/solr/films/select/?q=*:*").await.status, 200);
    assert_eq!(served.get("/solr/").await.status, 200);
}

#[tokio::test]
async fn methods_are_checked() {
    let served = Served::start().await;
    let check = async |method: &str, path: &str, status: u16| {
        let head = format!("{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let answer = served.send(&head, b"").await;
        assert_eq!(answer.status, status, "{method} {path}");
        answer
    };
    let answer = check("HEAD", "/solr/films/update", 200).await;
    assert!(answer.body.is_empty());
    check("HEAD", "/solr/nope/update", 404).await;
    assert_eq!(check("OPTIONS", "/solr/films/select", 200).await.header("allow"), "GET, HEAD, OPTIONS, POST");
    let answer = check("PATCH", "/solr/films/select", 405).await;
    assert!(answer.body.contains("Request contained unexpected HTTP method: PATCH"), "{}", answer.body);
}

#[tokio::test]
async fn nonsense_is_refused_politely() {
    let served = Served::start().await;
    for path in [
        "/solr/films/select?q=%zz",
        "/solr/films/select?q=%ff",
        "/solr/%ff/select",
        "/solr/films/select?wt=javabin",
    ] {
        let answer = served.get(path).await;
        assert_eq!((answer.status, answer.header("cache-control")), (400, "no-cache, no-store"), "{path}");
        assert!(answer.body.contains("\"code\":400"), "{}", answer.body);
    }
    assert_eq!(served.send("NONSENSE\r\n\r\n", b"").await.status, 400);
}

#[tokio::test]
async fn bodies_have_a_bound() {
    let served = Served::start_with(|config| config.body_bytes_max = 1000).await;
    let (path, kind) = ("/solr/films/update", "application/json");
    assert_eq!(served.post(path, kind, &format!("[]{}", " ".repeat(998))).await.status, 200);
    let answer = served.post(path, kind, &"x".repeat(1001)).await;
    assert_eq!(answer.status, 413);
    let chunks = format!("3e9\r\n{}\r\n0\r\n\r\n", "x".repeat(1001));
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    assert_eq!(served.send(&head, chunks.as_bytes()).await.status, 413);
}

#[tokio::test]
async fn a_stalled_body_is_given_up() {
    let served = Served::start_with(|config| config.body_idle_timeout = Duration::from_millis(1)).await;
    let head = "POST /solr/films/update HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n";
    assert_eq!(served.send(head, b"[").await.status, 503);
}

#[tokio::test]
async fn one_connection_serves_many_requests() {
    let served = Served::start().await;
    let mut stream = served.connect().await;
    let request = "GET /solr/films/admin/ping HTTP/1.1\r\nHost: x\r\n\r\n";
    for last in [false, true] {
        let request =
            if last { request.replace("Host: x", "Host: x\r\nConnection: close") } else { request.into() };
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut text = String::new();
        while !text.ends_with('}') {
            let mut bytes = [0; 4096];
            let read = stream.read(&mut bytes).await.unwrap();
            assert!(read > 0, "{text}");
            text.push_str(std::str::from_utf8(&bytes[..read]).unwrap());
        }
        assert!(parse(&text).body.contains("\"status\":\"OK\""), "{text}");
    }
}

/// HTTP/2 by prior knowledge: the client's preface is answered with a settings frame, not with a 400 in HTTP/1.1.
#[tokio::test]
async fn http2_is_spoken_without_asking() {
    let served = Served::start().await;
    let mut stream = served.connect().await;
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
    let mut frame = [0; 9];
    stream.read_exact(&mut frame).await.unwrap();
    assert_eq!(frame[3], 4, "a settings frame");
}

#[tokio::test]
async fn the_end_is_clean() {
    let mut served = Served::start().await;
    let mut idle = served.connect().await;
    served.stop().await;
    let mut rest = Vec::new();
    let _ = idle.read_to_end(&mut rest).await;
    assert!(rest.is_empty());
}
