//! The certificates that a server shows, whoever made them and whenever they end: for those who look after
//! them. No request goes over such a connection, and it is closed once they are known.
//!
//! In: a URL; out: certificates in DER. The one place that takes any certificate; that the server has the key
//! of the one it shows is still checked.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{ClientConfig, DigitallySignedStruct, Error as TlsError, SignatureScheme};

use crate::error::Error;
use crate::url::SolrUrl;

/// Each in DER, the server's own first. None of a URL without TLS.
///
/// Errors: [`Error::Connect`], [`Error::Timeout`]; [`Error::Tls`] where there is no agreement on TLS at all.
pub async fn shown_certificates(url: &SolrUrl, patience: Duration) -> Result<Vec<Vec<u8>>, Error> {
    if !url.is_tls() {
        return Ok(Vec::new());
    }
    let late = |_| Error::Timeout { url: url.to_string(), seconds: patience.as_secs(), sent: false };
    timeout(patience, greet(url)).await.map_err(late)?
}

async fn greet(url: &SolrUrl) -> Result<Vec<Vec<u8>>, Error> {
    let stream =
        TcpStream::connect(url.host_and_port()).await.map_err(|error| Error::connect(url, &error))?;
    let (host, _) = url.host_and_port();
    let name = ServerName::try_from(host.to_owned()).map_err(|_| Error::Url(url.to_string()))?;
    let refused = |error: io::Error| Error::Tls(format!("cannot agree on TLS with {url}: {error}"));
    let stream = TlsConnector::from(Arc::new(config()?)).connect(name, stream).await.map_err(refused)?;
    let shown = stream.get_ref().1.peer_certificates().unwrap_or_default();
    Ok(shown.iter().map(|certificate| certificate.to_vec()).collect())
}

fn config() -> Result<ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| Error::Tls(error.to_string()))?;
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(Any(provider))).with_no_client_auth())
}

/// Takes any certificate, of a server that has its key.
#[derive(Debug)]
struct Any(Arc<CryptoProvider>);

impl ServerCertVerifier for Any {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
