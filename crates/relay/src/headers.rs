//! Which headers go through: all but those of one connection (RFC 9110, 7.6.1) and those that speak of a
//! body as it is sent, which each side says for itself.
//!
//! In: the head of a request or an answer; out: what of it goes on. What headers mean is nobody's here.

use crate::writes::TOKEN;
use client::Request;
use hyper::HeaderMap;
use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderName, PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};

/// Of the application alone.
const TOKEN_HEADER: HeaderName = HeaderName::from_static(TOKEN);

/// Counts the relays that a request has passed, so that some in a circle do not pass it on for ever. Each
/// writes it anew.
pub(crate) const HOPS: HeaderName = HeaderName::from_static("x-relay-hops");

const OF_ONE_CONNECTION: [HeaderName; 10] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
    // HTTP/1.1 asked for HTTP/2 with it.
    HeaderName::from_static("http2-settings"),
];

/// The application's, for the server. How answers are packed on the way is the relay's own matter, and
/// `Expect` is answered here.
pub(crate) fn add_request_headers(
    mut request: Request,
    headers: &HeaderMap,
) -> Result<Request, client::Error> {
    let own = [HOST, CONTENT_LENGTH, ACCEPT_ENCODING, EXPECT, HOPS, TOKEN_HEADER];
    let lists = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let options: Vec<String> = lists.flat_map(|list| connection_options(Some(list))).collect();
    for (name, value) in headers {
        if !own.contains(name) && passes(name.as_str(), &options) {
            request = request.header_bytes(name.as_str(), value.as_bytes())?;
        }
    }
    Ok(request)
}

/// The headers that `Connection` names as its own kind.
pub(crate) fn connection_options(list: Option<&str>) -> Vec<String> {
    list.unwrap_or_default().split(',').map(|option| option.trim().to_ascii_lowercase()).collect()
}

/// Whether a header goes on from one connection to the next.
pub(crate) fn passes(name: &str, options: &[String]) -> bool {
    !OF_ONE_CONNECTION.iter().any(|own| own == name) && !options.iter().any(|option| option == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_one_connection_stays() {
        let options = connection_options(Some("close, X-Hop"));
        let check = |name: &str, expected: bool| assert_eq!(passes(name, &options), expected, "{name}");
        check("content-type", true);
        check("authorization", true);
        check("x-hop", false);
        check("connection", false);
        check("keep-alive", false);
        check("transfer-encoding", false);
    }
}
