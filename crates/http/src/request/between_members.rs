//! What members ask one another of the shards that they serve: one path, whose messages are `cluster`'s, taken
//! from members alone. Whoever sends signs with the secret that lies with the cluster's documents: method and
//! path are one, so the time and the body are signed. Clients have no way here, and what they may do is not
//! asked: whoever sends the message has asked that of its client.
//!
//! In: messages of either direction; out: their answers. What is asked, and which shard answers, is
//! `cluster`'s; connections are kept by whoever the binary brings ([`Forward`]).

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use cluster::{Answering, Carrier, Letter, Member, Node, compute};
use hyper::Request;
use hyper::body::Incoming;
use hyper::header::HeaderMap;
use meter::Clock;
use plan::{Error, ErrorKind, Result};
use ring::hmac;
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::members::{Forward, Forwarded};
use crate::request::body::Upload;
use crate::request::elsewhere::while_alive;
use crate::request::reply::Reply;
use crate::server::Server;

/// Where members are asked of the shards that they serve.
pub(crate) const PATH: &str = "/parhelion/shards";
/// Milliseconds since 1970, a colon, and the HMAC-SHA-256 of that number, a line feed and the body, in hex.
const SIGNATURE: &str = "parhelion-signature";
const CONTENT_TYPE: &str = "application/vnd.parhelion.shards+msgpack";
/// How far the clocks of two members may differ: what was recorded is of no use afterwards.
const SKEW_MS: i64 = 300_000;
/// How much longer than its request may take whoever is asked may need to say that it takes longer.
const GRACE_MS: u64 = 2_000;

/// The key that members sign with.
#[derive(Clone)]
pub(crate) struct MemberKey(hmac::Key);

impl MemberKey {
    pub fn new(secret: &str) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()))
    }

    fn sign(&self, now_ms: i64, body: &[u8]) -> String {
        let tag = hmac::sign(&self.0, &signed(now_ms, body));
        let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{now_ms}:{hex}")
    }

    /// Errors: `BadRequest`, with what is wrong.
    fn check(&self, headers: &HeaderMap, now_ms: i64, body: &[u8]) -> Result<()> {
        let refused = |why: &str| Error::bad_request(format!("only members are answered here: {why}"));
        let header = headers.get(SIGNATURE).and_then(|it| it.to_str().ok());
        let (signed_ms, tag) =
            header.and_then(|it| it.split_once(':')).ok_or_else(|| refused("no signature"))?;
        let signed_ms: i64 = signed_ms.parse().map_err(|_| refused("no time in the signature"))?;
        let tag = from_hex(tag).ok_or_else(|| refused("no signature"))?;
        hmac::verify(&self.0, &signed(signed_ms, body), &tag)
            .map_err(|_| refused("another secret signed this; do both use one store?"))?;
        match signed_ms.abs_diff(now_ms) <= SKEW_MS.unsigned_abs() {
            true => Ok(()),
            false => Err(refused("its time is more than five minutes away; set the clocks of the members")),
        }
    }
}

