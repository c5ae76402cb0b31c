//! The address of a Solr: scheme, host, port and the context path, to which collections and handlers are appended; and who is
//! to be said to ask there.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::error::Error;
use crate::login::Login;

/// Characters a query string may bear as they are.
const QUERY: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'*').remove(b':');

/// `http://host:port/solr`, without a slash at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolrUrl {
    text: String,
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
        let mut url = format!("{}/{path}", self.text);
        for (index, (name, value)) in params.iter().enumerate() {
            let mark = if index == 0 { '?' } else { '&' };
            let _ = write!(
                url,
                "{mark}{}={}",
                utf8_percent_encode(name, QUERY),
                utf8_percent_encode(value, QUERY)
            );
        }
        url
    }

    /// `host:port`, for the Host header and for connecting.
    pub fn authority(&self) -> &str {
        let rest = self.text.trim_start_matches("http://");
        rest.split('/').next().unwrap_or(rest)
    }

    /// The context path, such as `/solr`.
    pub fn context(&self) -> &str {
        let rest = self.text.trim_start_matches("http://");
        rest.find('/').map_or("", |slash| &rest[slash..])
    }
}

impl FromStr for SolrUrl {
    type Err = Error;

    /// Adds `http://` and `/solr` where they are left out.
    fn from_str(text: &str) -> Result<Self, Error> {
        let trimmed = text.trim_end_matches('/');
        let rest = match trimmed.split_once("://") {
            Some(("http", rest)) => rest,
            Some(_) => return Err(Error::Url(text.to_owned())),
            None => trimmed,
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, "solr"));
        let printable =
            rest.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'?' | b'#' | b'@'));
        if authority.is_empty() || !printable {
            return Err(Error::Url(text.to_owned()));
        }
        Ok(Self { text: format!("http://{authority}/{path}"), login: None })
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
        check("http://h/search", Some("http://h/search"));
        check("ftp://h", None);
        check("", None);
        check("h h", None);
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
