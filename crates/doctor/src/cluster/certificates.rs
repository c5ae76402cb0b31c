//! The certificates that a server shows: whom they name, and until when. Whether they are to be trusted is
//! the client's business, which refuses those that are not. So it connects with a verifier that accepts all,
//! sends nothing, and closes: nobody can be deceived by what is said to no one. When a certificate ends too
//! soon `lints/` decides.

use std::time::Duration;

use client::SolrUrl;
use x509_parser::prelude::{FromDer as _, X509Certificate};

use super::facts::{CertificateFacts, ClusterFacts};
use super::options::unseen;
use crate::verdict::words::printable;

/// Adds those at `url`, once for each address.
pub async fn look(facts: &mut ClusterFacts, url: &SolrUrl, patience: Duration) {
    let address = url.authority();
    if facts.certificates.iter().any(|known| known.address == address) {
        return;
    }
    match client::shown_certificates(url, patience).await {
        Ok(shown) => facts.certificates.extend(shown.iter().filter_map(|der| read(address, der))),
        Err(error) => facts.unseen.push(unseen("certificates", &error)),
    }
}

/// `None` of what is no certificate.
pub fn read(address: &str, der: &[u8]) -> Option<CertificateFacts> {
    let (_, certificate) = X509Certificate::from_der(der).ok()?;
    Some(CertificateFacts {
        address: address.to_owned(),
        subject: printable(&certificate.subject().to_string()),
        ends_ms: certificate.validity().not_after.timestamp().saturating_mul(1000),
    })
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DnType, KeyPair};

    use super::*;

    #[test]
    fn a_certificate_tells_whom_it_names_and_until_when() {
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.not_after = rcgen::date_time_ymd(2026, 11, 23);
        params.distinguished_name.push(DnType::CommonName, "solr\u{7}");
        let der = params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec();
        let found = read("a:1", &der).unwrap();
        assert_eq!((found.address.as_str(), found.ends_ms), ("a:1", 1_795_392_000_000));
        assert!(found.subject.contains("CN=solr") && !found.subject.contains('\u{7}'), "{}", found.subject);
        for length in 0..der.len() {
            assert_eq!(read("a:1", &der[..length]), None);
        }
    }
}
