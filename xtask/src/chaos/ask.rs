//! One request, one answer: its status and body, or why there is none. Each over a connection of its own, so
//! that nothing is tried a second time behind a writer's back.

use minreq::{Method, Request};
use serde_json::Value;

/// Longer than any member is stopped: who asks it hears what became of it.
pub const PATIENCE_S: u64 = 30;

pub struct Answer {
    /// 0 where there was none.
    pub status: u16,
    /// Of an answer, else why there is none.
    pub text: String,
}

impl Answer {
    pub fn is_ok(&self) -> bool {
        self.status == 200
    }

    /// For counting: what differs by no more than an address is the same.
    pub fn label(&self) -> String {
        if self.status == 0 { format!("no answer: {}", self.text) } else { self.status.to_string() }
    }

    /// `None` of what is no JSON.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_str(&self.text).ok()
    }
}

pub fn get(url: &str, patience_s: u64) -> Answer {
    send(Request::new(Method::Get, url), patience_s)
}

pub fn post_json(url: &str, body: &Value) -> Answer {
    let request = Request::new(Method::Post, url).with_header("Content-Type", "application/json");
    send(request.with_body(body.to_string()), PATIENCE_S)
}

fn send(request: Request, patience_s: u64) -> Answer {
    match request.with_timeout(patience_s).send() {
        Ok(response) => {
            let text = String::from_utf8_lossy(response.as_bytes()).into_owned();
            Answer { status: u16::try_from(response.status_code).unwrap_or(0), text }
        }
        Err(minreq::Error::IoError(error)) => Answer { status: 0, text: error.kind().to_string() },
        Err(error) => Answer { status: 0, text: error.to_string() },
    }
}
