//! An answer as received, and Solr's error message inside it.

use bytes::Bytes;
use serde_json::Value;

use crate::error::Error;

#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    /// Empty when the server sent none.
    pub content_type: String,
    pub body: Bytes,
}

impl Response {
    /// Itself when the status is 2xx, else the server's own message as an error.
    pub fn ok(self) -> Result<Self, Error> {
        if (200..300).contains(&self.status) {
            return Ok(self);
        }
        Err(Error::Status { status: self.status, message: self.message() })
    }

    pub fn json(&self) -> Result<Value, Error> {
        serde_json::from_slice(&self.body).map_err(|error| Error::NotJson(error.to_string()))
    }

    /// `error.msg` of a JSON body, else the first 200 characters of whatever came.
    fn message(&self) -> String {
        let message =
            self.json().ok().and_then(|body| Some(body.pointer("/error/msg")?.as_str()?.to_owned()));
        message.unwrap_or_else(|| String::from_utf8_lossy(&self.body).chars().take(200).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_carry_the_servers_words() {
        let check = |status, body: &str, expected: Option<&str>| {
            let response = Response {
                status,
                content_type: String::new(),
                body: Bytes::copy_from_slice(body.as_bytes()),
            };
            let message = response.ok().err().map(|error| error.to_string());
            assert_eq!(message.as_deref(), expected);
        };
        check(200, "{}", None);
        check(
            400,
            r#"{"error":{"msg":"undefined field x","code":400}}"#,
            Some("undefined field x (status 400)"),
        );
        check(404, "no such thing", Some("no such thing (status 404)"));
    }
}
