//! HTTP/2, by prior knowledge and by ALPN, and TLS with what can be wrong about it; against hyper's server.

mod support;

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use client::{ClientOptions, Error, Protocol, SolrClient, Tls};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use support::options;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

/// Answers with the version of HTTP and the bytes it was sent.
async fn echo(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let version = format!("{:?}", request.version());
    let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    Ok(Response::new(Full::from([version.as_bytes(), b" ", &body].concat())))
}

async fn serve<S>(stream: S, is_http2: bool)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (stream, service) = (TokioIo::new(stream), service_fn(echo));
    if is_http2 {
        let _ = http2::Builder::new(TokioExecutor::new()).serve_connection(stream, service).await;
    } else {
        let _ = http1::Builder::new().serve_connection(stream, service).await;
    }
}

/// Its port, and a count of its connections.
async fn plain_http2_server() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let count = connections.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(serve(stream, true));
        }
    });
    (port, connections)
}

async fn tls_server(config: ServerConfig) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else { return };
                let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                serve(stream, is_http2).await;
            });
        }
    });
    port
}

struct Authority(CertifiedIssuer<'static, KeyPair>);

struct Identity {
    certificate: rcgen::Certificate,
    key: KeyPair,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn sign(&self, change: impl FnOnce(&mut CertificateParams)) -> Identity {
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        Identity { certificate: params.signed_by(&key, &self.0).unwrap(), key }
    }

    fn trusted(&self) -> Tls {
        Tls::default().with_authorities(self.0.as_ref().pem().as_bytes()).unwrap()
    }
}

impl Identity {
    /// For a server that speaks these, and wants to see certificates of `clients`.
    fn config(&self, protocols: &[&[u8]], clients: Option<&Authority>) -> ServerConfig {
        let provider = Arc::new(ring::default_provider());
        let builder =
            ServerConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions();
        let builder = match clients {
            None => builder.unwrap().with_no_client_auth(),
            Some(authority) => {
                let mut store = RootCertStore::empty();
                store.add(authority.0.as_ref().der().clone()).unwrap();
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(store.into(), provider).build().unwrap();
                builder.unwrap().with_client_cert_verifier(verifier)
            }
        };
        let chain: Vec<CertificateDer<'static>> = vec![self.certificate.der().clone()];
        let key = PrivateKeyDer::try_from(self.key.serialize_der()).unwrap();
        let mut config = builder.with_single_cert(chain, key).unwrap();
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        config
    }
}

fn client(url: &str, tls: Tls, protocol: Protocol) -> SolrClient {
    SolrClient::with_options(url.parse().unwrap(), ClientOptions { tls, protocol, ..options() })
}

async fn ask(client: &SolrClient) -> Result<String, Error> {
    let response = client.post("c/update", &[], "text/plain", "hello".into()).await?.ok()?;
    Ok(String::from_utf8_lossy(&response.body).into_owned())
}

#[tokio::test]
async fn one_http2_connection_carries_many_requests_at_once() {
    let (port, connections) = plain_http2_server().await;
    let client = client(&format!("127.0.0.1:{port}"), Tls::default(), Protocol::Http2);
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let client = client.clone();
        asking.spawn(async move { ask(&client).await.unwrap() });
    }
    assert!(asking.join_all().await.iter().all(|body| body == "HTTP/2.0 hello"));
    assert_eq!(connections.load(Ordering::Relaxed), 1);
    let metrics = client.metrics();
    assert_eq!((metrics.connections_opened, metrics.connections_reused), (1, 49));
}

/// A stream that is refused was not looked at, so even an update is sent again; within bounds.
#[tokio::test]
async fn a_refused_stream_is_tried_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = listener.local_addr().unwrap().to_string();
    let seen = Arc::new(AtomicUsize::new(0));
    let count = seen.clone();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut connection = h2::server::handshake(stream).await.unwrap();
        while let Some(Ok((_, mut respond))) = connection.accept().await {
            match count.fetch_add(1, Ordering::Relaxed) {
                2 => drop(respond.send_response(Response::new(()), true)),
                _ => respond.send_reset(h2::Reason::REFUSED_STREAM),
            }
        }
    });
    let client = client(&url, Tls::default(), Protocol::Http2);
    assert_eq!(ask(&client).await.unwrap(), "");
    assert_eq!((seen.load(Ordering::Relaxed), client.metrics().retries), (3, 2));
    let error = ask(&client).await.unwrap_err();
    assert!(matches!(error, Error::Broken { .. }), "{error}");
    assert_eq!(seen.load(Ordering::Relaxed), 6);
}