fn signed(now_ms: i64, body: &[u8]) -> Vec<u8> {
    [format!("{now_ms}\n").as_bytes(), body].concat()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// What answers the other members.
pub(crate) struct MemberDesk {
    answering: Arc<Answering>,
    key: MemberKey,
}

impl MemberDesk {
    /// `None` where there are no other members.
    pub fn of(node: &Node) -> Option<Self> {
        let key = MemberKey::new(node.member_secret()?);
        Some(Self { answering: Arc::new(Answering::new(node.clock().clone())), key })
    }
}

/// Answers another member. Errors: those of the message; what the shard says is in the answer.
pub(crate) async fn answer(
    server: &Arc<Server>,
    desk: &MemberDesk,
    request: Request<Incoming>,
) -> Result<Reply> {
    let headers = request.headers().clone();
    let (body, room) = Upload::new(server, request, server.config.body_bytes_max)?.whole().await?;
    desk.key.check(&headers, server.node.clock().now_ms(), &body)?;
    let (answering, node) = (desk.answering.clone(), server.node.clone());
    // It may wait for the log, or compute for long: neither is for the threads that read requests.
    let work = move || {
        let _room = room;
        answering.answer(&*node, &body)
    };
    let answer = tokio::task::spawn_blocking(work).await.map_err(|failure| {
        Error::internal("a shard's thread panicked; see the log").with_source(failure)
    })??;
    Ok(Reply { status: 200, content_type: CONTENT_TYPE.into(), body: answer.into(), ..Reply::default() })
}

/// Takes messages to other members, by the connections that requests go on by.
pub(crate) struct MemberCarrier {
    pub forward: Arc<dyn Forward>,
    pub node: Weak<Node>,
    pub key: MemberKey,
    pub clock: Arc<dyn Clock>,
}

impl Carrier for MemberCarrier {
    fn carry(&self, to: &Member, letter: Letter) -> Result<Vec<u8>> {
        let gone = || Error::new(ErrorKind::Unavailable, format!("`{}` is gone; try again", to.name));
        let node = self.node.upgrade().filter(|node| node.is_alive(to)).ok_or_else(gone)?;
        let Letter { message, time_ms, is_safe } = letter;
        let signature = self.key.sign(self.clock.now_ms(), &message);
        let headers = vec![
            ("content-type".to_owned(), CONTENT_TYPE.as_bytes().to_vec()),
            (SIGNATURE.to_owned(), signature.into_bytes()),
        ];
        let forwarded = Forwarded {
            url: to.url.clone(),
            method: "POST".to_owned(),
            target: PATH.to_owned(),
            headers,
            body: Some(Bytes::from(message)),
            is_safe,
        };
        let answer = while_alive(&node, to, self.forward.forward(forwarded));
        let answer = async move {
            match time_ms {
                None => answer.await,
                Some(most) => {
                    let late = || Error::new(ErrorKind::Unavailable, format!("`{}` took too long", to.name));
                    let most = Duration::from_millis(most.saturating_add(GRACE_MS));
                    timeout(most, answer).await.unwrap_or_else(|_| Err(late()))
                }
            }
        };
        let answer = compute(|| Handle::current().block_on(answer))?;
        if answer.status == 200 {
            return Ok(answer.body.into());
        }
        let text: String = String::from_utf8_lossy(&answer.body).chars().take(500).collect();
        let message = format!("`{}` answered {} to a question of its shard: {text}", to.name, answer.status);
        Err(Error::new(ErrorKind::Unavailable, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_member_signed_is_refused() {
        let key = MemberKey::new("secret");
        let check = |signature: Option<String>, now_ms: i64, body: &[u8], why: &str| {
            let mut headers = HeaderMap::new();
            if let Some(signature) = signature {
                headers.insert(SIGNATURE, signature.parse().unwrap());
            }
            let checked =
                key.check(&headers, now_ms, body).err().map(|error| error.message).unwrap_or_default();
            assert!(if why.is_empty() { checked.is_empty() } else { checked.contains(why) }, "{checked}");
        };
        let good = || Some(key.sign(1000, b"body"));
        check(good(), 1000, b"body", "");
        check(good(), 301_000, b"body", "");
        check(good(), 301_001, b"body", "clocks");
        check(good(), -299_001, b"body", "clocks");
        check(good(), 1000, b"bodies", "another secret");
        check(Some(MemberKey::new("other").sign(1000, b"body")), 1000, b"body", "another secret");
        let later = good().map(|it| it.replacen("1000", "1001", 1));
        check(later, 1001, b"body", "another secret");
        for broken in ["", "1000", "1000:", "1000:zz", "1000:abc", "x:00", ":"] {
            check(Some(broken.to_owned()), 1000, b"body", "only members");
        }
        check(None, 1000, b"body", "no signature");
    }
}
