//! Servers that move and servers that cannot be trusted, as an application behind a relay sees them.

#[path = "../../client/tests/support/mod.rs"]
mod support;

mod running;

use std::sync::Arc;
use std::time::Duration;

use client::{ClientOptions, Endpoint, PoolOptions, Tls};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use relay::{RelayLimits, UpstreamConfig};
use running::{Running, upstream};
use support::{MovingName, Server, ok, options};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

fn named(url: &str, options: ClientOptions) -> UpstreamConfig {
    let servers = vec![Endpoint::from(url.parse::<client::SolrUrl>().unwrap())];
    UpstreamConfig { servers, options, ..upstream(&[]) }
}

#[tokio::test]
async fn a_server_whose_name_moves_is_followed() {
    let (old, new) = (Server::answering(ok("1")).await, Server::answering(ok("2")).await);
    let resolver = MovingName::between(&old, &new);
    let pool = PoolOptions { age_max: Duration::ZERO, ..PoolOptions::default() };
    let config = named("http://solr.test:8983/solr", ClientOptions { resolver, pool, ..options() });
    let relay = Running::start(RelayLimits::default(), config).await;
    // A look-up that fails sends nothing, so even an update goes on with the next.
    let answers = [relay.update().await, relay.update().await, relay.update().await];
    assert_eq!(answers.each_ref().map(|reply| reply.body()), ["1", "2", "2"]);
    assert_eq!((old.requests(), new.requests()), (1, 2));
}

/// Answers each connection once, behind TLS with a certificate that ends in that year.
async fn tls_server(authority: &CertifiedIssuer<'static, KeyPair>, last_year: i32) -> u16 {
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    params.not_after = rcgen::date_time_ymd(last_year, 1, 1);
    let key = KeyPair::generate().unwrap();
    let chain = vec![params.signed_by(&key, authority).unwrap().der().clone()];
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::try_from(key.serialize_der()).unwrap())
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(&ok("{}")).await;
            let _ = stream.shutdown().await;
        }
    });
    port
}

#[tokio::test]
async fn a_certificate_that_has_expired_is_told_of_and_nothing_is_sent() {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let trusted = || Tls::default().with_authorities(authority.as_ref().pem().as_bytes()).unwrap();
    let update = async |last_year: i32| {
        let url = format!("https://localhost:{}/solr", tls_server(&authority, last_year).await);
        let config = named(&url, ClientOptions { tls: trusted(), ..options() });
        Running::start(RelayLimits::default(), config).await.update().await
    };
    assert_eq!(update(3000).await.status(), 200);
    let reply = update(2020).await;
    assert_eq!((reply.status(), reply.outcome()), (502, Some("nothing")), "{reply:?}");
    assert!(reply.body().contains("certificate expired"), "{reply:?}");
}
