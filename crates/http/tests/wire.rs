//! What goes over the wire: TLS, sockets in the file system, pipelined and half-closed requests, packed
//! answers, bounds.

mod served;

use std::sync::Arc;
use std::time::Duration;

use http::{Compress, GateLimits, Listener, Tls};
use served::{Served, parse};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

const PING: &str = "GET /solr/films/admin/ping HTTP/1.1\r\nHost: x\r\n\r\n";
const LAST_PING: &str = "GET /solr/films/admin/ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

/// What comes back until the server closes.
async fn all(stream: &mut (impl AsyncRead + Unpin)) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    bytes
}

async fn ask(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), request: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    String::from_utf8(all(stream).await).unwrap()
}

#[tokio::test]
async fn requests_may_be_sent_ahead() {
    let served = Served::start().await;
    let mut stream = served.connect().await;
    let answers = ask(&mut stream, &format!("{}{LAST_PING}", PING.repeat(50))).await;
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 51);
    assert_eq!(answers.matches(r#""status":"OK""#).count(), 51);
}

/// A client that has said all it will say gets its answer, and then the connection is over: nothing is left
/// half closed.
#[tokio::test]
async fn a_half_closed_client_is_answered() {
    let served = Served::start().await;
    let update = r#"[{"id":"1"}]"#;
    let head =
        "POST /solr/films/update?commit=true HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    let post = format!("{head}Content-Length: {}\r\n\r\n{update}", update.len());
    for (request, count) in [(PING.to_owned(), 1), (PING.repeat(3), 3), (post, 1)] {
        let mut stream = served.connect().await;
        stream.write_all(request.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let answers = String::from_utf8(all(&mut stream).await).unwrap();
        assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), count, "{request}");
    }
}

#[tokio::test]
async fn a_target_has_a_bound_however_long_it_is() {
    let served = Served::start().await;
    let status = async |bytes: usize| {
        let mut stream = served.connect().await;
        let request =
            format!("GET /solr/{} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "x".repeat(bytes));
        parse(&ask(&mut stream, &request).await).status
    };
    assert_eq!(status(60_000).await, 404);
    assert_eq!(status(65_600).await, 414);
    assert_eq!(status(1 << 20).await, 414);
}

#[tokio::test]
async fn who_asks_for_another_protocol_is_answered_in_this_one() {
    let served = Served::start().await;
    let upgrade =
        |fields: &str| PING.replace("Host: x", &format!("Host: x\r\nConnection: Upgrade\r\n{fields}"));
    let body = format!("{H2C}\r\nContent-Length: 1");
    for (request, body) in
        [(upgrade("Upgrade: websocket"), ""), (upgrade("Upgrade: h2c"), ""), (upgrade(&body), "x")]
    {
        let mut stream = served.connect().await;
        let answers = ask(&mut stream, &format!("{request}{body}{LAST_PING}")).await;
        assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 2, "{request}{answers}");
    }
}

/// As the JDK's client asks of a server that it does not know.
const H2C: &str = "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__";
const PREFACE_AND_SETTINGS: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// The body of the answer in a stream of HTTP/2, whose frames of other kinds are passed over.
async fn h2_body(stream: &mut TcpStream, id: u32) -> String {
    let mut body = Vec::new();
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await.unwrap();
        let [a, b, c, kind, flags, of @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        stream.read_exact(&mut payload).await.unwrap();
        if u32::from_be_bytes(of) != id {
            continue;
        }
        if kind == 0 {
            body.extend_from_slice(&payload);
        }
        if flags & 1 == 1 {
            return String::from_utf8(body).unwrap();
        }
    }
}