#[tokio::test]
async fn alpn_chooses_what_both_speak() {
    let authority = Authority::new("ours");
    let server = authority.sign(|_| ());
    let check = async |offered: &[&[u8]], wanted: Protocol, expected: Option<&str>| {
        let port = tls_server(server.config(offered, None)).await;
        let client = client(&format!("https://localhost:{port}"), authority.trusted(), wanted);
        for _ in 0..2 {
            assert_eq!(ask(&client).await.ok().as_deref(), expected, "{offered:?} {wanted:?}");
        }
        assert_eq!(client.metrics().connections_opened, u64::from(expected.is_some()));
    };
    check(&[b"h2", b"http/1.1"], Protocol::Auto, Some("HTTP/2.0 hello")).await;
    check(&[b"http/1.1"], Protocol::Auto, Some("HTTP/1.1 hello")).await;
    check(&[], Protocol::Auto, Some("HTTP/1.1 hello")).await;
    check(&[b"h2", b"http/1.1"], Protocol::Http1, Some("HTTP/1.1 hello")).await;
    check(&[b"http/1.1"], Protocol::Http2, None).await;
}

#[tokio::test]
async fn certificates_that_are_not_to_be_trusted() {
    let (authority, stranger) = (Authority::new("ours"), Authority::new("theirs"));
    let refused = async |server: &Identity, tls: Tls, reason: &str| {
        let port = tls_server(server.config(&[b"h2"], None)).await;
        let error =
            ask(&client(&format!("https://localhost:{port}"), tls, Protocol::Auto)).await.unwrap_err();
        assert!(matches!(&error, Error::Tls(message) if message.contains(reason)), "{error}");
    };
    let expired = authority.sign(|params| params.not_after = rcgen::date_time_ymd(2020, 1, 1));
    refused(&expired, authority.trusted(), "certificate expired").await;
    let early = authority.sign(|params| params.not_before = rcgen::date_time_ymd(3000, 1, 1));
    refused(&early, authority.trusted(), "not valid yet").await;
    let elsewhere =
        authority.sign(|params| *params = CertificateParams::new(vec!["other".to_owned()]).unwrap());
    refused(&elsewhere, authority.trusted(), "not valid for name").await;
    let sound = authority.sign(|_| ());
    refused(&sound, stranger.trusted(), "UnknownIssuer").await;
}

#[tokio::test]
async fn certificates_are_shown_whoever_trusts_them() {
    let authority = Authority::new("theirs");
    let expired = authority.sign(|params| params.not_after = rcgen::date_time_ymd(2020, 1, 1));
    let port = tls_server(expired.config(&[b"h2"], None)).await;
    let shown =
        async |url: &str| client::shown_certificates(&url.parse().unwrap(), Duration::from_secs(20)).await;
    let found = shown(&format!("https://localhost:{port}")).await.unwrap();
    assert_eq!(found, [expired.certificate.der().to_vec()]);
    assert!(shown("http://localhost:1").await.unwrap().is_empty());
}

#[tokio::test]
async fn a_server_that_asks_for_a_certificate_gets_it() {
    let (authority, clients) = (Authority::new("ours"), Authority::new("theirs"));
    let server = authority.sign(|_| ());
    let port = tls_server(server.config(&[b"http/1.1"], Some(&clients))).await;
    let url = format!("https://localhost:{port}");
    let own = clients.sign(|_| ());
    let (certificate, key) = (own.certificate.pem(), own.key.serialize_pem());
    let tls = authority.trusted().with_certificate(certificate.as_bytes(), key.as_bytes()).unwrap();
    assert_eq!(ask(&client(&url, tls, Protocol::Auto)).await.unwrap(), "HTTP/1.1 hello");
    assert!(ask(&client(&url, authority.trusted(), Protocol::Auto)).await.is_err());
}

#[tokio::test]
async fn a_server_that_does_not_speak_tls_or_http2() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    assert!(matches!(ask(&client(&url, Tls::default(), Protocol::Auto)).await, Err(Error::Tls(_))));
    let shown = client::shown_certificates(&url.parse().unwrap(), Duration::from_secs(20)).await;
    assert!(matches!(shown, Err(Error::Tls(_))), "{shown:?}");
    let server = support::Server::answering(support::ok("{}")).await;
    let error = client(&server.url.to_string(), Tls::default(), Protocol::Http2)
        .send(&client::Request::get("c/select", &[]).timeout(Duration::from_secs(5)))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Broken { .. } | Error::Connect { .. } | Error::Timeout { .. }), "{error}");
}
