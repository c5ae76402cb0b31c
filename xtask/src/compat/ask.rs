//! One question over HTTP, one answer back. Owns the encoding of requests and the reading of answers into a
//! comparable form: JSON where it parses, javabin with its types, text otherwise, with the collection's name
//! written `{core}`. Does not judge: a status of 500 is an answer like any other; only a failed connection is
//! an error.

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::javabin;
use super::scenario::Step;

/// A server, by the URL of its web context.
pub struct Server {
    url: String,
    /// `name:password` of who asks.
    login: Option<String>,
}

/// What is sent, and what the headers say of it.
struct Body<'a> {
    bytes: Vec<u8>,
    kind: &'a str,
    encoding: Option<&'a str>,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    /// The content type in lower case without spaces; empty where the server named none.
    pub kind: String,
    pub body: Value,
}

impl Answer {
    /// What stands for the answer where the connection broke off: status 0 and the reason.
    pub fn broken(error: &anyhow::Error) -> Self {
        Self { status: 0, kind: String::new(), body: Value::String(format!("{error:#}")) }
    }

    /// The whole answer as one value, so that one path notation reaches every part.
    pub fn as_value(&self) -> Value {
        json!({"status": self.status, "type": self.kind, "body": self.body})
    }
}

impl Server {
    pub fn new(url: &str) -> Self {
        Self { url: url.to_owned(), login: None }
    }

    /// The same server, asked by somebody; by nobody where there is no name.
    pub fn asked_by(&self, login: &str) -> Self {
        Self { url: self.url.clone(), login: Some(login.to_owned()).filter(|login| !login.is_empty()) }
    }

    /// Whether one must log in.
    pub fn is_guarded(&self) -> Result<bool> {
        Ok(self.send("GET", "/admin/authentication", &[], None)?.status_code == 401)
    }

    /// Sends a step to the collection `core`.
    pub fn ask(&self, core: &str, step: &Step) -> Result<Answer> {
        let here = |text: &str| text.replace("{core}", core);
        let pairs: Vec<(String, String)> =
            step.pairs().iter().map(|(name, value)| (here(name), here(value))).collect();
        let path = here(step.path());
        let path = if path.starts_with('/') { path } else { format!("/{core}/{path}") };
        let body = step.body_text().map(|body| here(&body).into_bytes()).or_else(|| step.body_bytes());
        let body = body.zip(step.body_type()).map(|(bytes, kind)| Body {
            bytes,
            kind,
            encoding: step.content_encoding.as_deref(),
        });
        let response = match &step.who {
            Some(who) => self.asked_by(who).send(step.method(), &path, &pairs, body)?,
            None => self.send(step.method(), &path, &pairs, body)?,
        };
        Ok(read(&response, core, step.raw))
    }

    /// A plain request of ours, outside the scenarios: making and deleting collections.
    pub fn get(&self, path: &str, pairs: &[(String, String)]) -> Result<Answer> {
        Ok(read(&self.send("GET", path, pairs, None)?, "", false))
    }

    fn send(
        &self,
        method: &str,
        path: &str,
        pairs: &[(String, String)],
        body: Option<Body<'_>>,
    ) -> Result<minreq::Response> {
        // The v2 API is beside the web context, not below it.
        let beside = self.url.strip_suffix("/solr").filter(|_| path.starts_with("/api/"));
        let url = format!("{}{path}{}", beside.unwrap_or(&self.url), query(pairs));
        let method = match method {
            "POST" => minreq::Method::Post,
            "PUT" => minreq::Method::Put,
            "DELETE" => minreq::Method::Delete,
            "HEAD" => minreq::Method::Head,
            _ => minreq::Method::Get,
        };
        let mut request = minreq::Request::new(method, &url).with_timeout(60);
        if let Some(login) = &self.login {
            request = request.with_header("Authorization", format!("Basic {}", STANDARD.encode(login)));
        }
        if let Some(Body { bytes, kind, encoding }) = body {
            request = request.with_header("Content-Type", kind).with_body(bytes);
            request =
                encoding.into_iter().fold(request, |request, it| request.with_header("Content-Encoding", it));
        }
        request.send().with_context(|| format!("no answer from `{}`; is the server up?", self.url))
    }
}

fn read(response: &minreq::Response, core: &str, raw: bool) -> Answer {
    let text = String::from_utf8_lossy(response.as_bytes()).into_owned();
    let text = if core.is_empty() { text } else { text.replace(core, "{core}") };
    let kind = response.headers.get("content-type").map(|kind| kind.to_lowercase().replace(' ', ""));
    let parsed = match (raw, javabin::decode(response.as_bytes())) {
        (_, Some(message)) => Some(message),
        (true, None) => None,
        (false, None) => serde_json::from_str(&text).ok(),
    };
    Answer {
        status: u16::try_from(response.status_code).unwrap_or_default(),
        kind: kind.unwrap_or_default(),
        body: parsed.unwrap_or(Value::String(text)),
    }
}

/// `?a=1&b=2`, percent-encoded; empty without parameters.
fn query(pairs: &[(String, String)]) -> String {
    let encoded: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    if encoded.is_empty() { String::new() } else { format!("?{}", encoded.join("&")) }
}

/// Percent-encoding of all but unreserved characters (RFC 3986, 2.3).
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_what_solr_syntax_needs() {
        let pairs = [("q".to_owned(), "a:[1 TO *] & ü".to_owned())];
        assert_eq!(query(&pairs), "?q=a%3A%5B1%20TO%20%2A%5D%20%26%20%C3%BC");
        assert_eq!(query(&[]), "");
    }

    /// A server that gives one answer, and the request line it was asked with.
    fn one_answer(answer: &'static str) -> (Server, std::thread::JoinHandle<String>) {
        use std::io::{BufRead as _, BufReader, Write as _};
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Server::new(&format!("http://{}/solr", listener.local_addr().unwrap()));
        let asked = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut line = String::new();
            BufReader::new(stream.try_clone().unwrap()).read_line(&mut line).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
            line
        });
        (server, asked)
    }

    #[test]
    fn an_error_is_an_answer_and_the_collection_has_no_name() {
        let (server, asked) = one_answer(
            "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=UTF-8\r\nContent-Length: 45\r\n\r\n\
             {\"error\":{\"msg\":\"no field in c1\",\"code\":400}}",
        );
        let step: Step = serde_norway::from_str("{get: select, params: {q: 'a:{core}'}}").unwrap();
        let answer = server.ask("c1", &step).unwrap();
        assert_eq!(asked.join().unwrap(), "GET /solr/c1/select?q=a%3Ac1 HTTP/1.1\r\n");
        assert_eq!((answer.status, answer.kind.as_str()), (400, "application/json;charset=utf-8"));
        assert_eq!(answer.body, json!({"error": {"msg": "no field in {core}", "code": 400}}));
    }
}
