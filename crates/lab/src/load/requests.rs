//! Requests as bytes, built before the clock starts, and the order in which the connections of a run take
//! them. They are HTTP/1.1 as any client would write it; `worker.rs` sends them. Building one while the clock
//! runs would be measured as the server's time.

use std::sync::atomic::{AtomicUsize, Ordering};

use client::SolrUrl;

/// What a run sends: a list of requests, taken in turn by all connections together and begun anew at its end.
#[derive(Debug)]
pub struct Requests {
    bytes: Vec<Vec<u8>>,
    next: AtomicUsize,
}

impl Requests {
    /// `requests` must not be empty.
    pub fn new(bytes: Vec<Vec<u8>>) -> Self {
        assert!(!bytes.is_empty(), "a run without requests");
        Self { bytes, next: AtomicUsize::new(0) }
    }

    /// GETs of `path`, below the URL, with each list of parameters.
    pub fn get<'a>(url: &SolrUrl, path: &str, params: impl Iterator<Item = &'a [(String, String)]>) -> Self {
        let build = |params: &[(String, String)]| {
            let pairs: Vec<(&str, &str)> =
                params.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let address = url.with(path, &pairs);
            get_as(url, address.trim_start_matches("http://").trim_start_matches(url.authority()))
        };
        Self::new(params.map(build).collect())
    }

    pub fn next(&self) -> &[u8] {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        &self.bytes[at % self.bytes.len()]
    }
}

/// A GET of `target` from a server, by whom its URL says.
pub fn get_as(url: &SolrUrl, target: &str) -> Vec<u8> {
    let mut request = get(url.authority(), target);
    if let Some(login) = url.login() {
        request.truncate(request.len() - 2);
        request.extend_from_slice(format!("Authorization: {}\r\n\r\n", login.header()).as_bytes());
    }
    request
}

/// A GET of `target`, the path and query.
pub fn get(authority: &str, target: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nHost: {authority}\r\n\r\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_taken_in_turn() {
        let url: SolrUrl = "h:1".parse().unwrap();
        let params = ["a b", "c"].map(|query| vec![("q".to_owned(), query.to_owned())]);
        let requests = Requests::get(&url, "c/select", params.iter().map(Vec::as_slice));
        let first = b"GET /solr/c/select?q=a%20b HTTP/1.1\r\nHost: h:1\r\n\r\n";
        assert_eq!(requests.next(), first);
        assert_eq!(requests.next(), b"GET /solr/c/select?q=c HTTP/1.1\r\nHost: h:1\r\n\r\n");
        assert_eq!(requests.next(), first);
        let url = url.with_login(client::Login::key("k").ok());
        let as_somebody = b"GET /solr/x HTTP/1.1\r\nHost: h:1\r\nAuthorization: Bearer k\r\n\r\n";
        assert_eq!(get_as(&url, "/solr/x"), as_somebody);
    }
}