#[tokio::test]
async fn a_connection_goes_on_in_http2() {
    let mut served = Served::start().await;
    for method in ["GET", "HEAD"] {
        let mut stream = served.connect().await;
        let fields = format!("Host: x\r\nContent-Length: 0\r\nConnection: Upgrade, HTTP2-Settings\r\n{H2C}");
        let request = PING.replace("GET", method).replace("Host: x", &fields);
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        assert!(head.starts_with(b"HTTP/1.1 101 "), "{}", String::from_utf8_lossy(&head));
        stream.write_all(PREFACE_AND_SETTINGS).await.unwrap();
        let body = h2_body(&mut stream, 1).await;
        assert_eq!(body.contains(r#""status":"OK""#), method == "GET", "{body}");
        // GET, http, a path and an authority, as RFC 7541 writes them.
        let path = "/solr/films/admin/ping?wt=xml";
        let fields = [&[0x82, 0x86, 0x04, path.len() as u8], path.as_bytes(), &[0x01, 1, b'x']].concat();
        let frame = [&[0, 0, fields.len() as u8, 1, 5, 0, 0, 0, 3], fields.as_slice()].concat();
        stream.write_all(&frame).await.unwrap();
        let body = h2_body(&mut stream, 3).await;
        assert!(body.contains(r#"<str name="status">OK</str>"#), "{body}");
    }
    let _open = served.connect().await;
    served.stop().await;
}

#[tokio::test]
async fn who_is_too_much_is_told_to_come_again() {
    let none = GateLimits { at_once: 1, at_once_pressed: 1, waiting_max: 0, patience: Duration::ZERO };
    let served = Served::start_with(|config| config.bodies_bytes_max = 2048).await;
    let update = |bytes: usize| format!("[]{}", " ".repeat(bytes - 2));
    let path = "/solr/films/update";
    assert_eq!(served.post(path, "application/json", &update(2048)).await.status, 200);
    let answer = served.post(path, "application/json", &update(4000)).await;
    assert_eq!((answer.status, answer.header("retry-after")), (429, "1"), "{}", answer.body);
    assert!(answer.body.contains("send the request again after a second"), "{}", answer.body);
    // What was refused takes no room.
    assert_eq!(served.post(path, "application/json", &update(2048)).await.status, 200);
    drop(served);
    let served = Served::start_with(|config| config.queries = none).await;
    assert_eq!(served.get("/solr/films/select?q=*:*").await.status, 200);
}

/// A server that uses more of the processors than it may lets updates wait, or tells them when to come again.
#[tokio::test(flavor = "multi_thread")]
async fn updates_that_must_give_way_are_told_when_to_come_again() {
    let used_ns = std::sync::atomic::AtomicU64::new(0);
    let served = Served::start_with(|config| {
        config.objective = Some("processor=10%".parse().unwrap());
        // Nobody waits.
        config.updates.patience = Duration::ZERO;
        // Each look finds that ten seconds of a processor went by.
        config.machine = Arc::new(move || http::MachineFacts {
            cpu_ns: Some(used_ns.fetch_add(10_000_000_000, std::sync::atomic::Ordering::Relaxed)),
            ..http::MachineFacts::default()
        });
    })
    .await;
    let document = format!(r#"{{"id":"1","title_s":"{}"}}"#, "x".repeat(25 << 10));
    let update = format!("[{}]", vec![document; 20].join(","));
    let refused = loop {
        let answer = served.post("/solr/films/update", "application/json", &update).await;
        if answer.status != 200 {
            break answer;
        }
    };
    let seconds: u64 = refused.header("retry-after").parse().unwrap();
    assert!(refused.status == 429 && (1..=60).contains(&seconds), "{}", refused.body);
    assert!(refused.body.contains("updates give way to the server's objective"), "{}", refused.body);
    // Searches do not.
    assert_eq!(served.get("/solr/films/select?q=*:*").await.status, 200);
}

#[tokio::test]
async fn answers_are_packed_for_those_who_take_it() {
    let long = "every answer repeats itself; ".repeat(200);
    let update = format!(r#"[{{"id":"1","a_s":"{long}"}},{{"id":"2"}}]"#);
    let check = async |policy: Compress, query: &str, accepts: &str, coding: &str, vary: &str| {
        let served = Served::start_with(|config| config.compress = policy).await;
        let path = "/solr/films/update?commit=true";
        assert_eq!(served.post(path, "application/json", &update).await.status, 200);
        let head = format!(
            "GET /solr/films/select?q={query} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: {accepts}\r\nConnection: close\r\n\r\n"
        );
        let mut stream = served.connect().await;
        stream.write_all(head.as_bytes()).await.unwrap();
        let bytes = all(&mut stream).await;
        let split = bytes.windows(4).position(|end| end == b"\r\n\r\n").unwrap() + 4;
        let answer = parse(&String::from_utf8_lossy(&bytes[..split]));
        let body = unpacked(coding, &bytes[split..]);
        let told = (answer.header("content-encoding"), answer.header("vary"));
        assert_eq!(told, (coding, vary), "{policy:?} {query} {accepts}");
        // What requests may be packed with is announced where answers would be packed.
        assert_eq!(answer.header("accept-encoding").is_empty(), vary.is_empty());
        assert_eq!(answer.header("content-length"), (bytes.len() - split).to_string());
        assert!(String::from_utf8(body).unwrap().contains(r#""numFound":1"#));
    };
    check(Compress::Always, "id:1", "gzip", "gzip", "Accept-Encoding").await;
    check(Compress::Always, "id:1", "br", "br", "Accept-Encoding").await;
    check(Compress::Always, "id:1", "gzip;q=0.5, zstd;q=0.7, br;q=0.6", "zstd", "Accept-Encoding").await;
    check(Compress::Always, "id:1", "deflate", "", "Accept-Encoding").await;
    check(Compress::Always, "id:2", "gzip", "", "Accept-Encoding").await;
    check(Compress::Far, "id:1", "gzip", "", "").await;
    check(Compress::Never, "id:1", "gzip", "", "").await;
}

fn unpacked(coding: &str, bytes: &[u8]) -> Vec<u8> {
    let (mut unpacker, mut whole) = (coding::Unpacker::of(coding).unwrap(), bytes::BytesMut::new());
    let mut bytes = bytes::Bytes::copy_from_slice(bytes);
    while unpacker.step(&mut bytes, true, &mut whole).unwrap() {}
    whole.to_vec()
}

/// Packed in each way that is announced, and in one that is not.
#[tokio::test]
async fn updates_may_be_packed() {
    let served = Served::start_with(|config| config.compress = Compress::Always).await;
    let post = async |coding: &str, body: &[u8]| {
        let head = format!(
            "POST /solr/films/update HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        served.send(&head, body).await
    };
    for coding in coding::Coding::ALL {
        let id = coding.name();
        let plain = format!(r#"[{{"id":"{id}"}}]"#);
        let packed = coding::pack(plain.as_bytes(), coding, coding::Effort::Usual);
        let answer = post(id, &packed).await;
        assert_eq!(answer.status, 200, "{id}: {}", answer.body);
        let there = served.get(&format!("/solr/films/get?id={id}&fl=id")).await.body;
        assert!(there.contains(&format!(r#""id":"{id}""#)), "{there}");
        let broken = post(id, &packed[..packed.len() - 1]).await;
        assert_eq!(broken.status, 400, "{id}: {}", broken.body);
        assert!(broken.body.contains("cannot be unpacked: it is not `"), "{}", broken.body);
    }
    let answer = post("compress", b"x").await;
    assert_eq!((answer.status, answer.header("accept-encoding")), (415, "zstd, br, gzip"));
    assert!(answer.body.contains("the content encoding `compress` is not supported"), "{}", answer.body);
    // Where it is the type that is not read, packing has nothing to do with it.
    let answer = served.post("/solr/films/update", "image/png", "x").await;
    assert_eq!((answer.status, answer.header("accept-encoding")), (415, ""), "{}", answer.body);
}

#[cfg(unix)]
#[tokio::test]
async fn a_socket_in_the_file_system_is_a_door_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("parhelion.sock");
    let listener = tokio::net::UnixListener::bind(&path).unwrap();
    let served = Served::start_at(vec![Listener::unix(listener)], |_| {}).await;
    let mut stream = tokio::net::UnixStream::connect(&path).await.unwrap();
    let answer = parse(&ask(&mut stream, LAST_PING).await);
    assert!(answer.body.contains(r#""status":"OK""#), "{}", answer.body);
    // The other door is open too.
    assert_eq!(served.get("/solr/films/admin/ping").await.status, 200);
}

/// A certificate for `localhost`, and what a client needs to believe it.
struct Identity {
    tls: Tls,
    trusted: RootCertStore,
}

fn identity() -> Identity {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let tls = Tls::from_pem(made.cert.pem().as_bytes(), made.signing_key.serialize_pem().as_bytes()).unwrap();
    let mut trusted = RootCertStore::empty();
    trusted.add(made.cert.der().clone()).unwrap();
    Identity { tls, trusted }
}

async fn secured() -> (Served, std::net::SocketAddr, RootCertStore) {
    let Identity { tls, trusted } = identity();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (Served::start_at(vec![Listener::tls(listener, tls)], |_| {}).await, address, trusted)
}

async fn handshake(stream: TcpStream, trusted: &RootCertStore, protocols: &[&str]) -> TlsStream<TcpStream> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(trusted.clone())
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    let connector = TlsConnector::from(Arc::new(config));
    connector.connect("localhost".try_into().unwrap(), stream).await.unwrap()
}

#[tokio::test]
async fn tls_carries_both_protocols() {
    let (_served, address, trusted) = secured().await;
    let connect = async |protocols: &[&str]| {
        let stream = TcpStream::connect(address).await.unwrap();
        let stream = handshake(stream, &trusted, protocols).await;
        let chosen = stream.get_ref().1.alpn_protocol().map(|name| String::from_utf8(name.to_vec()).unwrap());
        (stream, chosen)
    };
    for (protocols, expected) in [(&[][..], None), (&["http/1.1"][..], Some("http/1.1".to_owned()))] {
        let (mut stream, chosen) = connect(protocols).await;
        assert_eq!(chosen, expected);
        assert_eq!(parse(&ask(&mut stream, LAST_PING).await).status, 200);
    }
    let (mut stream, chosen) = connect(&["http/1.1", "h2"]).await;
    assert_eq!(chosen.as_deref(), Some("h2"));
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
    let mut frame = [0; 9];
    stream.read_exact(&mut frame).await.unwrap();
    assert_eq!(frame[3], 4, "a settings frame");
}

/// Whoever speaks no TLS at such a door is turned away, and others are served.
#[tokio::test]
async fn tls_is_not_optional() {
    let (_served, address, trusted) = secured().await;
    let mut plain = TcpStream::connect(address).await.unwrap();
    plain.write_all(PING.as_bytes()).await.unwrap();
    let answer = all(&mut plain).await;
    assert!(!answer.starts_with(b"HTTP"), "{}", String::from_utf8_lossy(&answer));
    let mut stream = handshake(TcpStream::connect(address).await.unwrap(), &trusted, &[]).await;
    assert_eq!(parse(&ask(&mut stream, LAST_PING).await).status, 200);
}

#[test]
fn what_is_no_certificate_is_named() {
    let (one, other) = (rcgen::KeyPair::generate().unwrap(), rcgen::KeyPair::generate().unwrap());
    let certificate = rcgen::CertificateParams::default().self_signed(&one).unwrap().pem();
    let check = |certificates: &str, key: &str, expected: &str| {
        let message = Tls::from_pem(certificates.as_bytes(), key.as_bytes()).unwrap_err();
        assert!(message.contains(expected), "{message}");
    };
    check("", &one.serialize_pem(), "there is no certificate");
    check(&certificate, "", "the key is not a private key");
    check(&certificate, &other.serialize_pem(), "certificate and key do not fit");
}
