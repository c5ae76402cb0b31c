//! TLS: a certificate and its key, and what is offered with them (TLS 1.2 and 1.3; HTTP/2 and HTTP/1.1 by
//! ALPN). The files are read by whoever starts the server. No client certificates are asked for: who asks is
//! told by the request (`security`). A connection that does not get through the handshake is closed without
//! an answer.

use std::fmt;
use std::io;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

/// In the order in which they are preferred.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// What a server shows to clients that speak TLS.
#[derive(Clone)]
pub struct Tls(TlsAcceptor);

impl Tls {
    /// Of a chain of certificates, the server's own first, and the private key of that one, both in PEM.
    /// Errors are messages that say which of the two is wrong.
    pub fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self, String> {
        let chain: Vec<_> = CertificateDer::pem_slice_iter(certificates)
            .collect::<Result<_, _>>()
            .map_err(|error| format!("the certificates are not PEM: {error}"))?;
        if chain.is_empty() {
            return Err(
                "there is no certificate in the file; it must hold the server's own, then its issuers'"
                    .into(),
            );
        }
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|error| format!("the key is not a private key in PEM without a password: {error}"))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|error| format!("certificate and key do not fit: {error}"))?;
        config.alpn_protocols = PROTOCOLS.iter().map(|name| name.to_vec()).collect();
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    pub(crate) async fn greet(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        self.0.accept(stream).await
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}
