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
        "/solr/films/select?wt=smile",
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

/// A client that says nothing, half a protocol, half a request, or nothing more after a request: all are hung
/// up on.
#[tokio::test]
async fn a_silent_client_is_hung_up_on() {
    let served = Served::start_with(|config| config.header_timeout = Duration::from_millis(1)).await;
    for said in
        ["", "P", "PRI * HTTP", "G", "GET / HTTP/1.1\r\nHost: x\r\nX: ", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"]
    {
        let mut stream = served.connect().await;
        // It may be over before all is said.
        let _ = stream.write_all(said.as_bytes()).await;
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
    }
}

/// The server ends, though an answer larger than the kernel's buffers waits for a client that reads no more
/// of it.
#[tokio::test]
async fn a_client_that_reads_no_more_is_given_up() {
    let mut served = Served::start_with(|config| {
        config.write_idle_timeout = Duration::from_millis(1);
        config.drain_timeout = Duration::from_secs(3600);
    })
    .await;
    let values = vec![format!("\"{}\"", "x".repeat(32_000)); 1000].join(",");
    let update = format!(r#"[{{"id":"1","a_ss":[{values}]}}]"#);
    assert_eq!(served.post("/solr/films/update?commit=true", "application/json", &update).await.status, 200);
    let mut stream = served.connect().await;
    stream.write_all(b"GET /solr/films/get?id=1 HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    stream.read_exact(&mut [0; 100]).await.unwrap();
    served.stop().await;
}

#[tokio::test]
async fn too_many_headers_are_refused() {
    let served = Served::start().await;
    for headers in ["X: y\r\n".repeat(10_000), format!("X: {}\r\n", "y".repeat(1 << 20))] {
        let head = format!("GET /solr/ HTTP/1.1\r\nHost: x\r\n{headers}Connection: close\r\n\r\n");
        let mut stream = served.connect().await;
        // The server may answer and close before it has read all, and the rest of the answer be lost.
        let _ = stream.write_all(head.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        assert!(
            answer.is_empty() || answer.starts_with(b"HTTP/1.1 431 "),
            "{}",
            String::from_utf8_lossy(&answer)
        );
    }
}

/// Characters that Jetty takes as they are, in every request of a connection.
#[tokio::test]
async fn targets_need_not_be_escaped() {
    let served = Served::start().await;
    let target =
        "/solr/films/select?echoParams=explicit&rows=0&q={!term f=a_s}\"<>|^`\\}".replace(' ', "%20");
    let mut stream = served.connect().await;
    let once = format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n");
    let last = once.replace("Host: x", "Host: x\r\nConnection: close");
    // A body that looks like a request stays as it is.
    let body = "x=GET /\"y\" HTTP/1.1\r\n\r\n";
    let form = format!("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}", body.len());
    let post = format!("POST {target} HTTP/1.1\r\nHost: x\r\n{form}\r\n\r\n{body}");
    stream.write_all(format!("{once}{post}{last}").as_bytes()).await.unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).await.unwrap();
    let shown = r#""q":"{!term f=a_s}\"<>|^`\\}""#;
    assert_eq!(answers.matches(shown).count(), 3, "{answers}");
    assert!(answers.contains(r#""x":"GET /\"y\" HTTP/1.1\r\n\r\n""#), "{answers}");
    assert_eq!(served.get("/solr/films/select?q=a\tb").await.status, 400);
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

/// HTTP/2 by prior knowledge: the client's preface is answered with a settings frame, not with a 400 in
/// HTTP/1.1.
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

#[tokio::test]
async fn a_handler_refuses_parsers_it_does_not_name() {
    let served = Served::start().await;
    let check = async |query: &str, status: u16, message: &str| {
        let answer = served.get(&format!("/solr/films/strict?{query}")).await;
        assert_eq!(answer.status, status, "{query}: {}", answer.body);
        assert!(answer.body.contains(message), "{query}: {}", answer.body);
    };
    check("q=*:*", 200, "\"numFound\":0").await;
    check("q=%7B!term+f=id%7D1", 200, "\"numFound\":0").await;
    let refused = "query parser `func` is not allowed here; use one of lucene, term";
    check("q=%7B!func%7D1", 400, refused).await;
    check("q=1&defType=func", 400, refused).await;
}
