//! Takes the messages of shards to other members, by the connections that requests go on by. In: a message of
//! `cluster`'s; out: the answer's bytes, or an error where there is none. What either says is not looked at.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use cluster::{Carrier, Letter, Member, Node, compute};
use meter::Clock;
use plan::{Error, ErrorKind, Result};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::alive::{while_alive, while_answering};
use super::key::{MemberKey, SIGNATURE};
use super::{Forward, Forwarded};

/// Where members are asked of the shards that they serve.
pub(crate) const SHARDS_PATH: &str = "/parhelion/shards";
pub(crate) const CONTENT_TYPE: &str = "application/vnd.parhelion.shards+cbor";
/// How much longer than its request may take whoever is asked may need to say that it takes longer.
const GRACE_MS: u64 = 2_000;

/// Takes messages to other members, by the connections that requests go on by.
pub(crate) struct MemberCarrier {
    pub forward: Arc<dyn Forward>,
    pub node: Weak<Node>,
    pub key: MemberKey,
    pub clock: Arc<dyn Clock>,
    /// For whoever asks from a thread that is none of it: shards' own tasks.
    pub runtime: Handle,
}

impl Carrier for MemberCarrier {
    fn carry(&self, to: &Member, letter: Letter) -> Result<Vec<u8>> {
        let gone = || Error::new(ErrorKind::Unavailable, format!("`{}` is gone; try again", to.name));
        let node = self.node.upgrade().filter(|node| node.is_alive(to)).ok_or_else(gone)?;
        let Letter { message, time_ms, is_safe, may_leave } = letter;
        let signature = self.key.sign(self.clock.now_ms(), &message);
        let headers = vec![
            ("content-type".to_owned(), CONTENT_TYPE.as_bytes().to_vec()),
            (SIGNATURE.to_owned(), signature.into_bytes()),
        ];
        let forwarded = Forwarded {
            url: to.url.clone(),
            method: "POST".to_owned(),
            target: SHARDS_PATH.to_owned(),
            headers,
            body: Some(Bytes::from(message)),
            is_safe,
        };
        let sent = self.forward.forward(forwarded);
        let answer = async {
            match may_leave {
                true => while_answering(&node, (&*self.forward, to), sent).await,
                false => while_alive(&node, to, sent).await,
            }
        };
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
        // From a thread that the runtime may not count on meanwhile: the seam of shards blocks.
        let answer = compute(|| self.runtime.block_on(answer))?;
        if answer.status == 200 {
            return Ok(answer.body.into());
        }
        // An error of the way, as of a signature: those of the shard are in an answer of 200.
        let text: String = String::from_utf8_lossy(&answer.body).chars().take(500).collect();
        let message = format!("`{}` answered {} to a question of its shard: {text}", to.name, answer.status);
        Err(Error::new(ErrorKind::Unavailable, message))
    }

    fn is_silent(&self, member: &Member) -> bool {
        self.node.upgrade().is_some_and(|node| node.is_silent(member))
    }
}
