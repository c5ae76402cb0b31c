//! The address of a Solr: scheme, host, port and the context path, to which collections and handlers are
//! appended; and as whom to log in there.
//!
//! In: what people write, `host:port` too; out: the parts that requests and connections need. A login within
//! the text is refused, so that none gets into logs.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::error::Error;
use crate::login::Login;

/// Characters a query string may bear as they are.
const QUERY: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'*').remove(b':');

/// `http://host:port/solr` or `https://…`, without a slash at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolrUrl {
    text: String,
    tls: bool,
    login: Option<Login>,
}

impl SolrUrl {
    /// The same address, asked as somebody.
    #[must_use]
    pub fn with_login(self, login: Option<Login>) -> Self {
        Self { login, ..self }
    }

    pub fn login(&self) -> Option<&Login> {
        self.login.as_ref()
    }

    /// The address of `path` below, with parameters.
    pub fn with(&self, path: &str, params: &[(&str, &str)]) -> String {
        format!("{}/{}", self.text, target(path, params))
    }

    /// `host:port`, for the Host header and for connecting.
    pub fn authority(&self) -> &str {
        let rest = self.rest();
        rest.split('/').next().unwrap_or(rest)
    }

    /// The context path, such as `/solr`.
    pub fn context(&self) -> &str {
        let rest = self.rest();
        rest.find('/').map_or("", |slash| &rest[slash..])
    }

    /// Whether it is `https`.
    pub fn is_tls(&self) -> bool {
        self.tls
    }

    pub(crate) fn scheme(&self) -> &'static str {
        if self.tls { "https" } else { "http" }
    }

    /// A name or an address without brackets, and the port, which may follow from the scheme.
    pub(crate) fn host_and_port(&self) -> (&str, u16) {
        let default = if self.tls { 443 } else { 80 };
        split_port(self.authority())
            .map_or((self.authority(), default), |(host, port)| (host, port.unwrap_or(default)))
    }

    fn rest(&self) -> &str {
        &self.text[self.scheme().len() + 3..]
    }
}

/// `path` with its parameters, escaped.
pub(crate) fn target(path: &str, params: &[(&str, &str)]) -> String {
    let mut target = path.to_owned();
    for (index, (name, value)) in params.iter().enumerate() {
        let mark = if index == 0 { '?' } else { '&' };
        let _ = write!(
            target,
            "{mark}{}={}",
            utf8_percent_encode(name, QUERY),
            utf8_percent_encode(value, QUERY)
        );
    }
    target
}

/// Of `host`, `host:port`, `[address]` or `[address]:port`; `None` for what is none of them.
fn split_port(authority: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map(|(host, port)| (host, port.strip_prefix(':'))),
        None => Some(authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)))),
    }?;
    let port = port.map(str::parse).transpose().ok()?;
    (!host.is_empty()).then_some((host, port))
}

impl FromStr for SolrUrl {
    type Err = Error;

    /// Adds `http://` and `/solr` where they are left out. A login in it is refused, and not repeated.
    fn from_str(text: &str) -> Result<Self, Error> {
        if text.contains('@') {
            return Err(Error::Login(
                "a login is no part of a Solr URL; say it with --user-file, --user or --api-key",
            ));
        }
        let trimmed = text.trim_end_matches('/');
        let (tls, rest) = match trimmed.split_once("://") {
            Some(("http", rest)) => (false, rest),
            Some(("https", rest)) => (true, rest),
            Some(_) => return Err(Error::Url(text.to_owned())),
            None => (false, trimmed),
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, "solr"));
        let printable = rest.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'?' | b'#'));
        if !printable || split_port(authority).is_none() {
            return Err(Error::Url(text.to_owned()));
        }
        let scheme = if tls { "https" } else { "http" };
        Ok(Self { text: format!("{scheme}://{authority}/{path}"), tls, login: None })
    }
}

impl fmt::Display for SolrUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_completed() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(
                text.parse::<SolrUrl>().ok().map(|url| url.to_string()).as_deref(),
                expected,
                "{text}"
            );
        };
        check("http://127.0.0.1:8983/solr/", Some("http://127.0.0.1:8983/solr"));
        check("localhost:8983", Some("http://localhost:8983/solr"));
        check("https://h/search", Some("https://h/search"));
        check("[::1]:8983", Some("http://[::1]:8983/solr"));
        check("ftp://h", None);
        check("", None);
        check("https://", None);
        check("h h", None);
        check("h:port", None);
        check("h:99999", None);
        check("[::1", None);
        let refused = "http://ops:secret@h/solr".parse::<SolrUrl>().unwrap_err();
        assert!(refused.to_string().contains("--user-file") && !refused.to_string().contains("secret"));
    }

    #[test]
    fn hosts_and_ports_are_told_apart() {
        let check = |text: &str, expected: (&str, u16)| {
            assert_eq!(text.parse::<SolrUrl>().unwrap().host_and_port(), expected, "{text}");
        };
        check("h", ("h", 80));
        check("https://h", ("h", 443));
        check("https://h:8983", ("h", 8983));
        check("[::1]:8983", ("::1", 8983));
        check("[::1]", ("::1", 80));
    }

    #[test]
    fn parameters_are_escaped() {
        let url: SolrUrl = "h:1".parse().unwrap();
        assert_eq!(
            url.with("c/select", &[("q", "a b&c"), ("fl", "*")]),
            "http://h:1/solr/c/select?q=a%20b%26c&fl=*"
        );
        assert_eq!((url.authority(), url.context()), ("h:1", "/solr"));
    }
}
