//! What a client trusts and what it shows when it speaks TLS: the system's authorities or ones given, a
//! certificate of its own where the server asks for one. PEM comes as bytes; files are read by whoever has
//! them.

use std::fmt;
use std::sync::{Arc, OnceLock};

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};

use crate::error::Error;

/// Trusts the system's authorities unless it is given some.
///
/// ```no_run
/// # fn main() -> Result<(), client::Error> {
/// # let (ca, certificate, key) = ([0u8; 0], [0u8; 0], [0u8; 0]);
/// let tls = client::Tls::default().with_authorities(&ca)?.with_certificate(&certificate, &key)?;
/// # let _ = tls; Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct Tls {
    authorities: Option<Arc<RootCertStore>>,
    identity: Option<Arc<Identity>>,
}

struct Identity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl Tls {
    /// Trusts these certificates (PEM, one or more) and no others.
    pub fn with_authorities(mut self, pem: &[u8]) -> Result<Self, Error> {
        let mut store = RootCertStore::empty();
        for certificate in certificates(pem)? {
            store
                .add(certificate)
                .map_err(|error| Error::Tls(format!("an authority cannot be used: {error}")))?;
        }
        self.authorities = Some(Arc::new(store));
        Ok(self)
    }

    /// Shows this certificate (PEM, its issuers behind it) with the key of the first, to servers that ask for
    /// one.
    pub fn with_certificate(mut self, certificates_pem: &[u8], key_pem: &[u8]) -> Result<Self, Error> {
        let chain = certificates(certificates_pem)?;
        let key = PrivateKeyDer::from_pem_slice(key_pem).map_err(|error| {
            Error::Tls(format!("the key is not a private key in PEM without a password: {error}"))
        })?;
        self.identity = Some(Arc::new(Identity { chain, key }));
        // So that a certificate without its key is reported now, not at the first request.
        self.config(&[])?;
        Ok(self)
    }

    /// Offers these protocols (ALPN), the first most.
    pub(crate) fn connector(&self, alpn_names: &[&[u8]]) -> Result<TlsConnector, Error> {
        Ok(TlsConnector::from(Arc::new(self.config(alpn_names)?)))
    }

    fn config(&self, alpn_names: &[&[u8]]) -> Result<ClientConfig, Error> {
        let roots = self.authorities.clone().unwrap_or_else(system_authorities);
        let builder = versions()?.with_root_certificates(roots);
        let mut config = match &self.identity {
            None => builder.with_no_client_auth(),
            Some(identity) => builder
                .with_client_auth_cert(identity.chain.clone(), identity.key.clone_key())
                .map_err(|error| Error::Tls(format!("certificate and key do not fit: {error}")))?,
        };
        config.alpn_protocols = alpn_names.iter().map(|name| name.to_vec()).collect();
        Ok(config)
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authorities = self.authorities.as_ref().map(|store| store.len());
        f.debug_struct("Tls")
            .field("authorities", &authorities)
            .field("identity", &self.identity.is_some())
            .finish()
    }
}

fn versions() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, Error> {
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Tls(error.to_string()))
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, Error> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let chain = chain.map_err(|error| Error::Tls(format!("the certificates are not PEM: {error}")))?;
    if chain.is_empty() {
        return Err(Error::Tls(
            "there is no certificate in the PEM; it begins `-----BEGIN CERTIFICATE`".to_owned(),
        ));
    }
    Ok(chain)
}

/// Read once: a hundred files on most systems. One that cannot be read is one authority less.
fn system_authorities() -> Arc<RootCertStore> {
    static STORE: OnceLock<Arc<RootCertStore>> = OnceLock::new();
    let read = || {
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Arc::new(store)
    };
    STORE.get_or_init(read).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_certificate_is_refused() {
        let message = |tls: Result<Tls, Error>| tls.unwrap_err().to_string();
        assert!(message(Tls::default().with_authorities(b"")).contains("there is no certificate"));
        let broken = b"-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n";
        assert!(message(Tls::default().with_authorities(broken)).contains("not PEM"));
        let own = rcgen::generate_simple_self_signed(["h".to_owned()]).unwrap();
        let other = rcgen::KeyPair::generate().unwrap().serialize_pem();
        let pem = own.cert.pem();
        assert!(message(Tls::default().with_certificate(pem.as_bytes(), b"x")).contains("not a private key"));
        assert!(
            message(Tls::default().with_certificate(pem.as_bytes(), other.as_bytes())).contains("do not fit")
        );
    }
}
